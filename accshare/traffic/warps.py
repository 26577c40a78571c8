"""What the accesses of one kind cost in global memory: elements, and transactions of the warps that make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import islpy as isl

from accshare.records import dataclass
from accshare.traffic.lattice import Form, Lattice, Shape, Unlinear, points

_SET = isl.dim_type.set


@dataclass(frozen=True, slots=True)
class Batch:
    """Accesses as an integer set without parameters. Each value of the first `outer` dimensions is a moment at which
    the other dimensions' points are accessed side by side; the access of a point is made by the warp `warp` of its
    moment, and touches `size` bytes at `address`. A set that is not `regular` is visited point by point.
    """

    accesses: isl.Set
    outer: int
    address: Form
    size: int
    warp: Callable[[tuple[int, ...]], int]
    regular: bool


@dataclass(frozen=True, slots=True)
class Cost:
    """Elements moved, and segments of global memory touched by one warp at one moment, added up."""

    elements: int
    transactions: int


def cost(batch: Batch, segment: int) -> Cost:
    """Count exactly; `segment` is the size of a transaction in bytes."""
    elements = transactions = 0
    for count, moments in _moments(batch, segment):
        own, touched = 0, set[tuple[int, int]]()
        for lead, runs, place in moments:
            for first, last in runs:
                own += last - first + 1
                touched.update(_segments(batch, lead, first, last, place, segment))
        elements += count * own
        transactions += count * len(touched)
    return Cost(elements, transactions)


_Moment = Iterator[tuple[tuple[int, ...], list[tuple[int, int]], int]]


def _moments(batch: Batch, segment: int) -> Iterator[tuple[int, _Moment]]:
    """How often a moment comes, and its points as runs, with the address of the moment's origin."""
    lattice = _lattice(batch)
    if lattice is None:
        yield from _one_by_one(batch, segment)
        return
    for shape, count in lattice.shapes(batch.address, segment):
        yield count, _placed(shape, lattice.inner)


def _lattice(batch: Batch) -> Lattice | None:
    try:
        return Lattice.of(batch.accesses, batch.outer) if batch.regular else None
    except Unlinear:
        return None


def _placed(shape: Shape, inner: tuple[tuple[int, int], ...]) -> _Moment:
    for lead, runs in points(shape, inner):
        yield lead, runs, shape.place


def _one_by_one(batch: Batch, segment: int) -> Iterator[tuple[int, _Moment]]:
    """The same for a set that no lattice describes: every point is visited."""
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}

    def visit(point: isl.Point) -> None:
        place = tuple(int(point.get_coordinate_val(_SET, k).to_python()) for k in range(batch.accesses.dim(_SET)))
        found.setdefault(place[: batch.outer], []).append(place[batch.outer :])

    batch.accesses.foreach_point(visit)
    weights = batch.address.coefficients
    for moment, inner in found.items():
        place = batch.address.constant + sum(c * v for c, v in zip(weights, moment, strict=False))
        yield 1, iter([(point[:-1], [(point[-1], point[-1])], place % segment) for point in sorted(set(inner))])


def _segments(
    batch: Batch, lead: tuple[int, ...], first: int, last: int, place: int, segment: int
) -> Iterator[tuple[int, int]]:
    """The warp and the segment of every access of a run."""
    weights = batch.address.coefficients[batch.outer :]
    start = place + sum(c * v for c, v in zip(weights[:-1], lead, strict=True))
    step = weights[-1]
    while first <= last:
        warp, end = batch.warp((*lead, first)), first
        while end < last and batch.warp((*lead, end + 1)) == warp:
            end += 1
        low, high = sorted((start + step * first, start + step * end))
        if abs(step) <= segment:
            spans = [(low, high)]
        else:
            spans = [(start + step * k, start + step * k) for k in range(first, end + 1)]
        for one, other in spans:
            for number in range(one // segment, (other + batch.size - 1) // segment + 1):
                yield warp, number
        first = end + 1
