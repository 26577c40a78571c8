"""The loops with which the work-items of a group fill and empty a tile in local memory together."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import islpy as isl

from accshare.frontend.ir import INT, Expr, Storage, Subscript, Symbol
from accshare.islexpr import binary, is_true, literal, of_condition, of_value, variable
from accshare.kernel.body import buffer_symbol, row_major
from accshare.kernel.grid import work_item
from accshare.kernel.ir import Copy, Define, Guarded, Loop, Stmt
from accshare.kernel.space import bound, derived
from accshare.kernel.tiles import Tile
from accshare.poly.ir import Mode
from accshare.source import Span

_NOWHERE = Span(0, 0)
#: the work-item's number in its group, where a kernel needs it
LANE = Symbol("lane", "lane_in_group", INT, Storage.INNER)


def load(tile_: Tile) -> tuple[Stmt, ...]:
    """Fill the tile: the work-items of a group take consecutive elements, so that global memory is read in rows."""
    return _move(tile_, tile_.loaded(), True) if tile_.staged.reads else ()


def store(tile_: Tile) -> tuple[Stmt, ...]:
    """Write back what the work-group has written in it."""
    return _move(tile_, tile_.touched(Mode.WRITE), False) if tile_.staged.writes else ()


def _move(tile_: Tile, elements: isl.Set, loading: bool) -> tuple[Stmt, ...]:
    staged, type_ = tile_.staged, tile_.space.index_type
    called = tile_.symbol if loading else derived(tile_.symbol, "out", INT)
    walk = _walk(tile_, called)
    places = tuple(derived(called, str(k), type_) for k in range(len(staged.lengths)))
    ids = bound(elements, tuple(p.unique for p in places))
    known = tile_.box().bind(ids).intersect(tile_.known)
    names = {**tile_.names, **{p.unique: variable(p) for p in places}}
    lows = tuple(of_value(low, tile_.known, tile_.names, type_) for low in tile_.lower)
    defines = tuple(
        Define(place, binary("+", low, offset, type_))
        for place, low, offset in zip(places, lows, walk.offsets, strict=True)
    )
    variable_ = staged.variable
    index = row_major(tuple(variable(p) for p in places), variable_.shape)
    outside: Expr = Subscript(variable(buffer_symbol(variable_)), index, variable_.element, staged.accesses[0].span)
    within: Expr = Subscript(variable(tile_.symbol), walk.index, variable_.element, _NOWHERE)
    target, value = (within, outside) if loading else (outside, within)
    copy: Stmt = Copy(target, value, staged.accesses[0].span)
    condition = of_condition(elements.bind(ids).gist(known).coalesce(), known, names, type_)
    guarded = copy if is_true(condition) else Guarded(condition, (copy,))
    return walk.loops((*defines, guarded))


@dataclass(frozen=True, slots=True)
class _Walk:
    """How the work-items of a group go over a tile: the flat index and the place along each dimension of an element, in
    terms of `iterator`, which runs from `first` in steps of `step` below `end`; `rows` runs around it, if it is there.
    """

    index: Expr
    offsets: tuple[Expr, ...]
    iterator: Symbol
    first: Expr
    step: int
    end: int
    items: int
    rows: tuple[Symbol, int] | None = None

    def loops(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """`body` for every element."""
        below = binary("<", variable(self.iterator), literal(self.end, INT), INT)
        if self.items == self.end:
            stmts: tuple[Stmt, ...] = (Define(self.iterator, self.first), *body)
        elif self.items > self.end:
            stmts = (Define(self.iterator, self.first), Guarded(below, body))
        else:
            stmts = (Loop(self.iterator, self.first, below, self.step, body, 1, None),)
        if self.rows is None:
            return stmts
        row, count = self.rows
        return (Loop(row, literal(0, INT), binary("<", variable(row), literal(count, INT), INT), 1, stmts, 1, None),)


def _walk(tile_: Tile, called: Symbol) -> _Walk:
    """Consecutive work-items take consecutive elements, in row-major order, and then those a work-group further on;
    variables are called after `called`."""
    lengths = tile_.staged.lengths
    width, rows = lengths[-1], prod(lengths[:-1])
    group = tile_.space.partition.work_group
    items = prod(group)
    lane: Expr = variable(LANE)
    if len(lengths) > 1 and items % width == 0:
        row = derived(called, "row", INT)
        in_rows = group[0] == width
        column = work_item("get_local_id", 0) if in_rows else binary("%", lane, literal(width, INT), INT)
        first = (
            work_item("get_local_id", 1) if in_rows and group[2] == 1 else binary("/", lane, literal(width, INT), INT)
        )
        index = row_major((variable(row), column), (literal(rows, INT), literal(width, INT)))
        return _Walk(
            index, (*_split(variable(row), lengths[:-1]), column), row, first, items // width, rows, items // width
        )
    if len(lengths) > 1 and width % items == 0:
        row, column_ = derived(called, "row", INT), derived(called, "column", INT)
        index = row_major((variable(row), variable(column_)), (literal(rows, INT), literal(width, INT)))
        offsets = (*_split(variable(row), lengths[:-1]), variable(column_))
        return _Walk(index, offsets, column_, lane, items, width, items, (row, rows))
    element = derived(called, "element", INT)
    return _Walk(variable(element), _split(variable(element), lengths), element, lane, items, prod(lengths), items)


def _split(flat: Expr, lengths: tuple[int, ...]) -> tuple[Expr, ...]:
    """A flat index of an array of some lengths as its index along each dimension."""
    places: list[Expr] = []
    for k, length in enumerate(lengths):
        inner = prod(lengths[k + 1 :])
        place = flat if inner == 1 else binary("/", flat, literal(inner, INT), INT)
        places.append(place if k == 0 else binary("%", place, literal(length, INT), INT))
    return tuple(places)
