"""Which order each nest of a region has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, count, groupby, islice
from typing import NamedTuple

from accshare.device.model import Device
from accshare.order.carry import Copy, Placed, as_written, rearranged
from accshare.order.cost import figures
from accshare.order.distribute import Cluster, distributed
from accshare.order.facts import Facts, found_once
from accshare.order.ir import Candidate, Figures, Kept, Origin, Step, Verdict, Word
from accshare.order.nests import (
    Group,
    arranged,
    is_free,
    is_plain,
    may_combine,
    only_combines,
    spoken_for,
    written,
)
from accshare.order.outside import moved_outside
from accshare.order.sizes import Sizes
from accshare.poly.ir import Dependence, Scop, Statement
from accshare.quota import Quota, QuotaExceeded, complete
from accshare.records import dataclass, field, replace

#: isl's operations for one nest; about a tenth of a second
_OPERATIONS = 200_000
#: dependences that are named of one nest: who wants another order has to begin with the outermost
_REASONS = 3
#: figures so near to each other tell nothing apart: fewer launches are better then, and the program's own order
NEAR = 1.1


class Order(NamedTuple):
    """Statements in their places, what was done to get them there, what could not be, and what was weighed."""

    places: tuple[Placed, ...]
    steps: tuple[Step, ...] = ()
    kept: tuple[Kept, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Judge:
    """What tells which order of a nest is best: its figures on a device, or `only` where it is from. `reassociate`
    allows floating-point numbers to be combined in another order, `tested` that the region looks at those that it
    begins with; `orders` are those of nests that have been asked for, `weights` the figures of orders."""

    facts: Facts
    device: Device
    sizes: Sizes
    only: Origin | None = None
    reassociate: bool = False
    tested: bool = False
    orders: dict[tuple[object, ...], Order] = field(default_factory=dict, compare=False, repr=False)
    weights: dict[tuple[object, ...], Figures] = field(default_factory=dict, compare=False, repr=False)

    def of(self, scop: Scop) -> Judge:
        """The judge of what became of the region."""
        if scop is self.facts.scop:
            return self
        return replace(self, facts=self.facts.of(scop), orders={}, weights={})

    def best(self, nest: tuple[Statement, ...], depth: int, orders: list[tuple[Origin, Order]]) -> Order:
        """The best of some orders of a nest, the first of which is the program's own."""
        wanted = [one for one in orders if self.only in (None, one[0])] or orders[:1]
        if len(wanted) == 1:
            return wanted[0][1]
        weighed = [(self.weighed(nest, depth, *one), one[1]) for one in wanted]
        least = min(one.figures.cycles for one, _ in weighed)
        near = [one for one in weighed if one[0].figures.cycles <= least * NEAR]
        first = min(near, key=lambda one: one[0].figures.launches)
        second = min((one for one in weighed if one is not first), key=lambda one: one[0].figures.cycles)
        verdict = Verdict(nest[0].loops[depth], self.device.name, first[0], second[0])
        return first[1]._replace(verdicts=(verdict, *first[1].verdicts))

    def against(self, nest: tuple[Statement, ...], found: Order, other: Candidate, sure: float) -> Verdict:
        """What becomes of a nest that another order than the one that was `found` is known of, which has to be `sure`
        times as fast."""
        own = self.weighed(nest, 0, found.verdicts[0].winner.origin if found.verdicts else Origin.SOURCE, found)
        better = self.only is other.origin or other.figures.cycles * sure < own.figures.cycles
        return Verdict(nest[0].loops[0], self.device.name, *((other, own) if better else (own, other)))

    def weighed(self, nest: tuple[Statement, ...], depth: int, origin: Origin, order: Order) -> Candidate:
        """An order with its figures."""
        key = depth, *(s.name for s in nest), *map(_place, order.places)
        if key not in self.weights:
            facts = self.facts.once(lambda: _moved(self.facts, nest, order), _moved, nest, *key)
            statements = nest if facts is self.facts else facts.scop.statements
            self.weights[key] = complete(figures(facts, self.counted(nest), statements, depth, self.device))
        return Candidate(origin, self.weights[key])

    def counted(self, nest: tuple[Statement, ...]) -> Sizes:
        """How often the statements of a nest run, in whatever order."""
        return Sizes({s.name: self.sizes.count(s) for s in nest})


