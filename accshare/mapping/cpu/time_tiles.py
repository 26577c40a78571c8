"""Which loops over time run in bands, and how large these are."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from accshare.conversions import size
from accshare.frontend.ir import INT, LONG, Binary, Expr, IntLit, Scalar
from accshare.islexpr import binary, conjunction, literal
from accshare.mapping.cpu.bands import Size, by_bands, length
from accshare.mapping.cpu.rejoined import rejoined
from accshare.mapping.cpu.slopes import Slopes, slopes
from accshare.mapping.ir import InBands
from accshare.mapping.patterns import trips
from accshare.poly.ir import LoopNode
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass
from accshare.schedule.ir import Band, Kernel, Node, Role, Schedule, steps
from accshare.source import Span
from accshare.tree import mentions

_NOWHERE = Span(0, 0)
#: isl's operations for one nest
_OPERATIONS = 1_000_000
#: iterations of loops inside rows of which nobody knows how many there are, by how many such loops there are
_INSIDE = {0: 1, 1: 1024}
_DEEPER = 128
#: the part of a second-level cache that a band may take
_PART = 2
#: steps and rows that a type has room for, and for those of a band more
_MOST = 1 << 30
#: rows of a band at least and at most, where these are longer than one element and where they are not; and steps
_ROWS, _ELEMENTS, _STEPS = (16, 128), (1024, 4096), 32
#: the most where rows are planes or more
_ROWS_OF_PLANES = 32
#: tiles of columns: iterations of outer loops, bytes along the innermost one at least, and how many times that at most
_NARROW, _EIGHT_LINES, _WIDEST = 8, 512, 4


@dataclass(frozen=True, slots=True)
class Tiled:
    """A region with loops over time in bands: its schedule, what became of which loops, and the names of the kernels
    whose sweeps a kernel of bands runs, by its name."""

    schedule: Schedule
    loops: tuple[InBands, ...]
    sweeps: dict[str, tuple[str, ...]]


def tiled(schedule: Schedule, cache: int) -> Tiled | None:
    """The schedule with steps in bands wherever that is known to be legal and may gain, for cores that have so many
    bytes of `cache` for themselves; None where that is nowhere."""
    loops: list[InBands] = []
    sweeps: dict[str, tuple[str, ...]] = {}
    for node in _around_kernels(schedule.tree):
        try:
            with Quota(_OPERATIONS):
                found = _tiled(schedule, node, cache)
        except QuotaExceeded:
            continue
        if found is not None:
            schedule, loops, sweeps = found.schedule, [*loops, *found.loops], sweeps | found.sweeps
    return Tiled(schedule, tuple(loops), sweeps) if loops else None


def _around_kernels(node: Node) -> Iterator[Band]:
    """The loops on the host that have nothing but kernels in them."""
    for step in steps(node):
        if isinstance(step, Band) and step.members[0].role is Role.HOST:
            if all(isinstance(inside, Kernel) for inside in steps(step.child)):
                yield step
            else:
                yield from _around_kernels(step.child)


def _tiled(schedule: Schedule, node: Band, cache: int) -> Tiled | None:
    loop = node.members[0].loop
    kernels = tuple(k for k in steps(node.child) if isinstance(k, Kernel))
    if not _is_regular(schedule, loop, kernels):
        return None
    schedule, node = rejoined(schedule, node)
    kernels = tuple(k for k in steps(node.child) if isinstance(k, Kernel))
    found = slopes(schedule.scop, loop, kernels)
    sized = None if found is None else _size(found, loop, cache)
    gains = None if found is None or sized is None else _gains(found, loop, sized, cache)
    if found is None or sized is None or gains is None:
        return None
    whole = by_bands(schedule, node, found, sized)
    names = tuple(kernel.name for kernel in kernels)
    cut = tuple((c.along, width) for c, width in zip(found.columns, sized.columns, strict=False))
    made = {kernel.name: names for kernel in whole.kernels if kernel.name not in {k.name for k in schedule.kernels}}
    ends = found.low, found.high, found.reaches
    return Tiled(whole, (InBands(loop, found.along, sized.steps, sized.rows, cut, *ends, *gains),), made)


def _is_regular(schedule: Schedule, loop: LoopNode, kernels: tuple[Kernel, ...]) -> bool:
    """Whether a loop counts up from a constant, and what it launches are statements that have nothing to do with one
    another but by arrays, all of it known from dependences."""
    inside = [s for k in kernels for s in k.statements]
    fixed = (n.loop.directive for s in inside for n in s.loops[loop.depth :])
    if not schedule.scop.region.construct.kind.is_kernels or any(d is not None and d.fixes_order for d in fixed):
        return False
    plain = all(k.grid and not k.reductions and k.finalize is None and not k.aliased for k in kernels)
    counts = isinstance(loop.loop.first, IntLit) and _counts_up(loop)
    if not (plain and counts and all(_counts_up(k.grid[0].loop) and k.grid[0].step == 1 for k in kernels)):
        return False
    used = [{a.variable.name for s in k.statements for a in s.accesses} for k in kernels]
    if any(k.private & others for n, k in enumerate(kernels) for m, others in enumerate(used) if n != m):
        return False
    own = {s.name for s in inside}
    between = [d for d in schedule.scop.dependences if {d.source.name, d.sink.name} & own]
    assumed = {id(one.dependence) for one in schedule.assumed}
    return not any(d.atomic or id(d) in assumed for d in between)


def _counts_up(loop: LoopNode) -> bool:
    """Whether it counts up, in a type that has room for a band more."""
    type_ = loop.iterator.type
    wide = isinstance(type_, Scalar) and type_.bytes >= INT.bytes
    return wide and loop.loop.step > 0 and loop.loop.relation in ("<", "<=")


def _size(found: Slopes, loop: LoopNode, cache: int) -> Size | None:
    """Bands of which a core's cache holds a tile, and which lose half of their rows on the way."""
    cut, whole = _inside(found)
    room = cache // _PART // _bytes(found)
    inside = int(prod(_count(node, len(cut) + len(whole)) for node in (*cut, *whole)))
    known = all(map(_is_known, (*cut, *whole)))
    least, most = _ROWS if cut or whole else _ELEMENTS
    rows = max(least, min(most, _power_below(room // inside)))
    if found.columns and cut and not (known and rows * inside <= room and rows == most):
        return _in_tiles(found, loop, room // int(prod(_count(node, len(whole)) for node in whole)))
    while rows < 4 * found.each and rows < 4 * most:
        rows *= 2
    count = _steps(found, loop, rows)
    return Size(count, rows) if count > 1 else None


def _in_tiles(found: Slopes, loop: LoopNode, room: int) -> Size | None:
    """Bands in tiles of columns: as many rows as are possible with the narrowest ones, and then wider ones. There is
    `room` for so many iterations of the loops that are cut. Of what tiles lean over, half is needed at once."""
    line = max(1, _EIGHT_LINES // _widest(found))
    widths = [_NARROW] * (len(found.columns) - 1) + [line]
    least, rows = _ROWS[0], _ROWS[1] if len(widths) == 1 else _ROWS_OF_PLANES
    while rows > least and _held(found, _steps(found, loop, rows), rows, widths) > room:
        rows //= 2
    while rows < 4 * found.each and rows < 4 * _ROWS[1]:
        rows *= 2
    count = _steps(found, loop, rows)
    while widths[-1] < _WIDEST * line and _held(found, count, rows, [*widths[:-1], 2 * widths[-1]]) <= room:
        widths[-1] *= 2
    return Size(count, rows, tuple(widths)) if count > 1 else None


def _held(found: Slopes, count: int, rows: int, widths: list[int]) -> int:
    """The iterations whose elements a tile needs at once."""
    leaning = (columns.edge.slope * found.step * count // 2 for columns in found.columns)
    return rows * prod(width + more for width, more in zip(widths, leaning, strict=True))


def _steps(found: Slopes, loop: LoopNode, rows: int) -> int:
    """The steps in which bands lose half of their rows."""
    count = min(_STEPS, rows // (2 * found.each) if found.each else _STEPS)
    if loop.domain.dim_max_val(loop.depth).is_int():
        count = min(count, int(trips(loop)))
    while count > 1 and found.lost(count) > rows:
        count -= 1
    return count


def _count(node: LoopNode, inside: int) -> float:
    """How many iterations a loop inside of rows has, which has so many; an estimate where nobody knows."""
    return trips(node) if _is_known(node) else _INSIDE.get(inside, _DEEPER)


def _is_known(node: LoopNode) -> bool:
    return bool(node.domain.dim_max_val(node.depth).is_int())


def _power_below(value: int) -> int:
    """The largest power of two that is not more than `value`, 1 at least."""
    return 1 << max(0, value.bit_length() - 1)


def _inside(found: Slopes) -> tuple[tuple[LoopNode, ...], tuple[LoopNode, ...]]:
    """The loops inside of rows, of a statement that has most: those that may be cut, and the others."""
    every = [(s, k) for k, one in enumerate(found.sweeps) if one.along is not None for s in one.kernel.statements]
    statement, number = max(every, key=lambda one: len(one[0].loops))
    along = found.sweeps[number].along
    assert along is not None
    cut = {one.sweeps[number].along for one in found.columns}
    inside = statement.loops[along.depth + 1 :]
    return tuple(n for n in inside if n in cut), tuple(n for n in inside if n not in cut)


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


def _gains(found: Slopes, loop: LoopNode, sized: Size, cache: int) -> tuple[Expr, Expr] | None:
    """How many bands there are, and the condition under which they gain: a sweep is over more than a core's cache
    holds, and a band is not. None where neither is the same in all steps."""
    cut, whole = _inside(found)
    fixed = [n for n in (found.along, *cut, *whole) if _counts_up(n) and n.loop.step == 1]
    iterators = {n.iterator for sweep in found.sweeps for s in sweep.kernel.statements for n in s.loops}
    bounds = (e for n in (loop, *fixed) for e in (n.loop.first, n.loop.bound))
    if any(mentions(bound, one) for bound in bounds for one in iterators):
        return None
    rows = length(found.along.loop)
    inside = [n for n in fixed[1:] if not (sized.columns and n in cut)]
    each, all_ = _product(inside), _product(fixed[1:])
    held = max(1, cache // _bytes(found))
    conditions = [Binary(">", binary("*", rows, all_, LONG), literal(held, LONG), INT, _NOWHERE)]
    if inside:
        most = held // (sized.rows * prod(sized.columns))
        conditions.append(Binary("<=", each, literal(most, LONG), INT, _NOWHERE))
    for count, fewest in ((length(loop.loop), found.step), (rows, 0)):
        conditions += [Binary(">", count, literal(fewest, LONG), INT, _NOWHERE)]
        conditions += [Binary("<", count, literal(_MOST, LONG), INT, _NOWHERE)]
    large = conjunction(tuple(conditions))
    assert large is not None
    return binary("/", binary("+", rows, literal(sized.rows - 1, LONG), LONG), literal(sized.rows, LONG), LONG), large


def _product(nodes: list[LoopNode]) -> Expr:
    """How often loops in each other run, which have the same length each time."""
    found: Expr = literal(1, LONG)
    for node in nodes:
        found = binary("*", found, length(node.loop), LONG)
    return found
