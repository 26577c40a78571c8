"""How often the loops of a kernel run: constant ranges where there are any, averages for counting elsewhere.

isl's constraints are read once; everything after that is integer arithmetic. A parameter counts as `ASSUMED`. Where an
inner loop's bounds depend on an outer iterator (triangles), the outer loop is sampled at the middle of `_SAMPLES` equal
parts: exact for trip counts that are linear in the iterator, off by at most 1/(4 * _SAMPLES**2), 1.6 %, of the largest
one for quadratic ones.
"""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from accshare.mapping.ir import ASSUMED
from accshare.poly.ir import LoopNode, Statement
from accshare.records import dataclass
from accshare.schedule.ir import Kernel

_SAMPLES = 4
_SET, _PARAM, _DIV = isl.dim_type.set, isl.dim_type.param, isl.dim_type.div


@dataclass(frozen=True, slots=True)
class Bound:
    """``scale * iterator >= value`` for a lower bound, ``<=`` for an upper one, `value` being the sum of `constant`,
    `outer` (depth, coefficient) and `parameters` (name, coefficient)."""

    scale: int
    constant: int
    outer: tuple[tuple[int, int], ...]
    parameters: tuple[tuple[str, int], ...]

    def at(self, iterators: Mapping[int, int]) -> int:
        """The right-hand side, parameters being `ASSUMED`."""
        inner = sum(c * iterators[depth] for depth, c in self.outer)
        return self.constant + inner + ASSUMED * sum(c for _, c in self.parameters)