def _moved(facts: Facts, nest: tuple[Statement, ...], order: Order) -> Facts:
    """The answers about a nest in some order, whatever the device."""
    scop = facts.scop
    if len(nest) == len(scop.statements):
        return facts.of(in_places(facts, order.places))
    within = replace(scop, statements=nest, dependences=facts.between(nest, 0))
    moved = rearranged(within, order.places, facts.pairs)
    return facts if moved is within else facts.after(moved)


def in_places(facts: Facts, places: tuple[Placed, ...]) -> Scop:
    """The region with its statements in some places, which is made once."""
    made = partial(rearranged, facts.scop, places, facts.pairs)
    return facts.once(made, in_places, (), *map(_place, places))


def _place(placed_: Placed) -> tuple[object, ...]:
    """What tells a statement's place from others in the same region."""
    own = tuple(loop.index for loop in placed_.own)
    return placed_.statement.name, own, *((copy.loop.index, copy.number) for copy in placed_.loops)


def chosen(judge: Judge, statements: tuple[Statement, ...], depth: int = 0) -> Order:
    """The best order that is known to be legal of statements with the same loops around them down to `depth`."""
    found: list[Order] = []
    for looped, run in groupby(statements, lambda s: s.loops[depth].index if len(s.loops) > depth else None):
        inside = tuple(run)
        found.append(Order(tuple(map(as_written, inside))) if looped is None else _of_nest(judge, inside, depth))
    return joined(found)


def best_of(judge: Judge, nest: tuple[Statement, ...]) -> tuple[float, set[tuple[object, ...]]]:
    """The cycles of a nest in its best order, and what that does to the loops."""
    best = chosen(judge, nest)
    steps = {
        (s.word, *(loop.index for loop in s.loops), *(p.name for part in s.parts for p in part)) for s in best.steps
    }
    return judge.weighed(nest, 0, Origin.SUPER, best).figures.cycles, steps


def joined(orders: Sequence[Order]) -> Order:
    """The orders of nests that stand one after the other as one; there is none where no statement is ever run."""
    return Order(*(tuple(chain(*parts)) for parts in zip(*orders, strict=True))) if orders else Order(())


def _of_nest(judge: Judge, nest: tuple[Statement, ...], depth: int) -> Order:
    """The order of the statements in one loop; the program's own where it would take too long to find another."""
    key = depth, *(s.name for s in nest)
    if key not in judge.orders:
        try:
            judge.orders[key] = complete(_found(judge, nest, depth))
        except QuotaExceeded:
            return Order(tuple(map(as_written, nest)))
    return judge.orders[key]


def _found(judge: Judge, nest: tuple[Statement, ...], depth: int) -> Order:
    left = Order(tuple(map(as_written, nest)))
    proposed = _proposed(judge.facts, nest, depth)
    if proposed.around:
        inside = chosen(judge, nest, depth + 1)
        left = inside._replace(kept=(*proposed.kept, *inside.kept)[:_REASONS])
    orders = [(Origin.SOURCE, left)]
    for origin, one in proposed.orders:
        if all(one.places != known.places for _, known in orders):
            orders.append((origin, one))
    try:
        with Quota(_OPERATIONS):
            return judge.best(nest, depth, orders)
    except QuotaExceeded:
        return left


class _Proposed(NamedTuple):
    """Orders of a nest to choose from besides the program's own, what keeps loops of that in place, and whether kernels
    are launched inside of the outermost one, as far as it matters."""

    orders: tuple[tuple[Origin, Order], ...]
    kept: tuple[Kept, ...]
    around: bool


@found_once
def _proposed(facts: Facts, nest: tuple[Statement, ...], depth: int) -> _Proposed:
    with Quota(_OPERATIONS):
        source = written(facts, nest, depth)
        found = [(o, Order(tuple(placed(c)), tuple(_steps(source, c)))) for o, c in _proposals(facts, source)]
        outside = moved_outside(facts, source)
        found += [(Origin.SUPER, Order(*outside))] if outside is not None else []
        kept = tuple(_kept(facts, source))
    return _Proposed(tuple(found), kept, _stays_outside(facts, source))


def _kept(facts: Facts, source: Group) -> Iterator[Kept]:
    """What keeps the parts of a nest's outermost loop together, or parallel loops inside of it, where that launches
    kernels."""
    if source.grid or not is_plain(source):
        return
    hard = [d for d in facts.between(source.statements, source.depth) if facts.is_hard(d, source.order[0])]
    yield from islice(chain(_together(source, hard), _inside(facts, source, hard)), 1)


