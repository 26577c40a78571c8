"""Sets and relations of integer tuples, built from affine functions of their coordinates.

`points(2, "S")` are the tuples ``S[x, y]``. A coordinate is a function that can be added to others and multiplied by
numbers; `quotient` and `remainder` divide it, `at_least`, `equal` and their like say where it has some value. isl's
notation is for people to read: text is nothing here but the name of a space or a parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias, TypeVar

import islpy as isl

from accshare.quota import complete
from accshare.records import dataclass

_SET, _PARAM = isl.dim_type.set, isl.dim_type.param
Some = TypeVar("Some", isl.Set, isl.Map)
#: where C's comparisons of two functions hold
COMPARISONS = {
    "<": isl.PwAff.lt_set,
    "<=": isl.PwAff.le_set,
    ">": isl.PwAff.gt_set,
    ">=": isl.PwAff.ge_set,
    "==": isl.PwAff.eq_set,
    "!=": isl.PwAff.ne_set,
}
#: spaces whose coordinates are asked for again
_KEPT = 1024

#: a function of a point, or a constant one
Value: TypeAlias = "isl.Aff | int"


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """All tuples of one space, with their coordinates and the space's parameters as functions of them."""

    space: isl.Space
    coordinates: tuple[isl.Aff, ...]
    parameters: tuple[isl.Aff, ...]

    @property
    def everything(self) -> isl.Set:
        """All of them."""
        return isl.Set.universe(self.space)

    @property
    def nothing(self) -> isl.Set:
        """None of them."""
        return isl.Set.empty(self.space)

    def where(self, *conditions: isl.Set) -> isl.Set:
        """Those that are in all of some sets."""
        those = self.everything
        for condition in conditions:
            those = those.intersect(condition)
        return those

    def to(self, values: Sequence[Value], name: str = "") -> isl.Map:
        """The relation from each of them to the tuple ``name[values]``."""
        space = self.space.map_from_domain_and_range(_space(len(values), name, ()).align_params(self.space))
        functions = isl.AffList.alloc(isl.DEFAULT_CONTEXT, len(values))
        for value in values:
            functions = functions.add(self.function(value))
        return isl.Map.from_multi_aff(isl.MultiAff.from_aff_list(space, functions))

    def function(self, value: Value) -> isl.Aff:
        """A value as a function of them."""
        if isinstance(value, int):
            return isl.Aff.val_on_domain_space(self.space, isl.Val(str(value)))  # may be longer than a long
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All pairs of tuples of two spaces, with the coordinates of either."""

    points: Points
    source: tuple[isl.Aff, ...]
    target: tuple[isl.Aff, ...]

    @property
    def nothing(self) -> isl.Map:
        """None of them."""
        return self.points.nothing.unwrap()

    def where(self, *conditions: isl.Set) -> isl.Map:
        """Those for which some conditions on the coordinates hold."""
        return self.points.where(*conditions).unwrap()


@lru_cache(_KEPT)
def points(rank: int, name: str = "", parameters: tuple[str, ...] = ()) -> Points:
    """The tuples ``name[…]`` of `rank` integers."""
    return _points(_space(rank, name, parameters))


@lru_cache(_KEPT)
def sizes(*parameters: str) -> Points:
    """The values of parameters alone: sets of these have no tuples."""
    return _points(_space(0, "", parameters).params())


def given(some: Some, names: Iterable[str], kind: isl.dim_type = _SET) -> Some:
    """A set or a relation with its first dimensions of some kind given by parameters of these names."""
    for name in names:
        some = some.move_dims(_PARAM, some.dim(_PARAM), kind, 0, 1)
        some = some.set_dim_name(_PARAM, some.dim(_PARAM) - 1, name)
    return some


@lru_cache(_KEPT)
def pairs(source: int, target: int) -> Pairs:
    """The pairs of tuples of so many integers."""
    both = _points(_space(source, "", ()).map_from_domain_and_range(_space(target, "", ())).wrap())
    return Pairs(both, both.coordinates[:source], both.coordinates[source:])


def point(values: Sequence[int], name: str = "") -> isl.Set:
    """The set of the tuple ``name[values]`` alone."""
    return points(0).to(values, name).range()


def like(some: isl.Set, *parameters: str) -> Points:
    """The tuples of which `some` are, with parameters of its own."""
    return points(some.dim(_SET), some.get_tuple_name() or "", parameters)


def quotient(value: isl.Aff, divisor: int) -> isl.Aff:
    """``value / divisor``, rounded down."""
    return value if divisor == 1 else value.scale_down_val(isl.Val(divisor)).floor()


def remainder(value: isl.Aff, divisor: int) -> isl.Aff:
    """``value mod divisor``, never negative."""
    return value.mod_val(isl.Val(divisor))


def at_least(value: isl.Aff, bound: Value) -> isl.Set:
    """Where ``value >= bound``."""
    return isl.Set.from_basic_set(
        isl.BasicSet.from_constraint(isl.Constraint.inequality_from_aff(_minus(value, bound)))
    )


def at_most(value: isl.Aff, bound: Value) -> isl.Set:
    """Where ``value <= bound``."""
    return at_least(-value, -bound)


def equal(value: isl.Aff, other: Value) -> isl.Set:
    """Where both are the same."""
    return isl.Set.from_basic_set(isl.BasicSet.from_constraint(isl.Constraint.equality_from_aff(_minus(value, other))))


def _minus(value: isl.Aff, other: Value) -> isl.Aff:
    """``value - other``; a number may be longer than a ``long``."""
    return value.add_constant_val(isl.Val(str(-other))) if isinstance(other, int) else value - other


def within(value: isl.Aff, low: Value, length: int) -> isl.Set:
    """Where ``low <= value < low + length``."""
    if length == 1:
        return equal(value, low)
    return at_least(value, low).intersect(at_most(value, low + (length - 1)))


def multiple(value: isl.Aff, of: int) -> isl.Set:
    """Where `value` is a multiple of a number."""
    return equal(remainder(value, of), 0)


def partial_schedule(members: Sequence[Sequence[isl.Aff]]) -> isl.MultiUnionPwAff:
    """What a band of isl's schedules orders instances by: for each of its members a function of each statement's."""
    every = isl.UnionPwAffList.alloc(isl.DEFAULT_CONTEXT, len(members))
    for functions in members:
        joined = isl.UnionPwAff.empty(_space(0, "", ()).params())
        for function in functions:
            joined = joined.union_add(function.to_pw_aff().to_union_pw_aff())
        every = every.add(joined)
    return isl.MultiUnionPwAff.from_union_pw_aff_list(_space(len(members), "", ()), every)


def all_sets(parts: Iterable[isl.Set]) -> isl.UnionSet:
    """The tuples that are in any of some sets, whatever their spaces."""
    result = isl.UnionSet.empty(_space(0, "", ()).params())
    for part in parts:
        result = result.union(part.to_union_set())
    return result


def all_maps(parts: Iterable[isl.Map]) -> isl.UnionMap:
    """The pairs that are in any of some relations, whatever their spaces."""
    result = isl.UnionMap.empty(_space(0, "", ()).params())
    for part in parts:
        result = result.union(part.to_union_map())
    return result


def bare(relation: isl.Map) -> isl.Map:
    """A relation without the names of statements and variables."""
    return relation.reset_tuple_id(isl.dim_type.in_).reset_tuple_id(isl.dim_type.out)


class Distinct:
    """Numbers for relations, the same for equal ones in one place."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], list[tuple[int, isl.Map]]] = {}
        self._count = 0

    def number(self, relation: isl.Map, place: int = 0) -> int:
        """The number of a relation; equal ones may get several where isl writes them in several ways."""
        alike = self._known.setdefault((hash(relation), place), [])
        for number, known in alike:
            if known.plain_is_equal(relation):
                return number
        alike.append((self._count, relation))
        self._count += 1
        return self._count - 1


