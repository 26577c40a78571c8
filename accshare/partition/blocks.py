"""The work-groups and strips the solver tries, (10) and (15) and (16) of SHARE 3.2.3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from math import prod

from accshare.device import Device, DeviceKind
from accshare.options import Options, Share
from accshare.partition.hints import HintError
from accshare.partition.ir import Dimension
from accshare.partition.loops import LoopFacts
from accshare.partition.split import NAMES, Split
from accshare.poly.ir import LoopNode, Nest, Node
from accshare.schedule.ir import KernelNest

#: the narrowest x (15), unless warps are narrower, and the largest work-group of a CPU where staging is forced
_WARP, _CPU_GROUP = 32, 256
#: iterations a tile may have where nothing is stripped; a device with smaller work-groups runs several a work-item
_TILE = 1024
_LONGEST_STRIP = 256
#: choices of strip loops that are tried
_CUTS = 16


@dataclass(frozen=True, slots=True)
class Block:
    """A work-group: TB_X, TB_Y, TB_Z by name, and the sizes of the mapped loops."""

    names: tuple[tuple[str, int], ...]
    dimensions: tuple[Dimension, ...]

    @property
    def work_items(self) -> int:
        return prod(d.threads for d in self.dimensions)

    @property
    def points(self) -> int:
        """Iterations of the mapped loops."""
        return prod(d.tile for d in self.dimensions)


def axes_of(nest: KernelNest, split: Split) -> tuple[tuple[LoopNode, int], ...]:
    """The mapped loops with their axes: as the hints name them where that is a renaming, else as scheduled."""
    claimed = dict(split.axes)
    if any(axis >= len(nest.mapped) for axis in claimed.values()):
        return nest.mapped
    rest = [axis for _, axis in nest.mapped if axis not in claimed.values()]
    scheduled = [(node, axis) for node, axis in nest.mapped if node.index not in claimed]
    for node, axis in scheduled:
        claimed[node.index] = axis if axis in rest else min(a for a in rest if a not in {x for _, x in scheduled})
        rest.remove(claimed[node.index])
    return tuple((node, claimed[node.index]) for node, _ in nest.mapped)


def work_items_limit(device: Device, options: Options) -> int:
    """The most work-items a group is given (10)."""
    forced = options.share is Share.FORCE and device.kind is DeviceKind.CPU
    return min(device.max_work_group, _CPU_GROUP) if forced else device.max_work_group


def blocks(
    axes: tuple[tuple[LoopNode, int], ...],
    split: Split,
    facts: Mapping[int, LoopFacts],
    device: Device,
    limit: int,
    stripped: bool,
) -> Iterator[Block]:
    """All work-groups of at most `limit` work-items whose sizes are powers of two, x at least a warp wide.

    Where nothing is `stripped`, a tile may have more iterations than the group has work-items; otherwise only a hint
    asks for that, as work-items then keep what they have for each iteration from strip to strip.
    """
    ordered = sorted(axes, key=lambda pair: pair[1])
    most = limit if stripped else max(limit, _TILE)
    narrowest = min(device.simd_width, _WARP) if device.kind is DeviceKind.GPU else _WARP
    choices = [_sizes(facts[node.index], min(narrowest, limit) if axis == 0 else 1, most) for node, axis in ordered]
    seen: set[tuple[Dimension, ...]] = set()
    for sizes in product(*choices):
        if prod(sizes) > most:
            continue
        names = {NAMES[axis]: size for (_, axis), size in zip(ordered, sizes, strict=True)}
        dimensions = _dimensions(axes, split, names, limit)
        if dimensions is not None and dimensions not in seen:
            seen.add(dimensions)
            yield Block(tuple(names.items()), dimensions)


def cuts(nest: KernelNest, strippable: frozenset[int]) -> tuple[frozenset[int], ...]:
    """The largest sets of strippable loops of which none is inside another, and the empty one."""

    def below(nodes: tuple[Node, ...]) -> list[frozenset[int]]:
        parts = [inside(node) for node in nodes if isinstance(node, Nest)]
        return [frozenset().union(*choice) for choice in islice(product(*parts), _CUTS)]

    def inside(nest_: Nest) -> list[frozenset[int]]:
        deeper = below(nest_.body)
        own = frozenset({nest_.loop.index})
        return [own, *(d for d in deeper if d)] if own <= strippable else deeper

    return tuple(dict.fromkeys([frozenset[int](), *below(nest.body)]))


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


def _dimensions(
    axes: tuple[tuple[LoopNode, int], ...], split: Split, names: Mapping[str, int], limit: int
) -> tuple[Dimension, ...] | None:
    """The sizes of all mapped loops; None where a hint gives no length for this block.

    A tile is a multiple of its work-items, so that each runs as many iterations: what a hint leaves over is not used.
    """
    result = []
    for node, axis in axes:
        size = names[NAMES[axis]]
        fixed = split.of(node.index)
        tile = size
        if fixed is not None:
            own = names if fixed.names <= names.keys() and (node.index, axis) in split.axes else {}
            try:
                tile = fixed.iterations({**dict.fromkeys(NAMES, size), **own})
            except HintError:
                return None
            if fixed.names and tile > size:
                tile -= tile % size
            size = max(d for d in range(1, min(size, tile) + 1) if tile % d == 0)
        result.append(Dimension(node, axis, tile, size))
    while prod(d.threads for d in result) > limit:
        wide = [k for k, d in enumerate(result) if d.axis > 0 and d.threads % 2 == 0]
        if not wide:
            return None
        k = max(wide, key=lambda k: result[k].threads)
        result[k] = Dimension(result[k].loop, result[k].axis, result[k].tile, result[k].threads // 2)
    return tuple(result)
