"""isl's scheduler, with linear programs that are small: isl's limit on operations does not hold for them.

How long they take depends on how many unknowns they have and on how large their numbers are. Parameters are left out
therefore, and bounds as large as no distance between iterations is. What is left has all pairs that there were: fewer
orders are found for it, and none that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

import islpy as isl

from accshare.islbuild import all_maps, all_sets

_PARAM, _SET = isl.dim_type.param, isl.dim_type.set
_CONTEXT = isl.DEFAULT_CONTEXT
#: numbers in bounds, and polyhedra of pairs
_LARGEST, _MOST = 1 << 10, 64


def scheduled(
    instances: Iterable[isl.Set], pairs: Iterable[isl.Map], *, near: bool = False, apart: bool = False
) -> isl.Schedule | None:
    """An order of instances in which each of some pairs keeps its own; None where there are too many kinds of pairs,
    and where isl finds none. Where `near`, those come as near to each other as can be; where `apart`, statements that
    need not be in one loop are not."""
    bounded = [_bounded(one.wrap()).unwrap() for one in pairs]
    if sum(one.n_basic_map() for one in bounded) > _MOST:
        return None
    between = all_maps(bounded)
    constraints = isl.ScheduleConstraints.on_domain(all_sets(map(_bounded, instances)))
    constraints = constraints.set_validity(between).set_coincidence(between)
    if near:
        constraints = constraints.set_proximity(between)
    with _serialized(apart), suppress(isl.Error):
        return constraints.compute_schedule()
    return None


@contextmanager
def _serialized(wanted: bool) -> Iterator[None]:
    before = _CONTEXT.get_schedule_serialize_sccs()
    _CONTEXT.set_schedule_serialize_sccs(int(wanted))
    try:
        yield
    finally:
        _CONTEXT.set_schedule_serialize_sccs(before)


def _bounded(some: isl.Set) -> isl.Set:
    """Tuples with at least some others, told by small numbers alone."""
    some = some.project_out(_PARAM, 0, some.dim(_PARAM)).remove_divs().coalesce()
    found = isl.Set.empty(some.get_space())
    for part in some.get_basic_sets():
        kept = isl.BasicSet.universe(part.get_space())
        for constraint in part.get_constraints():
            numbers = [constraint.get_coefficient_val(_SET, k) for k in range(part.dim(_SET))]
            if all(n.abs().le(isl.Val(_LARGEST)) for n in (constraint.get_constant_val(), *numbers)):
                kept = kept.add_constraint(constraint)
        found = found.union(kept.to_set())
    return found
