"""Blocks: a nest that launches kernels for each iteration of a loop runs so many of these at once.

What factors or solves in place has one loop, over steps, that nothing crosses backwards: whatever a step needs, steps
before it have left. It is cut into blocks, and all other loops where a block of them ends: what lies before, in and
behind the block. By far most lies behind, where a block's steps are a loop inside that combines: a product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TypeAlias

import islpy as isl

from accshare.builtins import maximum, minimum
from accshare.frontend.ir import INT, Expr, Scalar, Storage, Symbol
from accshare.islbuild import at_least, at_most, equal, like, multiple, pairs, within
from accshare.islexpr import binary, literal, variable
from accshare.order.carry import Placed
from accshare.order.choose import placed
from accshare.order.distribute import distributed
from accshare.order.facts import Facts, found_once, mentions, moves
from accshare.order.ir import BLOCK, BLOCK_WITH_COPIES, Step, Word
from accshare.order.nests import Rank, arranged, could_be_product, could_be_vector, is_plain, ranks, written
from accshare.order.pairs import Pairs
from accshare.order.snapshots import can_be_copied, with_snapshots
from accshare.order.stored import stored_always
from accshare.pieces import Piece, are_all, in_pieces
from accshare.poly.ir import Dependence, DependenceKind, LoopNode, Mode, Scop, Statement, Variable, VariableKind
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass, replace
from accshare.source import Span

#: the loop of each statement that goes over steps; None for those that come before all
_Steps: TypeAlias = "dict[str, LoopNode | None]"
_IN, _OUT, _SET = isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set
_NOWHERE = Span(0, 0)
#: blocks that a loop must have if it is known how long it is
_FEWEST = 4
#: statements of a nest for which steps are looked for, and isl's operations for one nest, also where pieces need copies
_MOST, _OPERATIONS, _WITH_COPIES = 12, 300_000, 3_000_000


@dataclass(frozen=True, slots=True)
class Blocked:
    """A nest that runs block by block: the region with it, the `pieces` of its statements, their places, and what is
    said of it."""

    scop: Scop
    pieces: tuple[Statement, ...]
    places: tuple[Placed, ...]
    step: Step


@found_once
def blocked(facts: Facts, nest: tuple[Statement, ...]) -> Blocked | None:
    """The statements of one outermost loop by blocks, where that makes products of them that they are not otherwise;
    None elsewhere."""
    try:
        with Quota(_OPERATIONS):
            found = _cut(facts, nest)
        if found is None:
            return None
        with Quota(_WITH_COPIES if found.changing else _OPERATIONS):
            return _blocked(facts, found)
    except QuotaExceeded:
        return None


@dataclass(frozen=True, slots=True)
class _Found:
    """A nest that is cut along some loops, and the statements of it that are to be products; `changing` tells that
    these read what changes within a block."""

    cut: Cut
    loops: tuple[LoopNode, ...]
    wanted: set[str]
    rank: Rank
    changing: bool


def _cut(facts: Facts, nest: tuple[Statement, ...]) -> _Found | None:
    wanted, rank, without = _wanted(facts, nest)
    if not wanted or len(nest) > _MOST or not _is_regular(facts, nest) or _have(facts, nest, wanted, without):
        return None
    steps = _steps(facts, nest, wanted)
    changing = steps is not None and _are_overwritten(facts, nest, steps, wanted)
    scop, nest = stored_always(facts.scop, nest) if changing else (facts.scop, nest)
    if steps is None or (changing and not can_be_copied(scop, nest)):
        return None
    cut = by_blocks(scop, nest, steps, BLOCK_WITH_COPIES if changing else BLOCK, facts.pairs)
    return _Found(cut, _distinct(steps.values()), wanted, rank, changing) if cut is not None and cut.complete else None


def _wanted(facts: Facts, nest: tuple[Statement, ...]) -> tuple[set[str], Rank, Rank]:
    """The statements of a nest that are to be products, or, where there are none, products of a matrix and a vector,
    whose rows are to run in one launch; and the rank that would be enough for them without blocks."""
    products = {s.name for s in nest if len(s.loops) > 2 and could_be_product(facts, s, 0)}
    if products:
        return products, Rank.PRODUCT, Rank.PRODUCT
    vectors = {s.name for s in nest if len(s.loops) > 1 and could_be_vector(facts, s, 0)}
    return vectors, Rank.OUTSIDE, Rank.INSIDE


def _blocked(facts: Facts, found: _Found) -> Blocked | None:
    cut = found.cut
    whole, inside = cut.scop, cut.pieces
    old: tuple[Variable, ...] = ()
    if found.changing:
        copied = with_snapshots(facts.after(whole), inside)
        if copied is None:
            return None
        whole, inside, old = copied
    known = facts.after(whole, cut.near)
    clusters = [distributed(known, tuple(run), 1) for _, run in groupby(inside, lambda s: s.loops[1].index)]
    reached = {
        name: rank for part in clusters for c in part for g in c.groups for name, rank in ranks(known, g).items()
    }
    as_wanted = {cut.origins.get(name) for name, rank in reached.items() if rank >= found.rank}
    if not found.wanted <= as_wanted:
        return None
    places = tuple(p for part in clusters for p in placed(part))
    own = tuple(s for s in inside if s.name in cut.origins)
    return Blocked(whole, inside, places, Step(Word.BLOCKED, found.loops, (own,), read_before=old, size=cut.size))


def _distinct(loops: Iterable[LoopNode | None]) -> tuple[LoopNode, ...]:
    """Loops in the order in which they stand, those with one iterator once."""
    last_first = sorted((loop for loop in loops if loop is not None), key=lambda node: node.index, reverse=True)
    return tuple({loop.iterator.name: loop for loop in last_first}.values())[::-1]


def _is_regular(facts: Facts, nest: tuple[Statement, ...]) -> bool:
    """Whether all loops can be cut, and statements have nothing to do with one another but by elements of arrays."""
    arrays = all(a.variable.kind is VariableKind.MEMORY and a.atomic is None for s in nest for a in s.accesses)
    return arrays and can_be_cut(facts, nest)


def can_be_cut(facts: Facts, nest: tuple[Statement, ...]) -> bool:
    """Whether all loops count up by one, in types that have room for a block more, and no directive says more of
    them."""
    loops = {n.index: n for s in nest for n in s.loops}.values()
    counts = all(n.loop.step == 1 and n.loop.relation in ("<", "<=") for n in loops)
    wide = all(isinstance(n.iterator.type, Scalar) and n.iterator.type.bytes >= INT.bytes for n in loops)
    return counts and wide and is_plain(written(facts, nest, 0))


def _have(facts: Facts, nest: tuple[Statement, ...], wanted: set[str], least: Rank) -> bool:
    """Whether a statement that is wanted to have a rank has it, as loops are or can be, without blocks."""
    groups = [written(facts, nest, 0), arranged(facts, nest, 0)]
    groups += [group for cluster in distributed(facts, nest, 0) for group in cluster.groups]
    every = ((name, rank) for group in groups for name, rank in ranks(facts, group).items())
    return any(rank >= least for name, rank in every if name in wanted)


def _are_overwritten(facts: Facts, nest: tuple[Statement, ...], steps: _Steps, wanted: set[str]) -> bool:
    """Whether an element that a product reads was stored in the steps before and changes in the next ones: within a
    block the product would have to run after the one and before the other."""
    between = [d for d in facts.between(nest, 0) if d.kind is not DependenceKind.OUTPUT]
    stored = {s.name: {a.reference for a in s.accesses if a.mode is Mode.WRITE} for s in nest}
    flows = (d for d in between if d.kind is DependenceKind.FLOW)
    needed = {(d.sink.name, d.source.name, d.sink_access.reference) for d in flows}
    for one in between:
        if one.kind is DependenceKind.FLOW or one.source.name not in wanted:
            continue
        read = one.source_access.reference
        source, sink = steps[one.source.name], steps[one.sink.name]
        if source is None or sink is None or read in stored[one.source.name]:
            continue
        if (one.source.name, one.sink.name, read) not in needed:
            continue
        if _is_near(facts, one, source, sink):
            return True
    return False


def _is_near(facts: Facts, dependence: Dependence, source: LoopNode, sink: LoopNode) -> bool:
    """Whether a dependence leads to a later step that may be one of the same block."""
    relation = dependence.relation.intersect_params(facts.scop.context)
    both = pairs(relation.dim(_IN), relation.dim(_OUT))
    away = both.target[sink.depth] - both.source[source.depth]
    near = both.where(at_least(away, 1)).intersect(both.where(at_most(away, BLOCK - 1)))
    for kind in (_IN, _OUT):
        relation = relation.reset_tuple_id(kind)
    return not relation.intersect(near).is_empty()


# --- which loop of each statement goes over the steps -------------------------------------------------------------


def _steps(facts: Facts, nest: tuple[Statement, ...], wanted: set[str]) -> _Steps | None:
    """A loop around each statement, such that nothing depends on what comes in a later iteration of it: one that
    combines where there is one, as it must be of those in `wanted`."""
    between = facts.between(nest, 0)
    first = sorted(nest, key=lambda s: s.name not in wanted)
    fits = _fitting(facts)

    def search(left: list[Statement], found: _Steps) -> _Steps | None:
        if not left:
            return found
        statement, *others = left
        for loop in (*_candidates(statement), *(() if statement.name in wanted else (None,))):
            chosen = {**found, statement.name: loop}
            ends = (d for d in between if statement.name in (d.source.name, d.sink.name))
            known = (d for d in ends if d.source.name in chosen and d.sink.name in chosen)
            if all(fits(d, chosen[d.source.name], chosen[d.sink.name]) for d in known):
                result = search(others, chosen)
                if result is not None:
                    return result
        return None

    return search(first, {})


def is_in_order(facts: Facts, nest: tuple[Statement, ...], steps: _Steps) -> bool:
    """Whether nothing depends on what comes in a later one of the steps."""
    fits = _fitting(facts)
    return all(fits(d, steps[d.source.name], steps[d.sink.name]) for d in facts.between(nest, 0))


def _fitting(facts: Facts) -> Callable[[Dependence, LoopNode | None, LoopNode | None], bool]:
    """What tells whether a dependence leads to no earlier step, each question being answered once."""
    fine: dict[tuple[int, int, int], bool] = {}

    def fits(dependence: Dependence, source: LoopNode | None, sink: LoopNode | None) -> bool:
        if source is None or sink is None:
            return source is None
        key = id(dependence.relation), source.depth, sink.depth
        if key not in fine:
            relation = dependence.relation.intersect_params(facts.scop.context)
            fine[key] = bool(relation.order_gt(_IN, source.depth, _OUT, sink.depth).is_empty())
        return fine[key]

    return fits


def _candidates(statement: Statement) -> tuple[LoopNode, ...]:
    """The loops that may go over steps, those first with which the element stays that is stored."""
    stores = [a for a in statement.accesses if a.mode is Mode.WRITE]
    still = tuple(loop for loop in statement.loops if not any(moves(a, loop) for a in stores))
    return (*still, *(loop for loop in statement.loops if loop not in still))


def _passed(loop: LoopNode) -> isl.Set:
    """What a loop goes over whose bounds depend on no other one, wherever these have iterations."""
    return _range(loop.domain.drop_constraints_involving_dims(_SET, 0, loop.depth), loop.depth)


def _range(some: isl.Set, depth: int) -> isl.Set:
    """What the number at a place of tuples can be."""
    rest = some.project_out(_SET, depth + 1, some.dim(_SET) - depth - 1)
    return rest.project_out(_SET, 0, depth).reset_tuple_id()


# --- the nest by blocks -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cut:
    """The region with the `pieces` of a nest's statements, which run block by block and in the program's order within.

    `origins` has the statement of each piece, by name. The loops in `near` have no more iterations than a block, which
    is `size`.
    `complete` tells that the pieces have all instances.
    """

    scop: Scop
    pieces: tuple[Statement, ...]
    origins: dict[str, str]
    near: frozenset[int]
    complete: bool
    size: int


def by_blocks(
    scop: Scop, nest: tuple[Statement, ...], steps: _Steps, size: int, known: Pairs | None = None
) -> Cut | None:
    """A nest cut along the `steps` of its statements, of which a block has `size`, whether that is legal or not; None
    where no loop counts them. What became of the same nest in another region is `known`."""
    known, old = known or Pairs(scop.context), (*nest, *steps.values())
    counting = known.once(lambda: _counting(nest, steps, size), _counting, size, *old)
    if counting is None:
        return None
    number, name = scop.unused_loop, scop.unused(f"{counting.iterator.unique}_begin")

    def made() -> tuple[tuple[Piece, ...], frozenset[int], bool]:
        cutter = _Cutter(scop.context, steps, counting, _related(nest, steps), size, number, name)
        found = tuple(cutter.nest(nest))
        return found, frozenset(cutter.near), are_all(scop, nest, found)

    pieces, near, complete = known.once(made, _Cutter, size, number, name, *old)
    whole, new = in_pieces(scop, nest, pieces, _Between(size, known))
    return Cut(whole, new, {p.statement.name: p.origin for p in pieces}, near, complete, size)


def _counting(nest: tuple[Statement, ...], steps: _Steps, size: int) -> LoopNode | None:
    """A loop that goes over all steps, and maybe more: from a constant to what depends on no other loop."""
    own_steps = ((s, steps[s.name]) for s in nest)
    needed = [_range(s.domain, step.depth) for s, step in own_steps if step is not None]
    for loop in dict.fromkeys(n for s in nest for n in s.loops):
        own = _passed(loop)
        bounds = loop.loop.first, loop.loop.bound
        fixed = not any(mentions(bound, other) for bound in bounds for s in nest for other in s.loops)
        low, high = own.dim_min_val(0), own.dim_max_val(0)
        long = not high.is_int() or bool((high - low).ge(isl.Val(_FEWEST * size)))
        if fixed and long and low.is_int() and all(one.is_subset(own) for one in needed):
            return loop
    return None


def _related(nest: tuple[Statement, ...], steps: _Steps) -> frozenset[int]:
    """The loops that count what steps count: they reach along the same dimension of some array."""
    places = [
        (a.variable.name, k, loop, loop == steps[s.name])
        for s in nest
        for a in s.accesses
        for k, subscript in enumerate(a.subscripts)
        for loop in s.loops
        if mentions(subscript, loop)
    ]
    along = {(name, k) for name, k, _, is_step in places if is_step}
    return frozenset(loop.index for name, k, loop, _ in places if (name, k) in along)


class _Cutter:
    """Loops and statements of a nest that is cut: what has been made, and of what."""

    def __init__(
        self,
        context: isl.Set,
        steps: _Steps,
        counting: LoopNode,
        related: frozenset[int],
        size: int,
        number: int,
        name: str,
    ) -> None:
        """Blocks are counted with an iterator called `name`, and loops are numbered from `number` on."""
        self.near: set[int] = set()
        self._pieces: dict[str, str] = {}
        self._context = context
        self._steps = steps
        self._related = related
        self._size = size
        self._next = number
        own = counting.iterator
        assert isinstance(own.type, Scalar)
        self._type = own.type
        symbol = Symbol(f"{own.name}_begin", name, own.type, Storage.INNER)
        domain = _passed(counting)
        (place,) = like(domain).coordinates
        self._first = domain.dim_min_val(0).to_python()
        apart = multiple(place.add_constant_val(domain.dim_min_val(0).neg()), size)
        loop = replace(counting.loop, iterator=symbol, step=size, directive=None, span=_NOWHERE)
        self._block = LoopNode(self._number(), 0, loop, domain.intersect(apart))

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def nest(self, statements: tuple[Statement, ...]) -> Iterator[Piece]:
        """The statements in their blocks, in the program's order."""
        lifted = tuple((s, self._lifted(s)) for s in statements)
        for made in self._inside(lifted, (self._block,), self._block.domain):
            origin = self._pieces[made.name]
            yield Piece(made, origin, _back(made, origin))

    def _lifted(self, statement: Statement) -> isl.Set:
        """The instances of a statement, the blocks they are in being their first dimension."""
        domain = _with_block(statement.domain).intersect(_prefixed(self._block.domain, len(statement.loops)))
        every = like(domain)
        step = self._steps[statement.name]
        if step is None:
            return domain.intersect(at_most(every.coordinates[0], self._first))
        return domain.intersect(within(every.coordinates[step.depth + 1], every.coordinates[0], self._size))

    def _inside(
        self, inside: tuple[tuple[Statement, isl.Set], ...], around: tuple[LoopNode, ...], outer: isl.Set
    ) -> Iterator[Statement]:
        """Statements, and what of them is to be placed, below the loops `around`, whose iterations are `outer`."""
        depth = len(around)
        for looped, run in groupby(
            inside, lambda one: one[0].loops[depth - 1].index if len(one[0].loops) >= depth else None
        ):
            together = tuple(run)
            if looped is None:
                yield from (self._piece(statement, domain, around) for statement, domain in together)
                continue
            loop = together[0][0].loops[depth - 1]
            whole = _with_block(loop.domain).intersect(outer.add_dims(_SET, 1))
            for ends in self._parts(loop):
                own = _between(whole, *ends)
                part = tuple((s, d.intersect(_prefixed(own, len(s.loops) - depth))) for s, d in together)
                part = tuple((s, d) for s, d in part if not d.intersect_params(self._context).is_empty())
                if part:
                    node = self._loop(loop, whole, *ends)
                    yield from self._inside(part, (*around, node), node.domain)

    def _parts(self, loop: LoopNode) -> tuple[tuple[int | None, int | None], ...]:
        """The iterations of a loop before a block, in it and behind it, counted from its beginning."""
        return ((None, 0), (0, self._size), (self._size, None)) if loop.index in self._related else ((None, None),)

    def _loop(self, loop: LoopNode, whole: isl.Set, low: int | None, high: int | None) -> LoopNode:
        """Those of the iterations `whole` that are from `low` to below `high` behind the beginning of a block."""
        own = whole.intersect(_between(whole, low, high))
        begin, end, inclusive = loop.loop.first, loop.loop.bound, loop.loop.relation == "<="
        if low is not None and not own.is_equal(whole.intersect(_between(whole, None, high))):
            begin = self._later(low) if _has(own, low) else maximum(begin, self._later(low), self._type)
        if high is not None and not own.is_equal(whole.intersect(_between(whole, low, None))):
            last = self._later(high - inclusive)
            end = last if _has(own, high - 1) else minimum(end, last, self._type)
        made = replace(loop.loop, first=begin, bound=end, span=_NOWHERE)
        node = LoopNode(self._number(), loop.depth + 1, made, own)
        if high == self._size:
            self.near.add(node.index)
        return node

    def _later(self, by: int) -> Expr:
        """The place so many iterations behind the beginning of a block."""
        begin: Expr = variable(self._block.iterator)
        return binary("+", begin, literal(by, self._type), self._type) if by else begin

    def _piece(self, statement: Statement, domain: isl.Set, around: tuple[LoopNode, ...]) -> Statement:
        count = sum(name == statement.name for name in self._pieces.values())
        name = f"{statement.name}_{count}"
        self._pieces[name] = statement.name
        domain = domain.set_tuple_name(name).coalesce()
        return replace(statement, name=name, loops=around, domain=domain)


