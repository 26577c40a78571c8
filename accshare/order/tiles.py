"""Tiles of fronts: many fronts of two loops in each launch (WAVE III).

What counts fronts, and one of the two iterators, are hyperplanes along which no dependence leads back (3): so many
fronts of so many iterations of that loop are a tile, which runs as a whole. A loop on the host goes from one front of
tiles to the next, and tiles of one need nothing of one another. Fronts within a tile are as long as each other, since
they are counted by a function that grows with every dependence (4).
"""

from __future__ import annotations

import islpy as isl

from accshare.device.model import Device
from accshare.frontend.ir import INT, LONG, Binary, Cast, Expr, Scalar, Storage, Subscript, Symbol, Var
from accshare.islbuild import points, within
from accshare.islexpr import binary, literal, variable
from accshare.order.bounds import counting, passed
from accshare.order.facts import Facts
from accshare.order.hyperplanes import distances_of, is_hyperplane
from accshare.order.ir import Step, Word
from accshare.order.lines import references
from accshare.order.moved import moved
from accshare.order.nests import shared
from accshare.order.remade import Remade
from accshare.poly.ir import LoopNode, Statement
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import rewrite

_SET = isl.dim_type.set
_NOWHERE = Span(0, 0)
#: vectors, or warps, of a front in a tile at least: what one iteration needs of another is then ready when the next
#: front begins; and iterations: the fewer there are the more fronts a tile has, and the fewer tiles run at once
_VECTORS, _WIDTH = 4, 64
#: iterations of a tile for each cycle of a launch: an iteration takes about one, and a launch little beside a tile
_PER_CYCLE = 8
#: bytes of the nearest cache for each front of a tile, and fronts at most where it is not known
_PART, _MOST = 16, 2048


@dataclass(frozen=True, slots=True)
class Tile:
    """So many fronts, and so many iterations of the loop that stays inside, which count up from one tile to the next,
    or down where `sign` is -1. A tile goes from front to front, or has these loops the other way around, by `rows`."""

    fronts: int
    inside: int
    sign: int = 1
    rows: bool = False


