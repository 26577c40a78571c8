"""Hyperplanes along which two loops can be cut into tiles, or run by fronts (WAVE III).

A pair of numbers stands for the function ``outer * i + inner * j`` of two iterators. A function that no dependence
leads back along (3) bounds tiles; one that grows with every dependence (4) counts fronts, each of whose iterations need
nothing of one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from typing import TypeAlias

import islpy as isl

from accshare.carried import together
from accshare.islbuild import at_least, equal, lexmin, point, points

Plane: TypeAlias = "tuple[int, int]"

_SET, _PARAM = isl.dim_type.set, isl.dim_type.param
_PLANES = points(2)
_OUTER, _INNER = _PLANES.coordinates


def distances_of(relation: isl.Map, depth: int, context: isl.Set) -> isl.Set:
    """How far apart iterations of two loops are, in the same ones of those around, between which there is a
    dependence."""
    inside = together(relation.intersect_params(context), depth)
    for kind in (isl.dim_type.in_, isl.dim_type.out):
        inside = inside.project_out(kind, depth + 2, inside.dim(kind) - depth - 2).project_out(kind, 0, depth)
        inside = inside.set_tuple_name(kind, "B")
    return inside.subtract(isl.Map.identity(inside.get_space())).deltas().reset_tuple_id()


def growing(distances: Sequence[isl.Set], least: int) -> isl.Set:
    """The functions that grow by `least` at least along all of some distances between iterations."""
    return _PLANES.where(*(_growing(one, least) for one in distances))


def _growing(distances: isl.Set, least: int) -> isl.Set:
    """The same of one set of distances: what Farkas' lemma says of its inequalities."""
    plain = distances.project_out(_PARAM, 0, distances.dim(_PARAM)).remove_divs()
    if plain.is_empty():
        return _PLANES.everything
    found = _PLANES.everything
    for known in plain.coefficients().get_constraints():  # of a set of rational numbers; factors are whole ones
        constant, *factors = (int(known.get_coefficient_val(_SET, k).to_python()) for k in range(3))
        value = _sum(*factors).add(_PLANES.function(int(known.get_constant_val().to_python()) - constant * least))
        found = found.intersect(equal(value, 0) if known.is_equality() else at_least(value, 0))
    return found


def is_hyperplane(distances: Sequence[isl.Set], plane: Plane) -> bool:
    """Whether no dependence leads back along a function (3), so that it bounds tiles."""
    return bool(point(plane).is_subset(growing(distances, 0)))


def front(distances: Sequence[isl.Set]) -> Plane | None:
    """The function with the fewest fronts that keeps one of the two iterators as it is, for a loop in each front; None
    where there is none."""
    keeping = (equal(factor, sign) for factor in (_OUTER, _INNER) for sign in (1, -1))
    return _least(growing(distances, 1).intersect(reduce(isl.Set.union, keeping)))


def hyperplanes(distances: Sequence[isl.Set]) -> tuple[Plane, Plane] | None:
    """Two that tiles can have, the first of which counts fronts inside of them, too (Algorithm 1)."""
    first = _least(growing(distances, 1))
    if first is None:
        return None
    outer, inner = first
    second = _least(growing(distances, 0).intersect(at_least(_sum(-inner, outer), 1)))
    return None if second is None else (first, second)


def hindering(distances: Sequence[isl.Set], false: Sequence[int]) -> tuple[int, ...]:
    """Which of some dependences forbid fronts that all others would allow (Definition 2); `false` are the numbers of
    those that a copy of an array could take away."""
    found = []
    for k in false:
        others = [one for n, one in enumerate(distances) if n != k]
        if not growing(others, 1).is_subset(growing(distances[k : k + 1], 1)):
            found.append(k)
    return tuple(found)


def _sum(outer: int, inner: int) -> isl.Aff:
    """So many times each factor of a function."""
    # numbers of multiplied inequalities may be longer than a long
    return _OUTER.scale_val(isl.Val(str(outer))).add(_INNER.scale_val(isl.Val(str(inner))))


def _least(planes: isl.Set) -> Plane | None:
    """The one with the least factors; those with a negative one only where there are no others."""
    for one, other in product((1, -1), repeat=2):
        some = planes.intersect(at_least(_sum(one, 0), 0)).intersect(at_least(_sum(0, other), 0))
        if not some.is_empty():
            point = lexmin(some.apply(_PLANES.to((_sum(one, other), _OUTER, _INNER)))).sample_point()
            outer, inner = (int(point.get_coordinate_val(_SET, k).to_python()) for k in (1, 2))
            return outer, inner
    return None
