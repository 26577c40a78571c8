"""The part of every array that a region touches, from its access relations."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from accshare.frontend.ir import LONG, Array, Expr
from accshare.islexpr import binary, literal, of_value, variable
from accshare.poly.ir import Access, Scop, Variable

_SET = isl.dim_type.set


@dataclass(frozen=True, slots=True)
class Extent:
    """Elements ``[lower, lower + length)``."""

    lower: Expr
    length: Expr


def extent(scop: Scop, variable_: Variable) -> Extent | None:
    """The smallest contiguous section that holds all accesses, or the whole array when it is declared with its size
    and some subscript can't be followed. None when only the user can tell."""
    accesses = [a for s in scop.statements for a in s.accesses if a.variable == variable_]
    if not variable_.shape:
        return Extent(literal(0, LONG), literal(1, LONG))
    sure = _touched([a for a in accesses if a.exact], variable_, scop)
    perhaps = _touched([a for a in accesses if not a.exact], variable_, scop)
    whole = _declared(variable_)
    if perhaps is not None:
        # Under a data-dependent condition too, subscripts are taken to be in bounds, as the loops suggest.
        sure = perhaps if sure is None else sure.union(perhaps)
    if sure is None:
        return Extent(literal(0, LONG), literal(0, LONG))
    if not sure.is_bounded():
        return whole
    low = _flat(sure.lexmin_pw_multi_aff(), variable_, scop)
    high = _flat(sure.lexmax_pw_multi_aff(), variable_, scop)
    length = binary("+", binary("-", high, low, LONG), literal(1, LONG), LONG)
    return Extent(low, length)


def _touched(accesses: list[Access], variable_: Variable, scop: Scop) -> isl.Set | None:
    """The elements of some accesses, in the subscripts before the first struct member."""
    result: isl.Set | None = None
    rank = len(variable_.shape)
    for access in accesses:
        touched = access.relation.range().intersect_params(scop.context)
        if touched.is_empty():
            continue
        extra = touched.dim(_SET) - rank
        touched = touched.project_out(_SET, rank, extra).set_tuple_name("element")
        result = touched if result is None else result.union(touched)
    return result


def _declared(variable_: Variable) -> Extent | None:
    """All of an array whose type tells its size."""
    if variable_.is_pointer or not isinstance(variable_.base.type, Array):
        return None
    length: Expr = literal(1, LONG)
    for size in variable_.shape:
        if size is None:
            return None
        length = binary("*", length, size, LONG)
    return Extent(literal(0, LONG), length)


def _flat(point: isl.PwMultiAff, variable_: Variable, scop: Scop) -> Expr:
    """The flat index of an element given by its subscripts, as a host expression."""
    names: dict[str, Expr] = {p.symbol.unique: variable(p.symbol) for p in scop.parameters}
    index: Expr = literal(0, LONG)
    for k, size in enumerate(variable_.shape):
        part = of_value(point.get_pw_aff(k), scop.context, names, LONG)
        scale = literal(1, LONG) if size is None or k == 0 else size
        index = binary("+", binary("*", index, scale, LONG), part, LONG)
    return index
