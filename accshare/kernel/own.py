"""The loops over a work-item's own iterations, made alike.

A compiler keeps ``sum[(i - i_first) / 8]`` in registers only if it can unroll every loop in which that stands, also
where a tile is cut off. So these loops always run their full, constant number of times, and what does not exist is
skipped inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from accshare.frontend.ir import INT, Binary, Call, Expr, Symbol, Var
from accshare.islexpr import binary, comparison, conjunction, literal, variable
from accshare.kernel.ir import Guarded, Loop, Stmt
from accshare.kernel.space import Coordinate, Space


def own_loop(space: Space, coordinate: Coordinate, body: tuple[Stmt, ...]) -> Loop:
    """`body` for every iteration a work-item has along a dimension, whose loop steps by 1."""
    dimension = coordinate.dimension
    iterator = dimension.loop.iterator
    last = binary("+", variable(coordinate.symbol), literal(dimension.tile - dimension.threads, INT), space.index_type)
    more = binary("<=", variable(iterator), last, INT)
    count = dimension.tile // dimension.threads
    span = dimension.loop.loop.header
    return Loop(iterator, variable(coordinate.symbol), more, dimension.threads, body, count, span)


def evened(stmts: tuple[Stmt, ...], space: Space) -> tuple[Stmt, ...]:
    """Every loop over own iterations with a constant number of them."""
    own = {c.dimension.loop.iterator: c for c in space.coordinates if not c.single and c.dimension.loop.loop.step == 1}

    def even(stmt: Stmt) -> Stmt:
        match stmt:
            case Guarded(then=then, other=other):
                return replace(stmt, then=tuple(map(even, then)), other=tuple(map(even, other)))
            case Loop(iterator, first, condition, step, body) if (
                iterator in own and step == own[iterator].dimension.threads
            ):
                loop = own_loop(space, own[iterator], tuple(map(even, body)))
                tests = _missing(iterator, first, condition, loop)
                if tests is None:
                    return replace(stmt, body=loop.body)
                missing = conjunction(tests)
                return loop if missing is None else replace(loop, body=(Guarded(missing, loop.body),))
            case Loop(body=body):
                return replace(stmt, body=tuple(map(even, body)))
        return stmt

    return tuple(map(even, stmts))


def _missing(iterator: Symbol, first: Expr, condition: Expr, loop: Loop) -> tuple[Expr, ...] | None:
    """The tests that a loop from `first` under `condition` makes and the constant `loop` does not; None where the
    condition is no upper bound of the iterator."""
    counted = variable(iterator)
    tests = [comparison(">=", counted, low, INT) for low in _parts(first, "max") if low != loop.first]
    match condition, loop.condition:
        case Binary("<" | "<=" as op, Var(symbol), bound), Binary(_, _, last) if symbol == iterator:
            highs = (high for high in _parts(bound, "min") if not _reaches(op, high, last))
            return *tests, *(comparison(op, counted, high, INT) for high in highs)
    return None


def _parts(expr: Expr, function: str) -> Iterator[Expr]:
    if isinstance(expr, Call) and expr.callee == function:
        for arg in expr.args:
            yield from _parts(arg, function)
    else:
        yield expr


def _reaches(op: str, high: Expr, last: Expr) -> bool:
    """Whether a bound is no tighter than the constant loop's last iteration."""
    return high == (last if op == "<=" else binary("+", last, literal(1, INT), INT))
