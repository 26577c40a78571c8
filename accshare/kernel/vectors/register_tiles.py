"""Register tiles on a CPU: a work-item runs some rows and columns of its tile at once, columns in vectors.

The loops over a tile become loops over register tiles, and remainder loops run in ever smaller ones. In one, each
run of statements between loops is done for all its iterations before the next (unroll and jam), so that their
accumulators stay in registers and what they load serves them all. Iterations of mapped loops do not depend on one
another, which is all this asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Conditional,
    Expr,
    IntLit,
    Symbol,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.space import Space, derived
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, each, parts, within
from accshare.kernel.passes.inlining import with_calls_inlined
from accshare.kernel.passes.widening import widened
from accshare.kernel.uses import loaded, stored, symbols
from accshare.kernel.vectors.cache_sets import conflicts_where
from accshare.kernel.vectors.inner import Vectors, free_loops
from accshare.kernel.vectors.lanes import NotVector
from accshare.kernel.vectors.neighbours import Shifted, shifted
from accshare.kernel.vectors.overlapped import overlapped
from accshare.kernel.vectors.padding import Room
from accshare.kernel.vectors.peeling import past
from accshare.kernel.vectors.ragged import without_certain
from accshare.kernel.vectors.results import combined_by
from accshare.kernel.vectors.shape import Accumulators, Rows, Shape, own_arrays
from accshare.kernel.vectors.strips import after_strips, at_least, last_of, overlapped_epilogue, scalar_of, strided
from accshare.kernel.vectors.triangles import triangle
from accshare.mapping.ir import CacheSetConflict, RegisterTile
from accshare.pragma.ir import ReductionOp
from accshare.records import dataclass, replace
from accshare.reference import strip
from accshare.schedule.ir import row_results
from accshare.source import Span
from accshare.tree import expressions

_NOWHERE = Span(0, 0)
#: the narrowest vectors that are worth their instructions
_NARROWEST = 4
#: by how many lines of a cache rows that change may miss those that they crowd out: these are stored and loaded
_IN_PLACE = 4
#: how much narrower each remainder loop is than the one before, in rows that are left over
_COARSE = 4


def in_register_tiles(
    stmts: tuple[Stmt, ...], space: Space, tile: RegisterTile, room: Room | None = None
) -> tuple[tuple[Stmt, ...], RegisterTile]:
    """`stmts` with the loops over own iterations in tiles, as they are where that can't be, and the tile that it
    became. Arrays that have `room` need no remainder loops over columns."""
    results = space.rows.member.size if space.rows else 1
    accumulators = {row_results(r.variable, results): r.op for r in space.partition.nest.reductions}
    flat = tuple(map(without_certain, with_calls_inlined(stmts, space.scop.region.functions)))
    if tile.reduction:
        inner = tile.reduction
        rows = RegisterTile(inner.rows, inner.columns, 1)
        wide = _RegisterTiles(rows, accumulators, True, Vectors(inner, free_loops(space)), None)
        body = wide.all_of(flat, "")
        if body != flat:
            return body, tile
    tile = replace(tile, reduction=None)
    body = _RegisterTiles(tile, accumulators, tile.flat, None, room and room.after(flat)).all_of(flat, "")
    return (stmts if body == flat else body), tile


@dataclass(frozen=True, slots=True)
class _RegisterTiles:
    """Puts the loops over own columns and rows in tiles, those without loops inside only if they are to be `flat`
    ones. All iterations combine into the variables in `parts`."""

    tile: RegisterTile
    parts: Mapping[Symbol, ReductionOp]
    flat: bool
    inner: Vectors | None
    room: Room | None

    def all_of(self, stmts: tuple[Stmt, ...], path: str) -> tuple[Stmt, ...]:
        """Each in its turn; `path` tells what is declared for one from what is for others."""
        several = len(stmts) > 1
        return tuple(s for k, stmt in enumerate(stmts) for s in self.one(stmt, f"{path}{k}" if several else path))

    def one(self, stmt: Stmt, path: str) -> tuple[Stmt, ...]:
        """A statement, its loops in register tiles if need be of single rows."""
        match stmt:
            case Loop() if stmt.own_axis in (0, 1) and not (self.flat or _is_deep(stmt)):
                return (self._set(stmt, path),)
            case Loop(body=(*before, Loop() as columns)) if (
                stmt.own_axis == 1 and columns.own_axis == 0 and all(map(_is_name, before))
            ):
                return self._nest(stmt, columns, path)
            case Loop() if stmt.own_axis == 0:
                for tile in self._sizes(self.tile):
                    try:
                        return _side_by_side(stmt, tile, self.parts, path, self.inner)
                    except NotVector:
                        continue
                return (stmt,)
            case Loop(body=body):
                return _around(replace(stmt, body=self.all_of(body, path)))
            case Guarded(then=then, other=other):
                return (replace(stmt, then=self.all_of(then, f"{path}t"), other=self.all_of(other, f"{path}e")),)
        return (stmt,)

    def _set(self, stmt: Loop, path: str) -> Loop:
        """Loops without others inside, in whole tiles where they only give a value to arrays that have room."""
        match stmt:
            case Loop(body=(*before, Loop() as columns)) if self.room and stmt.own_axis == 1 and columns.own_axis == 0:
                if self.room.takes(columns):
                    shape = Shape(columns.iterator, 1, self.tile.lanes, Rows(), Accumulators({}, 1, 1, path), False)
                    return replace(
                        stmt,
                        body=(
                            *before,
                            self.room.whole(columns, self.tile.lanes, shape.body(columns.body, columns.iterator)),
                        ),
                    )
        return stmt

    def _nest(self, stmt: Loop, columns: Loop, path: str) -> tuple[Stmt, ...]:
        """Loops over rows and columns, those of a stencil in functions that sweeps share which are the same."""
        square = self.tile.rows == self.tile.lanes > 1
        if not _is_flat(columns) or (self.tile.conflict is None and not square):
            return self._in_rows(stmt, self.tile, path)
        loop = widened(stmt, (stmt.iterator, columns.iterator))
        if self.tile.conflict is None:
            return self._in_rows(loop, self.tile, path)
        try:
            bounds, loop = _with_named_bounds(loop, path)
        except NotVector:
            return (loop,)
        some = Binary("<=", loop.first, last_of(loop), INT, _NOWHERE)
        return *bounds, Guarded(some, self._stencil(loop, self.tile.conflict, path), apart=True)

    def _stencil(self, loop: Loop, conflict: CacheSetConflict, path: str) -> tuple[Stmt, ...]:
        """The loops of a stencil over rows and columns, fewer rows where those crowd each other out of a cache."""
        tile = self.tile
        *_, inner = loop.body
        assert isinstance(inner, Loop)
        if not _is_stencil(inner):
            return self._in_rows(loop, tile, path)
        condition = conflicts_where(inner.body, loop.iterator, inner.iterator, conflict, tile.lanes)
        fewer = replace(tile, rows=conflict.rows, vectors=conflict.vectors)
        if isinstance(condition, IntLit) or fewer.rows == tile.rows:
            apart = fewer.rows == tile.rows or condition == literal(0, INT)
            return self._in_rows(loop, tile if apart else fewer, path)
        name = Define(derived(loop.iterator, f"conflict{path}", INT), condition)
        known = variable(name.symbol)
        match self._in_rows(loop, fewer, path), self._in_rows(loop, tile, path):
            case (Guarded(some, little, single),), (Guarded(enough, many, rest),) if single == rest:
                free = binary("==", known, literal(0, INT), INT)
                wide = Guarded(binary("&&", free, enough, INT), many, rest)
                return name, Guarded(binary("&&", known, some, INT), little, (wide,))
            case little, many:
                return name, Guarded(known, little, many)

    def _in_rows(self, loop: Loop, tile: RegisterTile, path: str) -> tuple[Stmt, ...]:
        """Register tiles of as many rows, smaller ones where that can't be; the loop itself where none can."""
        for size in self._sizes(tile):
            try:
                return _rows(loop, size, self.parts, path, self.inner, self.room)
            except NotVector:
                continue
        return (loop,)

    def _sizes(self, tile: RegisterTile) -> Iterator[RegisterTile]:
        """The register tiles to try, large ones first."""
        yield tile
        if tile.rows > 1:
            yield replace(tile, rows=1)
        if self.inner and tile.vectors > 1:
            yield replace(tile, rows=1, vectors=1)


