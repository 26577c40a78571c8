"""Index-set splitting: loops whose first and last iterations go around the end of an array, or stop at it.

``for (x = 0; x < n; x++) b[x] = a[(x + n - 1) % n] + a[x == n - 1 ? 0 : x + 1];`` becomes three loops, of which the
middle one has ``a[x - 1] + a[x + 1]``: a compiler finds vectors for it. The others, before and behind, are as they
were. Where the middle one begins and ends is computed, so that nothing has to be proved but that it holds what it says.
Loops inside may be short ones, as of filters: what ``x + dx < 0`` compares then holds for each ``dx``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial, reduce
from typing import TypeAlias

from accshare.builtins import maximum, minimum
from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Block,
    Builtin,
    Call,
    Cast,
    Conditional,
    Expr,
    If,
    IntLit,
    Intrinsic,
    Member,
    Scalar,
    Subscript,
    Symbol,
    Type,
    Unary,
    Var,
)
from accshare.frontend.ir import (
    Stmt as SourceStmt,
)
from accshare.islexpr import binary, convert, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Loop, Stmt, parts, within
from accshare.kernel.uses import changed, rewritten, used_expressions
from accshare.linear import Sum, sum_of
from accshare.records import dataclass, replace
from accshare.tree import expressions, rewrite

#: how often a dividend may hold its divisor
_LAPS = 4
#: iterations at the ends of a loop
_FEW = 8
#: places where something changes, in one loop
_MOST = 16
#: the least and the greatest values of iterators of short loops
Ranges: TypeAlias = Mapping[Symbol, tuple[int, int]]
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class _Inside:
    """Where the iterator is at least `low` and less than `high`, `expr` is `value`."""

    expr: Expr
    value: Expr
    low: Sum | None = None
    high: Sum | None = None


def split(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Innermost loops but for short ones with their ends apart, where what they compute at these differs."""
    return _split(stmts, frozenset())


def _split(stmts: tuple[Stmt, ...], known: frozenset[Symbol]) -> tuple[Stmt, ...]:
    """The same for statements behind those that declare what is `known`."""
    result: list[Stmt] = []
    for stmt in stmts:
        short = _ranges(stmt) if isinstance(stmt, Loop) else None
        if isinstance(stmt, Loop) and short is not None:
            made = _apart(stmt, short, known)
        else:
            made = (within(stmt, partial(_split, known=known)),)
        known |= {one.symbol for one in made if isinstance(one, Define)}
        result += made
    return tuple(result)


def _ranges(loop: Loop) -> Ranges | None:
    """What the iterators of loops inside may be, all of which are short; None where some are not."""
    found: dict[Symbol, tuple[int, int]] = {}
    for part in parts(loop):
        match part:
            case Loop(iterator, IntLit(low), Binary("<" | "<=" as op, Var(symbol), IntLit(bound)), 1) if (
                part is not loop and symbol == iterator and bound - low <= _FEW
            ):
                found[iterator] = low, bound - int(op == "<")
            case Loop() if part is not loop:
                return None
    return found


def _apart(stmt: Loop, short: Ranges, known: frozenset[Symbol]) -> tuple[Stmt, ...]:
    end = _end(stmt)
    assigned = frozenset(changed(stmt.body))
    varying = assigned | {stmt.iterator}
    if end is None or stmt.unroll > 1 or stmt.iterator in assigned or not assigned.isdisjoint(short):
        return (stmt,)
    found = {e: inside for e in used_expressions(stmt.body) if (inside := _inside(e, stmt, varying, short)) is not None}
    if not 0 < len(found) <= _MOST:
        return (stmt,)
    lows = [sum_of(stmt.first), *(i.low for i in found.values() if i.low is not None)]
    highs = [sum_of(end), *(i.high for i in found.values() if i.high is not None)]
    low = reduce(lambda a, b: maximum(a, b, LONG), _extremes(lows, max))
    high = reduce(lambda a, b: minimum(a, b, LONG), _extremes(highs, min))
    paths = ("", *map(str, range(len(known))))
    path = next(p for p in paths if derived(stmt.iterator, f"inside{p}", LONG) not in known)
    start, stop = (derived(stmt.iterator, f"{name}{path}", LONG) for name in ("inside", "outside"))
    body = tuple(_simpler(rewritten(s, lambda e: found[e].value if e in found else None)) for s in stmt.body)
    counted = variable(stmt.iterator)
    before = binary("<", counted, minimum(variable(start), end, LONG), INT)
    behind = maximum(variable(start), variable(stop), LONG)
    return (
        Define(start, low),
        Define(stop, high),
        replace(stmt, condition=before, unroll=0),
        replace(stmt, first=variable(start), condition=binary("<", counted, variable(stop), INT), body=body),
        replace(stmt, first=behind, unroll=0),
    )


