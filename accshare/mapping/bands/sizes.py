"""What all sizes of bands have in common: the loops inside of rows, the steps in which a band loses half of its rows,
and what the host has to know before it takes bands."""

from __future__ import annotations

from accshare.frontend.ir import INT, LONG, Binary, Expr, Scalar
from accshare.islexpr import binary, length, literal
from accshare.mapping.bands.slopes import Slopes
from accshare.mapping.bands.split import Size
from accshare.mapping.patterns import trips
from accshare.poly.ir import LoopNode
from accshare.records import dataclass
from accshare.source import Span
from accshare.tree import mentions

_NOWHERE = Span(0, 0)
#: steps of a band at most
_STEPS = 32
#: steps and rows that a type has room for, and for those of a band more
_MOST = 1 << 30


@dataclass(frozen=True, slots=True)
class Sized:
    """Sizes of bands, and the condition under which they gain, if there are enough of a `number` for all cores. The
    rows have the matrices of these names in `common`."""

    size: Size
    large: Expr
    number: Expr | None = None
    common: tuple[str, ...] = ()


def counts_up(loop: LoopNode) -> bool:
    """Whether it counts up, in a type that has room for a band more."""
    type_ = loop.iterator.type
    wide = isinstance(type_, Scalar) and type_.bytes >= INT.bytes
    return wide and loop.loop.step > 0 and loop.loop.relation in ("<", "<=")


def steps_of(found: Slopes, loop: LoopNode, rows: int) -> int:
    """The steps in which bands lose half of their rows."""
    count = min(_STEPS, rows // (2 * found.each) if found.each else _STEPS)
    if loop.domain.dim_max_val(loop.depth).is_int():
        count = min(count, int(trips(loop)))
    while count > 1 and found.lost(count) > rows:
        count -= 1
    return count


def power_below(value: int) -> int:
    """The largest power of two that is not more than `value`, 1 at least."""
    return 1 << max(0, value.bit_length() - 1)


def inside_of_rows(found: Slopes) -> tuple[tuple[LoopNode, ...], tuple[LoopNode, ...]]:
    """The loops inside of rows, of a statement that has most: those that may be cut, and the others."""
    every = [(s, k) for k, one in enumerate(found.sweeps) if one.along is not None for s in one.kernel.statements]
    statement, number = max(every, key=lambda one: len(one[0].loops))
    along = found.sweeps[number].along
    assert along is not None
    cut = {one.sweeps[number].along for one in found.columns}
    inside = statement.loops[along.depth + 1 :]
    return tuple(n for n in inside if n in cut), tuple(n for n in inside if n not in cut)


def as_long_each_time(found: Slopes, loop: LoopNode) -> tuple[LoopNode, ...] | None:
    """The loop over rows, and those inside of them that count up; None where one is not as long in all steps."""
    cut, whole = inside_of_rows(found)
    loops = tuple(n for n in (found.along, *cut, *whole) if counts_up(n) and n.loop.step == 1)
    iterators = {n.iterator for sweep in found.sweeps for s in sweep.kernel.statements for n in s.loops}
    bounds = (e for n in (loop, *loops) for e in (n.loop.first, n.loop.bound))
    return None if any(mentions(bound, one) for bound in bounds for one in iterators) else loops


def in_range(found: Slopes, loop: LoopNode) -> tuple[Expr, ...]:
    """There is more than one step, there are rows, and types have room for those of a band more."""
    result: list[Expr] = []
    for count, fewest in ((length(loop.loop), found.step), (length(found.along.loop), 0)):
        result.append(Binary(">", count, literal(fewest, LONG), INT, _NOWHERE))
        result.append(Binary("<", count, literal(_MOST, LONG), INT, _NOWHERE))
    return tuple(result)


def at_most(nodes: tuple[LoopNode, ...], most: int) -> tuple[Expr, ...]:
    """The condition that loops in each other have so many iterations, none where there are no loops."""
    return (Binary("<=", iterations(nodes), literal(most, LONG), INT, _NOWHERE),) if nodes else ()


def iterations(nodes: tuple[LoopNode, ...]) -> Expr:
    """How often loops in each other run, which have the same length each time."""
    found: Expr = literal(1, LONG)
    for node in nodes:
        found = binary("*", found, length(node.loop), LONG)
    return found
