"""Which loops over time run in bands on a CPU, and how large these are: a core's cache holds what a band has of its
arrays."""

from __future__ import annotations

from functools import partial
from math import prod

from accshare.conversions import size
from accshare.frontend.ir import INT, LONG, Binary, Expr
from accshare.islexpr import binary, conjunction, length, literal
from accshare.mapping.bands.found import Tiled, banded
from accshare.mapping.bands.shared import Shared, shared
from accshare.mapping.bands.sizes import (
    Sized,
    as_long_each_time,
    at_most,
    in_range,
    inside_of_rows,
    iterations,
    power_below,
    steps_of,
)
from accshare.mapping.bands.slopes import Slopes
from accshare.mapping.bands.split import Size
from accshare.mapping.patterns import trips
from accshare.poly.ir import LoopNode
from accshare.records import replace
from accshare.schedule.ir import Schedule
from accshare.source import Span

_NOWHERE = Span(0, 0)
#: iterations of loops inside rows of which nobody knows how many there are, by how many such loops there are
_INSIDE = {0: 1, 1: 1024}
_DEEPER = 128
#: the part of a second-level cache that a band may take
_PART = 2
#: rows of a band at least and at most, and how many where they are single elements: enough for a launch
_ROWS, _ELEMENTS = (16, 128), 1024
#: the most where rows are planes or more
_ROWS_OF_PLANES = 32
#: tiles of columns: iterations of outer loops, bytes along the innermost one at least, and how many times that at most
_NARROW, _EIGHT_LINES, _WIDEST = 8, 512, 4


def tiled(schedule: Schedule, cache: int, rows: int) -> Tiled | None:
    """The schedule with steps in bands wherever that is known to be legal and may gain, for cores that have so many
    bytes of `cache` for themselves, and register tiles of so many `rows` for products; None where that is nowhere."""
    return banded(schedule, partial(_sized, cache, rows))


def _sized(cache: int, rows: int, found: Slopes, loop: LoopNode) -> Sized | None:
    size = _size(found, loop, cache)
    if size is None:
        return None
    common = None if size.columns else shared(found, loop, size.rows)
    if common is not None:  # rows that register tiles leave over run one by one
        size = replace(size, rows=-(-size.rows // rows) * rows)
        common = shared(found, loop, size.rows)
    gains = _gains(found, loop, size, common, cache)
    return None if gains is None else Sized(size, *gains, () if common is None else common.matrices)


def _size(found: Slopes, loop: LoopNode, cache: int) -> Size | None:
    """Bands of which a core's cache holds a tile, and which lose half of their rows on the way."""
    cut, whole = inside_of_rows(found)
    room = cache // _PART // _bytes(found)
    inside = int(prod(_count(node, len(cut) + len(whole)) for node in (*cut, *whole)))
    known = all(map(_is_known, (*cut, *whole)))
    least, most = _ROWS if cut or whole else (_ELEMENTS, _ELEMENTS)
    rows = max(least, min(most, power_below(room // inside)))
    if found.columns and cut and not (known and rows * inside <= room and rows == most):
        return _in_tiles(found, loop, room // int(prod(_count(node, len(whole)) for node in whole)))
    while rows < 4 * found.each and rows < 4 * most:
        rows *= 2
    count = steps_of(found, loop, rows)
    return Size(count, rows) if count > 1 else None


def _in_tiles(found: Slopes, loop: LoopNode, room: int) -> Size | None:
    """Bands in tiles of columns: as many rows as are possible with the narrowest ones, and then wider ones. There is
    `room` for so many iterations of the loops that are cut. Of what tiles lean over, half is needed at once."""
    line = max(1, _EIGHT_LINES // _widest(found))
    widths = [_NARROW] * (len(found.columns) - 1) + [line]
    least, rows = _ROWS[0], _ROWS[1] if len(widths) == 1 else _ROWS_OF_PLANES
    while rows > least and _held(found, steps_of(found, loop, rows), rows, widths) > room:
        rows //= 2
    while rows < 4 * found.each and rows < 4 * _ROWS[1]:
        rows *= 2
    count = steps_of(found, loop, rows)
    while widths[-1] < _WIDEST * line and _held(found, count, rows, [*widths[:-1], 2 * widths[-1]]) <= room:
        widths[-1] *= 2
    return Size(count, rows, tuple(widths)) if count > 1 else None


def _held(found: Slopes, count: int, rows: int, widths: list[int]) -> int:
    """The iterations whose elements a tile needs at once."""
    leaning = (columns.edge.slope * found.step * count // 2 for columns in found.columns)
    return rows * prod(width + more for width, more in zip(widths, leaning, strict=True))


def _count(node: LoopNode, inside: int) -> float:
    """How many iterations a loop inside of rows has, which has so many; an estimate where nobody knows."""
    return trips(node) if _is_known(node) else _INSIDE.get(inside, _DEEPER)


def _is_known(node: LoopNode) -> bool:
    return bool(node.domain.dim_max_val(node.depth).is_int())


def _deep(found: Slopes) -> dict[tuple[str, tuple[Expr, ...]], int]:
    """The bytes of elements of arrays that have a place for all loops of a sweep."""
    accesses = (a for sweep in found.sweeps for s in sweep.kernel.statements for a in s.accesses)
    deepest = max(len(sweep.kernel.grid) for sweep in found.sweeps)
    several = (a for a in accesses if len(a.subscripts) >= deepest)
    return {(a.variable.memory, a.subscripts[:-deepest]): size(a.reference.type) for a in several}


def _bytes(found: Slopes) -> int:
    """What an iteration of all loops has of all arrays."""
    return max(1, sum(_deep(found).values()))


def _widest(found: Slopes) -> int:
    return max(_deep(found).values(), default=1)


def _gains(found: Slopes, loop: LoopNode, sized: Size, common: Shared | None, cache: int) -> tuple[Expr, Expr] | None:
    """The condition under which bands gain, and how many there are: a core's cache holds what a band has, and where
    rows are longer than one element and have no matrix in `common`, not a whole sweep: a sweep over elements that a
    cache holds takes no longer than its launch. None where that is not the same in all steps."""
    cut, whole = inside_of_rows(found)
    loops = as_long_each_time(found, loop)
    if loops is None:
        return None
    gains: tuple[Expr, ...] = ()
    if common is None and (cut or whole):
        held = max(1, cache // _bytes(found))
        inside = tuple(n for n in loops[1:] if not (sized.columns and n in cut))
        more = Binary(">", iterations(loops), literal(held, LONG), INT, _NOWHERE)
        gains = (more, *at_most(inside, held // (sized.rows * prod(sized.columns))))
    elif common is not None:
        gains = (Binary("<=", common.bytes, literal(cache // _PART, LONG), INT, _NOWHERE),)
    large = conjunction((*gains, *in_range(found, loop)))
    assert large is not None
    number = binary("+", length(found.along.loop), literal(sized.rows - 1, LONG), LONG)
    return large, binary("/", number, literal(sized.rows, LONG), LONG)
