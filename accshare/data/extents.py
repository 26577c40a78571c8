"""The part of every array that a region touches, from its access relations."""

from __future__ import annotations

import islpy as isl

from accshare.data.ir import Columns, Line, RowBounds, Section
from accshare.frontend.ir import INT, LONG, Array, Conditional, Expr, Storage, Symbol
from accshare.islbuild import extremes
from accshare.islexpr import binary, is_true, literal, of_condition, of_value, variable
from accshare.poly.ir import Access, Mode, Scop, Variable
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass
from accshare.tree import mentions

_ALWAYS = literal(1, INT)
#: isl's operations for the formula of a bound; optima of large polyhedra take seconds for so many
_OPERATIONS = 200_000
#: cases in such a formula, which is evaluated whenever the region runs
_MOST_CASES = 16
_SET, _OUT, _PARAM = isl.dim_type.set, isl.dim_type.out, isl.dim_type.param


@dataclass(frozen=True, slots=True)
class Extent:
    """Elements ``[lower, lower + length)``, none where `touched` doesn't hold: the bounds mean nothing then."""

    lower: Expr
    length: Expr
    touched: Expr = _ALWAYS

    @property
    def count(self) -> Expr:
        """The number of elements, whatever the parameters are."""
        if is_true(self.touched):
            return self.length
        return Conditional(self.touched, self.length, literal(0, LONG), LONG, self.touched.span)


def extent(scop: Scop, variable_: Variable) -> Extent | None:
    """The smallest contiguous section that holds all accesses, or the whole array when it is declared with its size
    and some subscript can't be followed, or the bounds take too much to tell. None when the program doesn't tell."""
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
    ends = _ends(sure)
    if ends is None or (whole is not None and not _are_short(*ends)):
        return whole
    return _between(*ends, sure, variable_, scop)


def certain(scop: Scop, variable_: Variable) -> Section:
    """The smallest contiguous section that holds all elements which are certainly touched, as far as that is found
    with little work; empty where none are."""
    accesses = [a for s in scop.statements for a in s.accesses if a.variable == variable_ and a.exact]
    touched = _touched(accesses, variable_, scop)
    ends = None if touched is None or not touched.is_bounded() else _ends(touched)
    if touched is None or ends is None or not _are_short(*ends):
        return Section(literal(0, LONG), literal(0, LONG))
    found = _between(*ends, touched, variable_, scop)
    return Section(found.lower, found.count)


def row_bounds(scop: Scop, variable_: Variable, pitch: Symbol) -> RowBounds | None:
    """What is used of rows that pointers lead to; None where a subscript can't be followed, or takes too much to. The
    pitch bounds all of them, and is chosen when they are known."""
    accesses = [a for s in scop.statements for a in s.accesses if a.variable == variable_]
    touched = _touched(accesses, variable_, scop)
    nothing = literal(0, LONG)
    row = row_of(pitch)
    none = Columns(nothing, nothing)
    if touched is None:
        return RowBounds(pitch, row, nothing, nothing, nothing, nothing, none, none)
    if not touched.is_bounded():
        return None
    rows, width = _line(touched, 0, scop), _line(touched, 1, scop)
    columns = _columns(touched, (row,), scop)
    stored = _touched([a for a in accesses if a.mode is Mode.WRITE], variable_, scop)
    written = none if stored is None else _columns(stored, (row,), scop)
    if rows is None or width is None or columns is None or written is None:
        return None
    ends = (rows.lower, rows.count, width.lower, width.count, columns.first, columns.end, written.first, written.end)
    if any(mentions(end, pitch) for end in ends):
        return None
    return RowBounds(pitch, row, rows.lower, rows.count, width.lower, width.count, columns, written)


def looked_at(scop: Scop, variable_: Variable, elements: isl.Set) -> tuple[tuple[Line, ...], Expr] | None:
    """Loops over rows in which some elements of an array are, the innermost from the first to the last in a row, and
    the flat index of an element in terms of their iterators; None where that takes too much to tell."""
    lines: list[Line] = []
    index: Expr = literal(0, LONG)
    for k, size in enumerate(variable_.shape):
        columns = _columns(elements.intersect_params(scop.context), tuple(line.iterator for line in lines), scop)
        if columns is None:
            return None
        name = f"__acc_at{k}"
        lines.append(Line(Symbol(name, name, LONG, Storage.LOCAL), columns))
        scale = literal(1, LONG) if size is None or k == 0 else size
        index = binary("+", binary("*", index, scale, LONG), variable(lines[-1].iterator), LONG)
    return tuple(lines), index


def subscripts_of(access: Access, scop: Scop) -> Extent | None:
    """The first to the last subscript of an access to an array that has but one; None where that takes too much to
    tell."""
    touched = _touched([access], access.variable, scop)
    if touched is None:
        return Extent(literal(0, LONG), literal(0, LONG))
    return _line(touched, 0, scop)