def _extremes(sums: Iterable[Sum], pick: Callable[[int, int], int]) -> Iterator[Expr]:
    """Of sums that differ by a constant, the one that `pick` prefers."""
    known: dict[frozenset[tuple[Expr, int]], Sum] = {}
    for one in sums:
        same = known.setdefault(frozenset(one.terms.items()), one)
        known[frozenset(one.terms.items())] = replace(one, constant=pick(one.constant, same.constant))
    yield from (one.expr for one in known.values())


def _end(loop: Loop) -> Expr | None:
    """The first value of the iterator that a loop does not run, in ``long``."""
    match loop.condition:
        case Binary("<" | "<=" as op, Var(symbol), bound) if symbol == loop.iterator and loop.step == 1:
            if isinstance(loop.iterator.type, Scalar) and loop.iterator.type.signed:
                return binary("+", convert(bound, LONG), literal(int(op == "<="), LONG), LONG)
    return None


def _inside(expr: Expr, loop: Loop, varying: frozenset[Symbol], short: Ranges) -> _Inside | None:
    """Where in a loop an expression is simpler; None where it is nowhere."""
    match expr:
        case Binary("%", lhs, rhs) if _is_signed(lhs.type) and _is_signed(rhs.type):
            return _remainder(expr, sum_of(lhs), sum_of(rhs), loop, varying | short.keys())
        case Binary(op, lhs, rhs) if op in _FLIPPED and _is_signed(lhs.type) and _is_signed(rhs.type):
            apart = sum_of(lhs).plus(sum_of(rhs), -1)
            return _comparison(expr, op, apart, loop, varying, short)
    return None


