"""The data of a region behind a table of pointers to rows."""

from __future__ import annotations

from accshare.data.ctext import parse, symbols_of
from accshare.data.extents import Extent, extent, row_bounds, row_of
from accshare.data.ir import Columns, Datum, RowBounds
from accshare.diagnostics import rejected
from accshare.frontend.ir import INT, LONG, Binary, Expr, Symbol
from accshare.islexpr import binary, conjunction, literal, variable
from accshare.poly.ir import Guard, Mode, Scop, Variable
from accshare.pragma.ir import DataVar, DefaultClause, Movement
from accshare.reference import spelling
from accshare.source import Span

_ZERO, _ONE = literal(0, LONG), literal(1, LONG)
_TWO_DIMENSIONS = 2


def row_datum(
    variable_: Variable, pitch: Symbol, clause: tuple[Movement, DataVar, tuple[str, ...]] | None, scop: Scop
) -> tuple[Datum, Guard]:
    """The rows that a region uses, and that their pitch has room for them.

    Raises `Rejected` (ACC203) where neither subscripts nor a clause of the construct tell which rows these are.
    """
    accesses = [a for s in scop.statements for a in s.accesses if a.variable == variable_]
    modes = {a.mode for a in accesses}
    name, span = spelling(variable_.base), accesses[0].span
    rows, found = row_bounds(scop, variable_, pitch), extent(scop, variable_)
    if rows is None or found is None:
        rows = None if clause is None else _stated(clause[1], pitch, Mode.WRITE in modes, scop)
        if rows is None:
            message = f"{name} is an array of pointers, and which of their elements the region uses can't be followed"
            hint = f"name them in a clause of the construct, as in copy({name}[0:rows][0:length])"
            raise rejected("ACC203", message, span, hint)
        found = _flat(rows)
    datum = Datum(
        variable_.name,
        variable_.base,
        variable_.element,
        found.lower,
        found.count,
        _movement(modes, clause, scop),
        Mode.READ in modes,
        Mode.WRITE in modes,
        False,
        None if clause is None else clause[1].span,
        rows=rows,
    )
    return datum, _room(rows, name, span)


def _movement(modes: set[Mode], clause: tuple[Movement, DataVar, tuple[str, ...]] | None, scop: Scop) -> Movement:
    """What becomes of the rows: they have to be present where the construct says so, and else come and go."""
    implied = Movement.COPY if Mode.WRITE in modes else Movement.COPYIN
    if clause is None:
        present = any(isinstance(c, DefaultClause) and c.value == "present" for c in scop.region.construct.clauses)
        return Movement.PRESENT if present else implied
    movement, var, modifiers = clause
    if movement is Movement.DEVICEPTR or "zero" in modifiers:
        word = "zero" if "zero" in modifiers else movement.value
        message = f"{word} isn't supported for an array of pointers to rows"
        raise rejected("ACC105", message, var.span, "use copy, copyin, copyout or present")
    return Movement.PRESENT if movement is Movement.PRESENT else implied


def _stated(var: DataVar, pitch: Symbol, writes: bool, scop: Scop) -> RowBounds | None:
    """The rows that a clause names; None where it doesn't name all of them and their columns."""
    if len(var.sections) != _TWO_DIMENSIONS:
        return None
    symbols = symbols_of(scop)
    parts = []
    for section in var.sections:
        if section.length is None:
            return None
        start = _ZERO if section.lower is None else parse(section.lower, symbols)
        parts.append((start, parse(section.length, symbols)))
    (first, count), (column, width) = parts
    columns = Columns(column, binary("+", column, width, LONG))
    return RowBounds(
        pitch, row_of(pitch), first, count, column, width, columns, columns if writes else Columns(_ZERO, _ZERO)
    )


def _flat(rows: RowBounds) -> Extent:
    """All that lies between the first and the last element."""
    pitch = variable(rows.pitch)
    lower = binary("+", binary("*", rows.first, pitch, LONG), rows.column, LONG)
    steps = binary("*", binary("-", rows.count, _ONE, LONG), pitch, LONG)
    there = conjunction(tuple(binary(">", size, _ZERO, INT) for size in (rows.count, rows.width)))
    assert there is not None
    return Extent(lower, binary("+", steps, rows.width, LONG), there)


def _room(rows: RowBounds, name: str, span: Span) -> Guard:
    pitch = variable(rows.pitch)
    room: tuple[Expr, ...] = (Binary(">=", pitch, rows.width, INT, span), Binary(">=", pitch, _ONE, INT, span))
    condition = conjunction(room)
    assert condition is not None
    return Guard(condition, f"the rows of {name} overlap", span)
