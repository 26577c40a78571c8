"""The iterations of a counting loop as an isl set."""

from __future__ import annotations

import islpy as isl

from accshare.frontend.ir import Binary, Conditional, Expr, For
from accshare.poly.affine import Frame, NotAffine, affine
from accshare.records import replace

_FIRST = {"<", "<=", ">", ">="}


def inside_of(stmt: For, frame: Frame) -> Frame:
    """The frame with the loop's iterator as one more dimension, of which nothing is known."""
    depth = frame.domain.dim(isl.dim_type.set)
    iterators = {**frame.iterators, stmt.iterator.unique: depth}
    return replace(frame, domain=frame.domain.add_dims(isl.dim_type.set, 1), iterators=iterators)


def loop_domain(stmt: For, frame: Frame) -> isl.Set:
    """The domain of `frame` with the loop's iterator as one more dimension. Raises `NotAffine`."""
    up = stmt.step > 0
    firsts = _ends(stmt.first, frame, least=not up) if abs(stmt.step) == 1 else (_outside(stmt.first, frame),)
    bounds = _ends(stmt.bound, frame, least=up) if stmt.relation != "!=" else (_outside(stmt.bound, frame),)
    inner = inside_of(stmt, frame)
    value = inner.iterator(inner.iterators[stmt.iterator.unique])
    domain = inner.domain
    for first in firsts:
        domain = domain.intersect(value.ge_set(first) if up else value.le_set(first))
    relation = stmt.relation
    if relation == "!=":
        if abs(stmt.step) != 1:
            raise NotAffine(f"the loop ends only when {stmt.iterator.name} hits the bound exactly", stmt.header)
        relation = "<" if up else ">"
    if (relation in {"<", "<="}) != up:
        raise NotAffine(f"{stmt.iterator.name} runs away from its bound", stmt.header)
    compare = {"<": value.lt_set, "<=": value.le_set, ">": value.gt_set, ">=": value.ge_set}[relation]
    for bound in bounds:
        domain = domain.intersect(compare(bound))
    if abs(stmt.step) != 1:
        step = isl.Val(abs(stmt.step))
        domain = domain.intersect(value.sub(firsts[0]).mod_val(step).eq_set(inner.constant(0)))
    return domain


def _ends(end: Expr, frame: Frame, *, least: bool) -> tuple[isl.PwAff, ...]:
    """The numbers of which an end of a loop is the least, or the greatest: each bounds the iterations by itself, which
    keeps their set in one piece."""
    match end:
        case Conditional(Binary(op, lhs, rhs), then, other) if op in _FIRST and {lhs, rhs} == {then, other}:
            if least == ((op in {"<", "<="}) == (then == lhs)):
                return (*_ends(lhs, frame, least=least), *_ends(rhs, frame, least=least))
    return (_outside(end, frame),)


def _outside(end: Expr, frame: Frame) -> isl.PwAff:
    """An end of a loop as a function of the iterators around and its own."""
    return affine(end, frame).add_dims(isl.dim_type.in_, 1)


def known_domain(stmt: For, frame: Frame) -> isl.Set:
    """The same where the domain is not affine: whatever iterations there may be as one end of the loop tells, or none
    does."""
    inner = inside_of(stmt, frame)
    domain, value, up = inner.domain, inner.iterator(inner.iterators[stmt.iterator.unique]), stmt.step > 0
    if (stmt.relation in {"<", "<="}) != up or stmt.relation == "!=":
        return domain
    for end, compare in (
        (stmt.first, value.ge_set if up else value.le_set),
        (stmt.bound, value.le_set if up else value.ge_set),
    ):
        try:
            domain = domain.intersect(compare(affine(end, frame).add_dims(isl.dim_type.in_, 1)))
        except NotAffine:
            continue
    return domain