def tile_for(facts: Facts, fronts: Remade, device: Device) -> Tile | None:
    """The tiles that suit a nest in fronts on a device: so wide that its vectors have something to do, and so many
    fronts that a launch takes little beside a tile. None where no tiles are known to be legal."""
    step = fronts.steps[-1]
    kept = step.result[1]
    skewed = _skewed(fronts)
    if len(fronts.steps) > 1 or any(len(s.loops) > kept.depth + 1 for s in skewed):
        return None
    between = shared(facts, step.parts[0], step.loops)
    distances = [distances_of(d.relation, step.loops[0].depth, facts.scop.context) for d in between]
    rows = kept.index == step.loops[0].index
    sign = next((sign for sign in (1, -1) if is_hyperplane(distances, (sign, 0) if rows else (0, sign))), None)
    if sign is None:
        return None
    inside = max(_WIDTH, _VECTORS * device.simd_width)
    most = max(inside, device.l1_bytes // _PART) if device.l1_bytes else _MOST
    wanted = max(inside, min(most, _PER_CYCLE * device.launch_cycles // inside))
    near = all(r.is_near(kept) for s in skewed for r in references(s) if r.moves(kept))
    return Tile(1 << (wanted - 1).bit_length(), inside, sign, rows and not near and not device.lockstep)


def _skewed(fronts: Remade) -> tuple[Statement, ...]:
    """The statements of a nest that are in fronts: others may stand beside these, in loops around them."""
    kept = fronts.steps[-1].result[1]
    return tuple(s for s in fronts.statements if any(loop.index == kept.index for loop in s.loops))


def in_tiles(fronts: Remade, tile: Tile, *, bounded: bool = True) -> Remade:
    """A nest that `order.waves` has put in fronts, in tiles of these, whether that is legal or not. Unless `bounded`,
    it is good for nothing but to tell what it takes: its loops have other bounds, which are most of the work."""
    return _Tiler(fronts, tile, bounded=bounded).tiled()


class _Tiler:
    """Loops and statements of a nest in tiles of fronts."""

    def __init__(self, fronts: Remade, size: Tile, *, bounded: bool) -> None:
        self._fronts, self._scop, self._size = fronts, fronts.scop, size
        self._bounded = bounded
        self._step = fronts.steps[-1]
        self._front, self._kept = self._step.result
        self._depth = self._front.depth
        self._numbers = self._scop.unused_loop
        name = f"{self._kept.iterator.name}_inside"
        self._symbols = tuple(
            Symbol(one, self._scop.unused(one), LONG, Storage.INNER) for one in ("wave", "tile", "front", name)
        )
        self._made: dict[int, LoopNode] = {}
        self._skewed = _skewed(fronts)
        self._around = self._skewed[0].loops[: self._depth]
        self._four = self._loops_made()

    def tiled(self) -> Remade:
        """The region in tiles."""
        scop, inside = moved(self._scop, self._skewed, self._map, self._loops, self._inserted)
        values = tuple(literal(n, LONG) for n in (self._size.fronts, self._size.inside))
        parts = (inside,)
        skewed = replace(self._step, parts=parts)
        step = Step(Word.TILED, (self._kept,), parts, self._four, values=values)
        names = {s.name for s in self._fronts.statements}
        statements = tuple(s for s in scop.statements if s.name in names)
        return Remade(scop, statements, (*self._fronts.steps[:-1], skewed, step))

    def _inserted(self, expr: Expr) -> Expr | None:
        """What the number of a front and the iterator of the other loop are in terms of the new ones."""
        if isinstance(expr, Subscript):
            index = _in_long(rewrite(expr.index, self._inserted))
            return replace(expr, base=rewrite(expr.base, self._inserted), index=index)
        if not isinstance(expr, Var):
            return None
        _, tile, front, inside = map(variable, self._symbols)
        size = self._size
        if expr.symbol == self._front.iterator:
            return binary("+", self._begin, front, LONG)
        if expr.symbol == self._kept.iterator:
            value = binary("+", binary("*", literal(size.inside, LONG), tile, LONG), inside, LONG)
            if size.sign < 0:
                value = binary("-", literal(0, LONG), value, LONG)
            type_ = self._kept.iterator.type
            assert isinstance(type_, Scalar)
            return value if type_ == LONG else Cast(value, type_, False, expr.span)
        return None

    def _map(self, some: isl.Set) -> isl.Map:
        """From the old iterators to the new ones."""
        depth, size = self._depth, self._size
        every = points(some.dim(_SET) + 2)
        wave, tile, *two = every.coordinates[depth : depth + 4]
        front, inside = two[::-1] if size.rows else two
        first = (wave - tile).scale_val(isl.Val(size.fronts)) + front
        kept = (tile.scale_val(isl.Val(size.inside)) + inside).scale_val(isl.Val(size.sign))
        place = (*every.coordinates[:depth], first, kept, *every.coordinates[depth + 4 :])
        back = every.to(place).intersect_domain(within(front, 0, size.fronts).intersect(within(inside, 0, size.inside)))
        name = some.get_tuple_name() or ""
        found = back.reverse()
        return found.set_tuple_name(isl.dim_type.in_, name).set_tuple_name(isl.dim_type.out, name) if name else found

    def _loops_made(self) -> tuple[LoopNode, ...]:
        """The loops over fronts of tiles, over the tiles of one, and over what is in a tile."""
        inside = self._kept.domain.reset_tuple_id()
        exact = inside.apply(self._map(inside))
        fronts = passed(inside.project_out(_SET, self._depth + 1, 1)).add_dims(_SET, 1)
        others = passed(inside.project_out(_SET, self._depth, 1)).insert_dims(_SET, self._depth, 1)
        every = fronts.intersect(others)  # simpler bounds than the exact ones; there may be launches without iterations
        every = every.apply(self._map(every)).project_out(_SET, self._depth + 2, 2)
        domains = every.project_out(_SET, self._depth + 1, 1), every, exact.project_out(_SET, self._depth + 3, 1), exact
        front, kept = (self._front, self._symbols[2]), (self._kept, self._symbols[3])
        last = (kept, front) if self._size.rows else (front, kept)
        outside = (replace(self._front, index=self._numbers + k) for k in range(2))
        olds = (*zip(outside, self._symbols, strict=False), *last)
        around = self._around
        for domain, (old, iterator) in zip(domains, olds, strict=True):
            loop = replace(old.loop, iterator=iterator, step=1)
            if self._bounded:
                loop = counting(self._scop, domain, iterator, old.loop, around)
            node = LoopNode(old.index, len(around), replace(loop, directive=None), passed(domain))
            around = (*around, node)
        return around[self._depth :]

    @property
    def _begin(self) -> Expr:
        """The number of a tile's first front."""
        wave, tile, *_ = map(variable, self._symbols)
        return binary("*", literal(self._size.fronts, LONG), binary("-", wave, tile, LONG), LONG)

    def _loops(self, statement: Statement) -> tuple[LoopNode, ...]:
        deeper = []
        for loop in statement.loops[self._depth + 2 :]:
            if loop.index not in self._made:
                domain = loop.domain.apply(self._map(loop.domain))
                first, bound = (rewrite(e, self._inserted) for e in (loop.loop.first, loop.loop.bound))
                made = replace(loop.loop, first=first, bound=bound)
                self._made[loop.index] = replace(loop, depth=loop.depth + 2, domain=domain, loop=made)
            deeper.append(self._made[loop.index])
        return (*statement.loops[: self._depth], *self._four, *deeper)


def _in_long(index: Expr) -> Expr:
    """An index without conversions of what is known to fit, by which compilers see that neighbours are neighbours."""
    match index:
        case Cast(operand, Scalar() as type_) if operand.type == LONG and type_ == INT:
            return _in_long(operand)
        case Cast(operand, Scalar() as type_) if type_ == LONG:
            inside = _in_long(operand)
            return inside if inside.type == LONG else index
        case Binary("+" | "-" | "*", lhs, rhs):
            sides = _in_long(lhs), _in_long(rhs)
            if LONG in (sides[0].type, sides[1].type):
                return replace(index, lhs=sides[0], rhs=sides[1], type=LONG)
    return index
