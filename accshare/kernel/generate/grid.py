"""How many work-groups a launch needs, and where each one starts."""

from __future__ import annotations

from collections.abc import Callable

import islpy as isl

from accshare.builtins import SIZE, group_id, local_id, maximum
from accshare.builtins import groups as groups_along
from accshare.frontend.ir import (
    INT,
    LONG,
    Expr,
    IntLit,
    Scalar,
    Storage,
    Symbol,
)
from accshare.islbuild import at_least, multiple, points, sizes, within
from accshare.islexpr import binary, convert, literal, of_value, variable
from accshare.kernel.generate.space import THREAD, Coordinate, Space, derived
from accshare.kernel.ir import Define
from accshare.mapping.ir import GroupOrder
from accshare.poly.ir import Statement
from accshare.records import dataclass, field, replace
from accshare.schedule.ir import Member
from accshare.source import Span

_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Grid:
    """`groups` along x, y, z as host expressions; `first` gives, for every coordinate whose first tile is not known
    now, the kernel parameter that tells it and its host expression; `defines` compute the coordinates, `starts` is
    what that makes sure of them, and `launched` says when there is anything to run."""

    groups: tuple[Expr, Expr, Expr]
    first: tuple[tuple[Symbol, Expr], ...]
    defines: tuple[Define, ...]
    starts: isl.Set = field(compare=False, repr=False)
    launched: isl.Set = field(compare=False, repr=False)


def grid(space: Space, *, known_as_positive: bool = False) -> Grid:
    """Cover the mapped iterations of all statements with tiles that start at multiples of the tile size. Where the
    first one does not start below 0, this can be told to compilers: halves and remainders of what they know to be
    positive are shifts and masks."""
    groups: list[Expr] = [literal(1, LONG)] * 3
    firsts: list[tuple[Symbol, Expr]] = []
    defines = []
    starts = launched = sizes().everything
    shared = space.partition.nest.threads
    if shared:
        defines.append(Define(THREAD, local_id(0)))
        starts = within(sizes(THREAD.unique).parameters[0], 0, shared[0].threads)
    for coordinate in space.coordinates:
        member = coordinate.member
        values = _values(space, coordinate, space.launched)
        low, high = _tiles(space, member, values)
        number = _distance(low, high)
        axis = member.dimension
        start = _group(space, axis)
        along = _along(space, axis)
        for other in along[along.index(coordinate) + 1 :]:
            start = binary("/", start, _count(other), SIZE)
        if len(along) > 1:
            number = none_below(number)
        if coordinate is not along[0]:
            start = binary("%", start, _count(coordinate), SIZE)
            firsts.append((_counted(coordinate), number))
        groups[axis] = binary("*", groups[axis], number, LONG)
        if not isinstance(low, IntLit):
            symbol = derived(coordinate.symbol, "0", space.index_type)
            firsts.append((replace(symbol, storage=Storage.PARAMETER), low))
            start = binary("+", start, variable(firsts[-1][0]), SIZE)
        else:
            start = binary("+", start, low, SIZE)
        start = binary("*", start, literal(member.size, INT), SIZE)
        start = binary("+", start, literal(member.begin, INT), SIZE)
        if known_as_positive and isinstance(low, IntLit) and low.value >= 0:
            start = _positive(start, space.index_type)
        if member.threads > 1:
            if space.partition.cooperative:
                defines.append(Define(coordinate.origin, start))
                start = variable(coordinate.origin)
            start = binary("+", start, _local(space, member.axis), SIZE)
        defines.append(Define(coordinate.symbol, start))
        starts = starts.intersect(_start(coordinate, low, values if space.partition.cooperative else None))
        launched = launched.intersect(values.params())
    return Grid((groups[0], groups[1], groups[2]), tuple(firsts), tuple(defines), starts, launched)


def _positive(start: Expr, type_: Scalar) -> Expr:
    """A place that is not below 0, so that anybody sees it."""
    most = (1 << 8 * type_.bytes - 1) - 1
    return binary("&", start, literal(most, LONG), SIZE)


def _along(space: Space, axis: int) -> tuple[Coordinate, ...]:
    """The coordinates along a dimension of a launch, outermost first. Where there are several, its groups are all
    combinations, numbered row after row."""
    return tuple(c for c in space.coordinates if c.member.dimension == axis)


def _counted(coordinate: Coordinate) -> Symbol:
    """The parameter that tells how many tiles there are along a coordinate that shares its dimension."""
    return replace(derived(coordinate.symbol, "groups", LONG), storage=Storage.PARAMETER)


def _count(coordinate: Coordinate) -> Expr:
    return convert(variable(_counted(coordinate)), SIZE)


def directions(space: Space) -> tuple[int, int, int]:
    """The dimensions of a launch along which the axes of the grid lie.

    A CPU runs group after group along x: there, those with the same part of a loop that combines follow each other,
    since they share what they read. Where work-items along x share inner loops, there is one group along that axis.
    """
    nest, several = space.partition.nest, space.partition.work_group != (1, 1, 1)
    alone = nest.finalize is not None and not several
    return (2, 0, 1) if alone or nest.threads else (0, 1, 2)


def launched(space: Space, groups: tuple[Expr, Expr, Expr]) -> tuple[Expr, Expr, Expr]:
    """The work-groups along x, y and z of the grid as a launch has them."""
    where = directions(space)
    x, y, z = (groups[where.index(k)] for k in range(3))
    return x, y, z


