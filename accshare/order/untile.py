"""Tiles made by hand become whole loops again: devices have tiles of their own.

``for (ii = 0; ii < n; ii += 64) … for (i = ii; i < min(ii + 64, n); i++)`` is ``for (i = 0; i < n; i++)``, and so is
``for (i = 0; i < 64; i++)`` in it where whatever is said of either is ``ii + i``. The loop over the points of a tile
stays where it is, so that iterations come in another order: that has to keep what dependences ask for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import islpy as isl

from accshare.conversions import preserves
from accshare.frontend.ir import LONG, Binary, Cast, Expr, Scalar, Storage, Symbol, Type, Var
from accshare.islbuild import lexmax, lexmin, points, within
from accshare.islexpr import convert, variable
from accshare.order.bounds import counting
from accshare.order.facts import Facts, found_once, is_parallel, mentions
from accshare.order.in_place import in_place, read_again
from accshare.order.ir import Step, Word
from accshare.order.moved import moved
from accshare.order.nests import each_nest, share_only_arrays
from accshare.order.remade import Remade
from accshare.poly.ir import Dependence, LoopNode, Scop, Statement
from accshare.pragma.ir import (
    Directive,
    Level,
    LevelClause,
    PrivateClause,
    ReductionClause,
    SizeClause,
    TileClause,
)
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass, replace
from accshare.tree import all_expressions, named, rewrite, rewrite_statement

_IN, _OUT, _SET = isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set
#: isl's operations for one nest; about a tenth of a second
_OPERATIONS = 200_000
#: what may be said of the iterations of loops that go
_OF_TILES = (Level.GANG, Level.INDEPENDENT)


def without_tiles(facts: Facts) -> tuple[Scop, tuple[Step, ...]]:
    """The region without tiles that were made by hand, with elements for scalars that only have what was read from them
    and, in tiles, for others, too; and what was done to it."""
    steps: list[Step] = []
    for nest in each_nest(facts.scop.statements):
        again = read_again(facts, nest)
        if again is not None:
            facts, steps = facts.of(again.scop), [*steps, again.step]
    for nest in each_nest(facts.scop.statements):
        if not any(loop.loop.step > 1 for s in nest for loop in s.loops):
            continue
        whole = untiled(facts, nest)
        placed = in_place(facts, nest) if whole is None else None
        if placed is not None:
            whole = untiled(facts.of(placed.scop), placed.nest)
        if whole is not None:
            steps += whole.steps if placed is None else (placed.step, *whole.steps)
            facts = facts.of(whole.scop)
    return facts.scop, tuple(steps)


@found_once
def untiled(facts: Facts, nest: tuple[Statement, ...]) -> Remade | None:
    """The region with whole loops for the tiles of a nest; None where there are none that can be undone."""
    found = Remade(facts.scop, nest, ())
    try:
        with Quota(_OPERATIONS):
            while True:
                tiles = dict.fromkeys(loop for s in found.statements for loop in s.loops if loop.loop.step > 1)
                whole = next((one for loop in tiles if (one := _whole(found, loop)) is not None), None)
                if whole is None:
                    break
                found = whole
    except QuotaExceeded:
        pass  # what has been found is good without the rest
    try:
        with Quota(_OPERATIONS):
            return _tidy(found) if found.steps else None
    except QuotaExceeded:
        return found


@dataclass(frozen=True, slots=True)
class _Strip:
    """A loop over `tiles`, one over the `points` of a tile that stands in it, and what counts both: the latter's
    iterator, or another one where that counts from the first point of its tile."""

    tiles: LoopNode
    points: LoopNode
    whole: Symbol

    @property
    def relative(self) -> bool:
        """Whether points count from the first one of their tile."""
        return self.whole != self.points.iterator

    @property
    def gone(self) -> set[Symbol]:
        """The iterators that mean nothing any more."""
        return {self.tiles.iterator, self.points.iterator} - {self.whole}

    def change(self, expr: Expr) -> Expr | None:
        """What a sum of both iterators is in terms of the one."""
        if not self.relative or not isinstance(expr, Binary) or expr.op != "+" or not _counts(expr.type):
            return None
        left = list(_terms(expr))
        for symbol in self.gone:
            one = next((term for term in left if isinstance(term, Var) and term.symbol == symbol), None)
            if one is None:
                return None
            left.remove(one)
        type_ = expr.type
        assert isinstance(type_, Scalar)
        total = convert(variable(self.whole), type_)
        for term in left:
            total = replace(expr, lhs=total, rhs=convert(rewrite(term, self.change), type_))
        return total

    def to(self, some: isl.Set) -> isl.Map:
        """From instances, or iterations of loops in both, to those in the whole loop."""
        name = some.get_tuple_name() or ""
        every = points(some.dim(_SET), name)
        place = list(every.coordinates)
        if self.relative:
            place[self.points.depth] += place[self.tiles.depth]
        del place[self.tiles.depth]
        return every.to(place, name).intersect_domain(some)


def _terms(expr: Expr) -> Iterator[Expr]:
    """What a sum adds up."""
    match expr:
        case Binary("+", lhs, rhs) if _counts(expr.type):
            yield from _terms(lhs)
            yield from _terms(rhs)
        case Cast(operand, type_) if _counts(operand.type) and preserves(operand.type, type_):
            yield from _terms(operand)
        case _:
            yield expr


def _counts(type_: Type) -> bool:
    """Whether sums of a type don't wrap: C leaves open what those of signed numbers do, and nothing is as long as the
    longest."""
    return isinstance(type_, Scalar) and not type_.floating and (type_.signed or type_.bytes == LONG.bytes)


# --- what may be tiles ---------------------------------------------------------------------------------------------


def _strips(found: Remade, tiles: LoopNode) -> dict[str, _Strip] | None:
    """For each statement in a loop over tiles, which share nothing but arrays, the loop over their points: nothing else
    is said of tiles than which of these they have. None where that isn't so."""
    inside = [s for s in found.statements if tiles in s.loops]
    if not _may_go(tiles.loop.directive) or not share_only_arrays(inside, max(len(s.loops) for s in inside)):
        return None
    known: dict[int, _Strip | None] = {}
    strips: dict[str, _Strip] = {}
    for statement in inside:
        for loop in statement.loops[tiles.depth + 1 :]:
            if loop.index not in known:
                known[loop.index] = _strip(found.scop, tiles, loop)
            strip = known[loop.index]
            if strip is not None and not _mentions(strip, statement) and strip.to(statement.domain).is_injective():
                strips[statement.name] = strip
                break
        else:
            return None
    every = {strip.points.index for strip in strips.values()}
    alone = all({loop.index for loop in s.loops} & every == {strips[s.name].points.index} for s in inside)
    return strips if alone else None


