"""Walks over our own AST while it is still being built; `accshare.tree`, for the later stages, needs this package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, get_args

from accshare.frontend.ir import Expr, Member, Pointer, Stmt, Subscript, Symbol, Var
from accshare.records import replace

_STATEMENTS: tuple[type, ...] = get_args(Stmt)
_EXPRESSIONS: tuple[type, ...] = get_args(Expr)
_Node = TypeVar("_Node", bound=Stmt | Expr)


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


def uses(stmt: Stmt) -> Iterator[Var]:
    """Every use of a variable in `stmt` and the statements in it."""
    return (part for part in all_expressions(stmt) if isinstance(part, Var))


def all_expressions(stmt: Stmt) -> Iterator[Expr]:
    """Every expression in `stmt` and the statements in it, parents first."""
    return (part for own in statements(stmt) for top in own_expressions(own) for part in expressions(top))


def own_expressions(stmt: Stmt) -> Iterator[Expr]:
    """The expressions that stand in a statement itself, not in its sub-statements."""
    return _members(stmt, _EXPRESSIONS)


def root_symbol(expr: Expr) -> Symbol | None:
    """The variable an lvalue starts from."""
    while isinstance(expr, Subscript | Member):
        expr = expr.base
    return expr.symbol if isinstance(expr, Var) else None


def behind_pointer(place: Expr) -> bool:
    """Whether a place is reached through a pointer."""
    return any(isinstance(part, Subscript) and isinstance(part.base.type, Pointer) for part in expressions(place))


def rewritten(node: _Node, change: Callable[[Stmt | Expr], Stmt | Expr | None]) -> _Node:
    """`node` with everything in it for which `change` gives something replaced by that; parents are asked first, and
    what is put in is not looked into."""
    new = change(node)
    if new is not None:
        return new  # type: ignore[return-value]

    def part(value: Any) -> Any:  # noqa: ANN401 - whatever a node has
        if isinstance(value, tuple):
            return tuple(map(part, value))
        inside: Any = value
        return rewritten(inside, change) if isinstance(value, (*_STATEMENTS, *_EXPRESSIONS)) else value

    changed: dict[str, Any] = {name: part(getattr(node, name)) for name in node.__match_args__}
    return replace(node, **changed)


def _members(node: Stmt | Expr, wanted: tuple[type, ...]) -> Iterator[Any]:
    for name in node.__match_args__:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, wanted):
                yield part
