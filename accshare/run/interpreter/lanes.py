"""The work-items that run in lockstep: whole work-groups, side by side, each padded to whole warps."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from accshare.records import dataclass
from accshare.run.dtypes import AnyArray
from accshare.run.interpreter.results import Coordinates

#: work-items at once: enough for numpy's loops to outweigh Python's
_MOST_LANES = 1 << 16


@dataclass(frozen=True, slots=True)
class Lanes:
    """Some work-groups of a launch. Arrays have an entry a lane: groups one after the other, and in each its work-items
    by linear local id, x fastest, then lanes of no work-item that fill the last warp.

    `numbers` are the groups' linear ids, `warp` is how many work-items run as one, `per_group` the lanes of a group
    and `present` the lanes that are work-items.
    """

    groups: Coordinates
    work_group: Coordinates
    numbers: AnyArray
    warp: int
    per_group: int
    present: AnyArray

    @property
    def count(self) -> int:
        """All lanes."""
        return len(self.present)

    def local_id(self, axis: int) -> AnyArray:
        """``get_local_id(axis)``."""
        own = np.arange(self.per_group, dtype=np.uint64)
        return np.tile(
            own // np.uint64(prod(self.work_group[:axis])) % np.uint64(self.work_group[axis]), len(self.numbers)
        )

    def group_id(self, axis: int) -> AnyArray:
        """``get_group_id(axis)``."""
        own = self.numbers.astype(np.uint64) // np.uint64(prod(self.groups[:axis])) % np.uint64(self.groups[axis])
        return np.repeat(own, self.per_group)

    def group_number(self) -> AnyArray:
        """The group's number among these, from 0."""
        return np.repeat(np.arange(len(self.numbers)), self.per_group)

    def launch_item(self) -> AnyArray:
        """A number that no other work-item of the launch has."""
        return np.repeat(self.numbers * self.per_group, self.per_group) + np.tile(
            np.arange(self.per_group), len(self.numbers)
        )

    def group_place(self, number: int) -> Coordinates:
        """Where the group with a linear id is."""
        return _place(number, self.groups)

    def item_place(self, number: int) -> Coordinates:
        """Where in its group a lane's work-item is."""
        return _place(number % self.per_group, self.work_group)


def batches(groups: Coordinates, work_group: Coordinates, simd_width: int) -> Iterator[Lanes]:
    """All work-groups of a launch, as many at a time as fit."""
    items = prod(work_group)
    warp = min(simd_width, items)
    per_group = -(-items // warp) * warp
    together = max(1, _MOST_LANES // per_group)
    for first in range(0, prod(groups), together):
        numbers = np.arange(first, min(first + together, prod(groups)))
        present = np.tile(np.arange(per_group) < items, len(numbers))
        yield Lanes(groups, work_group, numbers, warp, per_group, present)


def _place(number: int, sizes: Coordinates) -> Coordinates:
    return number % sizes[0], number // sizes[0] % sizes[1], number // (sizes[0] * sizes[1])