def _strip(scop: Scop, tiles: LoopNode, loop: LoopNode) -> _Strip | None:
    """A loop over tiles with one over their points, if no tile has more of these than lie within a step."""
    said = loop.loop.directive
    if said is not None and (said.fixes_order or scop.promises(loop)):
        return None
    if loop.loop.step != 1 or tiles.iterator.type != loop.iterator.type or not _counts(loop.iterator.type):
        return None
    every = points(loop.depth + 1)
    first, own = every.coordinates[tiles.depth], every.coordinates[loop.depth]
    domain, step = loop.domain.reset_tuple_id(), tiles.loop.step
    if any(mentions(end, tiles) for end in (loop.loop.first, loop.loop.bound)):
        return _Strip(tiles, loop, loop.iterator) if domain.is_subset(within(own - first, 0, step)) else None
    name = loop.iterator.name
    whole = Symbol(name, scop.unused(name), loop.iterator.type, Storage.INNER)
    return _Strip(tiles, loop, whole) if domain.is_subset(within(own, 0, step)) else None


def _may_go(said: Directive | None) -> bool:
    """Whether a directive on a loop over tiles says no more than that these are independent, which their points have to
    be, too, if they are to stand for them."""
    if said is None:
        return True
    if any(isinstance(c, SizeClause | TileClause | ReductionClause | PrivateClause) for c in said.clauses):
        return False
    return not any(isinstance(c, LevelClause) and c.level not in _OF_TILES for c in said.clauses)


def _mentions(strip: _Strip, statement: Statement) -> bool:
    """Whether a statement, or a loop around it, asks for more than the point."""
    loops = (loop.loop for loop in statement.loops if loop != strip.points)
    ends = (rewrite(end, strip.change) for loop in loops for end in (loop.first, loop.bound))
    inside = all_expressions(rewrite_statement(statement.body, strip.change))
    return any(not named(e).isdisjoint(strip.gone) for e in (*ends, *inside))


# --- without them --------------------------------------------------------------------------------------------------


def _whole(found: Remade, tiles: LoopNode) -> Remade | None:
    """A nest with whole loops for tiles and their points; None where they are none, points are left out, or dependences
    ask for this order."""
    strips = _strips(found, tiles)
    if strips is None:
        return None
    every = tuple(dict.fromkeys(strips.values()))
    loops = _Loops(found.scop, strips)
    inside = tuple(s for s in found.statements if s.name in strips)

    def change(expr: Expr) -> Expr | None:
        return next((new for strip in every if (new := strip.change(expr)) is not None), None)

    scop, now = moved(found.scop, inside, lambda s: strips[s.get_tuple_name()].to(s), loops.around, change)
    new = {s.name: s for s in now}
    nest = tuple(new.get(s.name, s) for s in found.statements)
    if not loops.complete or _leads_back(scop, nest):
        return None
    symbols = {strip.whole for strip in every}
    wholes = tuple(dict.fromkeys(loop for s in now for loop in s.loops if loop.iterator in symbols))
    if tiles.loop.directive is not None and not all(is_parallel(scop, loop) for loop in wholes):
        return None
    step = Step(Word.UNTILED, (tiles, *(strip.points for strip in every)), (now,), wholes)
    return Remade(scop, nest, (*found.steps, step))


