"""Integer variables that only name an index: ``int c = i * m + j; A[c]`` is read as ``A[i * m + j]``."""

from __future__ import annotations

from collections.abc import Mapping

from accshare.conversions import common, promoted
from accshare.frontend.ir import (
    Assign,
    Atomic,
    Binary,
    Block,
    Cast,
    Conditional,
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
from accshare.records import dataclass, replace
from accshare.reference import root
from accshare.source import Span
from accshare.tree import expressions, operands, rewrite, statements

#: parts of a choice that is put in wherever it is used
_LONG = 64


def with_index_locals_read(region: Region) -> Region:
    """`region` with such variables replaced in subscripts, bounds and conditions by what they stand for.

    A variable that only the region can reach stands for integer arithmetic on iterators, on values the region doesn't
    change, on other such variables and on what it stood for itself (``k -= pad``), from where it is assigned to where
    it may be assigned again, within a block.
    """
    changed = frozenset(s for s in map(root, assigned(region)) if s is not None)
    return replace(region, body=_block(region.body, {}, _Fixed(changed, declared(region), counters(region))))


@dataclass(frozen=True, slots=True)
class _Fixed:
    """What tells whether a value stays the same in a block: the variables that the region assigns, declares and counts
    with, and the iterators of the loops around."""

    changed: frozenset[Symbol]
    inner: frozenset[Symbol]
    counters: frozenset[Symbol]
    iterators: frozenset[Symbol] = frozenset()


def _meaning(stmt: Stmt, meanings: Mapping[Symbol, Expr], fixed: _Fixed) -> Mapping[Symbol, Expr]:
    """What variables stand for behind `stmt`, given what they stand for before it."""
    written = {root(s.target) for s in statements(stmt) if isinstance(s, Assign)}
    kept = {symbol: value for symbol, value in meanings.items() if symbol not in written}
    match stmt:
        case Declare(symbol, value) | Assign(Var(symbol), _, value) if value is not None:
            if isinstance(stmt, Assign) and stmt.op != "=":
                value = computed(stmt.op.removesuffix("="), Var(symbol, stmt.span), value, stmt.span)
            value = rewrite(value, lambda e: meanings.get(e.symbol) if isinstance(e, Var) else None)
            if not symbol.exposed and _is_integer(symbol.type) and _is_index(value, fixed):
                return {**kept, symbol: Cast(value, symbol.type, True, value.span)}
    return kept


def computed(op: str, lhs: Expr, rhs: Expr, span: Span) -> Expr:
    """``lhs op rhs``, converted as C converts operands."""
    shift = op in {"<<", ">>"}
    type_ = (promoted(lhs.type) if shift else common(lhs.type, rhs.type)) or lhs.type
    left, right = (part if part.type == type_ else Cast(part, type_, True, span) for part in (lhs, rhs))
    return Binary(op, left, rhs if shift else right, type_, span)


def _is_integer(type_: object) -> bool:
    return isinstance(type_, Scalar) and not type_.floating


def _is_index(expr: Expr, fixed: _Fixed) -> bool:
    match expr:
        case IntLit():
            return True
        case Var(symbol):
            if symbol in fixed.changed or not _is_integer(symbol.type):
                return False
            return symbol in fixed.iterators or not (symbol in fixed.inner or symbol in fixed.counters)
        case Cast(operand) | Unary(_, operand):
            return _is_integer(expr.type) and _is_index(operand, fixed)
        case Binary(_, lhs, rhs):
            parts = (_is_index(part, fixed) for part in (lhs, rhs))
            return _is_integer(expr.type) and all(parts)
        case Conditional():
            return all(_is_index(part, fixed) for part in operands(expr)) and len(expressions(expr)) <= _LONG
        case _:
            return False


def _block(block: Block, meanings: Mapping[Symbol, Expr], fixed: _Fixed) -> Block:
    done = []
    for stmt in block.statements:
        written = {root(s.target) for s in statements(stmt) if isinstance(s, Assign)}
        within = (
            meanings
            if isinstance(stmt, Assign | Declare)
            else {symbol: value for symbol, value in meanings.items() if symbol not in written}
        )
        done.append(_statement(stmt, within, fixed))
        meanings = _meaning(stmt, meanings, fixed)
    return replace(block, statements=tuple(done))


def _statement(stmt: Stmt, meanings: Mapping[Symbol, Expr], fixed: _Fixed) -> Stmt:
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
            return _block(stmt, meanings, fixed)
        case For(iterator=iterator, first=first, bound=bound, body=body):
            within = replace(fixed, iterators=fixed.iterators | {iterator})
            return replace(stmt, first=meant(first), bound=meant(bound), body=_block(body, meanings, within))
        case If(condition, then, other):
            other = None if other is None else _block(other, meanings, fixed)
            return replace(stmt, condition=meant(condition), then=_block(then, meanings, fixed), other=other)
        case While(condition=condition, body=body):
            return replace(stmt, condition=meant(condition), body=_block(body, meanings, fixed))
        case Atomic(body=body):
            return replace(stmt, body=_block(body, meanings, fixed))
        case GeneralFor(body=body):
            return replace(stmt, body=_block(body, meanings, fixed))
        case Declare(init=init):
            return stmt if init is None else replace(stmt, init=indexed(init))
        case Assign(target, _, value):
            return replace(stmt, target=indexed(target), value=indexed(value))
        case _:
            return stmt
