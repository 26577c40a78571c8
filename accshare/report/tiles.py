"""Where a work-group's tile lies in an array: the loop that moves it along each subscript, and its halo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from accshare.frontend.ir import Expr
from accshare.mapping.ir import ArrayFeature, NestPartition
from accshare.poly.ir import Access, LoopNode
from accshare.records import dataclass
from accshare.report.model import AxisFact
from accshare.report.readable import Polynomial, Readable, product


@dataclass(frozen=True, slots=True)
class _Place:
    """A subscript of one reference: its loops with their factors, and what is added to them."""

    loops: tuple[tuple[LoopNode, int], ...]
    offset: int


def axes(feature: ArrayFeature, part: NestPartition, readable: Readable) -> Iterator[AxisFact]:
    """The tile along every subscript."""
    shape = feature.variable.shape
    places = [_places(access, shape, part, readable) for access in feature.accesses]
    for k, (length, extent) in enumerate(zip_longest(feature.lengths, shape[: len(feature.lengths)])):
        here = [place[k] for place in places if k < len(place)]
        runs, mover, size = _mover(here, part)
        lower, upper = _halo(here, mover, length - size)
        iterator = None if mover is None else mover.iterator.name
        yield AxisFact(None if extent is None else readable.text(extent), length, lower, upper, runs, iterator)


def _mover(places: list[_Place], part: NestPartition) -> tuple[str, LoopNode | None, int]:
    """How the tile moves, the loop that moves it, and how many of its iterations a work-group is at."""
    loops = {loop.index: loop for place in places for loop, _ in place.loops}
    for dimension in part.nest.grid:
        if dimension.loop.index in loops:
            return "grid", dimension.loop, dimension.size
    for strip in part.strips:
        if strip.loop.index in loops:
            return "strip", strip.loop, strip.size
    return "whole", max(loops.values(), key=lambda loop: loop.depth, default=None), 0


def _halo(places: list[_Place], mover: LoopNode | None, beyond: int) -> tuple[int, int]:
    """What the tile has `beyond` one element an iteration, before and after them; none where iterations are apart."""
    index = -1 if mover is None else mover.index
    if beyond <= 0 or {factor for place in places for loop, factor in place.loops if loop.index == index} != {1}:
        return 0, 0
    first = (p.offset + sum(_least(loop, factor) for loop, factor in p.loops if loop.index != index) for p in places)
    before = min(beyond, max(0, -min(first)))
    return before, beyond - before


def _least(loop: LoopNode, factor: int) -> int:
    """The smallest value of an iterator times `factor`, 0 where no constant bounds it."""
    value = loop.domain.dim_min_val(loop.depth) if factor > 0 else loop.domain.dim_max_val(loop.depth)
    return factor * int(value.to_python()) if value.is_int() else 0


def _places(access: Access, shape: tuple[Expr | None, ...], part: NestPartition, readable: Readable) -> list[_Place]:
    """Every subscript of a reference; a linearised one is taken apart."""
    statement = next((s for s in part.nest.statements if any(a is access for a in s.accesses)), None)
    loops = {} if statement is None else {loop.iterator.name: loop for loop in statement.loops}
    indices = [readable.polynomial(index) for index in access.subscripts]
    if len(indices) == 1 < len(shape):
        indices = _delinearised(indices[0], shape, readable)
    return [_place(index, loops) for index in indices]


def _place(index: Polynomial, loops: Mapping[str, LoopNode]) -> _Place:
    moved = tuple((loops[term[0]], factor) for term, factor in index.items() if len(term) == 1 and term[0] in loops)
    return _Place(moved, index.get((), 0))


def _delinearised(index: Polynomial, shape: tuple[Expr | None, ...], readable: Readable) -> list[Polynomial]:
    """The terms by the stride they carry, without it: ``i*n + j`` of an array of n columns is ``i`` and ``j``."""
    strides: list[Polynomial] = [{(): 1}]
    for extent in reversed(shape[1:]):
        strides.insert(0, product(strides[0], {(): 1} if extent is None else readable.polynomial(extent)))
    parts: list[Polynomial] = [{} for _ in shape]
    for term, factor in index.items():
        for part, stride in zip(parts, strides, strict=True):
            (names, size), *more = stride.items()
            rest = list(term)
            if more or factor % size or any(names.count(name) > rest.count(name) for name in names):
                continue
            for name in names:
                rest.remove(name)
            part[tuple(rest)] = factor // size
            break
    return parts
