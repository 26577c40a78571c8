"""The arrays of a region in this process, with a margin on both sides that nobody may write."""

from __future__ import annotations

import numpy as np

from accshare.data.ir import Datum
from accshare.frontend.ir import Expr
from accshare.inputs import describe
from accshare.records import dataclass
from accshare.run.dtypes import AnyArray, dtype_of
from accshare.run.evaluate import Unknown, Values

#: bytes on each side; a multiple of every element's alignment
_MARGIN_BYTES = 4096
_UNTOUCHED = 0xA5
#: a NaN, and -1: nothing that happens to be right
_STALE = 0xFF


@dataclass(frozen=True, slots=True)
class Section:
    """What a region uses of an array: `lower` and the length of `elements` count from the datum's origin.

    `store` is `elements` with the margins, of `margin` elements each.
    """

    lower: int
    margin: int
    store: AnyArray

    @property
    def elements(self) -> AnyArray:
        """The elements that move."""
        return self.store[self.margin : len(self.store) - self.margin]

    @property
    def origin(self) -> int:
        """The address of the array's element 0."""
        return int(self.store.ctypes.data) + (self.margin - self.lower) * self.store.itemsize

    @property
    def first(self) -> int:
        """Where in `store` the array's element 0 is."""
        return self.margin - self.lower

    def copy(self) -> Section:
        """The same values in other memory, to the byte: numpy would leave the gaps of a struct as they come."""
        return Section(self.lower, self.margin, self.store.view(np.uint8).copy().view(self.store.dtype))

    def stale(self) -> Section:
        """The same in other memory, with values of no use."""
        made = self.copy()
        made.elements.view(np.uint8)[...] = _STALE
        return made

    def margins_intact(self) -> bool:
        """Whether nothing was written outside of the section."""
        sides = (self.store[: self.margin], self.store[len(self.store) - self.margin :])
        return all(bool(np.all(np.ascontiguousarray(side).view(np.uint8) == _UNTOUCHED)) for side in sides)


def known_length(datum: Datum) -> Expr:
    """How many elements of a datum the region has. Raises `Unknown` where only a running program can tell."""
    if datum.length is None:
        raise Unknown(f"how much of {describe(datum.origin)} the region uses isn't known")
    return datum.length


def section(datum: Datum, values: Values) -> Section:
    """Memory for a datum, filled with nothing of use yet. Raises `Unknown`, and `TypeError` for a strange element."""
    kind = dtype_of(datum.element)
    length = max(0, values.integer(known_length(datum)))
    margin = -(-_MARGIN_BYTES // kind.itemsize)
    raw = np.full((length + 2 * margin) * kind.itemsize, _UNTOUCHED, dtype=np.uint8)
    return Section(values.integer(datum.lower) if length else 0, margin, raw.view(kind))
