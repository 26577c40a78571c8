"""The bounds of a loop that is made of others, told from its iterations."""

from __future__ import annotations

import islpy as isl

from accshare.frontend.ir import LONG, Cast, Expr, For, Scalar, Symbol
from accshare.islbuild import given
from accshare.islexpr import of_value, variable
from accshare.poly.ir import LoopNode, Scop
from accshare.records import replace
from accshare.source import Span

_IN, _OUT, _SET = isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set
_NOWHERE = Span(0, 0)


def counting(scop: Scop, domain: isl.Set, iterator: Symbol, old: For, around: tuple[LoopNode, ...]) -> For:
    """A loop like `old` over the last dimension of `domain`, counting up by one with `iterator`, in loops `around`. It
    has no values where there are no iterations, which the host has to be told."""
    outside: dict[str, Expr] = {loop.iterator.unique: variable(loop.iterator) for loop in around}
    names = {p.symbol.unique: variable(p.symbol) for p in scop.parameters} | outside
    domain = given(domain, outside)
    known = scop.context
    if around:
        known = known.intersect(given(around[-1].domain, outside).params())
    some = domain.params()
    ends = domain.dim_min(0), domain.dim_max(0)
    low, high = (end.gist(some.intersect(known)).coalesce() for end in ends)
    total = known.is_subset(low.domain().intersect(high.domain()))
    if not total or not low.le_set(high).intersect_params(known).is_subset(some):
        none = some.complement()
        low, high = (_defined(end, none, value) for end, value in zip(ends, (0, -1), strict=True))
    type_ = iterator.type
    assert isinstance(type_, Scalar)
    first, last = (_converted(of_value(end, known, names, LONG), type_, old) for end in (low, high))
    return replace(old, iterator=iterator, first=first, relation="<=", bound=last, step=1, span=_NOWHERE)


def passed(domain: isl.Set) -> isl.Set:
    """What a loop over the last dimension of `domain` passes that counts by one: the values in between that have no
    iterations, too."""
    last = domain.dim(_SET) - 1
    along = isl.Map.identity(domain.get_space().map_from_set()).project_out(_OUT, last, 1).add_dims(_OUT, 1)
    up, down = along.order_ge(_OUT, last, _IN, last), along.order_le(_OUT, last, _IN, last)
    return domain.apply(up).intersect(domain.apply(down)).coalesce()


def _converted(end: Expr, type_: Scalar, old: For) -> Expr:
    return end if type_ == LONG else Cast(end, type_, False, old.header)


def _defined(end: isl.PwAff, elsewhere: isl.Set, value: int) -> isl.PwAff:
    """A function of parameters that has some value where it was not defined."""
    return end.union_add(isl.PwAff.val_on_domain(elsewhere, isl.Val(value)))