def _is_signed(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.signed and not type_.floating and type_.lanes == 1


def _rest(form: Sum, loop: Loop, varying: frozenset[Symbol], sign: int = 1) -> Sum | None:
    """What is added to `sign` times the iterator; None where that varies."""
    counted = variable(loop.iterator)
    if form.terms.get(counted) != sign:
        return None
    rest = form.plus(Sum(0, {counted: 1}), -sign)
    return rest if _stays(rest, varying) else None


def _stays(form: Sum, varying: frozenset[Symbol]) -> bool:
    return not any(
        isinstance(e, Subscript | Member | Call) or (isinstance(e, Var) and e.symbol in varying)
        for term in form.terms
        for e in expressions(term)
    )


def _remainder(expr: Binary, dividend: Sum, divisor: Sum, loop: Loop, varying: frozenset[Symbol]) -> _Inside | None:
    rest = _rest(dividend, loop, varying)
    if rest is None or not _stays(divisor, varying):
        return None
    laps = (rest.plus(divisor, -k) for k in range(_LAPS))
    rest = min(laps, key=lambda left: (len(left.terms), abs(left.constant)))
    high = divisor.plus(Sum(-rest.constant))
    if rest.terms or not isinstance(expr.type, Scalar):
        return None
    if not divisor.terms and not any(_is_near(high, end) for end in _ends(loop)):
        return None  # it goes around again and again
    value = binary("+", convert(variable(loop.iterator), expr.type), literal(rest.constant, expr.type), expr.type)
    return _Inside(expr, value, Sum(-rest.constant), high)


def _comparison(
    expr: Expr, op: str, apart: Sum, loop: Loop, varying: frozenset[Symbol], short: Ranges
) -> _Inside | None:
    """A comparison with the first or the last iterations: it has one value for all others."""
    plain, turned = (_rest(apart, loop, varying, sign) for sign in (1, -1))
    if plain is not None:
        place = Sum(0).plus(plain, -1)
    elif turned is not None:
        place, op = turned, _FLIPPED[op]
    else:
        return None
    least, most = (_extreme(place, short, pick) for pick in (min, max))
    first, ends = sum_of(loop.first), [*_ends(loop)]
    at_first = not most.terms or _is_near(most, first)
    if any(_is_near(least, end) for end in ends):
        high = least.plus(Sum(1)) if op in {"<=", ">"} else least
        return _Inside(expr, literal(int(op in {"<", "<=", "!="}), INT), high=high)
    if at_first and (most.constant <= _FEW or _is_near(most, first)):
        low = most.plus(Sum(1)) if op in {"<=", ">", "==", "!="} else most
        return _Inside(expr, literal(int(op in {">", ">=", "!="}), INT), low=low)
    return None


def _extreme(place: Sum, short: Ranges, pick: Callable[[int, int], int]) -> Sum:
    """The least or the greatest of what short loops make of a sum."""
    for iterator, (low, high) in short.items():
        times = place.terms.get(variable(iterator), 0)
        place = place.plus(Sum(0, {variable(iterator): 1}), -times).plus(Sum(pick(times * low, times * high)))
    return place


def _ends(loop: Loop) -> Iterator[Sum]:
    """Where a loop, or that of the program it is from, ends."""
    bounds = [loop.condition.rhs] if isinstance(loop.condition, Binary) else []
    if loop.member is not None and loop.member.loop.loop.relation in {"<", "<=", "!="}:
        bounds.append(loop.member.loop.loop.bound)
    while bounds:
        bound = bounds.pop()
        if isinstance(bound, Intrinsic) and bound.function is Builtin.MIN:
            bounds += bound.args
        yield sum_of(bound)


def _is_near(place: Sum, other: Sum) -> bool:
    apart = place.plus(other, -1)
    return not apart.terms and abs(apart.constant) <= _FEW


# --- what is known of conditions, taken out ------------------------------------------------------------------------


def _simpler(stmt: Stmt) -> Stmt:
    """`stmt` with what constant conditions decide decided."""
    stmt = rewritten(stmt, _decided)
    return _without_branches(stmt) if isinstance(stmt, If | Block) else stmt


def _without_branches(stmt: SourceStmt) -> SourceStmt:
    match stmt:
        case Block(statements):
            return replace(stmt, statements=tuple(map(_without_branches, statements)))
        case If(IntLit(value), then, other):
            empty = Block((), stmt.span)
            return _without_branches(then if value else other or empty)
        case If(then=then, other=other):
            sides = [
                side and Block(tuple(map(_without_branches, side.statements)), side.span) for side in (then, other)
            ]
            assert sides[0] is not None
            return replace(stmt, then=sides[0], other=sides[1])
    return stmt


def _decided(expr: Expr) -> Expr | None:
    match expr:
        case Conditional(condition, then, other):
            known = _truth(_all_decided(condition))
            if known is not None:
                side = _all_decided(then if known else other)
                return side if side.type == expr.type else Cast(side, expr.type, True, expr.span)
        case Binary("&&" | "||" as op, lhs, rhs):
            sides = _all_decided(lhs), _all_decided(rhs)
            left, right = map(_truth, sides)
            if left is not None:
                return literal(int(left), INT) if left == (op == "||") else _as_truth(sides[1])
            if right is not None and right == (op == "&&"):
                return _as_truth(sides[0])
        case Unary("!", operand) if (known := _truth(_all_decided(operand))) is not None:
            return literal(int(not known), INT)
    return None


def _all_decided(expr: Expr) -> Expr:
    return rewrite(expr, _decided)


def _truth(expr: Expr) -> bool | None:
    while isinstance(expr, Cast):
        expr = expr.operand
    return bool(expr.value) if isinstance(expr, IntLit) else None


def _as_truth(expr: Expr) -> Expr:
    """0 or 1."""
    known = _truth(expr)
    return literal(int(known), INT) if known is not None else Binary("!=", expr, literal(0, INT), INT, expr.span)
