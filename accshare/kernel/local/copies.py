"""The loops with which the work-items of a group fill and empty a tile in local memory together."""

from __future__ import annotations

from functools import reduce
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
from accshare.teams import Panel, panels

_NOWHERE = Span(0, 0)
#: the work-item's number in its group, where a kernel needs it
LANE = Symbol("lane", "lane_in_group", INT, Storage.INNER)
#: elements or vectors that a work-item copies at a time: as many registers hold them on their way
_UNROLLED = 8


def load(tile_: Tile, filled: bool) -> tuple[Stmt, ...]:
    """Fill the tile: teams of the group's work-items take rows of it, as global memory is read best. What there is no
    element for is set to 0 where all of it is to be `filled`."""
    if not tile_.staged.reads:
        return ()
    elements = tile_.loaded
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
    are set to 0 where they have none. Groups that have elements for all places ask once: not where vectors are what is
    mostly copied, and these are single elements."""
    lengths = (*tile_.staged.lengths[:-1], tile_.staged.lengths[-1] // width)
    shared = panels(lengths, prod(tile_.space.partition.work_group))
    names = (called, *(derived(called, "rest", INT) for _ in shared[1:]))
    walks = tuple(_walk(tile_, panel, name, width) for panel, name in zip(shared, names, strict=True))

    def copied(some: isl.Set) -> tuple[Stmt, ...]:
        return tuple(s for walk in walks for s in _along(walk, tile_, some, loading, width, filled))

    turns = sum(walk.panel.times for walk in walks)
    one_by_one = copied(elements)
    all_there = _all_there(tile_, elements) if turns > 1 and width == tile_.width else None
    if all_there is None:
        return one_by_one
    return (Guarded(all_there, copied(tile_.box), one_by_one),)


def _all_there(tile_: Tile, elements: isl.Set) -> Expr | None:
    """When there are `elements` for all places of a tile; None where there always are, where there never are, and where
    one condition doesn't tell."""
    known = tile_.known.params()
    missing = tile_.box.intersect_params(known).subtract(elements).params()
    whole = known.subtract(missing).coalesce().gist(known)
    if missing.is_empty() or whole.n_basic_set() != 1:
        return None
    return of_condition(_needed(whole, tile_.begins), known, tile_.names, tile_.space.index_type)


def _needed(condition: isl.Set, known: isl.Set) -> isl.Set:
    """A condition without those of its parts that follow from the others and from what is `known`: where tiles begin at
    multiples, one that has no edge has no corner either, which `gist` doesn't see."""
    (basic,) = condition.get_basic_sets()
    if basic.dim(isl.dim_type.div):
        return condition
    parts = [isl.Set.from_basic_set(isl.BasicSet.from_constraint(part)) for part in basic.get_constraints()]
    for part in tuple(parts):
        others = known
        for other in parts:
            others = others if other is part else others.intersect(other)
        if others.is_subset(part):
            parts.remove(part)
    return reduce(isl.Set.intersect, parts, known.universe(known.get_space()))


def _along(walk: _Walk, tile_: Tile, elements: isl.Set, loading: bool, width: int, filled: bool) -> tuple[Stmt, ...]:
    """Copy those of `elements` that a walk comes to."""
    staged, type_ = tile_.staged, tile_.space.index_type
    places = tuple(derived(walk.called, str(k), type_) for k in range(len(staged.lengths)))
    ids = bound(elements, tuple(p.unique for p in places))
    known = tile_.box.bind(ids).intersect(tile_.known)
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

    return point_by_point(elements.intersect(tile_.box), tile_.known, tile_.names, type_, counted, body)


