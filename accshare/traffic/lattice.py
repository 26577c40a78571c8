"""Which points of a set look alike, without visiting them all.

The dimensions of a set are split into outer ones and inner ones. For each value of the outer dimensions the inner
points form a shape, and where that shape lies in memory matters only modulo the size of a transaction. Few pairs of
shape and place are different: tiles inside an array are all alike, and those at its borders are cut in few ways. A walk
over the outer dimensions, one after the other, keeps for each constraint what is left of it, drops it as soon as it
holds for sure, and merges what has become equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import gcd

import islpy as isl

from accshare.records import dataclass

_SET, _IN, _DIV = isl.dim_type.set, isl.dim_type.in_, isl.dim_type.div


@dataclass(frozen=True, slots=True)
class Row:
    """A constraint: ``coefficients . point + constant`` is not negative or, with a `modulus`, a multiple of it."""

    coefficients: tuple[int, ...]
    constant: int
    modulus: int


@dataclass(frozen=True, slots=True)
class Form:
    """``coefficients . point + constant``."""

    coefficients: tuple[int, ...]
    constant: int

    @staticmethod
    def of(value: isl.Aff) -> Form:
        """An affine function without divisions and parameters."""
        weights = tuple(_integer(value.get_coefficient_val(_IN, k)) for k in range(value.dim(_IN)))
        return Form(weights, _integer(value.get_constant_val()))

    def plus(self, factor: int, other: Form) -> Form:
        """``self + factor * other``."""
        weights = (a + factor * b for a, b in zip(self.coefficients, other.coefficients, strict=True))
        return Form(tuple(weights), self.constant + factor * other.constant)

    def at(self, point: Sequence[isl.Aff], zero: isl.Aff) -> isl.Aff:
        """Its value at a point whose coordinates are functions."""
        return sum((c * value for c, value in zip(self.coefficients, point, strict=True)), zero + self.constant)


#: what is left of a constraint: what its inner part is added to, or None when it holds for sure
Left = int | None


@dataclass(frozen=True, slots=True)
class Shape:
    """Inner points of alike outer ones: those that satisfy all rows of one of the `pieces`.

    A row is what the outer dimensions leave of it, over the inner dimensions. `place` is the rest that the form leaves,
    modulo `Lattice.modulus`.
    """

    place: int
    pieces: tuple[tuple[Row, ...], ...]


_State = tuple[int, tuple[tuple[Left, ...] | None, ...]]


class Unlinear(Exception):  # noqa: N818 - says what the set is
    """A set that divides in ways a `Lattice` does not follow."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """A bounded set without parameters as unions of rows; its first `outer` dimensions are the outer ones. `ranges` are
    the least and greatest value of each dimension."""

    outer: int
    ranges: tuple[tuple[int, int], ...]
    pieces: tuple[tuple[Row, ...], ...]

    @staticmethod
    def of(points: isl.Set, outer: int) -> Lattice:
        """Reads a set; raises `Unlinear`."""
        dims = range(points.dim(_SET))
        if points.is_empty():
            return Lattice(outer, tuple((0, -1) for _ in dims), ())
        points = points.coalesce().remove_redundancies()
        ranges = tuple((_integer(points.dim_min_val(k)), _integer(points.dim_max_val(k))) for k in dims)
        pieces = tuple(tuple(_rows(piece)) for piece in points.get_basic_sets())
        return Lattice(outer, ranges, pieces)

    @property
    def inner(self) -> tuple[tuple[int, int], ...]:
        """The ranges of the inner dimensions."""
        return self.ranges[self.outer :]

    def shapes(self, form: Form, modulus: int) -> Iterator[tuple[Shape, int]]:
        """Every shape that the inner points have, and how many outer points give it. Places count modulo `modulus`."""
        rows = [row for piece in self.pieces for row in piece]
        bounds = [self._bounds(row) for row in rows]
        start = tuple(tuple(row.constant for row in piece) for piece in self.pieces)
        states = Counter({_merged(form.constant % modulus, start, self.pieces, bounds, 0): 1})
        for dim in range(self.outer):
            states = self._step(states, dim, form.coefficients[dim], modulus, bounds)
        for (place, left), count in states.items():
            pieces = tuple(
                tuple(
                    Row(row.coefficients[self.outer :], rest, row.modulus)
                    for row, rest in zip(piece, rests, strict=True)
                    if rest is not None
                )
                for piece, rests in zip(self.pieces, left, strict=True)
                if rests is not None
            )
            if pieces:
                yield Shape(place, pieces), count

    def _step(
        self, states: Counter[_State], dim: int, weight: int, modulus: int, bounds: list[list[tuple[int, int]]]
    ) -> Counter[_State]:
        """The states after one more dimension."""
        low, high = self.ranges[dim]
        after: Counter[_State] = Counter()
        for (place, left), count in states.items():
            moves = any(
                rest is not None and row.coefficients[dim]
                for piece, rests in zip(self.pieces, left, strict=True)
                if rests is not None
                for row, rest in zip(piece, rests, strict=True)
            )
            if not moves:
                for rest, times in _rests(weight, low, high, modulus):
                    after[(place + rest) % modulus, left] += count * times
                continue
            for value in range(low, high + 1):
                moved = tuple(
                    None
                    if rests is None
                    else tuple(
                        None if rest is None else rest + row.coefficients[dim] * value
                        for row, rest in zip(piece, rests, strict=True)
                    )
                    for piece, rests in zip(self.pieces, left, strict=True)
                )
                state = _merged((place + weight * value) % modulus, moved, self.pieces, bounds, dim + 1)
                if any(rests is not None for rests in state[1]):
                    after[state] += count
        return after

    def _bounds(self, row: Row) -> list[tuple[int, int]]:
        """The least and greatest that the dimensions from each one on add to a row."""
        result = [(0, 0)]
        for coefficient, (low, high) in zip(reversed(row.coefficients), reversed(self.ranges), strict=True):
            ends = (coefficient * low, coefficient * high)
            result.append((result[-1][0] + min(ends), result[-1][1] + max(ends)))
        return result[::-1]


def points(shape: Shape, inner: tuple[tuple[int, int], ...]) -> Iterator[tuple[tuple[int, ...], list[tuple[int, int]]]]:
    """The inner points of a shape as runs along the last dimension: what is before it, and first and last values in
    rising order that don't touch."""
    for lead in _tuples(inner[:-1]):
        runs = sorted(run for rows in shape.pieces for run in _runs(rows, lead, *inner[-1]))
        merged: list[tuple[int, int]] = []
        for first, last in runs:
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(merged[-1][1], last))
            else:
                merged.append((first, last))
        if merged:
            yield lead, merged


