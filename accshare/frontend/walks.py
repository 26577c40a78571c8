"""Walks over our own AST while it is still being built; `accshare.tree`, for the later stages, needs this package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_args

from accshare.frontend.ir import Expr, Stmt, Var

_STATEMENTS: tuple[type, ...] = get_args(Stmt)
_EXPRESSIONS: tuple[type, ...] = get_args(Expr)


def statements(stmt: Stmt) -> Iterator[Stmt]:
    """`stmt` and every statement below it, parents first."""
    yield stmt
    for part in substatements(stmt):
        yield from statements(part)


def substatements(stmt: Stmt) -> Iterator[Stmt]:
    """The statements directly in `stmt`."""
    return _members(stmt, _STATEMENTS)


def expressions(expr: Expr) -> Iterator[Expr]:
    """`expr` and every expression below it, parents first."""
    yield expr
    for part in _members(expr, _EXPRESSIONS):
        yield from expressions(part)


def variables(expr: Expr) -> Iterator[Var]:
    """Every use of a variable in `expr`."""
    return (part for part in expressions(expr) if isinstance(part, Var))


def _members(node: Stmt | Expr, wanted: tuple[type, ...]) -> Iterator[Any]:
    for member in fields(node):
        value = getattr(node, member.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, wanted):
                yield part
