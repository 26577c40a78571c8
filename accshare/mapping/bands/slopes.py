"""How far dependences lead from step to step of a loop on the host, along the rows that its kernels go over.

A band of rows runs several steps of such a loop by itself where each sweep leaves out, at either end, what depends on
other bands. How much that is follows from the dependences alone: for two sweeps that are `steps` steps apart,
``slope * steps`` and what their places add.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import islpy as isl

from accshare.carried import together
from accshare.islbuild import points
from accshare.mapping.ir import Edge, Reach
from accshare.poly.ir import Dependence, LoopNode, Mode, Scop, Statement
from accshare.records import dataclass, field
from accshare.schedule.ir import Kernel

_OUT, _SET, _PARAM = isl.dim_type.out, isl.dim_type.set, isl.dim_type.param
#: rows a step that a band may lose at one end, and those over which a dependence may lead in a step
_STEEPEST, _FARTHEST = 32, 64


@dataclass(frozen=True, slots=True)
class Sweep:
    """A kernel of a step. `rows` maps the instances of its statements, by name, to the row that they belong to: an
    iteration of the loop `along`, or the same one for all."""

    kernel: Kernel
    along: LoopNode | None
    rows: dict[str, isl.Map] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Columns:
    """The same sweeps with what lies along another of their loops as rows: tiles of it that come one after the other
    need nothing of later ones where each sweep keeps away from their ends by an `edge`."""

    sweeps: tuple[Sweep, ...]
    edge: Edge

    @property
    def along(self) -> LoopNode:
        """The first loop over columns."""
        return _first_loop(self.sweeps)


@dataclass(frozen=True, slots=True)
class Slopes:
    """The sweeps of a step, in which time counts `step` further, and what is left out before the first and behind the
    last row of a band, because of what `reaches` over them. Rows may be cut along their `columns`."""

    sweeps: tuple[Sweep, ...]
    step: int
    low: Edge
    high: Edge
    reaches: tuple[Reach, ...]
    columns: tuple[Columns, ...] = ()

    @property
    def along(self) -> LoopNode:
        """The first loop over rows."""
        return _first_loop(self.sweeps)

    @property
    def each(self) -> int:
        """Rows that a band loses with each step."""
        return (self.low.slope + self.high.slope) * self.step

    def lost(self, steps: int) -> int:
        """Rows that a band has lost in the last of so many steps."""
        return self.each * (steps - 1) + max(self.low.offsets) + max(self.high.offsets)


def slopes(scop: Scop, loop: LoopNode, kernels: tuple[Kernel, ...]) -> Slopes | None:
    """What bands lose in the steps of `loop`, which has nothing but `kernels` in it; None where rows depend on others
    that are arbitrarily far away, or nobody knows how far."""
    found = _Distances(scop, loop, kernels)
    sweeps = _sweeps(found, kernels, 0)
    if sweeps is None:
        return None
    pairs = _pairs(found, sweeps)
    low, high = (_edge(pairs, len(sweeps), sign) for sign in (1, -1))
    columns = tuple(_columns(found, kernels))
    if low is None or high is None:
        return None
    return Slopes(sweeps, loop.loop.step, low, high, tuple(_reaches(pairs)), columns)


def in_the_way(scop: Scop, loop: LoopNode, kernels: tuple[Kernel, ...]) -> Dependence | None:
    """The first dependence by which rows of the steps of `loop`, iterations of the first loop of each of its `kernels`,
    need others that are arbitrarily far away, so that there are no bands."""
    found = _Distances(scop, loop, kernels)
    sweeps = [_along(kernel, kernel.grid[0].loop) for kernel in kernels]
    return next((far for one, other in product(sweeps, repeat=2) if (far := found.far(one, other))), None)


def _columns(found: _Distances, kernels: tuple[Kernel, ...]) -> Iterator[Columns]:
    """What is known of the loops inside of rows that tiles may be cut along."""
    for place in range(1, max(len(kernel.grid) for kernel in kernels)):
        sweeps = _sweeps(found, kernels, place)
        if sweeps is None or any(one.along is not None and one.along.loop.step != 1 for one in sweeps):
            continue
        edge = _edge(_pairs(found, sweeps), len(sweeps), -1)
        if edge is not None:
            yield Columns(sweeps, edge)


def _first_loop(sweeps: tuple[Sweep, ...]) -> LoopNode:
    return next(sweep.along for sweep in sweeps if sweep.along is not None)


def _pairs(found: _Distances, sweeps: tuple[Sweep, ...]) -> dict[tuple[int, int], isl.Set]:
    """How far dependences lead from each sweep to each."""
    return {(k, n): found.between(a, b) for (k, a), (n, b) in product(enumerate(sweeps), repeat=2)}


def _reaches(pairs: dict[tuple[int, int], isl.Set]) -> Iterator[Reach]:
    """The rows that each sweep depends on first."""
    for (source, sink), apart in pairs.items():
        if not apart.is_empty():
            soonest = apart.dim_min_val(0).to_python()
            rows = apart.fix_val(_SET, 0, isl.Val(soonest))
            yield Reach(source, sink, soonest, (rows.dim_min_val(1).to_python(), rows.dim_max_val(1).to_python()))


def _sweeps(found: _Distances, kernels: tuple[Kernel, ...], place: int) -> tuple[Sweep, ...] | None:
    """The kernels with what counts as their rows, iterations of the loop at that place of their grids, such that
    dependences lead to near ones."""
    deepest = max(len(kernel.grid) for kernel in kernels)
    chosen: dict[int, Sweep] = {}
    for number, kernel in sorted(enumerate(kernels), key=lambda one: -len(one[1].grid)):
        for sweep in _candidates(kernel, place, len(kernel.grid) == deepest):
            if all(found.are_near(sweep, other) for other in (sweep, *chosen.values())):
                chosen[number] = sweep
                break
        else:
            return None
    return tuple(chosen[k] for k in range(len(kernels)))


def _candidates(kernel: Kernel, place: int, whole: bool) -> Iterator[Sweep]:
    """What the rows of a kernel may be: those of the loop at that place, or where it goes over a part of what others
    do, of any loop, or all one row."""
    loops = kernel.grid[place : place + 1] if whole else kernel.grid
    yield from (_along(kernel, member.loop) for member in loops)
    if not whole:
        yield from _one_row(kernel)


def _along(kernel: Kernel, loop: LoopNode) -> Sweep:
    every = ((s.name, s.tuples) for s in kernel.statements)
    return Sweep(kernel, loop, {name: each.to([each.coordinates[loop.depth]]) for name, each in every})


def _one_row(kernel: Kernel) -> Iterator[Sweep]:
    """The places along the dimensions of what it stores to that are the same for all its iterations."""
    stores = (a for s in kernel.statements for a in s.accesses if a.mode is Mode.WRITE and a.subscripts)
    for place in (_place(a.relation, k) for a in stores for k in range(a.relation.dim(_OUT))):
        if place.is_singleton():
            every = ((s.name, s.tuples.everything) for s in kernel.statements)
            yield Sweep(kernel, None, {name: isl.Map.from_domain_and_range(each, place) for name, each in every})


def _place(relation: isl.Map, k: int) -> isl.Set:
    """What an access comes to along one dimension of its array."""
    rest = relation.range().project_out(_SET, k + 1, relation.dim(_OUT) - k - 1)
    return rest.project_out(_SET, 0, k).reset_tuple_id()


def _edge(pairs: dict[tuple[int, int], isl.Set], count: int, sign: int) -> Edge | None:
    """What is left out at the end of a band that dependences reach which lead in the direction of `sign`."""
    (steps, rows), whole = points(2).coordinates, range(count)
    for slope in range(_STEEPEST + 1):
        away = rows.scale_val(isl.Val(sign)) - steps.scale_val(isl.Val(slope))
        least = {ends: apart.max_val(away) for ends, apart in pairs.items() if not apart.is_empty()}
        if any(not value.is_int() for value in least.values()):
            continue
        offsets = [0] * count
        for _ in whole:
            for (source, sink), value in least.items():
                offsets[sink] = max(offsets[sink], offsets[source] + value.to_python())
        if all(offsets[sink] >= offsets[source] + value.to_python() for (source, sink), value in least.items()):
            return Edge(slope, tuple(offsets))
    return None


class _Distances:
    """How many steps and rows there are from one end of dependences to the other."""

    def __init__(self, scop: Scop, loop: LoopNode, kernels: tuple[Kernel, ...]) -> None:
        self._scop = scop
        self._depth = loop.depth
        where = {s.name: k for k, kernel in enumerate(kernels) for s in kernel.statements}
        self._ends: dict[tuple[int, int], list[Dependence]] = {}
        self._number = {id(kernel): k for k, kernel in enumerate(kernels)}
        self._apart: dict[tuple[int, int, int], tuple[Sweep, Sweep, isl.Set]] = {}
        for one in scop.dependences:
            ends = where.get(one.source.name), where.get(one.sink.name)
            if ends[0] is None or ends[1] is None:
                continue
            variable = one.source_access.variable.name
            if not all(variable in kernels[k].private for k in ends if k is not None):
                self._ends.setdefault((ends[0], ends[1]), []).append(one)

    def between(self, source: Sweep, sink: Sweep) -> isl.Set:
        """Steps and rows from instances of one sweep to those of another that depend on them."""
        found = points(2).nothing
        for _, apart in self._each(source, sink):
            if not apart.is_subset(found):
                found = found.union(apart)
        return found.coalesce()

    def _each(self, source: Sweep, sink: Sweep) -> Iterator[tuple[Dependence, isl.Set]]:
        """The same, one dependence after the other."""
        for one in self._ends.get((self._number[id(source.kernel)], self._number[id(sink.kernel)]), ()):
            key = id(one.relation), id(source), id(sink)
            if key not in self._apart:
                inside = together(one.relation, self._depth).intersect_params(self._scop.context)
                ends = self._at(source, one.source), self._at(sink, one.sink)
                apart = inside.apply_domain(ends[0]).apply_range(ends[1]).deltas()
                self._apart[key] = source, sink, apart.project_out(_PARAM, 0, apart.dim(_PARAM))
            yield one, self._apart[key][2]

    def _at(self, sweep: Sweep, statement: Statement) -> isl.Map:
        """The step and the row of an instance."""
        every = statement.tuples
        return every.to([every.coordinates[self._depth]]).flat_range_product(sweep.rows[statement.name])

    def are_near(self, one: Sweep, other: Sweep) -> bool:
        """Whether no dependence between two sweeps leads over many rows."""
        return self.far(one, other) is None and self.far(other, one) is None

    def far(self, source: Sweep, sink: Sweep) -> Dependence | None:
        """A dependence of one sweep on another that leads over many rows."""
        steps, rows = points(2).coordinates
        for dependence, apart in self._each(source, sink):
            for way in (rows, -rows):
                farthest = apart.max_val(way - steps.scale_val(isl.Val(_STEEPEST)))
                if not apart.is_empty() and not (farthest.is_int() and farthest.to_python() <= _FARTHEST):
                    return dependence
        return None