def _around(stmt: Loop) -> tuple[Stmt, ...]:
    """A loop that does nothing but what is best `apart`, between bounds that stay the same, together with that: it may
    do little each time."""
    match stmt.body:
        case (*bounds, Guarded(_, then, (), apart=True) as inside) if all(isinstance(b, Define) for b in bounds):
            if stmt.iterator not in symbols((*bounds, replace(inside, then=()))):
                return *bounds, replace(inside, then=(replace(stmt, body=then),))
    return (stmt,)


def _with_named_bounds(loop: Loop, path: str) -> tuple[list[Define], Loop]:
    """Loops over rows and columns between numbers that have names: what they do is the same then wherever they stand.
    Raises `NotVector` where a condition does not tell the last iteration."""
    *before, columns = loop.body
    assert isinstance(columns, Loop)
    own = {loop.iterator, *(s.symbol for s in before if isinstance(s, Define))}
    bounds: list[Define] = []

    def named(bound: Expr, iterator: Symbol, name: str) -> Expr:
        if isinstance(bound, IntLit) or _mentions(bound, own):
            return bound
        bounds.append(Define(derived(iterator, f"{name}{path}", LONG), bound))
        return variable(bounds[-1].symbol)

    def between(one: Loop) -> Loop:
        first, last = named(one.first, one.iterator, "low"), named(last_of(one), one.iterator, "high")
        return replace(one, first=first, condition=Binary("<=", variable(one.iterator), last, INT, _NOWHERE))

    loop = between(loop)
    return bounds, replace(loop, body=(*before, between(columns)))


