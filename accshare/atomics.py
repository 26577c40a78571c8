"""What an ``atomic`` statement does, taken apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from accshare.conversions import is_bool
from accshare.frontend.ir import (
    Assign,
    Atomic,
    Binary,
    Block,
    Call,
    Conditional,
    Expr,
    For,
    GeneralFor,
    If,
    Scalar,
    Stmt,
    While,
)
from accshare.records import dataclass, replace
from accshare.reference import strip
from accshare.tree import statements

#: the kind of an update that is in one piece because it may be done in any order
REASSOCIATED = "reassociated"
#: operators that may follow each other in any order, and what they are alike with
_COMMUTING = {"+": "+", "-": "+", **{op: op for op in ("*", "&", "|", "^", "&&", "||", "max", "min", "fmax", "fmin")}}
_OF_TRUTH = {op: op for op in ("*", "&", "|", "&&", "||", "max", "min")}
#: operators whose result an operand of another kind of number rounds to no other than its own conversion does
_OF_ANY = frozenset({"&&", "||", "max", "min"})
_EXTREMES = {">": "max", "<": "min"}
_FUNCTIONS = {"fmax": "fmax", "fmaxf": "fmax", "fmin": "fmin", "fminf": "fmin"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """`place` becomes ``place op operand``, or ``operand op place`` where that is `flipped`, or the operand where `op`
    is ``=``; with ``max`` and ``min`` it becomes the operand where that is greater or less, with ``fmax`` and ``fmin``
    what these functions say. Without an operand it is only read. `capture` takes what it is `before` the change or
    after it."""

    place: Expr
    op: str
    operand: Expr | None
    flipped: bool
    capture: Assign | None
    before: bool


def exchange(atomic: Atomic) -> Exchange:
    """The parts of an atomic statement."""
    first, *more = (part for part in atomic.body.statements if isinstance(part, Assign))
    if atomic.kind == "read":
        return Exchange(strip(first.value), "", None, False, first, True)
    if not more:
        return _changed(first, None, True)
    second = more[0]
    if strip(first.value) == second.target:
        return _changed(second, first, True)
    return _changed(first, second, False)


def _changed(change: Assign, capture: Assign | None, before: bool) -> Exchange:
    if change.op != "=":
        return Exchange(change.target, change.op[:-1], change.value, False, capture, before)
    place = change.target
    match strip(change.value):
        case Binary("&&" | "||" as op, lhs, rhs) if strip(lhs) == place:
            return Exchange(place, op, rhs, False, capture, before)
        case Binary(op, lhs, rhs) if strip(rhs) == place:
            return Exchange(place, op, lhs, True, capture, before)
        case Conditional(Binary(">" | "<" as op, lhs, rhs), _, other) if strip(rhs) == strip(other) == place:
            return Exchange(place, _EXTREMES[op], lhs, False, capture, before)
        case Call(callee, (one, two)) if callee in _FUNCTIONS and strip(one) == place:
            return Exchange(place, _FUNCTIONS[callee], two, False, capture, before)
    return Exchange(change.target, "=", change.value, False, capture, before)


def in_steps(stmt: Stmt, which: Callable[[Expr], bool]) -> Stmt:
    """`stmt` with what is done in steps to the places that `which` names, rather than in one piece."""

    def block(body: Block) -> Block:
        return replace(body, statements=tuple(in_steps(s, which) for s in body.statements))

    match stmt:
        case Atomic(body=body) if which(exchange(stmt).place):
            return body.statements[0] if len(body.statements) == 1 else body
        case Block():
            return block(stmt)
        case For(body=body) | GeneralFor(body=body) | While(body=body):
            return replace(stmt, body=block(body))
        case If(then=then, other=other):
            return replace(stmt, then=block(then), other=None if other is None else block(other))
    return stmt


def commuting(atomic: Atomic) -> str | None:
    """The operator of an update that commutes with others by the same one, ``+`` for ``-``, too; None where the order
    shows, if only by what is captured. Rounding is not looked at."""
    parts = exchange(atomic)
    types = parts.place.type, None if parts.operand is None else parts.operand.type
    if parts.capture is not None or parts.flipped or not all(isinstance(type_, Scalar) for type_ in types):
        return None
    own, other = (isinstance(type_, Scalar) and type_.floating for type_ in types)
    known = _OF_TRUTH if is_bool(parts.place.type) else _COMMUTING
    return known.get(parts.op) if own or not other or parts.op in _OF_ANY else None


def atomics(stmts: Iterable[Stmt]) -> tuple[Atomic, ...]:
    """The atomic statements among some and below them."""
    return tuple(part for stmt in stmts for part in statements(stmt) if isinstance(part, Atomic))
