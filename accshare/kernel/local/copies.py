"""The loops with which the work-items of a group fill and empty a tile in local memory together."""

from __future__ import annotations

from math import prod

import islpy as isl

from accshare.builtins import is_aligned, local_id
from accshare.frontend.ir import (
    INT,
    LONG,
    Expr,
    IntLit,
    Member,
    Scalar,
    Storage,
    Struct,
    Subscript,
    Symbol,
)
from accshare.islexpr import binary, is_true, literal, of_condition, of_value, variable
from accshare.kernel.generate.body import buffer_symbol, row_major
from accshare.kernel.generate.codegen import point_by_point
from accshare.kernel.generate.space import bound, derived
from accshare.kernel.ir import Copy, Define, Guarded, Loop, Stmt
from accshare.kernel.local.tiles import Tile
from accshare.poly.ir import Mode
from accshare.records import dataclass, replace
from accshare.source import Span

_NOWHERE = Span(0, 0)
#: the work-item's number in its group, where a kernel needs it
LANE = Symbol("lane", "lane_in_group", INT, Storage.INNER)
#: elements or vectors that a work-item copies at a time: as many registers hold them on their way
_UNROLLED = 8


def load(tile_: Tile, filled: bool) -> tuple[Stmt, ...]:
    """Fill the tile: the work-items of a group take consecutive elements, so that global memory is read in rows. What
    there is no element for is set to 0 where all of it is to be `filled`."""
    if not tile_.staged.reads:
        return ()
    elements = tile_.loaded()
    if tile_.staged.packed:
        return _in_loops(tile_, elements, True)
    one_by_one = _move(tile_, elements, tile_.symbol, True, 1, filled)
    if tile_.width == 1:
        return one_by_one
    return (
        Guarded(variable(_wide(tile_)), _move(tile_, elements, tile_.symbol, True, tile_.width, filled), one_by_one),
    )


def store(tile_: Tile) -> tuple[Stmt, ...]:
    """Write back what the work-group has written in it."""
    if not tile_.staged.writes:
        return ()
    elements = tile_.touched(Mode.WRITE)
    if tile_.staged.packed:
        return _in_loops(tile_, elements, False)
    return _move(tile_, elements, derived(tile_.symbol, "out", INT), False, 1)


def alignment(tile_: Tile) -> tuple[Stmt, ...]:
    """Find out, once in a kernel, whether the tile can be filled by vectors."""
    variable_, width = tile_.staged.variable, tile_.width
    if width == 1 or not isinstance(variable_.element, Scalar):
        return ()
    size = width * variable_.element.bytes
    aligned: Expr = is_aligned(variable(buffer_symbol(variable_)), size)
    rows = variable_.shape[-1] if len(variable_.shape) > 1 else None
    if rows is not None and not isinstance(rows, IntLit):
        whole = binary("==", binary("%", rows, literal(width, INT), LONG), literal(0, INT), INT)
        aligned = binary("&", aligned, whole, INT)
    return (Define(_wide(tile_), aligned),)


def _wide(tile_: Tile) -> Symbol:
    return derived(tile_.symbol, "wide", INT)


def _move(
    tile_: Tile, elements: isl.Set, called: Symbol, loading: bool, width: int, filled: bool = False
) -> tuple[Stmt, ...]:
    """Copy `elements`, by vectors of `width`; variables are called after `called`. Places of a tile that is `filled`
    are set to 0 where they have none."""
    staged, type_ = tile_.staged, tile_.space.index_type
    walk = _walk(tile_, called, width)
    places = tuple(derived(called, str(k), type_) for k in range(len(staged.lengths)))
    ids = bound(elements, tuple(p.unique for p in places))
    known = tile_.box().bind(ids).intersect(tile_.known)
    names = {**tile_.names, **{p.unique: variable(p) for p in places}}
    lows = tuple(of_value(low, tile_.known, tile_.names, type_) for low in tile_.lower)
    defines = tuple(
        Define(place, binary("+", low, offset, type_))
        for place, low, offset in zip(places, lows, walk.offsets, strict=True)
    )
    outside = _outside(tile_, tuple(variable(p) for p in places))
    within = tile_.element(walk.offsets, _NOWHERE)
    target, value = (within, outside) if loading else (outside, within)
    copy = Copy(target, value, staged.accesses[0].span, width, apart=width > 1 and tile_.apart)
    condition = of_condition(elements.bind(ids).gist(known).coalesce(), known, names, type_)
    guarded: Stmt = copy
    if not is_true(condition):
        guarded = replace(copy, there=condition) if filled else Guarded(condition, (copy,))
    return walk.loops((*defines, guarded))


