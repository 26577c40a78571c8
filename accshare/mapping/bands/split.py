"""Bands: steps of a loop on the host that launches kernels, many at a time.

Sweeps over more data than a core's cache holds bring all of it from memory in every step. A band of rows runs several
steps at once, each on fewer rows than the one before; a second launch does what is left out between bands, which grows
in the same way (split tiles). Nothing is computed twice and nothing copied, and bands need nothing of one another in
either launch. Where rows are long, a band goes through tiles of their columns, each with all of the steps. These lean
against time (parallelograms), so that a tile needs nothing of those behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from accshare.builtins import maximum, minimum
from accshare.frontend.ir import INT, LONG, Expr, For, IntLit, Storage, Symbol
from accshare.islbuild import at_least, at_most, like, points, within
from accshare.islexpr import binary, length, literal, variable
from accshare.mapping.bands.slopes import Columns, Slopes, Sweep
from accshare.mapping.ir import Ahead
from accshare.pieces import Piece, in_pieces
from accshare.poly.ir import LoopNode, Statement
from accshare.records import dataclass, replace
from accshare.schedule.ir import (
    Band,
    Kernel,
    Member,
    Node,
    Role,
    Schedule,
    Sequence,
    instead,
    source_order,
    statements,
)
from accshare.source import Span

_SET = isl.dim_type.set
_NOWHERE = Span(0, 0)
#: what the two kernels of a band are called
_NARROWING, _WIDENING = "narrowing", "widening"


@dataclass(frozen=True, slots=True)
class Size:
    """So many steps at once in bands of so many rows, in tiles of so many columns along each of the loops that rows are
    cut along."""

    steps: int
    rows: int
    columns: tuple[int, ...] = ()


def by_bands(schedule: Schedule, node: Band, found: Slopes, size: Size) -> Schedule:
    """The schedule with the loop of `node` in bands, whether that is legal or not."""
    cutter = _Cutter(schedule, node.members[0].loop, found, size)
    old = tuple(s for sweep in found.sweeps for s in sweep.kernel.statements)
    parts = [tuple(p for p in cutter.pieces(side) if not p.statement.domain.is_empty()) for side in cutter.sides]
    scop, new = in_pieces(schedule.scop, old, (*parts[0], *parts[1]))
    pieces = new[: len(parts[0])], new[len(parts[0]) :]
    kernels = tuple(cutter.kernel(side, own) for side, own in zip(cutter.sides, pieces, strict=True) if own)
    band = Band((replace(node.members[0], loop=cutter.block),), Sequence(kernels))
    return replace(schedule, scop=scop, tree=instead(schedule.tree, node, band))


def what_is_next(kernel: Kernel, found: Slopes, size: Size) -> Ahead:
    """What a kernel of `by_bands` may ask for: all rows that any of its steps has."""
    if kernel.name.endswith(_NARROWING):
        return Ahead(size.steps, size.rows, 0, size.rows, size.columns)
    most = found.step * (size.steps - 1)
    low, high = (edge.slope * most + max(edge.offsets) for edge in (found.low, found.high))
    return Ahead(size.steps, size.rows, -high, low + high, size.columns)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two launches: of bands, which get narrower, or of what is between them. The loops over these, over the
    tiles of one and over the steps of a tile."""

    name: str
    inwards: bool
    band: LoopNode
    tiles: tuple[LoopNode, ...]
    time: LoopNode


