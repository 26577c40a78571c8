"""The iterations of a counting loop as an isl set."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from accshare.frontend.ir import For
from accshare.poly.affine import Frame, NotAffine, affine


def loop_domain(stmt: For, frame: Frame) -> isl.Set:
    """The domain of `frame` with the loop's iterator as one more dimension. Raises `NotAffine`."""
    first = affine(stmt.first, frame)
    bound = affine(stmt.bound, frame)
    depth = frame.domain.dim(isl.dim_type.set)
    inner = replace(
        frame,
        domain=frame.domain.add_dims(isl.dim_type.set, 1),
        iterators={**frame.iterators, stmt.iterator.unique: depth},
    )
    value = inner.leaf(f"i{depth}")
    first, bound = (_lift(pa, depth) for pa in (first, bound))
    up = stmt.step > 0
    domain = inner.domain.intersect(value.ge_set(first) if up else value.le_set(first))
    relation = stmt.relation
    if relation == "!=":
        if abs(stmt.step) != 1:
            raise NotAffine(f"the loop ends only when {stmt.iterator.name} hits the bound exactly", stmt.header)
        relation = "<" if up else ">"
    if (relation in {"<", "<="}) != up:
        raise NotAffine(f"{stmt.iterator.name} runs away from its bound", stmt.header)
    compare = {"<": value.lt_set, "<=": value.le_set, ">": value.gt_set, ">=": value.ge_set}[relation]
    domain = domain.intersect(compare(bound))
    if abs(stmt.step) != 1:
        step = isl.Val(abs(stmt.step))
        domain = domain.intersect(value.sub(first).mod_val(step).eq_set(inner.leaf("0")))
    return domain


def _lift(value: isl.PwAff, depth: int) -> isl.PwAff:
    """`value` over `depth` dimensions as a function of one more."""
    dims = ", ".join(f"i{k}" for k in range(depth))
    outer = ", ".join(f"i{k}" for k in range(depth + 1))
    drop = isl.MultiAff(f"{{ [{outer}] -> [{dims}] }}")
    return value.pullback_multi_aff(drop)