def _group(space: Space, axis: int) -> Expr:
    """The number of the work-group's tile along an axis. Groups run row after row: on diagonals, the next one is one
    further along x and y; in columns, it is one further along y."""
    order = space.placement.order
    if axis > 1 or order is GroupOrder.ROWS:
        return group_id(directions(space)[axis])
    row = binary("*", group_id(1), groups_along(0), SIZE)
    number = binary("+", row, group_id(0), SIZE)
    y = binary("%", number, groups_along(1), SIZE)
    if axis == 1:
        return y
    column = binary("/", number, groups_along(1), SIZE)
    if order is GroupOrder.COLUMNS:
        return column
    x = binary("+", column, y, SIZE)
    return binary("%", x, groups_along(0), SIZE)


def _local(space: Space, axis: int) -> Expr:
    """The work-item's place in the tile along an axis: where the placement matrix puts it, or where it stands."""
    remap = space.placement.remap
    if remap is None or axis > 1:
        return local_id(axis)
    terms = [local_id(k) for k, factor in enumerate(remap[axis]) if factor]
    place = terms[0] if len(terms) == 1 else binary("+", terms[0], terms[1], SIZE)
    size = space.partition.work_group[axis]
    return place if len(terms) == 1 else binary("%", place, literal(size, INT), SIZE)


def _start(coordinate: Coordinate, low: Expr, values: isl.Set | None) -> isl.Set:
    """What is known of a coordinate: its tile begins no lower than the first one and, where `values` are
    the iterations of a launch that has any, no higher than the last of them."""
    member = coordinate.member
    name, origin = coordinate.symbol.unique, coordinate.origin.unique
    facts = sizes().everything
    (begin,) = sizes(origin if values is not None else name).parameters
    if values is not None:
        if name != origin:
            own, start = sizes(name, origin).parameters
            facts = facts.intersect(within(own, start, member.threads))
        facts = facts.intersect(begin.to_pw_aff().le_set(values.dim_max(0)))
    elif member.threads == 1 and not coordinate.single:
        facts = multiple(begin - member.begin, member.size)
    if isinstance(low, IntLit):
        facts = facts.intersect(at_least(begin, low.value * member.size + member.begin))
    elif values is not None:
        tile = isl.Val(member.size)
        first = _tile_of(member, values.dim_min(0)).scale_val(tile).add_constant_val(isl.Val(member.begin))
        facts = facts.intersect(begin.to_pw_aff().ge_set(first))
    return facts


def most_groups(space: Space) -> tuple[Expr, Expr, Expr]:
    """As many work-groups along x, y, z as any launch of the kernel needs, whatever the host loops around it do."""
    groups: list[Expr] = [literal(1, LONG)] * 3
    for coordinate in space.coordinates:
        values = _values(space, coordinate, lambda statement: statement.domain)
        axis = coordinate.member.dimension
        number = _distance(*_tiles(space, coordinate.member, values))
        number = none_below(number) if len(_along(space, axis)) > 1 else number
        groups[axis] = binary("*", groups[axis], number, LONG)
    return groups[0], groups[1], groups[2]


def none_below(number: Expr) -> Expr:
    """A count, 0 where it is negative."""
    return number if isinstance(number, IntLit) else maximum(number, literal(0, LONG), LONG)


def _distance(low: Expr, high: Expr) -> Expr:
    return binary("+", binary("-", high, low, LONG), literal(1, LONG), LONG)


def lane_of(work_group: tuple[int, int, int]) -> Expr:
    """The work-item's number in its group, x fastest."""
    x, y, z = (local_id(k) for k in range(3))
    index: Expr = x
    if work_group[1] > 1 or work_group[2] > 1:
        row = y if work_group[2] == 1 else binary("+", binary("*", z, literal(work_group[1], INT), SIZE), y, SIZE)
        index = binary("+", binary("*", row, literal(work_group[0], INT), SIZE), x, SIZE)
    return index


def _values(space: Space, coordinate: Coordinate, instances: Callable[[Statement], isl.Set]) -> isl.Set:
    """The iterations along a member, as one-dimensional sets of their numbers."""
    values = points(1).nothing
    nest = space.partition.nest
    if nest.finalize is not None and any(m.loop == coordinate.member.loop for m in nest.finalize.grid):
        nest = nest.finalize  # the second kernel has the same rows
    for statement in nest.statements:
        every = statement.tuples
        number = every.to([coordinate.member.number(every.coordinates)])
        values = values.union(instances(statement).apply(number))
    return values


def _tiles(space: Space, member: Member, values: isl.Set) -> tuple[Expr, Expr]:
    """The first and last tile that hold one of `values`, as host expressions."""
    if values.is_empty():
        return literal(1, LONG), literal(0, LONG)
    low, high = _tile_of(member, values.dim_min(0)), _tile_of(member, values.dim_max(0))
    return _host(space, low), _host(space, high)


def _tile_of(member: Member, number: isl.PwAff) -> isl.PwAff:
    """The tile that holds an iteration, of which the number is given."""
    return number.add_constant_val(isl.Val(-member.begin)).scale_down_val(isl.Val(member.size)).floor()


def _host(space: Space, value: isl.PwAff) -> Expr:
    value = value.coalesce()
    pieces = value.get_pieces()
    if pieces and value.is_cst() and all(p[1].plain_is_equal(pieces[0][1]) for p in pieces):
        return literal(pieces[0][1].get_constant_val().to_python(), LONG)
    return of_value(value, space.context, space.names, LONG)
