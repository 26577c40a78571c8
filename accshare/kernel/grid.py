"""How many work-groups a launch needs, and where each one starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import islpy as isl

from accshare.frontend.ir import INT, LONG, Call, Expr, IntLit, Scalar, Storage, Symbol
from accshare.islexpr import binary, literal, of_value, variable
from accshare.kernel.ir import Define
from accshare.kernel.space import Coordinate, Space, coordinate_of, tuple_text
from accshare.poly.ir import Statement
from accshare.source import Span

_NOWHERE = Span(0, 0)
SIZE = Scalar("unsigned long", 8, False, False)


@dataclass(frozen=True, slots=True)
class Grid:
    """`groups` along x, y, z as host expressions; `first` gives, for every coordinate whose first tile is not known
    now, the kernel parameter that tells it and its host expression; `defines` compute the coordinates, and `starts`
    is what that makes sure of them."""

    groups: tuple[Expr, Expr, Expr]
    first: tuple[tuple[Symbol, Expr], ...]
    defines: tuple[Define, ...]
    starts: isl.Set = field(compare=False, repr=False)


def grid(space: Space) -> Grid:
    """Cover the mapped iterations of all statements with tiles that start at multiples of the tile size."""
    groups: list[Expr] = [literal(1, LONG)] * 3
    firsts: list[tuple[Symbol, Expr]] = []
    defines = []
    starts = isl.Set("{ : }")
    for coordinate in space.coordinates:
        if not coordinate.single and coordinate.dimension.threads == 1:
            name = coordinate.symbol.unique
            starts = starts.intersect(isl.Set(f"[{name}] -> {{ : {name} mod {coordinate.dimension.tile} = 0 }}"))
    for coordinate in space.coordinates:
        dimension = coordinate.dimension
        low, high = _tiles(space, coordinate, space.launched)
        groups[dimension.axis] = _distance(low, high)
        start: Expr = work_item("get_group_id", dimension.axis)
        if not isinstance(low, IntLit):
            symbol = Symbol(
                f"{coordinate.symbol.name}_0", f"{coordinate.symbol.unique}_0", space.index_type, Storage.PARAMETER
            )
            firsts.append((symbol, low))
            start = binary("+", start, variable(symbol), SIZE)
        else:
            name, least = coordinate.symbol.unique, low.value * dimension.tile
            starts = starts.intersect(isl.Set(f"[{name}] -> {{ : {name} >= {least} }}"))
            start = binary("+", start, low, SIZE)
        start = binary("*", start, literal(dimension.tile, INT), SIZE)
        if dimension.threads > 1:
            start = binary("+", start, work_item("get_local_id", dimension.axis), SIZE)
        defines.append(Define(coordinate.symbol, start))
    return Grid((groups[0], groups[1], groups[2]), tuple(firsts), tuple(defines), starts)


def most_groups(space: Space) -> tuple[Expr, Expr, Expr]:
    """As many work-groups along x, y, z as any launch of the kernel needs, whatever the host loops around it do."""
    groups: list[Expr] = [literal(1, LONG)] * 3
    for coordinate in space.coordinates:
        groups[coordinate.dimension.axis] = _distance(*_tiles(space, coordinate, lambda statement: statement.domain))
    return groups[0], groups[1], groups[2]


def _distance(low: Expr, high: Expr) -> Expr:
    return binary("+", binary("-", high, low, LONG), literal(1, LONG), LONG)


def work_item(function: str, axis: int) -> Expr:
    """``get_group_id(0)`` and its like."""
    return Call(function, (literal(axis, INT),), SIZE, _NOWHERE)


def _tiles(space: Space, coordinate: Coordinate, instances: Callable[[Statement], isl.Set]) -> tuple[Expr, Expr]:
    """The first and last tile that hold an iteration of `instances`, as host expressions."""
    dimension = coordinate.dimension
    values = isl.Set("{ [t] : 1 = 0 }")
    for statement in space.partition.nest.statements:
        project = isl.Map(f"{{ {tuple_text(statement)} -> [{coordinate_of(dimension)}] }}")
        values = values.union(instances(statement).apply(project))
    if values.is_empty():
        return literal(1, LONG), literal(0, LONG)
    tile = isl.Val(dimension.tile)
    low = values.dim_min(0).scale_down_val(tile).floor()
    high = values.dim_max(0).scale_down_val(tile).floor()
    return tuple(_host(space, bound) for bound in (low, high))  # type: ignore[return-value]


def _host(space: Space, value: isl.PwAff) -> Expr:
    value = value.coalesce()
    pieces = value.get_pieces()
    if pieces and value.is_cst() and all(p[1].plain_is_equal(pieces[0][1]) for p in pieces):
        return literal(pieces[0][1].get_constant_val().to_python(), LONG)
    return of_value(value, space.context, space.names, LONG)
