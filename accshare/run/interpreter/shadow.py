"""Who touched a cell of memory since the last barrier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accshare.run.dtypes import AnyArray

_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Shadow:
    """For every cell who wrote it last, and two different ones who read it, if there are that many. Whoever they are
    (work-items, work-groups) has a number of its own."""

    writer: AnyArray
    reader: AnyArray
    other: AnyArray

    @staticmethod
    def of(cells: int) -> Shadow:
        """Untouched memory."""
        writer, reader, other = (np.full(cells, _NOBODY, dtype=np.int64) for _ in range(3))
        return Shadow(writer, reader, other)

    def read(self, cells: AnyArray, who: AnyArray) -> AnyArray:
        """Notes that `who` read `cells`, one each; who else wrote them meanwhile, or -1."""
        writer = self.writer[cells]
        before = self.reader[cells]
        fresh = before == _NOBODY
        if fresh.any():
            self.reader[cells[fresh]] = who[fresh]
            before = self.reader[cells]
        second = before != who
        self.other[cells[second]] = who[second]
        return np.where(writer == who, _NOBODY, writer)

    def write(self, cells: AnyArray, who: AnyArray) -> AnyArray:
        """Notes that `who` wrote `cells`; who else touched them meanwhile, or -1."""
        found = self.writer[cells]
        found = np.where(found == who, _NOBODY, found)
        for others in (self.reader[cells], self.other[cells]):
            found = np.where((found == _NOBODY) & (others != who), others, found)
        self.writer[cells] = who
        together = self.writer[cells]
        return np.where((found == _NOBODY) & (together != who), together, found)

    def forget(self, cells: AnyArray | slice) -> None:
        """A barrier: nobody touched `cells` since."""
        for side in (self.writer, self.reader, self.other):
            side[cells] = _NOBODY

    def forget_those(self, who: AnyArray) -> None:
        """A barrier that those with True in `who` took part in."""
        for side in (self.writer, self.reader, self.other):
            side[(side != _NOBODY) & who[side]] = _NOBODY
        alone = (self.reader == _NOBODY) & (self.other != _NOBODY)
        self.reader[alone], self.other[alone] = self.other[alone], _NOBODY