def lexmin(some: Some) -> Some:
    """The first of some tuples, or of those that each tuple is related to."""
    return _sorted(some).lexmin()


def lexmax(some: Some) -> Some:
    """The last of some tuples, or of those that each tuple is related to."""
    return _sorted(some).lexmax()


def extremes(some: isl.Set) -> tuple[isl.PwMultiAff, isl.PwMultiAff]:
    """The first and the last of some tuples, as functions of the parameters."""
    some = _sorted(some)
    return some.lexmin_pw_multi_aff(), some.lexmax_pw_multi_aff()


def _sorted(some: Some) -> Some:
    """The same with its constraints sorted, which isl from 0.26 on takes for granted where something is divided."""
    return some.remove_redundancies()


def _space(rank: int, name: str, parameters: tuple[str, ...]) -> isl.Space:
    space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, len(parameters), rank)
    for k, parameter in enumerate(parameters):
        space = space.set_dim_name(_PARAM, k, parameter)
    return space.set_tuple_name(_SET, name) if name else space


def _points(space: isl.Space) -> Points:
    local = isl.LocalSpace.from_space(space)

    def functions(kind: isl.dim_type) -> tuple[isl.Aff, ...]:
        return tuple(isl.Aff.var_on_domain(local, kind, k) for k in range(space.dim(kind)))

    return complete(Points(space, functions(_SET) if not space.is_params() else (), functions(_PARAM)))
