"""``while`` loops that count: ``while (i < n) { …; i++; }``, ``while (n--) …``, ``do *p++ = 0; while (p < end);``, and
those between two ends, ``while (i < j) { …; i++; j--; }``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from accshare.diagnostics import Diagnostic
from accshare.frontend.constants import converted
from accshare.frontend.exits import has_jump
from accshare.frontend.hoisting import Names
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Block,
    Declare,
    Expr,
    For,
    If,
    IntLit,
    Scalar,
    Stmt,
    Symbol,
    Unsupported,
    Var,
    While,
)
from accshare.frontend.loops import Header, Moved, NotCounting, amount, check_body, counting
from accshare.frontend.walks import root_symbol, statements, variables
from accshare.records import replace

_UPWARDS = {">": "<", ">=": "<=", "!=": "<"}
_ONCE = "a do loop whose condition doesn't hold at first runs all the same"


def as_counting(loop: While, moved: Moved | None, known: frozenset[Symbol], names: Names) -> tuple[Stmt, ...] | None:
    """`loop`, whose condition may have `moved` a variable, as a ``for`` that counts beside that variable; None where it
    does not count. `known` are variables that can't be negative."""
    inside = loop.body.statements
    if any(has_jump(stmt, word) for stmt in inside for word in ("break", "continue", "return")):
        return None
    for symbol, step in _moves(loop, moved):
        span, others = loop.condition.span, tuple(stmt for stmt in inside if stmt is not step)
        start = Assign(Var(symbol, span), "=", Var(symbol, span), span)
        steps = () if step is None else (step,)
        try:
            found = counting(Header((start,), (), loop.condition, moved, steps, ""), known)
            check_body(found, Block(others, loop.body.span))
        except NotCounting:
            continue
        assert isinstance(symbol.type, Scalar)
        first = names.temporary(symbol.name, found.first.type)
        counter = names.temporary(symbol.name, symbol.type if symbol.type == found.bound.type else LONG)
        relation = found.relation
        if relation == "!=" and abs(found.step) == 1 and symbol.type.signed and symbol.type.bytes >= INT.bytes:
            relation = "<" if found.step > 0 else ">"  # it would have to overflow to come from the other side
        here = Var(first, span)
        body = loop.body if moved is None else replace(loop.body, statements=(_move(moved, loop), *inside))
        counts = For(counter, here, relation, found.bound, found.step, body, None, span, loop.span)
        if relation in _UPWARDS and found.step == -1:  # the body counts by itself: how often is all that matters
            counts = replace(counts, first=found.bound, relation=_UPWARDS[relation], bound=here, step=1)
        behind = () if moved is None else (_move(moved, loop),)
        return Declare(first, found.first, span), counts, *behind
    return _between(loop, names) if moved is None else None


def _between(loop: While, names: Names) -> tuple[Stmt, ...] | None:
    """``while (i < j) { …; i++; j--; }``, as often as the two numbers that come nearer leave room for."""
    span, condition = loop.condition.span, loop.condition
    if not isinstance(condition, Binary) or condition.op not in {"<", "<=", ">", ">="}:
        return None
    low, high = (condition.lhs, condition.rhs)[:: 1 if condition.op[0] == "<" else -1]
    steps = [(_number(end), stmt) for end in (low, high) for stmt in loop.body.statements if _sets(stmt, end)]
    written = [root_symbol(s.target) for s in statements(loop.body) if isinstance(s, Assign)]
    counted = {s.iterator for s in statements(loop.body) if isinstance(s, For)}
    ends = [s for s, _ in steps if s is not None and s not in counted and written.count(s) == 1]
    if len(steps) != 2 or len(set(ends)) != 2 or any(symbol.exposed for symbol in ends):
        return None
    try:
        up, down = (amount(stmt, symbol, "") for symbol, (_, stmt) in zip(ends, steps, strict=True))
    except NotCounting:
        return None
    nearer = up - down
    if nearer <= 0:
        return None
    room, counter = names.temporary("room", LONG), names.temporary("near", LONG)
    above, below = (converted(end, LONG, True, span) for end in (high, low))
    more = nearer if condition.op.endswith("=") else nearer - 1
    rounded = Binary("+", Var(room, span), IntLit(more, LONG, span), LONG, span)
    often = Binary("/", rounded, IntLit(nearer, LONG, span), LONG, span)
    counts = For(counter, IntLit(0, LONG, span), "<", often, 1, loop.body, None, span, loop.span)
    return Declare(room, Binary("-", above, below, LONG, span), span), counts


def _number(end: Expr) -> Symbol | None:
    """The variable that an end of a loop is, a signed number that wraps nowhere."""
    symbol = end.symbol if isinstance(end, Var) else None
    type_ = None if symbol is None else symbol.type
    return symbol if isinstance(type_, Scalar) and type_.signed and type_.bytes >= INT.bytes else None


def _sets(stmt: Stmt, end: Expr) -> TypeGuard[Assign]:
    symbol = _number(end)
    return symbol is not None and isinstance(stmt, Assign) and stmt.target == Var(symbol, stmt.span)


def as_counting_behind(
    loop: While, moved: Moved | None, known: frozenset[Symbol], names: Names
) -> tuple[Stmt, ...] | None:
    """The same of a ``do`` loop; where it would not count even once as a ``while`` loop, the region is the host's."""
    condition = loop.condition if moved is None else _behind(loop.condition, moved)
    steps = () if moved is None else (_move(moved, loop),)
    again = replace(loop, condition=condition, body=replace(loop.body, statements=(*loop.body.statements, *steps)))
    found = as_counting(again, None, known, names)
    counts = next((stmt for stmt in found or () if isinstance(stmt, For)), None)
    if found is None or counts is None:
        return None
    up, down = {"<": ">=", "<=": ">", "!=": ">="}, {">": "<=", ">=": "<", "!=": "<="}
    never = Binary((up if counts.step > 0 else down)[counts.relation], counts.first, counts.bound, INT, condition.span)
    missed = Unsupported(Diagnostic("ACC301", _ONCE, condition.span), condition.span, unlikely=True)
    begun, *rest = found
    return begun, If(never, Block((missed,), loop.span), None, loop.span), *rest


def _behind(condition: Expr, moved: Moved) -> Expr:
    """A condition that has moved a variable, asked of what that is then."""
    if not moved.postfix or not isinstance(condition, Binary):
        return condition
    before = Binary("-", condition.lhs, IntLit(moved.delta, INT, condition.span), condition.lhs.type, condition.span)
    return replace(condition, lhs=before)


def _move(moved: Moved, loop: While) -> Assign:
    """What a condition does each time it is asked."""
    span = loop.condition.span
    return Assign(Var(moved.iterator, span), "+=" if moved.delta > 0 else "-=", IntLit(1, INT, span), span)


def _moves(loop: While, moved: Moved | None) -> Iterator[tuple[Symbol, Assign | None]]:
    """The variables in the condition that each iteration moves once, and where."""
    if moved is not None:
        yield moved.iterator, None
        return
    sides = (loop.condition.lhs, loop.condition.rhs) if isinstance(loop.condition, Binary) else ()
    for symbol in dict.fromkeys(use.symbol for side in sides for use in variables(side)):
        steps = [s for s in loop.body.statements if isinstance(s, Assign) and s.target == Var(symbol, s.span)]
        if len(steps) == 1:
            yield symbol, steps[0]
