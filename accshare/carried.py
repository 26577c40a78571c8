"""What is asked of pairs of instances, dependences among them: whether they lie in one iteration of a loop, and how far
apart."""

from __future__ import annotations

import islpy as isl

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


def together(pairs: isl.Map, depth: int, outer: int = 0) -> isl.Map:
    """Those in the same iterations of the loops from depth `outer` to below `depth`."""
    for k in range(outer, depth):
        pairs = pairs.equate(_IN, k, _OUT, k)
    return pairs


def carried(pairs: isl.Map, depth: int) -> isl.Map:
    """Those in different iterations of the loop at `depth`, and in the same ones of the loops around it."""
    pairs = together(pairs, depth)
    return pairs.subtract(together(pairs, depth + 1, depth))


def apart(pairs: isl.Map, depth: int) -> isl.Map:
    """All pairs, of the statements that `pairs` is about, that are carried by the loop at `depth`."""
    return carried(isl.Map.universe(pairs.get_space()), depth)


def distances(pairs: isl.Map, source: int, sink: int) -> isl.Set:
    """The numbers of iterations from that of the loop at depth `source` around the first of two instances to that of
    the loop at depth `sink` around the second one."""
    for kind, depth in ((_IN, source), (_OUT, sink)):
        pairs = pairs.project_out(kind, depth + 1, pairs.dim(kind) - depth - 1)
        pairs = pairs.project_out(kind, 0, depth).reset_tuple_id(kind)
    return pairs.deltas()


def distance(pairs: isl.Map, source: int, sink: int) -> int | None:
    """The one number that there is of those, whatever the parameters are; None where there are others."""
    away = distances(pairs, source, sink)
    low, high = away.dim_min_val(0), away.dim_max_val(0)
    return int(low.to_python()) if low.is_int() and bool(low.eq(high)) else None


def far_apart(domain: isl.Set, depth: int, distance: int) -> isl.Set:
    """The parameters with which two instances in `domain` are `distance` or more apart along the loop at `depth`, in
    the same iterations of the loops around it."""
    pairs = together(isl.Map.from_domain_and_range(domain, domain), depth)
    later = isl.Constraint.inequality_alloc(isl.LocalSpace.from_space(pairs.get_space()))
    later = later.set_coefficient_val(_OUT, depth, 1).set_coefficient_val(_IN, depth, -1)
    return pairs.add_constraint(later.set_constant_val(-distance)).params()
