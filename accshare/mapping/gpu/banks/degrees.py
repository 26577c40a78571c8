"""The conflict degrees of a tile: of the references to it, and of the copies that fill and empty it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import chain, groupby
from math import gcd, prod

from accshare.device import Device
from accshare.frontend.ir import Scalar, Struct
from accshare.mapping.gpu.banks.requests import closed_form, degree, request_lanes, worst
from accshare.mapping.gpu.banks.tiles import (
    Item,
    Matrix,
    Motion,
    copy_width,
    element_bytes,
    motion,
    moved,
    strides,
    warps,
)
from accshare.mapping.ir import Layout, NestPartition
from accshare.records import dataclass
from accshare.schedule.ir import Staged
from accshare.subscripts import affine
from accshare.teams import panels


@dataclass(frozen=True, slots=True)
class Degrees:
    """The greatest degrees of the references to a tile and of its copies."""

    references: int
    copies: int

    @property
    def worst(self) -> int:
        return max(self.references, self.copies)


@dataclass(frozen=True, slots=True)
class Moves:
    """What a kernel's work-items do in another order: thread remap, and the loops (by `LoopNode.index`) of whose strips
    each begins at its own place (access reorder)."""

    remap: Matrix | None = None
    rotated: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Touched:
    """A staged array as the work-items of its kernel touch it, on a device."""

    part: NestPartition
    staged: Staged
    device: Device

    @cached_property
    def motion(self) -> Motion:
        """How references move."""
        found = []
        for statement, access in self.staged.uses(self.part.nest.statements):
            reference = affine(access, statement)
            assert reference is not None, "what is staged is affine"
            found.append(reference)
        return motion(self.part, found, self.staged.at)

    @cached_property
    def work_group(self) -> tuple[int, int, int]:
        """Its size along x, y and z."""
        return self.part.work_group

    @cached_property
    def warps(self) -> tuple[tuple[Item, ...], ...]:
        """The work-items of each warp."""
        return tuple(warps(self.work_group, self.device))

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return element_bytes(self.staged)

    @property
    def strip(self) -> int:
        """The iterations of a strip that loads the tile."""
        at = self.staged.at
        return 1 if at is None else next(s.size for s in self.part.strips if s.loop.index == at.index)

    def turns(self, moves: Moves) -> bool:
        """Whether work-items begin the strips that load the tile each at its own place."""
        return self.staged.at is not None and self.staged.at.index in moves.rotated

    def stride(self, layout: Layout) -> int:
        """How far apart the elements of neighbouring work-items are in the tile."""
        return _dot(self.motion.items[0], strides(layout, self.staged.lengths))

    def degrees(self, layout: Layout, moves: Moves) -> Degrees:
        """The degrees of the tile in a layout."""
        return Degrees(self.references(layout, moves), self.copies(layout))

    def references(self, layout: Layout, moves: Moves, apart: int = 0) -> int:
        """The greatest degree of the references, for elements that begin `apart` bytes apart, or side by side."""
        lanes = min(self.device.simd_width, prod(self.work_group))
        constant = moves.remap is None and not self.turns(moves) and self.work_group[0] % lanes == 0
        if constant and not apart:
            together = request_lanes(lanes, self.size, self.device)
            known = closed_form(self.stride(layout), self.size, together, self.device)
            if known is not None:
                return known
        return max(degree(offsets, self.size, self.device) for offsets in self.offsets(layout, moves, apart))

    def offsets(self, layout: Layout, moves: Moves, apart: int = 0) -> Iterator[Sequence[int]]:
        """The bytes at which each warp's elements begin, for every place in a word where the first one may be."""
        apart = apart or self.size
        weights = strides(layout, self.staged.lengths)
        along = [_dot(item, weights) for item in self.motion.items]
        turn = _dot(self.motion.turn, weights)
        turns = self.turns(moves)
        alike = moves.remap is None and self.work_group[0] % self.device.simd_width == 0
        leading = [warp for warp in self.warps if warp[0][0] == 0] if alike else self.warps
        touched = [[_dot(moved(item, moves.remap, self.work_group), along) for item in warp] for warp in leading]
        for start in self._starts(weights, apart, turns):
            for warp, behind in zip(leading, touched, strict=True):
                places = [start + place for place in behind]
                for first in self._firsts(alike) if turns else (0,):
                    shifts = [turn * ((first + item[0]) % self.strip) if turns else 0 for item in warp]
                    yield [apart * (place + shift) for place, shift in zip(places, shifts, strict=True)]

    def copies(self, layout: Layout) -> int:
        """The greatest degree of the copies, of elements or vectors."""
        asked = (self._asked(layout, width) for width in self._widths(layout))
        return max((degree(o, size, self.device) for size, warps in asked for o in warps), default=1)

    def worst(self, layout: Layout, moves: Moves, apart: int = 0) -> tuple[int, ...]:
        """The words of the tile that the request with the greatest degree wants: one of the references, or of the
        copies where all of those are better."""
        degrees = Degrees(self.references(layout, moves, apart), 1 if apart else self.copies(layout))
        if degrees.references >= degrees.copies:
            return worst(self.offsets(layout, moves, apart), self.size, self.device)
        asked = [(size, tuple(warps)) for size, warps in (self._asked(layout, w) for w in self._widths(layout))]
        size, warps = max(asked, key=lambda one: max(degree(o, one[0], self.device) for o in one[1]))
        return worst(warps, size, self.device)

    def bytes(self, layout: Layout) -> int:
        """What the tile takes."""
        return self.size * prod(layout.stored(self.staged.lengths))

    def _starts(self, weights: tuple[int, ...], apart: int, turns: bool) -> tuple[int, ...]:
        """Where the first element may begin, as far as it decides which elements share a word."""
        period = self.device.bank_bytes // gcd(apart, self.device.bank_bytes)
        step = gcd(period, *(_dot(s, weights) for s in self.motion.steps))
        turn = _dot(self.motion.turn, weights)
        own = [turn * k for k in range(1 if turns else min(self.strip, period))]
        firsts = [_dot(s, weights) + t for s in self.motion.starts for t in own]
        return tuple(sorted({(first + k) % period for first in firsts for k in range(0, period, step)}))

    def _firsts(self, alike: bool) -> Iterable[int]:
        """The iterations that matter of those that the first work-item of a warp comes by: as long as no work-item
        goes round, one is like the next but for places in a word."""
        lanes, places = self.device.simd_width, self.device.bank_bytes
        if not alike or self.strip <= lanes + places:
            return range(self.strip)
        return chain(range(places), range(self.strip - lanes, self.strip))

    def _widths(self, layout: Layout) -> list[int]:
        """How many elements a work-item copies at once, into the tile and out of it."""
        loads = [copy_width(self.staged, layout)] if self.staged.reads else []
        return loads + ([1] if self.staged.writes else [])

    def _asked(self, layout: Layout, width: int) -> tuple[int, Iterator[Sequence[int]]]:
        """The bytes of a request of copies, and where each warp's begin: vectors that rows leave no place for in one
        piece are stored element by element."""
        if layout.padding % width == 0:
            return width * self.size, self.copied(layout, width)
        places = ([o + k * self.size for o in offsets] for offsets in self.copied(layout, width) for k in range(width))
        return self.size, places

    def copied(self, layout: Layout, width: int) -> Iterator[Sequence[int]]:
        """The bytes at which each warp copies elements, or vectors of `width`."""
        weights = strides(layout, self.staged.lengths)
        for warp in _copying(self.staged.lengths, width, prod(self.work_group), self.device.simd_width):
            yield [self.size * _dot(place, weights) for place in warp]


def struct_bytes(touched: Touched) -> int:
    """How far apart neighbours would be if the tile held whole structs."""
    element = touched.staged.variable.element
    assert isinstance(element, Struct | Scalar)
    return element.bytes


@cache
def _copying(
    whole: tuple[int, ...], width: int, work_items: int, simd_width: int
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """The places in a tile of `whole` elements along each dimension that each warp copies to, `width` elements each."""
    lengths = (*whole[:-1], whole[-1] // width)
    return tuple(
        tuple(_places(row * lengths[-1] + column, lengths, width) for _, row, column in warp)
        for panel in panels(lengths, work_items)
        for turn in panel.turns()
        for _, warp in groupby(turn, lambda one: one[0] // simd_width)
    )


def _dot(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _places(element: int, lengths: tuple[int, ...], width: int) -> tuple[int, ...]:
    """The place along each dimension of a tile's element, or vector, by its number in row-major order."""
    found = []
    for length in reversed(lengths):
        element, place = divmod(element, length)
        found.append(place)
    found[0] *= width
    return tuple(reversed(found))
