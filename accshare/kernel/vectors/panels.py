"""Panels that lie across the rows they are packed from: squares of a vector's length are read along these rows, turned
in registers and stored along the panel.

Element by element, a row would go to as many lines of the panel, which lie a power of two apart and compete for the
same sets of the nearest cache.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import INT, Assign, Scalar, Subscript, Symbol
from accshare.islexpr import binary, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Copy, Define, Loop, Stmt, own, within
from accshare.kernel.uses import loaded, rewritten
from accshare.kernel.vectors.lanes import Lanes, NotVector
from accshare.kernel.vectors.shape import Accumulators, Rows, Shape
from accshare.kernel.vectors.strips import after_strips, counted, last_of, scalar_of, strided
from accshare.kernel.vectors.transpose import TransposeTile, strided_elements
from accshare.records import replace
from accshare.reference import root
from accshare.source import Span
from accshare.tree import mentions

_NOWHERE = Span(0, 0)
#: lanes of a square at least and at most: all of it is in registers
_FEWEST, _MOST = 4, 16


def packed_across(stmts: tuple[Stmt, ...], panels: frozenset[Symbol], lanes: int) -> tuple[Stmt, ...]:
    """`stmts` with the loops that fill `panels` across what these are packed from in squares of vectors, of so many
    lanes at most."""
    return tuple(s for stmt in stmts for s in _packed(stmt, panels, min(lanes, _MOST))) if lanes >= _FEWEST else stmts


def _packed(stmt: Stmt, panels: frozenset[Symbol], lanes: int) -> tuple[Stmt, ...]:
    match stmt:
        case Loop(body=(Loop(body=(Copy() | Assign() as fill,)) as rows,)) if root(fill.target) in panels:
            try:
                return tuple(_in_squares(stmt, rows, _assignment(fill), lanes))
            except NotVector:
                return (stmt,)
    return (within(stmt, lambda inner: packed_across(inner, panels, lanes)),)


def _assignment(fill: Copy | Assign) -> Assign:
    """What fills an element. Raises `NotVector` where it is more than that."""
    if isinstance(fill, Copy):
        if fill.width > 1 or fill.there is not None:
            raise NotVector
        fill = Assign(fill.target, "=", fill.value, fill.span or _NOWHERE)
    if fill.op != "=" or root(fill.target) in loaded((fill,)) or not isinstance(fill.target.type, Scalar):
        raise NotVector
    return fill


def _in_squares(columns: Loop, rows: Loop, fill: Assign, lanes: int) -> Iterator[Stmt]:
    """Squares, the rows that are left below them, and the columns that are left as they were. Raises `NotVector` where
    rows are not read across."""
    column, row = columns.iterator, rows.iterator
    block, square = derived(row, "block", scalar_of(row)), TransposeTile(column, row, row, lanes)
    along = isinstance(fill.target, Subscript) and Lanes(column, lanes, {}).stride(fill.target.index) == 1
    if not (along and any(strided_elements((fill,), square))) or any(mentions(e, column) for e in own(rows)):
        raise NotVector
    shape = Shape(column, 1, lanes, Rows(row, block, lanes), Accumulators({}, 1, lanes, ""), False)
    whole = replace(strided(rows, block, rows.first, last_of(rows), lanes), body=shape.body((fill,), column))
    nth, below, left = (
        derived(column, "nth", INT),
        derived(row, "rest", scalar_of(row)),
        derived(column, "rest", scalar_of(column)),
    )
    moved = binary("+", variable(column), variable(nth), scalar_of(column))
    single = rewritten(fill, lambda e: moved if e == variable(column) else None)
    strip = (
        whole,
        Define(below, after_strips(rows.first, last_of(rows), lanes, scalar_of(row))),
        replace(rows, first=variable(below), body=(counted(nth, lanes, (single,)),), remainder=True),
    )
    yield replace(strided(columns, column, columns.first, last_of(columns), lanes), body=strip)
    yield Define(left, after_strips(columns.first, last_of(columns), lanes, scalar_of(column)))
    yield replace(columns, first=variable(left))
