"""Integer locals that only name an index: ``int c = i * m + j; A[c]`` is read as ``A[i * m + j]``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from accshare.frontend.ir import (
    Assign,
    Atomic,
    Binary,
    Block,
    Cast,
    Declare,
    Expr,
    For,
    GeneralFor,
    If,
    IntLit,
    Region,
    Scalar,
    Stmt,
    Subscript,
    Symbol,
    Unary,
    Var,
    While,
)
from accshare.poly.survey import assigned, counters, declared
from accshare.reference import root
from accshare.tree import rewrite, statements


def with_index_locals_read(region: Region) -> Region:
    """`region` with such locals replaced in subscripts, bounds and conditions by what they stand for.

    A local qualifies when it is never assigned after its declaration and its initialiser is integer arithmetic on
    iterators, on values the region doesn't change, and on other such locals.
    """
    meanings = _meanings(region)
    if not meanings:
        return region
    return replace(region, body=_block(region.body, meanings))


def _meanings(region: Region) -> dict[Symbol, Expr]:
    changed = frozenset(s for s in map(root, assigned(region)) if s is not None)
    inner = declared(region)
    steady = counters(region)
    found: dict[Symbol, Expr] = {}
    for stmt in statements(region.body):
        if isinstance(stmt, Declare) and stmt.init is not None and stmt.symbol not in changed:
            init = rewrite(stmt.init, lambda e: found.get(e.symbol) if isinstance(e, Var) else None)
            known = {e for e in steady if e not in changed}
            if _is_integer(stmt.symbol.type) and _is_index(init, changed, inner, known):
                found[stmt.symbol] = Cast(init, stmt.symbol.type, True, stmt.init.span)
    return found


def _is_integer(type_: object) -> bool:
    return isinstance(type_, Scalar) and not type_.floating


def _is_index(expr: Expr, changed: frozenset[Symbol], inner: frozenset[Symbol], steady: set[Symbol]) -> bool:
    match expr:
        case IntLit():
            return True
        case Var(symbol):
            return symbol not in changed and (symbol in steady or symbol not in inner) and _is_integer(symbol.type)
        case Cast(operand) | Unary(_, operand):
            return _is_integer(expr.type) and _is_index(operand, changed, inner, steady)
        case Binary(_, lhs, rhs):
            parts = (_is_index(part, changed, inner, steady) for part in (lhs, rhs))
            return _is_integer(expr.type) and all(parts)
        case _:
            return False


def _block(block: Block, meanings: Mapping[Symbol, Expr]) -> Block:
    return replace(block, statements=tuple(_statement(s, meanings) for s in block.statements))


def _statement(stmt: Stmt, meanings: Mapping[Symbol, Expr]) -> Stmt:
    def meant(expr: Expr) -> Expr:
        return rewrite(expr, lambda e: meanings.get(e.symbol) if isinstance(e, Var) else None)

    def indexed(expr: Expr) -> Expr:
        """Only what stands in subscripts."""
        return rewrite(
            expr,
            lambda e: replace(e, base=indexed(e.base), index=meant(e.index)) if isinstance(e, Subscript) else None,
        )

    match stmt:
        case Block():
            return _block(stmt, meanings)
        case For(first=first, bound=bound, body=body):
            return replace(stmt, first=meant(first), bound=meant(bound), body=_block(body, meanings))
        case If(condition, then, other):
            other = None if other is None else _block(other, meanings)
            return replace(stmt, condition=meant(condition), then=_block(then, meanings), other=other)
        case While(condition=condition, body=body):
            return replace(stmt, condition=meant(condition), body=_block(body, meanings))
        case Atomic(body=body):
            return replace(stmt, body=_block(body, meanings))
        case GeneralFor(body=body):
            return replace(stmt, body=_block(body, meanings))
        case Declare(init=init):
            return stmt if init is None else replace(stmt, init=indexed(init))
        case Assign(target, _, value):
            return replace(stmt, target=indexed(target), value=indexed(value))
        case _:
            return stmt