def _inside(facts: Facts, source: Group, hard: list[Dependence]) -> Iterator[Kept]:
    """What goes from one iteration to another both of the outermost loop and of a parallel one right inside."""
    between = facts.between(source.statements, source.depth)
    for loop in source.order[1:2]:
        crossing = (d for d in hard if not facts.keeps(d, source.depth, loop, loop))
        if not any(facts.is_hard(d, loop) for d in between) and not facts.is_short(loop):
            yield from (Kept(source.order[0], dependence, loop) for dependence in crossing)


def _together(source: Group, hard: list[Dependence]) -> Iterator[Kept]:
    """What leads back from one part of the outermost loop to an earlier one."""
    place = {s.name: k for k, s in enumerate(source.statements)}
    parts = {s.loops[source.depth + 1].index if len(s.loops) > source.depth + 1 else s.name for s in source.statements}
    back = (d for d in hard if place[d.source.name] > place[d.sink.name])
    if len(parts) > 1:
        yield from (Kept(source.order[0], dependence) for dependence in back)


def _stays_outside(facts: Facts, source: Group) -> bool:
    """Whether kernels are launched inside of a nest's outermost loop, as far as it matters."""
    if source.grid and may_combine(source, 3):
        between = facts.between(source.statements, source.depth)
        return any(facts.needs_scalar(d, source.order[0]) for d in between)
    return not source.grid


def _proposals(facts: Facts, source: Group) -> Iterator[tuple[Origin, tuple[Cluster, ...]]]:
    """What distribution, interchange and fusion make of a nest."""
    if max(len(s.loops) for s in source.statements) - source.depth < 2:
        return
    fixed = spoken_for(facts, source)
    if fixed is not None:
        yield from ((origin, one) for origin, one in _rearranged(facts, source) if _keeps(source, one, fixed))
    elif len(source.order) > 1 and is_free(source) and may_combine(source, 2) and only_combines(facts, source):
        # whatever directives say of loops, parallel ones are better outside of those that combine
        yield Origin.SUPER, (Cluster((arranged(facts, source.statements, source.depth),)),)


def _rearranged(facts: Facts, source: Group) -> Iterator[tuple[Origin, tuple[Cluster, ...]]]:
    yield Origin.SUPER, (Cluster((arranged(facts, source.statements, source.depth),)),)
    yield Origin.SUPER, distributed(facts, source.statements, source.depth)
    yield Origin.DISTRIBUTED, distributed(facts, source.statements, source.depth, fused=False)


def _keeps(source: Group, clusters: tuple[Cluster, ...], fixed: int) -> bool:
    """Whether so many of a nest's outermost loops stay there, and are parallel."""
    groups = (group for cluster in clusters for group in cluster.groups)
    return not fixed or all(g.grid >= fixed and g.order[:fixed] == source.chain[:fixed] for g in groups)


# --- how it is written down ----------------------------------------------------------------------------------------


def placed(clusters: tuple[Cluster, ...]) -> Iterator[Placed]:
    """The statements in copies of their loops, the first of which are the loops themselves."""
    numbers = count()
    for cluster in clusters:
        main = cluster.main
        known = {id(main): next(numbers)}
        for group in cluster.groups:
            number = known[id(group)] if group is main else next(numbers)
            for statement in group.statements:
                own = group.loops(statement)
                shared = group.depth + main.grid if group is not main else 0
                theirs = [Copy(loop, known[id(main)]) for loop in main.loops(main.statements[0])[:shared]]
                loops = (*theirs, *(Copy(loop, number) for loop in own[shared:]))
                outer = tuple(map(Copy, own[: group.depth]))
                yield Placed(statement, (*outer, *loops[group.depth :]), own)


def _steps(source: Group, clusters: tuple[Cluster, ...]) -> Iterator[Step]:
    groups = [group for cluster in clusters for group in cluster.groups]
    if len(groups) > 1:
        yield Step(Word.DISTRIBUTED, source.chain, tuple(group.statements for group in groups))
    for group in groups:
        if group.order != group.chain:
            yield Step(Word.INTERCHANGED, group.chain, (group.statements,), group.order)
    for cluster in clusters:
        for group in cluster.groups:
            if group is not cluster.main:
                parts = group.statements, cluster.main.statements
                yield Step(Word.FUSED, group.order[: group.grid], parts, cluster.main.order[: group.grid])
