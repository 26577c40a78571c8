"""Wavefronts: two loops, neither of them parallel, as one over fronts of iterations that need nothing of one another.

Fronts are counted by a function of the two iterators that grows with every dependence. Loops on the host go from front
to front, kernels along each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import groupby

import islpy as isl

from accshare.frontend.ir import LONG, Cast, Expr, Scalar, Storage, Symbol, Var
from accshare.islbuild import lexmax, lexmin, points
from accshare.islexpr import binary, literal, variable
from accshare.order.bounds import counting, passed
from accshare.order.facts import Facts, each_found_once
from accshare.order.hyperplanes import distances_of, front, hindering
from accshare.order.ir import Step, Word
from accshare.order.moved import moved
from accshare.order.nests import is_plain, shared, written
from accshare.order.remade import Remade
from accshare.poly.ir import Dependence, DependenceKind, LoopNode, Scop, Statement, Variable
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import rewrite

_NOWHERE = Span(0, 0)
_IN, _SET = isl.dim_type.in_, isl.dim_type.set
#: isl's operations for one nest
_OPERATIONS = 200_000
#: iterations of one loop that an iteration of the other is counted as: where distances have no bound but that of a
#: parameter's type, fronts would be counted that nobody has
_FARTHEST = 64


@dataclass(frozen=True, slots=True)
class Wave:
    """The fronts of two loops: ``outer * i + inner * j`` is the number of an iteration's, one of the two being 1 or -1,
    the other one's loop staying inside."""

    outer: int
    inner: int
    #: arrays of which a copy would allow other fronts
    read_before: tuple[Variable, ...] = ()
    #: how far apart some iterations are that depend on one another
    distances: tuple[tuple[int, int], ...] = ()

    @property
    def keeps_outer(self) -> bool:
        """Whether it is the outer loop that stays."""
        return abs(self.inner) == 1


@each_found_once
def in_fronts(facts: Facts, nest: tuple[Statement, ...]) -> Iterator[Remade]:
    """The ways in which statements of one loop can run by fronts wherever two loops that stand directly in each other
    can do so: the innermost two, or those around so many others."""
    for inside in range(max(len(s.loops) for s in nest) - 1):
        try:
            with Quota(_OPERATIONS):
                found = _in_fronts(facts, nest, 0, inside)
        except QuotaExceeded:
            continue
        if found is not None:
            yield found


def _in_fronts(facts: Facts, nest: tuple[Statement, ...], depth: int, inside: int) -> Remade | None:
    scop = facts.scop
    source = written(facts, nest, depth)
    if not is_plain(source) or source.grid:
        return None
    if len(source.order) > 1:
        first = len(source.order) - inside - 2
        if first < 0:
            return None
        pair = source.order[first : first + 2]
        wave = _wave(facts, nest, pair)
        return None if wave is None else skewed(scop, nest, pair, wave)
    steps: list[Step] = []
    names = [tuple(s.name for s in run) for _, run in groupby(nest, lambda s: _at(s, depth + 1))]
    for group in names:
        part = tuple(s for s in scop.statements if s.name in group)
        if len(part[0].loops) > depth + 1:
            found = _in_fronts(facts, part, depth + 1, inside)
            if found is not None:
                scop, steps = found.scop, [*steps, *found.steps]
                facts = facts.after(scop)
    every = {name for group in names for name in group}
    return Remade(scop, tuple(s for s in scop.statements if s.name in every), tuple(steps)) if steps else None


def _at(statement: Statement, depth: int) -> int | None:
    return statement.loops[depth].index if len(statement.loops) > depth else None


# --- which fronts there are ----------------------------------------------------------------------------------------


def _wave(facts: Facts, nest: tuple[Statement, ...], pair: tuple[LoopNode, ...]) -> Wave | None:
    """The fewest fronts of two loops, whatever stands in them being one."""
    if any(abs(loop.loop.step) != 1 for loop in pair):
        return None
    depth = pair[0].depth
    between = [(d, distances_of(d.relation, depth, facts.scop.context)) for d in shared(facts, nest, pair)]
    plane = front([distances for _, distances in between])
    if plane is None or 0 in plane or max(map(abs, plane)) > _FARTHEST:
        return None
    return Wave(*plane, _read_before(between), _some(distances for _, distances in between))


def _read_before(between: list[tuple[Dependence, isl.Set]]) -> tuple[Variable, ...]:
    """The arrays of which iterations read what later ones change, if that forbids other fronts."""
    early: dict[str, tuple[Variable, list[isl.Set]]] = {}
    for dependence, distances in between:
        if dependence.kind is DependenceKind.ANTI:
            variable_ = dependence.source_access.variable
            early.setdefault(variable_.name, (variable_, []))[1].append(distances)
    others = [distances for dependence, distances in between if dependence.kind is not DependenceKind.ANTI]
    found = hindering(
        [*others, *(reduce(isl.Set.union, d) for _, d in early.values())], range(len(others), len(others) + len(early))
    )
    return tuple(list(early.values())[k - len(others)][0] for k in found)