def _runs(rows: tuple[Row, ...], lead: tuple[int, ...], low: int, high: int) -> Iterator[tuple[int, int]]:
    """Where all rows hold."""
    stepped: list[tuple[int, int, int]] = []
    for row in rows:
        rest = row.constant + sum(c * v for c, v in zip(row.coefficients[:-1], lead, strict=True))
        weight = row.coefficients[-1]
        if row.modulus:
            stepped.append((weight, rest, row.modulus))
        elif weight > 0:
            low = max(low, -(rest // weight))
        elif weight < 0:
            high = min(high, rest // -weight)
        elif rest < 0:
            return
    if not stepped:
        if low <= high:
            yield low, high
        return
    for value in range(low, high + 1):
        if all((weight * value + rest) % modulus == 0 for weight, rest, modulus in stepped):
            yield value, value


def _tuples(ranges: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, ...]]:
    if not ranges:
        yield ()
        return
    low, high = ranges[0]
    for value in range(low, high + 1):
        for rest in _tuples(ranges[1:]):
            yield value, *rest


def _merged(
    place: int,
    left: tuple[tuple[Left, ...] | None, ...],
    pieces: tuple[tuple[Row, ...], ...],
    bounds: list[list[tuple[int, int]]],
    dim: int,
) -> _State:
    """A state in which constraints that the dimensions from `dim` on can't break or mend are settled."""
    settled: list[tuple[Left, ...] | None] = []
    number = 0
    for piece, rests in zip(pieces, left, strict=True):
        own = bounds[number : number + len(piece)]
        number += len(piece)
        settled.append(None if rests is None else _settled(piece, rests, own, dim))
    if any(rests is not None and all(rest is None for rest in rests) for rests in settled):
        settled = [rests if rests is not None and all(r is None for r in rests) else None for rests in settled]
    return place, tuple(settled)


def _settled(
    piece: tuple[Row, ...], rests: tuple[Left, ...], bounds: list[list[tuple[int, int]]], dim: int
) -> tuple[Left, ...] | None:
    result: list[Left] = []
    for row, rest, bound in zip(piece, rests, bounds, strict=True):
        if rest is None:
            result.append(None)
            continue
        low, high = bound[dim]
        if row.modulus:
            rest %= row.modulus
            if any(c % row.modulus for c in row.coefficients[dim:]):
                result.append(rest)
            elif rest:
                return None
            else:
                result.append(None)
        elif rest + high < 0:
            return None
        else:
            result.append(None if rest + low >= 0 else rest)
    return tuple(result)


def _rests(weight: int, low: int, high: int, modulus: int) -> Iterator[tuple[int, int]]:
    """How often each value of ``weight * v % modulus`` comes up for v from `low` to `high`."""
    period = modulus // gcd(weight, modulus)
    count = high - low + 1
    for k in range(min(period, count)):
        yield weight * (low + k) % modulus, (count - k - 1) // period + 1


def _rows(piece: isl.BasicSet) -> Iterator[Row]:
    """The constraints of a basic set; raises `Unlinear`."""
    dims, divs = range(piece.dim(_SET)), range(piece.dim(_DIV))
    used: set[int] = set()
    for constraint in piece.get_constraints():
        own = tuple(_integer(constraint.get_coefficient_val(_SET, k)) for k in dims)
        constant = _integer(constraint.get_constant_val())
        moduli = {k: m for k in divs if (m := _integer(constraint.get_coefficient_val(_DIV, k)))}
        if moduli and (len(moduli) > 1 or not constraint.is_equality() or used & moduli.keys()):
            raise Unlinear
        used |= moduli.keys()
        if not constraint.is_equality():
            yield Row(own, constant, 0)
        elif moduli:
            yield Row(own, constant, abs(next(iter(moduli.values()))))
        else:
            yield Row(own, constant, 0)
            yield Row(tuple(-c for c in own), -constant, 0)


def _integer(value: isl.Val) -> int:
    if not value.is_int():
        raise Unlinear
    return int(value.to_python())