def _outside(tile_: Tile, places: tuple[Expr, ...]) -> Expr:
    """The element of the array at some places, or its member that is staged."""
    staged, variable_ = tile_.staged, tile_.staged.variable
    index = row_major(places, variable_.shape)
    result: Expr = Subscript(variable(buffer_symbol(variable_)), index, variable_.element, staged.accesses[0].span)
    for name in staged.members:
        assert isinstance(result.type, Struct)
        type_ = next(f.type for f in result.type.fields if f.name == name)
        result = Member(result, name, type_, result.span)
    return result


def _in_loops(tile_: Tile, elements: isl.Set, loading: bool) -> tuple[Stmt, ...]:
    """Copy `elements` by one work-item, in loops over those that are there: compilers vectorise them."""
    type_ = tile_.space.index_type
    lows = tuple(of_value(low, tile_.known, tile_.names, type_) for low in tile_.lower)

    def body(places: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        offsets = tuple(binary("-", p, low, type_) for p, low in zip(places, lows, strict=True))
        within, outside = tile_.element(offsets, _NOWHERE), _outside(tile_, places)
        return (Copy(*((within, outside) if loading else (outside, within)), tile_.staged.accesses[0].span, 1),)

    def counted(name: str) -> Symbol:
        return derived(tile_.symbol, name.removeprefix("_c"), type_)

    return point_by_point(elements.intersect(tile_.box()), tile_.known, tile_.names, type_, counted, body)


@dataclass(frozen=True, slots=True)
class _Walk:
    """How the work-items of a group go over a tile: the place along each dimension of an element, in terms of
    `iterator`, which runs from `first`, below `step`, in steps of `step` below `end`; `rows` runs around it, if it is
    there. Other variables are called after `called`."""

    offsets: tuple[Expr, ...]
    iterator: Symbol
    first: Expr
    step: int
    end: int
    called: Symbol
    rows: tuple[Symbol, int] | None = None

    def loops(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """`body` for every element. How often a work-item gets there is known, so that compilers unroll: its loads are
        then under way together, and their addresses differ by constants."""
        below = binary("<", variable(self.iterator), literal(self.end, INT), INT)
        guarded = body if self.end % self.step == 0 else (Guarded(below, body),)
        times = -(-self.end // self.step)
        if times == 1:
            stmts: tuple[Stmt, ...] = (Define(self.iterator, self.first), *guarded)
        else:
            nth = derived(self.called, "nth", INT)
            moved = binary("*", variable(nth), literal(self.step, INT), INT)
            define = Define(self.iterator, binary("+", self.first, moved, INT))
            stmts = (_counted(nth, times, (define, *guarded), -(-times // -(-times // _UNROLLED))),)
        if self.rows is None:
            return stmts
        row, count = self.rows
        return (_counted(row, count, stmts, 1),)


def _counted(iterator: Symbol, times: int, body: tuple[Stmt, ...], unroll: int) -> Loop:
    condition = binary("<", variable(iterator), literal(times, INT), INT)
    return Loop(iterator, literal(0, INT), condition, 1, body, unroll, None)


def _walk(tile_: Tile, called: Symbol, vector: int) -> _Walk:
    """Consecutive work-items take consecutive vectors of elements, in row-major order, and then those a work-group
    further on; variables are called after `called`."""
    lengths = (*tile_.staged.lengths[:-1], tile_.staged.lengths[-1] // vector)
    width, rows = lengths[-1], prod(lengths[:-1])
    group = tile_.space.partition.work_group
    items = prod(group)
    lane: Expr = variable(LANE)

    def walk(places: tuple[Expr, ...], *rest: object) -> _Walk:
        offsets = (*places[:-1], binary("*", places[-1], literal(vector, INT), INT))
        return _Walk(offsets, *rest)  # type: ignore[arg-type]

    if len(lengths) > 1 and items % width == 0:
        row = derived(called, "row", INT)
        in_rows = group[0] == width
        column = local_id(0) if in_rows else binary("%", lane, literal(width, INT), INT)
        first = local_id(1) if in_rows and group[2] == 1 else binary("/", lane, literal(width, INT), INT)
        step = items // width
        return walk((*_split(variable(row), lengths[:-1]), column), row, first, step, rows, called)
    if len(lengths) > 1 and width % items == 0:
        row, column_ = derived(called, "row", INT), derived(called, "column", INT)
        places = (*_split(variable(row), lengths[:-1]), variable(column_))
        return walk(places, column_, lane, items, width, called, (row, rows))
    element = derived(called, "element", INT)
    return walk(_split(variable(element), lengths), element, lane, items, prod(lengths), called)


def _split(flat: Expr, lengths: tuple[int, ...]) -> tuple[Expr, ...]:
    """A flat index of an array of some lengths as its index along each dimension."""
    places: list[Expr] = []
    for k, length in enumerate(lengths):
        inner = prod(lengths[k + 1 :])
        place = flat if inner == 1 else binary("/", flat, literal(inner, INT), INT)
        places.append(place if k == 0 else binary("%", place, literal(length, INT), INT))
    return tuple(places)
