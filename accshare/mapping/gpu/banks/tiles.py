"""The places in a tile that the work-items of a group touch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from accshare.device import Device
from accshare.frontend.ir import Scalar
from accshare.mapping.ir import Layout, NestPartition
from accshare.poly.ir import LoopNode
from accshare.records import dataclass
from accshare.schedule.ir import Staged
from accshare.subscripts import AffineReference

Matrix = tuple[tuple[int, int], tuple[int, int]]
#: a work-item's place in its group
Item = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Motion:
    """How the element that a reference touches moves in the tile, a number a dimension of the array.

    `items` has how far with the next work-item along x, y and z, `turn` with the next iteration of the loop whose
    strips load the tile. It begins at one of `starts`, plus any multiples of `steps`, those with the next iterations of
    other loops, which all work-items share.
    """

    items: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    turn: tuple[int, ...]
    starts: tuple[tuple[int, ...], ...]
    steps: tuple[tuple[int, ...], ...]


def motion(part: NestPartition, found: list[AffineReference], at: LoopNode | None) -> Motion:
    """The motion of references whose subscripts differ by constants only."""
    subscripts, statement = found[0].rows, found[0].statement
    dimensions = {d.axis: d for d in part.nest.grid}
    mapped = {d.loop.index for d in part.nest.grid}

    def along(loop: LoopNode) -> tuple[int, ...]:
        return tuple(row.of(loop.index) * abs(loop.loop.step) for row in subscripts)

    still = (0,) * len(subscripts)
    x, y, z = (along(dimensions[axis].loop) if axis in dimensions else still for axis in range(3))
    apart = mapped | ({at.index} if at is not None else set())
    steps = [along(loop) for loop in statement.loops[len(part.nest.host) :] if loop.index not in apart]
    for d in part.nest.grid:
        if not d.single:
            steps.append(tuple(d.threads * step for step in along(d.loop)))
        if d.step > 1:  # tiles start at multiples of the step, the loop may not
            steps.append(tuple(row.of(d.loop.index) for row in subscripts))
    backwards = [sum(-min(0, along(d.loop)[k]) * (d.size - 1) for d in part.nest.grid) for k in range(len(still))]
    least = [min(one.constants[k] for one in found) for k in range(len(still))]
    starts = {
        tuple(constant - low + back for constant, low, back in zip(one.constants, least, backwards, strict=True))
        for one in found
    }
    return Motion(
        (x, y, z), still if at is None else along(at), tuple(sorted(starts)), tuple(s for s in steps if any(s))
    )


def warps(group: Item, device: Device) -> Iterator[tuple[Item, ...]]:
    """The work-items of each warp, in the order of their linear ids."""
    width, depth, _ = group
    items = [(k % width, k // width % depth, k // (width * depth)) for k in range(prod(group))]
    for first in range(0, len(items), device.simd_width):
        yield tuple(items[first : first + device.simd_width])


def moved(item: Item, remap: Matrix | None, group: Item) -> Item:
    """Where thread remap puts a work-item."""
    if remap is None:
        return item
    x, y, z = item
    (a, b), (c, d) = remap
    return (a * x + b * y) % group[0], (c * x + d * y) % group[1], z


def element_bytes(staged: Staged) -> int:
    """The size of what is staged."""
    type_ = staged.accesses[0].reference.type
    assert isinstance(type_, Scalar), "scalars are staged"
    return type_.bytes


def strides(layout: Layout, lengths: tuple[int, ...]) -> tuple[int, ...]:
    """How far apart neighbours along each dimension of the array lie in the tile, in elements."""
    stored = layout.stored(lengths)
    distance = {dimension: prod(stored[k + 1 :]) for k, dimension in enumerate(layout.order)}
    return tuple(distance[k] for k in range(len(lengths)))


def plain(staged: Staged) -> Layout:
    """The tile as the hull is."""
    return Layout(tuple(range(len(staged.lengths))))


def copy_width(staged: Staged, layout: Layout) -> int:
    """How many elements a work-item loads at once: they must lie side by side in the tile too."""
    return staged.width if layout.order == tuple(range(len(staged.lengths))) else 1