@dataclass(frozen=True, slots=True)
class Bounds:
    """All bounds of an iterator by what is further out."""

    lower: tuple[Bound, ...]
    upper: tuple[Bound, ...]

    @property
    def all(self) -> tuple[Bound, ...]:
        return (*self.lower, *self.upper)

    def range(self, iterators: Mapping[int, int]) -> tuple[int, int] | None:
        """The first and last value; None where one end is open."""
        if not self.lower or not self.upper:
            return None
        low = max(-(-b.at(iterators) // b.scale) for b in self.lower)
        return low, min(b.at(iterators) // b.scale for b in self.upper)


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """A mapped or sequential loop of a kernel. `low` and `high` are constants its iterator never leaves, or None where
    there are none. `drift` tells how many more iterations a work-group makes than a work-item, for each mapped loop (by
    index) and each iteration more of its tile, as the bounds depend on it."""

    node: LoopNode
    mapped: bool
    low: int | None
    high: int | None
    drift: tuple[tuple[int, float], ...]

    @property
    def step(self) -> int:
        return abs(self.node.loop.step)

    @property
    def span(self) -> int | None:
        """The greatest distance of two of its iterator's values."""
        return None if self.low is None or self.high is None else max(0, self.high - self.low)

    @property
    def trips(self) -> int | None:
        """The most iterations it makes, where that is a constant."""
        return None if self.span is None else self.span // self.step + 1


def facts_of(nest: Kernel) -> dict[int, LoopFacts]:
    """The loops of a kernel, below those of the host, by `LoopNode.index`."""
    mapped = {member.loop.index for member in nest.grid}
    around = {node.index for node in nest.host}
    found: dict[int, LoopFacts] = {}
    for statement in nest.statements:
        ranges: dict[int, tuple[int, int]] = {}
        for node in statement.loops:
            bounds = _bounds(node.domain)[node.depth]
            low, high = _constants(bounds, ranges)
            if low is not None and high is not None:
                ranges[node.depth] = low, high
            if node.index not in around and node.index not in found:
                outer = {n.depth: n for n in statement.loops if n.index in mapped and n.depth < node.depth}
                drift = tuple((n.index, d) for depth, n in outer.items() if (d := _drift(bounds, depth, n)))
                found[node.index] = LoopFacts(node, node.index in mapped, low, high, drift)
    return found


def _drift(bounds: Bounds, depth: int, node: LoopNode) -> float:
    """By how much the range of an iterator grows, on average over both ends, when the tile of a loop around it does."""

    def slope(ends: tuple[Bound, ...]) -> float:
        return max((abs(dict(b.outer).get(depth, 0)) / b.scale for b in ends), default=0.0)

    return abs(node.loop.step) * (slope(bounds.lower) + slope(bounds.upper)) / 2


@dataclass(frozen=True, slots=True)
class Instances:
    """How often a statement runs for one iteration of the mapped loops: `prefix[d]` is the average number of
    iterations of its loops up to depth `d`, host and mapped loops counting once. `parameters` are those assumed."""

    prefix: tuple[float, ...]
    parameters: frozenset[str]


def instances_of(statement: Statement, sequential_from: int) -> Instances:
    """Count the iterations of a statement's loops from depth `sequential_from` inwards."""
    bounds = _bounds(statement.domain)
    sampled = {depth for b in bounds for bound in b.all for depth, _ in bound.outer}
    steps = [abs(node.loop.step) for node in statement.loops]

    def count(depth: int, iterators: dict[int, int]) -> list[float]:
        if depth == len(bounds):
            return []
        first, trips = _trips(bounds[depth], iterators, steps[depth])
        factor = float(trips) if depth >= sequential_from else 1.0
        if trips == 0:
            return [0.0] * (len(bounds) - depth)
        parts = min(trips, _SAMPLES) if depth in sampled else 1
        points = [first + (2 * k + 1) * trips // (2 * parts) * steps[depth] for k in range(parts)]
        inner = [count(depth + 1, {**iterators, depth: point}) for point in points]
        return [factor, *(factor * sum(column) / parts for column in zip(*inner, strict=True))]

    used = {
        name
        for depth, b in enumerate(bounds)
        if depth >= sequential_from or depth in sampled
        for bound in b.all
        for name, _ in bound.parameters
    }
    relevant = frozenset(used if len(bounds) > sequential_from else ())
    return Instances(tuple(count(0, {})), relevant)


def _trips(bounds: Bounds, iterators: Mapping[int, int], step: int) -> tuple[int, int]:
    """First value and number of iterations; `ASSUMED` iterations where the bounds don't tell."""
    found = bounds.range(iterators)
    if found is None:
        return 0, ASSUMED
    low, high = found
    trips = max(0, (high - low) // step + 1)
    unrelated = any(b.parameters for b in bounds.all) and not any(b.outer for b in bounds.all)
    return low, ASSUMED if trips == 0 and unrelated else trips


def _bounds(domain: isl.Set) -> list[Bounds]:
    """The bounds of every dimension; strides are left to the loops' steps."""
    count = domain.dim(_SET)
    lower: list[list[Bound]] = [[] for _ in range(count)]
    upper: list[list[Bound]] = [[] for _ in range(count)]
    hull = domain.simple_hull()
    names = [str(hull.get_dim_name(_PARAM, k)) for k in range(hull.dim(_PARAM))]
    for constraint in hull.get_constraints():
        if any(_coefficient(constraint, _DIV, k) for k in range(constraint.dim(_DIV))):
            continue
        own = [_coefficient(constraint, _SET, k) for k in range(count)]
        depth = max((k for k in range(count) if own[k]), default=-1)
        if depth < 0:
            continue
        parameters = [(name, _coefficient(constraint, _PARAM, k)) for k, name in enumerate(names)]
        constant = constraint.get_constant_val().to_python()
        if own[depth] > 0 or constraint.is_equality():
            lower[depth].append(_bound(own, depth, parameters, constant, -1 if own[depth] > 0 else 1))
        if own[depth] < 0 or constraint.is_equality():
            upper[depth].append(_bound(own, depth, parameters, constant, 1 if own[depth] < 0 else -1))
    return [Bounds(tuple(a), tuple(b)) for a, b in zip(lower, upper, strict=True)]


def _bound(own: list[int], depth: int, parameters: list[tuple[str, int]], constant: int, sign: int) -> Bound:
    outer = tuple((k, sign * own[k]) for k in range(depth) if own[k])
    return Bound(abs(own[depth]), sign * constant, outer, tuple((n, sign * c) for n, c in parameters if c))


def _coefficient(constraint: isl.Constraint, kind: isl.dim_type, position: int) -> int:
    return int(constraint.get_coefficient_val(kind, position).to_python())


def _constants(bounds: Bounds, ranges: Mapping[int, tuple[int, int]]) -> tuple[int | None, int | None]:
    """Constants between which an iterator stays, given those of the loops around it."""
    lows = [v for b in bounds.lower if (v := _extreme(b, ranges, 0)) is not None]
    highs = [v for b in bounds.upper if (v := _extreme(b, ranges, 1)) is not None]
    return max(lows, default=None), min(highs, default=None)


def _extreme(bound: Bound, ranges: Mapping[int, tuple[int, int]], end: int) -> int | None:
    """The least (`end` 0) or greatest (1) value a bound allows; None where that is not a constant."""
    if bound.parameters or any(depth not in ranges for depth, _ in bound.outer):
        return None
    value = bound.constant + sum(c * ranges[depth][end if c > 0 else 1 - end] for depth, c in bound.outer)
    return value // bound.scale if end else -(-value // bound.scale)
