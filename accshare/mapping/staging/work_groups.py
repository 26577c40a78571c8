"""The work-groups and strips the solver tries, (10) and (15) and (16) of SHARE 3.2.3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from math import prod

from accshare.mapping.staging.hints import HintError
from accshare.mapping.staging.loops import LoopFacts
from accshare.mapping.staging.split import NAMES, Split
from accshare.records import dataclass, replace
from accshare.schedule.ir import Band, Kernel, Member, Node, steps

#: the narrowest x (15), unless warps are narrower
_WARP = 32
#: iterations a tile may have where nothing is stripped; a device with smaller work-groups runs several a work-item
_TILE = 1024
_LONGEST_STRIP = 256
#: choices of strip loops that are tried
_CUTS = 16


@dataclass(frozen=True, slots=True)
class WorkGroup:
    """A work-group: TB_X, TB_Y, TB_Z by name, and the sizes of the mapped loops."""

    names: tuple[tuple[str, int], ...]
    grid: tuple[Member, ...]

    @property
    def work_items(self) -> int:
        return prod(d.threads for d in self.grid)

    @property
    def points(self) -> int:
        """Iterations of the mapped loops."""
        return prod(d.size for d in self.grid)


def along_axes(nest: Kernel, split: Split) -> tuple[Member, ...]:
    """The grid's members along their axes: as the hints name them where that is a renaming, else as scheduled."""
    claimed = dict(split.axes)
    if any(axis >= len(nest.grid) for axis in claimed.values()):
        return nest.grid
    rest = [m.axis for m in nest.grid if m.axis not in claimed.values()]
    scheduled = [m for m in nest.grid if m.loop.index not in claimed]
    others = {m.axis for m in scheduled}
    for member in scheduled:
        axis = member.axis if member.axis in rest else min(a for a in rest if a not in others)
        claimed[member.loop.index] = axis
        rest.remove(axis)
    return tuple(replace(m, axis=claimed[m.loop.index]) for m in nest.grid)


def work_groups(
    grid: tuple[Member, ...],
    split: Split,
    facts: Mapping[int, LoopFacts],
    warp: int,
    limit: int,
    stripped: bool,
) -> Iterator[WorkGroup]:
    """All work-groups of at most `limit` work-items whose sizes are powers of two, x at least a warp wide; 1 beyond
    z.

    Where nothing is `stripped`, a tile may have more iterations than the group has work-items; otherwise only a hint
    asks for that, as work-items then keep what they have for each iteration from strip to strip.
    """
    ordered = sorted((m for m in grid if m.axis < len(NAMES)), key=lambda m: m.axis)
    most = limit if stripped else max(limit, _TILE)
    choices = [_sizes(facts[m.loop.index], 1 if m.axis else min(warp, _WARP, limit), most) for m in ordered]
    seen: set[tuple[tuple[int, int], ...]] = set()
    for sizes in product(*choices):
        if prod(sizes) > most:
            continue
        names = {NAMES[m.axis]: size for m, size in zip(ordered, sizes, strict=True)}
        sized = _sized(grid, split, names, limit)
        if sized is not None and (cut := tuple((m.size, m.threads) for m in sized)) not in seen:
            seen.add(cut)
            yield WorkGroup(tuple(names.items()), sized)


def cuts(nest: Kernel, strippable: frozenset[int]) -> tuple[frozenset[int], ...]:
    """The largest sets of strippable loops of which none is inside another, and the empty one."""

    def below(node: Node) -> list[frozenset[int]]:
        parts = [inside(step.members, step.child) for step in steps(node) if isinstance(step, Band)]
        return [frozenset().union(*choice) for choice in islice(product(*parts), _CUTS)]

    def inside(members: tuple[Member, ...], child: Node) -> list[frozenset[int]]:
        deeper = inside(members[1:], child) if len(members) > 1 else below(child)
        own = frozenset({members[0].loop.index})
        return [own, *(d for d in deeper if d)] if own <= strippable else deeper

    return tuple(dict.fromkeys([frozenset[int](), *below(nest.child)]))


def strip_sizes(fact: LoopFacts, split: Split, names: Mapping[str, int]) -> tuple[int, ...]:
    """The lengths to try for a strip: the hint's, or powers of two. Empty where the hint has none for this block."""
    fixed = split.of(fact.node.index)
    if fixed is not None:
        try:
            return (fixed.iterations({**dict.fromkeys(NAMES, 1), **names}),)
        except HintError:
            return ()
    return tuple(_powers(1, min(_LONGEST_STRIP, _least_power(fact.trips or _LONGEST_STRIP))))


def _sizes(fact: LoopFacts, narrowest: int, most: int) -> list[int]:
    largest = min(most, _least_power(fact.trips)) if fact.trips else most
    return list(_powers(min(narrowest, largest), largest))


def _powers(first: int, last: int) -> Iterator[int]:
    while first <= last:
        yield first
        first *= 2


def _least_power(value: int) -> int:
    """The least power of two that is not below `value`."""
    return 1 << max(0, value - 1).bit_length()


def _sized(grid: tuple[Member, ...], split: Split, names: Mapping[str, int], limit: int) -> tuple[Member, ...] | None:
    """The members with their sizes; None where a hint gives no length for this block.

    A tile is a multiple of its work-items, so that each runs as many iterations: what a hint leaves over is not used.
    """
    result = []
    for member in grid:
        loop, size = member.loop.index, names[NAMES[member.axis]] if member.axis < len(NAMES) else 1
        fixed = split.of(loop)
        tile = size
        if fixed is not None:
            own = names if fixed.names <= names.keys() and (loop, member.axis) in split.axes else {}
            try:
                tile = fixed.iterations({**dict.fromkeys(NAMES, size), **own})
            except HintError:
                return None
            if fixed.names and tile > size:
                tile -= tile % size
            size = max(d for d in range(1, min(size, tile) + 1) if tile % d == 0)
        result.append(replace(member, size=tile, threads=size))
    while prod(d.threads for d in result) > limit:
        wide = [k for k, d in enumerate(result) if d.axis > 0 and d.threads % 2 == 0]
        if not wide:
            return None
        k = max(wide, key=lambda k: result[k].threads)
        result[k] = replace(result[k], threads=result[k].threads // 2)
    return tuple(result)