def _is_deep(loop: Loop) -> bool:
    """Whether it has loops inside, other than one over columns or rows alone."""
    return sum(isinstance(part, Loop) for part in parts(loop)) > 2


def _is_stencil(columns: Loop) -> bool:
    """Whether an iteration runs short loops at most and may run twice."""
    return _is_flat(columns) and _repeatable(columns.body)


def _is_flat(columns: Loop) -> bool:
    """Whether an iteration runs short loops at most."""
    return all(map(_is_short, columns.body))


def _is_name(stmt: Stmt) -> bool:
    """Whether it only gives a value of the iterator a name."""
    return isinstance(stmt, Define) and not stmt.mutable and isinstance(strip(stmt.value), Var)


def _rows(
    loop: Loop,
    tile: RegisterTile,
    accumulators: Mapping[Symbol, ReductionOp],
    path: str,
    inner: Vectors | None,
    room: Room | None,
) -> tuple[Stmt, ...]:
    """Register tiles of rows, then single rows. Raises `NotVector`."""
    *before, columns = loop.body
    assert isinstance(columns, Loop)
    combined = not accumulators.keys().isdisjoint(symbols(columns.body))
    if room is not None and inner is None and not combined:
        filled = room.padding(columns, loop, tile.vectors * tile.lanes, tile.lanes)
        if filled is not None:
            return (*filled, *_whole(loop, columns, tile, path, max(1, tile.lanes // room.halves)))
        across = _across(loop, columns, tile, path, room)
        if across is not None:
            return across
    if tile.rows == 1:
        return (replace(loop, body=(*before, *_side_by_side(columns, tile, accumulators, path, inner))),)
    fixed = {loop.iterator, *(d.symbol for d in before if isinstance(d, Define))}
    if any(_mentions(e, fixed) for e in (columns.first, columns.condition)):
        raise NotVector
    high, type_ = last_of(loop), scalar_of(loop.iterator)
    start = derived(loop.iterator, "block", type_)
    rows = Rows(loop.iterator, start, tile.rows, tuple(before))
    if tile.conflict and _is_flat(columns) and not _repeatable(columns.body) and not combined:
        return _in_place(loop, columns, rows, tile, path)
    many = _columns(columns, rows, tile, accumulators, path, inner)
    narrow = replace(tile, vectors=1) if tile.conflict else tile
    single = (*before, *_columns(columns, Rows(), narrow, accumulators, path, inner))
    if _repeatable(columns.body) and not combined:
        enough = at_least(loop.first, high, tile.rows)
        match many:
            case (Guarded(wide, then, _),) if _is_flat(columns):  # a short remainder loop
                enough, many = binary("&&", enough, wide, INT), then
        whole = overlapped_epilogue(loop, start, loop.first, high, tile.rows, many)
        few: tuple[Stmt, ...] = (replace(loop, unroll=1, body=single),)
        if tile.conflict is None and tile.rows == tile.lanes > _NARROWEST and not inner:  # in smaller squares
            half = replace(tile, rows=tile.rows // 2, lanes=tile.lanes // 2)
            few = _rows(loop, half, accumulators, path, inner, room)
        return (Guarded(enough, (whole,), few),)
    rest = derived(loop.iterator, f"rest{path}", type_)
    return (
        replace(strided(loop, start, loop.first, high, tile.rows), body=many),
        Define(rest, after_strips(loop.first, high, tile.rows, type_)),
        replace(loop, first=variable(rest), unroll=1, body=single),
    )


def _in_place(loop: Loop, columns: Loop, rows: Rows, tile: RegisterTile, path: str) -> tuple[Stmt, ...]:
    """Rows whose columns run once each: as many of them as fit in register tiles, then the rows and after that the
    columns that are left, unless these can be in whole vectors, too. Raises `NotVector`."""
    type_, end, column = scalar_of(loop.iterator), last_of(columns), scalar_of(columns.iterator)
    width = tile.vectors * tile.lanes
    start, conflict = rows.start, tile.conflict
    assert start is not None
    assert conflict is not None
    crowded = conflicts_where(columns.body, loop.iterator, columns.iterator, conflict, tile.lanes, _IN_PLACE)
    none = binary("-", loop.first, literal(1, INT), type_)
    together = Define(derived(loop.iterator, f"together{path}", type_), _either(crowded, none, last_of(loop)))
    high = variable(together.symbol)

    def whole(some: Rows) -> Loop:
        begin = columns.iterator if tile.vectors == 1 else derived(columns.iterator, "block", column)
        shape = Shape(columns.iterator, tile.vectors, tile.lanes, some, Accumulators({}, 1, 1, path), False)
        return replace(strided(columns, begin, columns.first, end, width), body=shape.body(columns.body, begin))

    def narrower(first: Expr) -> tuple[Stmt, ...]:
        few = _columns(replace(columns, first=first), Rows(), narrow, {}, path, None)
        few = tuple(replace(s, remainder=True) if isinstance(s, Loop) and s.step == 1 else s for s in few)
        return (replace(loop, unroll=1, body=(*rows.names, *few)),)

    def each(many: tuple[Stmt, ...], single: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        rest = derived(loop.iterator, f"rest{path}", type_)
        return (
            together,
            replace(strided(loop, start, loop.first, high, tile.rows), body=many),
            Define(rest, after_strips(loop.first, high, tile.rows, type_)),
            replace(loop, first=variable(rest), unroll=1, body=(*rows.names, *single)),
        )

    narrow = RegisterTile(1, 1, min(tile.lanes, _NARROWEST) if width > _NARROWEST else 1)
    several, one = whole(rows), whole(Rows())
    if tile.vectors == 1:
        single = replace(rows, start=loop.iterator, count=1)
        pairs = ((rows, several.body), (single, one.body))
        many, few = (overlapped(columns, one.body, body, some, end, width, path) for some, body in pairs)
        if many and few:
            enough = at_least(columns.first, end, width)
            return (Guarded(enough, each(many, few), narrower(columns.first)),)
    left = derived(columns.iterator, f"from{width}{path}", column)
    return (
        *each((several,), (one,)),
        Define(left, after_strips(columns.first, end, width, column)),
        *narrower(variable(left)),
    )


def _either(condition: Expr, one: Expr, other: Expr) -> Expr:
    """One of them, known where the condition is."""
    if isinstance(condition, IntLit):
        return one if condition.value else other
    return Conditional(condition, one, other, LONG, _NOWHERE)


def _whole(loop: Loop, columns: Loop, tile: RegisterTile, path: str, narrowest: int) -> tuple[Stmt, ...]:
    """Rows of register tiles on arrays that have room for whole ones. Raises `NotVector`."""
    *before, _ = loop.body
    if tile.rows == 1:
        return (replace(loop, body=(*before, *_ended(columns, Rows(), tile, path, narrowest))),)
    fixed = {loop.iterator, *(d.symbol for d in before if isinstance(d, Define))}
    if any(_mentions(e, fixed) for e in (columns.first, columns.condition)):
        raise NotVector
    high, type_ = last_of(loop), scalar_of(loop.iterator)
    start, rest = (derived(loop.iterator, name, type_) for name in ("block", f"rest{path}"))
    many = _ended(columns, Rows(loop.iterator, start, tile.rows, tuple(before)), tile, path, narrowest)
    single = (*before, _strips(columns, Rows(), (tile.vectors, tile.lanes), path, columns.first, 0))
    return (
        replace(strided(loop, start, loop.first, high, tile.rows), body=many),
        Define(rest, after_strips(loop.first, high, tile.rows, type_)),
        replace(loop, first=variable(rest), unroll=1, body=single),
    )


def _across(loop: Loop, columns: Loop, tile: RegisterTile, path: str, room: Room) -> tuple[Stmt, ...] | None:
    """Rows of register tiles that stand across the ends of rows; None where that is not proved. Raises `NotVector`."""
    *before, _ = loop.body
    narrowest = max(1, tile.lanes // room.halves)
    if before or loop.step != 1 or tile.lanes == 1 or room.columns % (tile.vectors * tile.lanes):
        return None
    found = triangle(loop, columns, room, narrowest)
    if found is None:
        return None
    rows, row = found.rows, variable(loop.iterator)
    single = replace(rows, unroll=1, body=_ended(found.across(row, row), Rows(), tile, path, narrowest))
    body: tuple[Stmt, ...] = (single,)
    if tile.rows > 1:
        high, type_ = last_of(rows), scalar_of(loop.iterator)
        start, rest = (derived(loop.iterator, name, type_) for name in ("block", f"rest{path}"))
        last = binary("+", variable(start), literal(tile.rows - 1, INT), type_)
        block = found.across(variable(start), last)
        many = _ended(block, Rows(loop.iterator, start, tile.rows), tile, path, narrowest)
        body = (
            replace(strided(rows, start, rows.first, high, tile.rows), body=many),
            Define(rest, after_strips(rows.first, high, tile.rows, type_)),
            replace(single, first=variable(rest)),
        )
    body = (*found.filled, *body)
    return body if found.exists is None else (Guarded(found.exists, body),)


def _ended(loop: Loop, rows: Rows, tile: RegisterTile, path: str, narrowest: int) -> tuple[Stmt, ...]:
    """Columns in as few of the tile's vectors as will do, the last one of `narrowest` lanes if these are enough."""
    widths = [(tile.vectors, tile.lanes), (1, tile.lanes), (1, narrowest)]
    result: list[Stmt] = []
    first, type_ = loop.first, scalar_of(loop.iterator)
    shifted = binary("+", last_of(loop), literal(narrowest - 1, INT), type_)
    for vectors, lanes in dict.fromkeys(widths):
        width = vectors * lanes
        result.append(_strips(loop, rows, (vectors, lanes), path, first, width - narrowest))
        if width > narrowest:
            rest = derived(loop.iterator, f"from{width}{path}", type_)
            result.append(Define(rest, after_strips(first, shifted, width, type_)))
            first = variable(rest)
    return tuple(result)


def _strips(loop: Loop, rows: Rows, shape: tuple[int, int], path: str, first: Expr, left: int) -> Loop:
    """Columns in tiles of that shape, vectors and lanes, from `first` on, as long as more than so many are `left`."""
    vectors, lanes = shape
    start = loop.iterator if vectors == 1 else derived(loop.iterator, "block", scalar_of(loop.iterator))
    tile = Shape(loop.iterator, vectors, lanes, rows, Accumulators({}, vectors, lanes, path), False)
    more = at_least(variable(start), last_of(loop), left + 1)
    body = tile.body(loop.body, start)
    step, apart = vectors * lanes, True
    return replace(loop, iterator=start, first=first, condition=more, step=step, unroll=1, body=body, apart=apart)


def _side_by_side(
    loop: Loop, tile: RegisterTile, accumulators: Mapping[Symbol, ReductionOp], path: str, inner: Vectors | None
) -> tuple[Stmt, ...]:
    """Columns of a single row; those that have vectors along loops inside only where these are long. Raises
    `NotVector`."""
    many = _columns(loop, Rows(), tile, accumulators, path, inner)
    enough = inner.enough(loop) if inner and tile.vectors > 1 else None
    if enough is None:
        return many
    alone = _columns(loop, Rows(), replace(tile, vectors=1), accumulators, path, inner)
    match many:
        case (Guarded(wide, then, _),):
            return (Guarded(binary("&&", enough, wide, INT), then, alone),)
    return (Guarded(enough, many, alone),)


def _columns(
    loop: Loop,
    rows: Rows,
    tile: RegisterTile,
    accumulators: Mapping[Symbol, ReductionOp],
    path: str,
    inner: Vectors | None,
) -> tuple[Stmt, ...]:
    """Register tiles of columns, wide ones first, each as far as they go. Raises `NotVector`."""
    used = {symbol: op for symbol, op in accumulators.items() if symbol in symbols(loop.body)}
    results = combined_by(loop, rows.count, used)
    if used and rows.count > 1:
        tile = replace(tile, vectors=max(1, tile.vectors // rows.count))  # as many additions are in flight
    high, first, type_ = last_of(loop), loop.first, scalar_of(loop.iterator)
    result: list[Stmt] = []
    overlaps = not used and _repeatable(loop.body)
    stencil = tile.conflict is not None and _is_stencil(loop)
    one = Shape(loop.iterator, 1, tile.lanes, rows, Accumulators({}, 1, tile.lanes, path), stencil, inner)
    if stencil and tile.vectors > 1 and _beside(loop, one):
        tile = replace(tile, vectors=1)  # a line of the cache is used up by one already
    step = _COARSE if rows.count < tile.rows else 2
    for vectors, lanes in _widths(tile, bool(used), overlaps or rows.count == tile.lanes, step):
        width = vectors * lanes
        start = loop.iterator if vectors == 1 else derived(loop.iterator, "block", type_)
        held = Accumulators(results.ops, vectors, lanes, path, rows if used else Rows(), results.places)
        shape = Shape(loop.iterator, vectors, lanes, rows, held, stencil, inner)
        if width * rows.count == 1 and not inner:
            body = tuple(map(_kept, loop.body))
            result.append(replace(loop, first=first, unroll=1, body=body, remainder=bool(result)))
        elif overlaps and lanes == tile.lanes and (stencil or 1 in (vectors, lanes)) and width > 1:
            body = shape.body(loop.body, start)
            early = past(loop, rows, high, width, lanes) if stencil else None
            whole = overlapped_epilogue(loop, start, first, high, width, body, early.symbol if early else None)
            narrower = RegisterTile(rows.count, 1, lanes if vectors > 1 else 1)
            few = _columns(replace(loop, first=first), rows, narrower, accumulators, path, inner)
            few = tuple(replace(s, remainder=True) if isinstance(s, Loop) else s for s in few)
            many: tuple[Stmt, ...] = (early, whole) if early else (whole,)
            if stencil and vectors == 1:
                many = _shifted(loop, shape, high, body) or many
            return (*result, Guarded(at_least(loop.first, high, width), many, few))
        else:
            strips = replace(strided(loop, start, first, high, width), body=shape.body(results.body, start))
            result += (*shape.parts.before, strips, *shape.parts.after)
            if width > 1:
                rest = derived(loop.iterator, f"from{width}{path}", type_)
                result.append(Define(rest, after_strips(first, high, width, type_)))
                first = variable(rest)
    return tuple(result)


def _shifted(loop: Loop, shape: Shape, high: Expr, last: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Register tiles of one vector a row that find what the one before has loaded; the `last` one, which ends where the
    loop ends, loads everything itself. Nothing where that is no shorter. Raises `NotVector`."""
    column, lanes, type_ = loop.iterator, shape.lanes, scalar_of(loop.iterator)
    found = _beside(loop, shape)
    if found is None:
        return ()
    rest = derived(column, "rest", type_)
    place = Define(column, binary("-", high, literal(lanes - 1, INT), type_))
    once = tuple(replace(s, unroll=0) if isinstance(s, Loop) else s for s in last)
    return (
        *found.before,
        replace(strided(loop, column, loop.first, high, lanes), body=found.body),
        Define(rest, after_strips(loop.first, high, lanes, type_)),
        Guarded(at_least(variable(rest), high, 1), (place, *once)),
    )


def _beside(loop: Loop, shape: Shape) -> Shifted | None:
    """What tiles of one vector a row find of those before them; None where that is no shorter. Raises `NotVector`."""
    if shape.rows.row is None:
        return None
    return shifted(replace(shape, rows=Rows()).body(loop.body, loop.iterator), shape.rows, loop.iterator, loop.first)


def _widths(tile: RegisterTile, combines: bool, few: bool, step: int) -> Iterator[tuple[int, int]]:
    """Vectors and lanes of the register tiles of columns, a `step`-th part of the one before; `few` of
    them where remainder loops don't matter."""
    if tile.vectors > 1:
        yield tile.vectors, tile.lanes
    lanes = 1 if combines and tile.vectors > 1 else tile.lanes
    while lanes >= _NARROWEST:
        yield 1, lanes
        lanes = 1 if combines or few or lanes == _NARROWEST else max(lanes // step, _NARROWEST)
    yield 1, 1


def _is_short(stmt: Stmt) -> bool:
    """Whether its loops run a few times each."""
    return all(part.unroll > 1 for part in parts(stmt) if isinstance(part, Loop))


def _kept(stmt: Stmt) -> Stmt:
    """Its loops as they are, for code that hardly runs."""
    if isinstance(stmt, Loop):
        stmt = replace(stmt, unroll=0 if _is_short(stmt) else stmt.unroll)
    return within(stmt, each(_kept))


def _mentions(expr: Expr, fixed: set[Symbol]) -> bool:
    return any(isinstance(e, Var) and e.symbol in fixed for e in expressions(expr))


def _repeatable(stmts: tuple[Stmt, ...]) -> bool:
    """Whether an iteration may run twice: the buffers that it writes are not read."""
    return stored(stmts) & loaded(stmts) <= set(own_arrays(stmts))