class _Loops:
    """The loops around statements, each made once. They are `complete` if whole ones come to no iteration that is none
    of a tile, and all have bounds."""

    def __init__(self, scop: Scop, strips: Mapping[str, _Strip]) -> None:
        self._scop = scop
        self._strips = strips
        self._made: dict[int, LoopNode] = {}
        self.complete = True

    def around(self, statement: Statement) -> tuple[LoopNode, ...]:
        """Those around a statement in the place of its own."""
        strip = self._strips[statement.name]
        result = statement.loops[: strip.tiles.depth]
        for loop in statement.loops[strip.tiles.depth + 1 :]:
            if loop.index not in self._made:
                self._made[loop.index] = self._loop(loop, strip, result)
            result = (*result, self._made[loop.index])
        return result

    def _loop(self, loop: LoopNode, strip: _Strip, around: tuple[LoopNode, ...]) -> LoopNode:
        if loop.depth < strip.points.depth:  # between the two
            domain = loop.domain.project_out(_SET, strip.tiles.depth, 1)
        else:
            domain = loop.domain.apply(strip.to(loop.domain)).coalesce()
        own = _iterations(domain, around)
        if own is None or (loop == strip.points and not _between(domain, len(around)).is_subset(domain)):
            self.complete, made = False, loop.loop
        elif loop == strip.points:
            made = counting(self._scop, own, strip.whole, replace(loop.loop, directive=None), around)
        else:
            first, bound = (rewrite(end, strip.change) for end in (loop.loop.first, loop.loop.bound))
            made = replace(loop.loop, first=first, bound=bound)
        return replace(loop, depth=len(around), domain=domain if own is None else own, loop=made)


def _iterations(domain: isl.Set, around: tuple[LoopNode, ...]) -> isl.Set | None:
    """The iterations of the last loop in those `around` it, which say nothing of whether there is any tile: none lie
    elsewhere where there is one. None where they have no bounds that tell."""
    last = len(around)
    some = domain.project_out(_SET, last, 1).add_dims(_SET, 1)
    for whole in (domain, _between(domain, last)):
        bounds = isl.Set.from_basic_set(whole.simple_hull())
        own = bounds.reset_tuple_id().drop_constraints_not_involving_dims(_SET, last, 1)
        if around:
            own = own.intersect(around[-1].domain.reset_tuple_id().add_dims(_SET, 1))
        if own.intersect(some).is_equal(domain):
            return own
    return None


def _tidy(found: Remade) -> Remade:
    """A nest whose statements' instances say nothing of tiles any more."""
    nest = tuple(replace(s, domain=_bounded(s.domain)) for s in found.statements)
    new = {s.name: s for s in nest}
    statements = tuple(new.get(s.name, s) for s in found.scop.statements)
    dependences = tuple(d.between(new, {}) for d in found.scop.dependences)
    return Remade(replace(found.scop, statements=statements, dependences=dependences), nest, found.steps)


def _bounded(domain: isl.Set) -> isl.Set:
    """The same set, each coordinate of which lies between bounds, rather than in a tile that has any: a bound is asked
    for once, a tile at each point. As it is where points in between are not in it."""
    found = isl.Set.universe(domain.get_space())
    name = domain.get_tuple_name()
    for place in range(domain.dim(_SET)):
        between = _between(domain, place)
        found = found.intersect(between.set_tuple_name(name) if name else between)
    return found if found.is_equal(domain) else domain


def _between(domain: isl.Set, place: int) -> isl.Set:
    """Where one coordinate lies between the least and the greatest that there is with those before it."""
    line = domain.project_out(_SET, place + 1, domain.dim(_SET) - place - 1)
    along = isl.Map.from_range(line.reset_tuple_id()).move_dims(_IN, 0, _OUT, 0, place)
    one = isl.Map.universe(isl.Space.alloc(isl.DEFAULT_CONTEXT, 0, 1, 1))
    low = lexmin(along).apply_range(one.order_le(_IN, 0, _OUT, 0))
    high = lexmax(along).apply_range(one.order_ge(_IN, 0, _OUT, 0))
    between = low.intersect(high).move_dims(_OUT, 0, _IN, 0, place).range()
    return between.add_dims(_SET, domain.dim(_SET) - place - 1)


def _leads_back(scop: Scop, nest: tuple[Statement, ...]) -> bool:
    """Whether a dependence leads to an instance that runs before the one that it comes from."""
    places = {s.name: place for place, s in enumerate(nest)}
    between = (d for d in scop.dependences if d.source.name in places and d.sink.name in places)
    return any(_is_backwards(d, places, scop.context) for d in between)


def _is_backwards(dependence: Dependence, places: dict[str, int], context: isl.Set) -> bool:
    pairs = dependence.relation.intersect_params(context)
    for depth, (one, other) in enumerate(zip(dependence.source.loops, dependence.sink.loops, strict=False)):
        if one.index != other.index:
            break
        later = pairs.order_gt if one.loop.step > 0 else pairs.order_lt
        if not later(_IN, depth, _OUT, depth).is_empty():
            return True
        pairs = pairs.equate(_IN, depth, _OUT, depth)
    return places[dependence.source.name] >= places[dependence.sink.name] and not pairs.is_empty()