class _Between:
    """The relations between pieces that those between statements come to, blocks being of some size. Whether there is
    any is asked of numbers that need not be where blocks begin, but are none or as many apart: that takes isl a third
    of the time."""

    def __init__(self, size: int, known: Pairs) -> None:
        self._size = size
        self._known = known
        self._near: dict[str, isl.Set] = {}
        self._forth: dict[str, isl.Map] = {}

    def __call__(
        self, relation: isl.Map, sources: list[Piece], sinks: list[Piece]
    ) -> Iterator[tuple[Piece, Piece, isl.Map]]:
        ends = (piece.statement.domain if piece.back is None else piece.back for piece in (*sources, *sinks))
        found = self._known.once(
            lambda: tuple(self._found(relation, sources, sinks)), _Between, self._size, relation, *ends
        )
        return ((sources[one], sinks[other], between) for one, other, between in found)

    def _found(self, relation: isl.Map, sources: list[Piece], sinks: list[Piece]) -> Iterator[tuple[int, int, isl.Map]]:
        """The same, of the pieces with these numbers."""
        every = relation.coalesce()
        for kind, ends in ((_IN, sources), (_OUT, sinks)):
            if ends[0].back is not None:
                every = every.reset_tuple_id(kind).insert_dims(kind, 0, 1)
        if sources[0].back is not None and sinks[0].back is not None:
            both = pairs(every.dim(_IN), every.dim(_OUT))
            away = both.target[0] - both.source[0]
            apart = both.where(at_least(away, self._size)).union(both.where(at_most(away, -self._size)))
            every = every.intersect(apart.union(both.where(equal(away, 0))))
        for one, source in enumerate(sources):
            half = every.set_tuple_name(_IN, source.statement.name).intersect_domain(self._nearly(source))
            reached, exact = half.range(), None
            for other, sink in enumerate(sinks):
                if reached.set_tuple_name(sink.statement.name).intersect(self._nearly(sink)).is_empty():
                    continue
                exact = exact or (relation if source.back is None else source.back.apply_range(relation))
                yield one, other, exact if sink.back is None else exact.apply_range(self._to(sink, sink.back))

    def _nearly(self, piece: Piece) -> isl.Set:
        """The instances of a piece, as if blocks could begin anywhere."""
        name, domain = piece.statement.name, piece.statement.domain
        if name not in self._near:
            self._near[name] = domain if piece.back is None else domain.remove_divs()
        return self._near[name]

    def _to(self, piece: Piece, back: isl.Map) -> isl.Map:
        """From the instances of a statement to those of a piece."""
        name = piece.statement.name
        if name not in self._forth:
            self._forth[name] = back.reverse()
        return self._forth[name]


def _back(piece: Statement, name: str) -> isl.Map:
    """From the instances of a piece to those of its statement."""
    every = piece.tuples
    return every.to(every.coordinates[1:], name).intersect_domain(piece.domain)


def _with_block(some: isl.Set) -> isl.Set:
    """Tuples with any number in front."""
    return some.reset_tuple_id().insert_dims(_SET, 0, 1)


def _prefixed(some: isl.Set, more: int) -> isl.Set:
    """Tuples with any numbers behind."""
    return some.add_dims(_SET, more)


def _between(some: isl.Set, low: int | None, high: int | None) -> isl.Set:
    """Where the last number of a tuple is `low` or more and less than `high` greater than the first."""
    every = like(some)
    away = every.coordinates[-1] - every.coordinates[0]
    bounds = [] if low is None else [at_least(away, low)]
    return every.where(*bounds, *([] if high is None else [at_most(away, high - 1)]))


def _has(own: isl.Set, away: int) -> bool:
    """Whether, wherever a loop has iterations, one of them is so far behind the beginning of a block."""
    last = own.dim(_SET) - 1
    met = own.intersect(_between(own, away, away + 1))
    return bool(own.project_out(_SET, last, 1).is_subset(met.project_out(_SET, last, 1)))