def _some(distances: Iterable[isl.Set]) -> tuple[tuple[int, int], ...]:
    """The least and the greatest of each set of distances that has such."""
    found: dict[tuple[int, int], None] = {}
    for one in distances:
        plain = one.project_out(isl.dim_type.param, 0, one.dim(isl.dim_type.param))
        for end in (lexmin(plain), lexmax(plain)) if not plain.is_empty() and plain.is_bounded() else ():
            point = end.sample_point()
            outer, inner = (int(point.get_coordinate_val(_SET, k).to_python()) for k in range(2))
            found[outer, inner] = None
    return tuple(found)


# --- the nest in fronts --------------------------------------------------------------------------------------------


def skewed(scop: Scop, nest: tuple[Statement, ...], pair: tuple[LoopNode, ...], wave: Wave) -> Remade:
    """A nest whose loops `pair`, which are around all its statements, run by fronts, whether that is legal or not."""
    return _Skewer(scop, pair, wave).skewed(nest)


class _Skewer:
    """Loops and statements of a nest in fronts."""

    def __init__(self, scop: Scop, pair: tuple[LoopNode, ...], wave: Wave) -> None:
        self._scop = scop
        self._pair = pair
        self._wave = wave
        self._depth = pair[0].depth
        self._kept, self._gone = pair if wave.keeps_outer else pair[::-1]
        self._front = Symbol("front", scop.unused("front"), LONG, Storage.INNER)
        self._made: dict[int, LoopNode] = {}
        self._fronts = self._pair_made()

    def skewed(self, nest: tuple[Statement, ...]) -> Remade:
        """The region with some statements in fronts."""
        scop, statements = moved(self._scop, nest, self._map, self._loops, self._inserted)
        wave = self._wave
        step = Step(Word.SKEWED, self._pair, (nest,), self._fronts, read_before=wave.read_before)
        step = replace(step, plane=(wave.outer, wave.inner), distances=wave.distances)
        return Remade(scop, statements, (step,))

    def _inserted(self, expr: Expr) -> Expr | None:
        """What the iterator that is gone is in terms of the others."""
        if not isinstance(expr, Var) or expr.symbol != self._gone.iterator:
            return None
        wave = self._wave
        own, other = (wave.inner, wave.outer) if wave.keeps_outer else (wave.outer, wave.inner)
        kept: Expr = Cast(variable(self._kept.iterator), LONG, True, expr.span)
        scaled = binary("*", literal(abs(other), LONG), kept, LONG)
        value = binary("-" if other > 0 else "+", variable(self._front), scaled, LONG)
        if own < 0:
            value = binary("-", literal(0, LONG), value, LONG)
        type_ = self._gone.iterator.type
        assert isinstance(type_, Scalar)
        return Cast(value, type_, False, expr.span)

    def _map(self, instances: isl.Set) -> isl.Map:
        """From the old iterators to the new ones."""
        every = points(instances.dim(_SET), instances.get_tuple_name() or "")
        return every.to(self._coordinates(every.coordinates), instances.get_tuple_name() or "")

    def _coordinates(self, old: tuple[isl.Aff, ...]) -> list[isl.Aff]:
        first, second = old[self._depth : self._depth + 2]
        front = first.scale_val(isl.Val(self._wave.outer)) + second.scale_val(isl.Val(self._wave.inner))
        kept = first if self._wave.keeps_outer else second
        return [*old[: self._depth], front, kept, *old[self._depth + 2 :]]

    def _loops(self, statement: Statement) -> tuple[LoopNode, ...]:
        loops = statement.loops
        deeper = []
        for loop in loops[self._depth + 2 :]:
            if loop.index not in self._made:
                domain = loop.domain.apply(self._map(loop.domain))
                first, bound = (rewrite(e, self._inserted) for e in (loop.loop.first, loop.loop.bound))
                made = replace(loop.loop, first=first, bound=bound)
                self._made[loop.index] = replace(loop, domain=domain, loop=made)
            deeper.append(self._made[loop.index])
        return (*loops[: self._depth], *self._fronts, *deeper)

    def _pair_made(self) -> tuple[LoopNode, LoopNode]:
        both = self._pair[1].domain.apply(self._map(self._pair[1].domain))
        around = self._around()
        outside = self._loop(both.project_out(_SET, self._depth + 1, 1), self._front, self._gone, around)
        return outside, self._loop(both, self._kept.iterator, self._kept, (*around, outside))

    def _around(self) -> tuple[LoopNode, ...]:
        index = self._pair[0].index
        inside = next(s for s in self._scop.statements if any(n.index == index for n in s.loops))
        return inside.loops[: self._depth]

    def _loop(self, domain: isl.Set, iterator: Symbol, old: LoopNode, around: tuple[LoopNode, ...]) -> LoopNode:
        """A loop over the last dimension of `domain`."""
        return LoopNode(
            old.index, len(around), counting(self._scop, domain, iterator, old.loop, around), passed(domain)
        )