@dataclass(frozen=True, slots=True)
class _Walk:
    """How a work-item goes over a panel of a tile: it begins with the row `top` and the column `left` of the panel, and
    `offsets` is where it is along each dimension of the array, in terms of `row` and, where it has several columns or
    there is one row, of `column`. Other variables are called after `called`. Some work-items may be in no team, and
    `idle`."""

    panel: Panel
    offsets: tuple[Expr, ...]
    row: Symbol
    column: Symbol
    top: Expr
    left: Expr
    called: Symbol
    idle: bool

    def loops(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """`body` for every element. How often a work-item gets there is known, so that compilers unroll: its loads are
        then under way together, and their addresses differ by constants."""
        panel = self.panel
        in_row = _in_row(panel)
        if in_row:
            body = self._turns(self.column, self.left, panel.team, panel.width, body)
        if panel.at_once == 1 and panel.rows > 1:
            body = (_counted(self.row, panel.rows, body, 1 if in_row else _unrolled(panel.rows)),)
        elif panel.rows > 1:
            body = self._turns(self.row, self.top, panel.at_once, panel.rows, body, self.idle)
        return body if in_row or panel.width == panel.team else (Guarded(_below(self.left, panel.width), body),)

    def _turns(
        self, iterator: Symbol, first: Expr, step: int, end: int, body: tuple[Stmt, ...], idle: bool = False
    ) -> tuple[Stmt, ...]:
        """`body` for an iterator from `first`, below `step` but for `idle` work-items, in steps below `end`."""
        guarded = body if end % step == 0 and not idle else (Guarded(_below(variable(iterator), end), body),)
        times = -(-end // step)
        if times == 1:
            return (Define(iterator, first), *guarded)
        nth = derived(self.called, "nth", INT)
        moved = binary("*", variable(nth), literal(step, INT), INT)
        define = Define(iterator, binary("+", first, moved, INT))
        return (_counted(nth, times, (define, *guarded), _unrolled(times)),)


def _in_row(panel: Panel) -> bool:
    """Whether a work-item counts columns."""
    return panel.across > 1 or panel.rows == 1


def _below(value: Expr, end: int) -> Expr:
    return binary("<", value, literal(end, INT), INT)


def _unrolled(times: int) -> int:
    """How many of so many turns are unrolled."""
    return -(-times // -(-times // _UNROLLED))


def _counted(iterator: Symbol, times: int, body: tuple[Stmt, ...], unroll: int) -> Loop:
    return Loop(iterator, literal(0, INT), _below(variable(iterator), times), 1, body, unroll, None)


def _walk(tile_: Tile, panel: Panel, called: Symbol, vector: int) -> _Walk:
    """How a work-item goes over a panel whose columns are vectors of so many elements."""
    group = tile_.space.partition.work_group
    row, column = derived(called, "row", INT), derived(called, "element" if panel.rows == 1 else "column", INT)
    lane, team = variable(LANE), literal(panel.team, INT)
    left: Expr
    top: Expr
    if panel.team == prod(group):
        left, top = lane, literal(0, INT)
    elif panel.team == 1:
        left, top = literal(0, INT), lane
    elif group[0] == panel.team:
        left, top = local_id(0), local_id(1) if group[2] == 1 else binary("/", lane, team, INT)
    else:
        left, top = binary("%", lane, team, INT), binary("/", lane, team, INT)
    place = binary("+", variable(column) if _in_row(panel) else left, literal(panel.first, INT), INT)
    rows = _split(variable(row), tile_.staged.lengths[:-1])
    offsets = (*rows, binary("*", place, literal(vector, INT), INT))
    return _Walk(panel, offsets, row, column, top, left, called, panel.team * panel.at_once < prod(group))


def _split(flat: Expr, lengths: tuple[int, ...]) -> tuple[Expr, ...]:
    """A flat index of an array of some lengths as its index along each dimension."""
    places: list[Expr] = []
    for k, length in enumerate(lengths):
        inner = prod(lengths[k + 1 :])
        place = flat if inner == 1 else binary("/", flat, literal(inner, INT), INT)
        if length == 1:
            place = literal(0, INT)
        places.append(place if k == 0 else binary("%", place, literal(length, INT), INT))
    return tuple(places)