def row_of(pitch: Symbol) -> Symbol:
    """What stands for a row in the bounds of its columns."""
    return Symbol(f"{pitch.unique}_row", f"{pitch.unique}_row", LONG, Storage.LOCAL)


def _line(touched: isl.Set, dimension: int, scop: Scop) -> Extent | None:
    """The first to the last of the subscripts of one dimension."""
    ends = ends_of(touched, dimension, scop)
    if ends is None:
        return None
    low, high = ends
    length = binary("+", binary("-", high, low, LONG), literal(1, LONG), LONG)
    return Extent(low, length, of_condition(touched.params(), scop.context, _names(scop), LONG))


def ends_of(tuples: isl.Set, dimension: int, scop: Scop) -> tuple[Expr, Expr] | None:
    """The least and the greatest value in one dimension of some tuples, where there are any; None where that takes too
    much to tell."""
    line = tuples.project_out(_SET, dimension + 1, tuples.dim(_SET) - dimension - 1).project_out(_SET, 0, dimension)
    ends = _ends(line.intersect_params(scop.context)) if line.is_bounded() else None
    if ends is None or not _are_short(*ends):
        return None
    low, high = (of_value(end.get_pw_aff(0), scop.context, _names(scop), LONG) for end in ends)
    return low, high


def _columns(touched: isl.Set, row: tuple[Symbol, ...], scop: Scop) -> Columns | None:
    """The columns of the row, one with the first of all subscripts that `row` stands for; none where it has none in
    `touched`."""
    of_row = touched.reset_tuple_id()
    for symbol in row:
        count = of_row.dim(_PARAM)
        of_row = of_row.insert_dims(_PARAM, count, 1).set_dim_name(_PARAM, count, symbol.unique)
        of_row = of_row.equate(_PARAM, count, _SET, 0).project_out(_SET, 0, 1)
    of_row = of_row.project_out(_SET, 1, of_row.dim(_SET) - 1)
    ends = _ends(of_row)
    if ends is None or not _are_short(*ends):
        return None
    names = {**_names(scop), **{symbol.unique: variable(symbol) for symbol in row}}
    low, high = (of_value(end.get_pw_aff(0), scop.context, names, LONG) for end in ends)
    there = of_condition(of_row.params(), scop.context, names, LONG)
    end, nothing = binary("+", high, literal(1, LONG), LONG), literal(0, LONG)
    return Columns(*(Conditional(there, value, nothing, LONG, there.span) for value in (low, end)))


def _between(first: isl.PwMultiAff, last: isl.PwMultiAff, touched: isl.Set, variable_: Variable, scop: Scop) -> Extent:
    """The section from the first to the last element of `touched`."""
    low, high = _flat(first, variable_, scop), _flat(last, variable_, scop)
    length = binary("+", binary("-", high, low, LONG), literal(1, LONG), LONG)
    untouched = scop.context.subtract(touched.params())
    if _counts_to_zero(first, last, untouched):
        return Extent(low, length)
    return Extent(low, length, of_condition(touched.params(), scop.context, _names(scop), LONG))


def _ends(touched: isl.Set) -> tuple[isl.PwMultiAff, isl.PwMultiAff] | None:
    """The first and the last element; None where that takes more than `_OPERATIONS`."""
    try:
        with Quota(_OPERATIONS):
            return extremes(touched)
    except QuotaExceeded:
        return None


def _are_short(first: isl.PwMultiAff, last: isl.PwMultiAff) -> bool:
    """Whether the formulas of two elements have no more than `_MOST_CASES`."""
    return max(first.n_piece(), last.n_piece()) <= _MOST_CASES


def _counts_to_zero(first: isl.PwMultiAff, last: isl.PwMultiAff, untouched: isl.Set) -> bool:
    """Whether the length formula gives no positive number for the parameters in `untouched` either."""
    if untouched.is_empty():
        return True
    if first.dim(_OUT) != 1 or first.n_piece() != 1 or last.n_piece() != 1:
        return False
    low, high = (isl.PwAff.from_aff(p.get_pw_aff(0).get_pieces()[0][1]) for p in (first, last))
    return bool(untouched.is_subset(high.lt_set(low)))


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
    names = _names(scop)
    index: Expr = literal(0, LONG)
    for k, size in enumerate(variable_.shape):
        part = of_value(point.get_pw_aff(k), scop.context, names, LONG)
        scale = literal(1, LONG) if size is None or k == 0 else size
        index = binary("+", binary("*", index, scale, LONG), part, LONG)
    return index


def _names(scop: Scop) -> dict[str, Expr]:
    """The parameters as host expressions."""
    return {p.symbol.unique: variable(p.symbol) for p in scop.parameters}
