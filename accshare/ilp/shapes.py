"""The tiles and work-groups that are tried: fewer work-items for a tile, or larger tiles for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from accshare.device import Device
from accshare.frontend.ir import Scalar
from accshare.partition.ir import Dimension, NestPartition, Staged

#: the most iterations of a work-item along an axis, and how much larger or smaller than the solver's a tile gets
MOST_ALONG = 16
_MOST_GROWTH = 16
#: work-items that lie side by side along x (15), so that what they access coalesces
_NARROWEST = 32


@dataclass(frozen=True, slots=True)
class Bounds:
    """What may be changed: the iterations of a work-item to try along each axis, whether tiles may `grow` or
    `shrink`, the most work-items of a group, and the most iterations of a work-item in all."""

    along: dict[int, tuple[int, ...]]
    grow: bool
    shrink: bool
    work_items: int
    iterations: int


def factors(dimensions: tuple[Dimension, ...]) -> tuple[int, int, int]:
    """The iterations of one work-item along x, y, z."""
    along = {d.axis: d.tile // d.threads for d in dimensions}
    return along.get(0, 1), along.get(1, 1), along.get(2, 1)


def shapes(partition: NestPartition, bounds: Bounds, device: Device) -> Iterator[NestPartition]:
    """All legal ways to run a kernel with work-items of several iterations, its tiles cut to measure."""
    least = min(device.simd_width, prod(d.threads for d in partition.dimensions))
    choices = [tuple(_choices(d, bounds, device)) for d in partition.dimensions]
    for dimensions in product(*choices):
        items = prod(d.threads for d in dimensions)
        if least <= items <= bounds.work_items and prod(d.tile for d in dimensions) <= items * bounds.iterations:
            yield resized(partition, dimensions)


def _choices(dimension: Dimension, bounds: Bounds, device: Device) -> Iterator[Dimension]:
    narrowest = min(_NARROWEST, device.simd_width, dimension.threads) if dimension.axis == 0 else 1
    for factor in bounds.along[dimension.axis]:
        for tile in _tiles(dimension.tile, bounds):
            threads, rest = divmod(tile, factor)
            if rest == 0 and narrowest <= threads <= bounds.work_items:
                yield replace(dimension, tile=tile, threads=threads)


def _tiles(tile: int, bounds: Bounds) -> Iterator[int]:
    """`tile`, and it doubled and halved again and again where that is allowed."""
    yield tile
    times = 2
    while times <= _MOST_GROWTH:
        if bounds.grow:
            yield tile * times
        if bounds.shrink and tile % times == 0:
            yield tile // times
        times *= 2


def resized(partition: NestPartition, dimensions: tuple[Dimension, ...]) -> NestPartition:
    """The kernel with other sizes; what it stages grows as its tile does."""
    old = {d.loop.index: d.tile for d in partition.dimensions}
    new = {d.loop.index: d.tile for d in dimensions}
    staged = partition.staged if old == new else tuple(_fitted(s, old, new) for s in partition.staged)
    return replace(partition, dimensions=dimensions, staged=staged)


def _fitted(staged: Staged, old: dict[int, int], new: dict[int, int]) -> Staged:
    lengths = tuple(
        length + sum(more * (new[loop] - old[loop]) for loop, more in growth if loop in new)
        for length, growth in zip(staged.lengths, staged.growth, strict=True)
    )
    parts = (lengths[-1], *(more * new[loop] for loop, more in staged.growth[-1] if loop in new))
    width = staged.width
    while any(part % width for part in parts):
        width //= 2
    return replace(staged, lengths=lengths, width=width)


def local_bytes(partition: NestPartition, padded: dict[int, int]) -> int:
    """What a work-group keeps in local memory: its tiles, whose rows `padded` makes longer (by their number), and the
    accumulators of its work-items."""
    items = prod(d.threads for d in partition.dimensions)
    own = sum(_bytes(r.variable.element) for r in partition.nest.reductions) * items
    return own + sum(
        prod(s.lengths[:-1]) * (s.lengths[-1] + padded.get(k, 0)) * element_bytes(s)
        for k, s in enumerate(partition.staged)
    )


def element_bytes(staged: Staged) -> int:
    """The size of an element of a tile."""
    return _bytes(staged.accesses[0].reference.type)


def _bytes(type_: object) -> int:
    return type_.bytes if isinstance(type_, Scalar) else 0
