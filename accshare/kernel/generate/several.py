"""Work-groups that run several tiles of a single loop as one: tiles that lie one behind the other, as many as leave
each of the machine's units some groups. Programs find that out when they launch the kernel."""

from __future__ import annotations

from accshare.builtins import SIZE, group_id, maximum, minimum
from accshare.frontend.ir import INT, LONG, Binary, Expr, IntLit, Scalar, Storage, Symbol, Var
from accshare.islexpr import binary, convert, literal, variable
from accshare.kernel.generate.grid import Grid
from accshare.kernel.generate.space import Coordinate, Space, derived
from accshare.kernel.ir import Define, Loop, Stmt
from accshare.kernel.uses import symbols
from accshare.records import replace
from accshare.tree import named, rewrite

#: tiles of a group at most; groups that a unit has at least, so that they balance
MOST_TILES, _EACH = 8, 4


def up_to_last(space: Space, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """`body` with the loop over own iterations up to `last_of`, as it is where more than that loop's bounds depend on
    where a tile begins and ends."""
    (coordinate,) = space.coordinates
    own = [s for s in body if isinstance(s, Loop) and s.own_axis == 0]
    if len(own) != 1 or any(coordinate.symbol in symbols((s,)) for s in (*own[0].body, *body) if s is not own[0]):
        return body
    end = rewrite(own[0].condition, lambda e: variable(_last(coordinate)) if _is_last(coordinate, e) else None)
    used = named(end)
    if _last(coordinate) not in used or coordinate.symbol in used:
        return body
    return tuple(replace(s, condition=end) if s is own[0] else s for s in body)


def of_several(space: Space, where: Grid, body: tuple[Stmt, ...], units: Expr) -> Grid:
    """The grid of a kernel whose groups run several tiles each if its `body` is one up to their last iteration."""
    if len(space.coordinates) != 1 or _last(space.coordinates[0]) not in symbols(body):
        return where
    (coordinate,), (start,) = space.coordinates, where.defines
    type_ = coordinate.symbol.type
    assert isinstance(type_, Scalar)
    tiles, every = (
        replace(derived(coordinate.symbol, name, LONG), storage=Storage.PARAMETER) for name in ("count", "every")
    )
    number, y, z = where.groups
    each = binary("/", number, binary("*", units, literal(_EACH, LONG), LONG), LONG)
    count = maximum(literal(1, LONG), minimum(literal(MOST_TILES, LONG), each, LONG), LONG)
    more = binary("-", binary("+", number, count, LONG), literal(1, LONG), LONG)
    size = literal(coordinate.member.size, INT)
    end = binary("+", variable(coordinate.symbol), binary("*", variable(tiles), size, LONG), LONG)
    behind = convert(_beginning(start, variable(every)), LONG)
    last = convert(binary("-", minimum(end, behind, LONG), literal(1, LONG), LONG), type_)
    begins = _beginning(start, binary("*", group_id(0), variable(tiles), SIZE))
    return replace(
        where,
        groups=(binary("/", more, count, LONG), y, z),
        first=(*where.first, (tiles, count), (every, number)),
        defines=(Define(start.symbol, begins), Define(_last(coordinate), last)),
    )


def _beginning(start: Define, number: Expr) -> Expr:
    """Where the tile of that number begins."""
    return rewrite(start.value, lambda e: number if e == group_id(0) else None)


def _last(coordinate: Coordinate) -> Symbol:
    """The last iteration of a group's tiles, whether it exists or not."""
    assert isinstance(coordinate.symbol.type, Scalar)
    return derived(coordinate.symbol, "last", coordinate.symbol.type)


def _is_last(coordinate: Coordinate, expr: Expr) -> bool:
    """Whether it is the last iteration of a tile."""
    match expr:
        case Binary("+", Var(symbol), IntLit(value)):
            return symbol == coordinate.symbol and value == coordinate.member.size - 1
    return False
