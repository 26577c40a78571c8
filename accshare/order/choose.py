"""Which order each nest of a region has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, groupby

from accshare.order.carry import Copy, Placed, as_written
from accshare.order.distribute import Cluster, distributed
from accshare.order.facts import Facts
from accshare.order.ir import Kept, Step, Word
from accshare.order.nests import (
    Group,
    Rank,
    arranged,
    could_be_product,
    gains,
    is_free,
    is_plain,
    may_combine,
    only_combines,
    ranks,
    written,
)
from accshare.poly.ir import Statement
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass

#: isl's operations for one nest; about a tenth of a second
_OPERATIONS = 200_000


@dataclass(frozen=True, slots=True)
class Order:
    """Statements in their places, what was done to get them there, and what could not be."""

    places: tuple[Placed, ...]
    steps: tuple[Step, ...] = ()
    kept: tuple[Kept, ...] = ()


def chosen(facts: Facts, statements: tuple[Statement, ...], depth: int = 0) -> Order:
    """The best order that is known to be legal of statements with the same loops around them down to `depth`."""
    places: list[Placed] = []
    steps: list[Step] = []
    kept: list[Kept] = []
    for looped, run in groupby(statements, lambda s: s.loops[depth].index if len(s.loops) > depth else None):
        inside = tuple(run)
        found = Order(tuple(map(as_written, inside))) if looped is None else _of_nest(facts, inside, depth)
        places += found.places
        steps += found.steps
        kept += found.kept
    return Order(tuple(places), tuple(steps), tuple(kept))


def _of_nest(facts: Facts, nest: tuple[Statement, ...], depth: int) -> Order:
    """The order of the statements in one loop."""
    try:
        with Quota(_OPERATIONS):
            source = written(facts, nest, depth)
            clusters = _clusters(facts, source)
            kept = tuple(_kept(facts, source)) if clusters is None else ()
    except QuotaExceeded:
        return Order(tuple(map(as_written, nest)))
    if clusters is not None:
        return Order(tuple(placed(clusters)), tuple(_steps(source, clusters)))
    if not _stays_outside(facts, source):
        return Order(tuple(map(as_written, nest)))
    inside = chosen(facts, nest, depth + 1)
    return Order(inside.places, inside.steps, (*kept, *inside.kept))


def _kept(facts: Facts, source: Group) -> Iterator[Kept]:
    """What keeps the parts of a nest's outermost loop together, where that launches kernels."""
    place = {s.name: k for k, s in enumerate(source.statements)}
    parts = {s.loops[source.depth + 1].index if len(s.loops) > source.depth + 1 else s.name for s in source.statements}
    if source.grid or len(parts) < 2 or not is_plain(source):
        return
    for dependence in facts.between(source.statements, source.depth):
        back = place[dependence.source.name] > place[dependence.sink.name]
        if back and facts.is_hard(dependence, source.order[0]):
            yield Kept(source.order[0], dependence)
            return


def _stays_outside(facts: Facts, source: Group) -> bool:
    """Whether kernels are launched inside of a nest's outermost loop, as far as it matters."""
    if source.grid and may_combine(source, 3):
        between = facts.between(source.statements, source.depth)
        return any(facts.needs_scalar(d, source.order[0]) for d in between)
    return not source.grid


def _clusters(facts: Facts, source: Group) -> tuple[Cluster, ...] | None:
    """The nests that are better than the one in the source; None where it stays."""
    if max(len(s.loops) for s in source.statements) - source.depth < 2:
        return None
    before = ranks(facts, source)
    if not is_plain(source) or not _can_gain(facts, source, before):
        return _combining(facts, source)
    whole = arranged(facts, source.statements, source.depth)
    after = ranks(facts, whole)
    best = source if not gains(facts, before, after, source.statements) else whole
    if best is source or _can_gain(facts, best, after):
        apart = distributed(facts, source.statements, source.depth)
        now = {
            name: rank for cluster in apart for group in cluster.groups for name, rank in ranks(facts, group).items()
        }
        if gains(facts, ranks(facts, best), now, source.statements):
            return apart
    return (Cluster((whole,)),) if best is whole else _combining(facts, source)


def _can_gain(facts: Facts, group: Group, ranks_: dict[str, Rank]) -> bool:
    """Whether any rank leaves something to be wished."""
    if min(ranks_.values()) < Rank.OUTSIDE:
        return True
    products = (s.name for s in group.statements if could_be_product(facts, s, group.depth))
    return any(ranks_[name] < Rank.PRODUCT for name in products)


def _combining(facts: Facts, source: Group) -> tuple[Cluster, ...] | None:
    """Parallel loops outside of those that combine, which is better whatever else is known."""
    if len(source.order) < 2 or not is_free(source) or not may_combine(source, 2):
        return None
    whole = arranged(facts, source.statements, source.depth)
    better = whole.order != source.chain and only_combines(facts, source)
    return (Cluster((whole,)),) if better else None


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
