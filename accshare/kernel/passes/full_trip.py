"""The loops over a work-item's own iterations, made alike.

A compiler keeps ``sum[(i - i_first) / 8]`` in registers only if it can unroll every loop in which that stands, also
where a tile is cut off. So these loops always run their full, constant number of times, and what does not exist is
skipped inside.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import (
    INT,
    Binary,
    Builtin,
    Declare,
    Expr,
    IntLit,
    Intrinsic,
    Symbol,
    Var,
)
from accshare.islexpr import binary, comparison, conjunction, literal, variable
from accshare.kernel.generate.space import Coordinate, Space, derived
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, each, parts, within
from accshare.kernel.uses import rewritten, symbols
from accshare.mapping.ir import UNROLLED
from accshare.records import replace
from accshare.schedule.ir import Member, Role


def own_loop(space: Space, coordinate: Coordinate, body: tuple[Stmt, ...], unroll: bool = True) -> Loop:
    """`body` for every iteration a work-item has along a member, whose loop steps by 1.

    They are counted from 0, since compilers do not unroll every loop that starts at a work-item's place.
    """
    member = coordinate.member
    iterator, count = member.loop.iterator, member.size // member.threads
    number = derived(iterator, "nth", INT)
    distance = binary("*", variable(number), literal(member.threads, INT), INT)
    place = Define(iterator, binary("+", variable(coordinate.symbol), distance, space.index_type))
    counted = number_of(space, coordinate)
    body = tuple(rewritten(stmt, lambda e: variable(number) if e == counted else None) for stmt in body)
    body = (place, *body) if iterator in symbols(body) else body
    more = Binary("<", variable(number), literal(count, INT), INT, member.loop.loop.header)
    times = 0 if not unroll else count if count <= UNROLLED else 1
    return Loop(number, literal(0, INT), more, 1, body, times, member.loop.loop.header)


def number_of(space: Space, coordinate: Coordinate) -> Expr:
    """The number of the current iteration among a work-item's own along a member, wherever its iterator is known."""
    member = coordinate.member
    distance = binary("-", variable(member.loop.iterator), variable(coordinate.symbol), space.index_type)
    if member.threads == 1:
        return distance
    return binary("/", distance, literal(member.threads, INT), INT)


def with_full_trips(stmts: tuple[Stmt, ...], space: Space, unroll: bool = True) -> tuple[Stmt, ...]:
    """Every loop over own iterations with a constant number of them."""
    own = {c.member.loop.index: c for c in space.coordinates if not c.single and c.member.loop.loop.step == 1}

    def full(stmt: Stmt) -> Stmt:
        stmt = within(stmt, each(full))
        match stmt:
            case Loop(iterator, first, condition, step, body, member=Member(loop=loop, role=Role.OWN)) if (
                loop.index in own and iterator == loop.iterator
            ):
                tests = _missing(iterator, first, condition, own[loop.index], space)
                if tests is not None:
                    missing = conjunction((*tests, *_skipped(iterator, first, step, own[loop.index])))
                    guarded = body if missing is None else (Guarded(missing, body),)
                    return own_loop(space, own[loop.index], guarded, unroll)
        return stmt

    return tuple(map(full, stmts))


def one_after_the_other(stmts: tuple[Stmt, ...], space: Space, private: tuple[Symbol, ...]) -> tuple[Stmt, ...]:
    """Loops over own iterations that compilers leave as they are, since nothing in registers is numbered by them: each
    iteration declares what is `private`."""
    own = {symbol: replace(symbol, unique=f"{symbol.unique}_own") for symbol in private}

    def renamed(expr: Expr) -> Expr | None:
        return variable(own[expr.symbol]) if isinstance(expr, Var) and expr.symbol in own else None

    def declared(stmt: Stmt) -> Stmt:
        loops = [part for part in parts(stmt) if isinstance(part, Loop) and part.own_axis is not None]
        if not isinstance(stmt, Loop) or loops != [stmt]:
            return within(stmt, each(declared))
        span = space.partition.nest.span
        return replace(stmt, body=(*(Declare(symbol, None, span) for symbol in own.values()), *stmt.body))

    return with_full_trips(tuple(rewritten(declared(stmt), renamed) for stmt in stmts), space, unroll=False)


def _missing(
    iterator: Symbol, first: Expr, condition: Expr, coordinate: Coordinate, space: Space
) -> tuple[Expr, ...] | None:
    """The tests that a loop from `first` under `condition` makes and the one over all own iterations does not; None
    where the condition is no upper bound of the iterator."""
    counted, start = variable(iterator), variable(coordinate.symbol)
    lows = (_least(low, start, coordinate.member.threads) for low in _parts(first, Builtin.MAX) if low != start)
    tests = [comparison(">=", counted, low, INT) for low in lows]
    distance = literal(coordinate.member.size - coordinate.member.threads, INT)
    last = binary("+", start, distance, space.index_type)
    match condition:
        case Binary("<" | "<=" as op, Var(symbol), bound) if symbol == iterator:
            highs = (high for high in _parts(bound, Builtin.MIN) if not _reaches(op, high, last))
            return *tests, *(comparison(op, counted, high, INT) for high in highs)
    return None


def _skipped(iterator: Symbol, first: Expr, step: int, coordinate: Coordinate) -> tuple[Expr, ...]:
    """The test that leaves out what a loop from `first` on in longer steps than a work-item's own has no iteration
    for: ``i % 2 == 0`` around it."""
    if step == coordinate.member.threads:
        return ()
    away = binary("-", variable(iterator), first, INT)
    return (comparison("==", binary("%", away, literal(step, INT), INT), literal(0, INT), INT),)


def _least(low: Expr, start: Expr, step: int) -> Expr:
    """What an iteration must reach to reach `low`: isl looks for the first of those which lie `step` apart from `start`
    on, ``(start + 31) % 32 + 1`` for 1 and a step of 32."""
    match low:
        case Binary("+", Binary("%", Binary("+", base, IntLit(offset)), IntLit(modulus)), IntLit(least)) if (
            base == start and modulus == step and (offset + least) % step == 0
        ):
            return low.rhs
    return low


def _parts(expr: Expr, function: Builtin) -> Iterator[Expr]:
    if isinstance(expr, Intrinsic) and expr.function is function:
        for arg in expr.args:
            yield from _parts(arg, function)
    else:
        yield expr


def _reaches(op: str, high: Expr, last: Expr) -> bool:
    """Whether a bound is no tighter than the constant loop's last iteration."""
    return high == (last if op == "<=" else binary("+", last, literal(1, INT), INT))