class _Cutter:
    """Loops and statements of a nest in bands."""

    def __init__(self, schedule: Schedule, loop: LoopNode, found: Slopes, size: Size) -> None:
        self._scop = schedule.scop
        self._loop = loop
        self._depth = loop.depth
        self._found = found
        self._size = size
        self._columns = tuple(zip(found.columns, size.columns, strict=False))
        self._added = 2 + len(self._columns)
        self._span = size.steps * loop.loop.step
        assert isinstance(loop.loop.first, IntLit)
        self._start = loop.loop.first.value
        self._next = self._scop.unused_loop
        self.block = self._block()
        self.sides = tuple(self._side(inwards) for inwards in (True, False))

    # --- the loops around steps ---------------------------------------------------------------------------------------

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def _made(self, of: For, suffix: str, first: Expr, relation: str, bound: Expr) -> For:
        """A loop that counts by one, over what one has so many of."""
        name, unique = (f"{one}_{suffix}" for one in (of.iterator.name, of.iterator.unique))
        iterator = Symbol(name, self._scop.unused(unique), of.iterator.type, Storage.INNER)
        own = replace(of, iterator=iterator, directive=None, span=_NOWHERE)
        return replace(own, first=first, relation=relation, bound=bound, step=1)

    def _block(self) -> LoopNode:
        """The loop on the host over so many steps at a time."""
        loop, span = self._loop.loop, literal(self._span, LONG)
        bound = binary("/", _sum(length(loop), self._span - 1), span, LONG)
        domain = self._lifted(self._loop.domain).project_out(_SET, self._depth + 1, self._added)
        return LoopNode(self._number(), self._depth, self._made(loop, "block", literal(0, LONG), "<", bound), domain)

    def _side(self, inwards: bool) -> _Side:
        along = self._found.along.loop
        first = binary("/", along.first, self._rows, INT)
        if isinstance(along.first, IntLit):
            first = literal(along.first.value // self._size.rows, INT)
        rows = self._size.rows - (along.relation == "<")
        bound = binary("/", _sum(along.bound, rows), self._rows, INT)
        loop = self._made(along, "band" if inwards else "edge", first, "<" if inwards else "<=", bound)
        band = LoopNode(self._number(), self._depth + 1, loop, self.block.domain.add_dims(_SET, 1))
        tiles: list[LoopNode] = []
        for columns, width in self._columns:
            tiles.append(self._tiles(columns, width, (band, *tiles)[-1]))
        return _Side(_NARROWING if inwards else _WIDENING, inwards, band, tuple(tiles), self._time())

    def _tiles(self, columns: Columns, width: int, outside: LoopNode) -> LoopNode:
        """The loop over the tiles of a band along some columns."""
        along, edge = columns.along.loop, columns.edge
        first = binary("/", along.first, literal(width, INT), INT)
        if isinstance(along.first, IntLit):
            first = literal(along.first.value // width, INT)
        most = edge.slope * (self._span - self._loop.loop.step) + max(edge.offsets)
        last = _sum(along.bound, most - (along.relation == "<"))
        loop = self._made(along, "tile", first, "<=", binary("/", last, literal(width, INT), INT))
        return LoopNode(self._number(), outside.depth + 1, loop, outside.domain.add_dims(_SET, 1))

    def _time(self) -> LoopNode:
        """The steps of one block."""
        loop, begin = self._loop.loop, self._begin()
        end = _sum(begin, self._span - (loop.relation == "<="))
        made = replace(loop, first=begin, bound=minimum(loop.bound, end, INT), span=_NOWHERE)
        return LoopNode(self._number(), self._depth + self._added, made, self._lifted(self._loop.domain))

    @property
    def _rows(self) -> Expr:
        return literal(self._size.rows, INT)

    def _begin(self) -> Expr:
        """The first step of a block."""
        return _sum(_times(self._span, variable(self.block.iterator)), self._start)

    def _past(self, block: isl.Aff, step: isl.Aff) -> isl.Aff:
        """How far time is in a block."""
        return step - block.scale_val(isl.Val(self._span)).add_constant_val(isl.Val(self._start))

    def _lifted(self, some: isl.Set) -> isl.Set:
        """Instances with their block of steps, any band and any tiles in front of the step."""
        lifted = some.reset_tuple_id().insert_dims(_SET, self._depth, self._added)
        block, *_, step = like(lifted).coordinates[self._depth : self._depth + self._added + 1]
        return lifted.intersect(within(self._past(block, step), 0, self._span))

    # --- what is in them ----------------------------------------------------------------------------------------------

    def pieces(self, side: _Side) -> Iterator[Piece]:
        """What runs in bands, or between them, in the program's order."""
        for number, sweep in enumerate(self._found.sweeps):
            part = self._part(side, number)
            loops = {n.index: self._inside(n, side, sweep, number) for s in sweep.kernel.statements for n in s.loops}
            for statement in sweep.kernel.statements:
                yield self._piece(statement, side, number, part, loops)

    def _part(self, side: _Side, number: int) -> isl.Set:
        """The block, band, tiles, step, row and columns of all that a sweep does."""
        every = points(2 * self._added).coordinates
        (block, band, *tiles, step, row), places = every[: self._added + 2], every[self._added + 2 :]
        past, begin = self._past(block, step), band.scale_val(isl.Val(self._size.rows))
        low, high = (
            past.scale_val(isl.Val(edge.slope)).add_constant_val(isl.Val(edge.offsets[number]))
            for edge in (self._found.low, self._found.high)
        )
        first, behind = (begin + low, begin - high + self._size.rows) if side.inwards else (begin - high, begin + low)
        found = at_least(row, first).intersect(at_most(row - behind, -1))
        for (columns, width), tile, place in zip(self._columns, tiles, places, strict=True):
            edge = columns.edge
            leaning = place + past.scale_val(isl.Val(edge.slope)).add_constant_val(isl.Val(edge.offsets[number]))
            found = found.intersect(within(leaning, tile.scale_val(isl.Val(width)), width))
        return found

    def _inside(self, loop: LoopNode, side: _Side, sweep: Sweep, number: int) -> LoopNode:
        """A loop around statements in its new place."""
        if loop.depth <= self._depth:
            return loop
        own = replace(loop.loop, span=_NOWHERE)
        if loop == sweep.along:
            first, behind = self._bounds(side, number)
            last = _sum(behind, -(own.relation == "<="))
            own = replace(own, first=maximum(own.first, first, INT), bound=minimum(own.bound, last, INT))
        for (columns, width), tile in zip(self._columns, side.tiles, strict=True):
            if loop == columns.sweeps[number].along:
                edge = columns.edge
                leaning = _sum(_times(edge.slope, self._past_in_c()), edge.offsets[number])
                first = binary("-", _times(width, variable(tile.iterator)), leaning, INT)
                last = _sum(first, width - (own.relation == "<="))
                own = replace(own, first=maximum(own.first, first, INT), bound=minimum(own.bound, last, INT))
        return LoopNode(self._number(), loop.depth + self._added, own, self._lifted(loop.domain))

    def _past_in_c(self) -> Expr:
        return binary("-", variable(self._loop.iterator), self._begin(), INT)

    def _bounds(self, side: _Side, number: int) -> tuple[Expr, Expr]:
        """The first row that a sweep has of a band, and the one behind the last."""
        past = self._past_in_c()
        low, high = (
            _sum(_times(edge.slope, past), edge.offsets[number]) for edge in (self._found.low, self._found.high)
        )
        begin = _times(self._size.rows, variable(side.band.iterator))
        if side.inwards:
            return binary("+", begin, low, INT), binary("-", _sum(begin, self._size.rows), high, INT)
        return binary("-", begin, high, INT), binary("+", begin, low, INT)

    def _piece(
        self, statement: Statement, side: _Side, number: int, part: isl.Set, inside: dict[int, LoopNode]
    ) -> Piece:
        depth, sweep = self._depth, self._found.sweeps[number]
        outside = (*statement.loops[:depth], self.block, side.band, *side.tiles, side.time)
        loops = (*outside, *(inside[loop.index] for loop in statement.loops[depth + 1 :]))
        name = _piece_name(statement, side.name)
        lifted = self._lifted(statement.domain).set_tuple_name(name)
        every = like(lifted)
        back = every.to((*every.coordinates[:depth], *every.coordinates[depth + self._added :]), statement.name)
        place = every.to(every.coordinates[depth : depth + self._added + 1])
        for one in (sweep, *(columns.sweeps[number] for columns, _ in self._columns)):
            place = place.flat_range_product(back.apply_range(one.rows[statement.name]))
        domain = lifted.intersect(part.apply(place.reverse())).coalesce()
        own = replace(statement, name=name, loops=loops, domain=domain)
        return Piece(own, statement.name, back.intersect_domain(domain))

    def kernel(self, side: _Side, inside: tuple[Statement, ...]) -> Kernel:
        """The kernel that runs some pieces: for each band all of its steps."""
        first = self._found.sweeps[0].kernel
        private = frozenset(name for sweep in self._found.sweeps for name in sweep.kernel.private)
        child = Band((Member(side.band, Role.GRID),), self._in_no_order(source_order(inside, self._depth + 2), side))
        host = (*first.host[:-1], self.block)
        return Kernel(f"{first.name}_{side.name}", host, child, private, (), first.span)

    def _in_no_order(self, node: Node, side: _Side) -> Node:
        """What a band runs, with the axes of the loops that were a grid's: their iterations have no order."""
        if isinstance(node, Sequence):
            return Sequence(tuple(self._in_no_order(child, side) for child in node.children))
        if not isinstance(node, Band):
            return node
        axes = self._axes(statements(node)[0], side)
        own = tuple(
            replace(m, axis=axes[m.loop.depth], coincident=True) if m.loop.depth in axes else m for m in node.members
        )
        return Band(own, self._in_no_order(node.child, side))

    def _axes(self, piece: Statement, side: _Side) -> dict[int, int]:
        """The axes of grids that the loops around a piece are, by their depth."""
        kernels = (sweep.kernel for sweep in self._found.sweeps)
        names = ((_piece_name(s, side.name), kernel) for kernel in kernels for s in kernel.statements)
        kernel = next(kernel for name, kernel in names if name == piece.name)
        return {m.loop.depth + self._added: m.axis for m in kernel.grid if m.loop.loop.step == 1}


def _piece_name(statement: Statement, side: str) -> str:
    return f"{statement.name}_{side}"


# --- bounds in C: the host computes those of blocks, the others are for people to read ------------------------------


def _sum(expr: Expr, more: int) -> Expr:
    type_ = LONG if expr.type == LONG else INT
    return binary("+", expr, literal(more, type_), type_)


def _times(factor: int, expr: Expr) -> Expr:
    return literal(0, INT) if factor == 0 else binary("*", literal(factor, INT), expr, INT)
