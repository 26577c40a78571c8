"""Who touched a cell of memory since the last barrier."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from accshare.records import dataclass
from accshare.run.dtypes import AnyArray

_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Shadow:
    """For every cell who wrote it last, and two different ones who read it, if there are that many, and so for those
    who changed it in one piece. Whoever they are (work-items, work-groups) has a number of its own."""

    writer: AnyArray
    reader: AnyArray
    other: AnyArray
    atomic: AnyArray
    another: AnyArray

    @staticmethod
    def of(cells: int) -> Shadow:
        """Untouched memory."""
        return Shadow(*(np.full(cells, _NOBODY, dtype=np.int64) for _ in range(5)))

    def read(self, cells: AnyArray, who: AnyArray) -> AnyArray:
        """Notes that `who` read `cells`, one each; who else wrote them meanwhile, or -1."""
        _note(self.reader, self.other, cells, who)
        return _besides(who, (side[cells] for side in (self.writer, self.atomic, self.another)))

    def change(self, cells: AnyArray, who: AnyArray) -> AnyArray:
        """Notes that `who` read and wrote `cells`, one each, in one piece; who else touched them in another way
        meanwhile, or -1."""
        _note(self.atomic, self.another, cells, who)
        return _besides(who, (side[cells] for side in (self.writer, self.reader, self.other)))

    def write(self, cells: AnyArray, who: AnyArray) -> AnyArray:
        """Notes that `who` wrote `cells`; who else touched them meanwhile, or -1."""
        found = _besides(who, (side[cells] for side in self._sides()))
        self.writer[cells] = who
        together = self.writer[cells]
        return np.where((found == _NOBODY) & (together != who), together, found)

    def forget(self, cells: AnyArray | slice) -> None:
        """A barrier: nobody touched `cells` since."""
        for side in self._sides():
            side[cells] = _NOBODY

    def forget_those(self, who: AnyArray) -> None:
        """A barrier that those with True in `who` took part in."""
        for side in self._sides():
            side[(side != _NOBODY) & who[side]] = _NOBODY
        for first, second in ((self.reader, self.other), (self.atomic, self.another)):
            alone = (first == _NOBODY) & (second != _NOBODY)
            first[alone], second[alone] = second[alone], _NOBODY

    def _sides(self) -> tuple[AnyArray, ...]:
        return self.writer, self.reader, self.other, self.atomic, self.another


def _note(first: AnyArray, second: AnyArray, cells: AnyArray, who: AnyArray) -> None:
    """Puts `who` among the two different ones that are known of `cells`."""
    before = first[cells]
    fresh = before == _NOBODY
    if fresh.any():
        first[cells[fresh]] = who[fresh]
        before = first[cells]
    others = before != who
    second[cells[others]] = who[others]


def _besides(who: AnyArray, sides: Iterable[AnyArray]) -> AnyArray:
    """The first who is not `who` of each cell, or -1."""
    found = np.full(who.shape, _NOBODY, dtype=np.int64)
    for others in sides:
        found = np.where((found == _NOBODY) & (others != who), others, found)
    return found
