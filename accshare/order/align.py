"""Neighbours become one: loops that a loop on the host launches one after the other, with the same iterations.

What keeps them apart is often no more than the way they are written: one counts from one instead of from zero. It may
count from elsewhere, so that each iteration finds what the same one of the loop before has left.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise

import islpy as isl

from accshare.carried import distance, together
from accshare.frontend.ir import INT, Expr, Scalar, Var
from accshare.islbuild import points
from accshare.islexpr import binary, literal
from accshare.order.carry import as_written, rearranged
from accshare.order.choose import placed
from accshare.order.distribute import Cluster, in_one
from accshare.order.facts import Facts, each_found_once
from accshare.order.ir import Step, Word
from accshare.order.moved import moved
from accshare.order.nests import Group, is_plain, share_only_arrays, written
from accshare.order.remade import Remade
from accshare.poly.ir import LoopNode, Scop, Statement
from accshare.quota import Quota, QuotaExceeded
from accshare.records import replace
from accshare.source import Span
from accshare.tree import rewrite

_SET = isl.dim_type.set
_NOWHERE = Span(0, 0)
#: isl's operations for one nest, and statements of a nest in which neighbours are looked for
_OPERATIONS, _MOST = 200_000, 16


@each_found_once
def neighbours(facts: Facts, nest: tuple[Statement, ...]) -> Iterator[Remade]:
    """The statements of one outermost loop with neighbours inside of it being one loop; nothing where none can be."""
    known = Remade(facts.scop, nest, ())
    try:
        with Quota(_OPERATIONS):
            while len(nest) <= _MOST:
                found = next(_joined(facts, known.statements, 0), None)
                if found is None:
                    break
                names = {s.name for s in nest}
                statements = tuple(s for s in found.scop.statements if s.name in names)
                known = Remade(found.scop, statements, (*known.steps, *found.steps))
                facts = facts.after(found.scop)
    except QuotaExceeded:
        return
    if known.steps:
        yield known


def joined_elements(facts: Facts, first: tuple[Statement, ...], second: tuple[Statement, ...]) -> Remade | None:
    """Two nests of a region, which stand one after the other, as one; None unless all their loops are parallel, and may
    be the same ones."""
    groups = tuple(written(facts, nest, 0) for nest in (first, second))
    if any(g.grid == 0 or any(len(s.loops) != g.grid for s in g.statements) for g in groups):
        return None
    return _one(facts, *groups)


def _joined(facts: Facts, statements: tuple[Statement, ...], depth: int) -> Iterator[Remade]:
    """What becomes of the region where two neighbours at some depth, in loops that are not parallel, are one."""
    runs = [tuple(run) for _, run in groupby(statements, lambda s: _at(s, depth))]
    groups = [written(facts, run, depth) if len(run[0].loops) > depth else None for run in runs]
    for first, second in pairwise(groups) if depth > 0 else ():
        if first is not None and second is not None and first.grid == second.grid > 0:
            found = _one(facts, first, second)
            if found is not None:
                yield found
    for group in groups:
        if group is not None and not group.grid and is_plain(group):
            yield from _joined(facts, group.statements, depth + 1)


def _at(statement: Statement, depth: int) -> int | None:
    return statement.loops[depth].index if len(statement.loops) > depth else None


def _one(facts: Facts, first: Group, second: Group) -> Remade | None:
    """Two neighbours in the same parallel loops; None where that is not legal, or nothing is used again."""
    if not all(is_plain(group) and share_only_arrays(group.statements, group.depth) for group in (first, second)):
        return None
    steps: list[Step] = []
    away = away_from(facts, first, second)
    if away is None:
        return None
    for loop, by in zip(second.order, away, strict=False):
        if by:
            if not can_count_elsewhere(loop):
                return None
            inside = tuple(s for s in facts.scop.statements if any(n.index == loop.index for n in s.loops))
            facts = facts.after(shifted(facts.scop, inside, loop, by))
            steps.append(Step(Word.SHIFTED, (loop,), (inside,), values=(literal(by, INT),)))
    first, second = (_again(facts, group) for group in (first, second))
    cluster = in_one(facts, Cluster((first,)), second)
    if cluster is None:
        return None
    names = {s.name for s in cluster.statements}
    before, after = _around(facts.scop.statements, names)
    places = (*map(as_written, before), *placed((cluster,)), *map(as_written, after))
    main, other = cluster.main, next(g for g in cluster.groups if g is not cluster.main)
    parts = other.statements, main.statements
    steps.append(Step(Word.FUSED, other.order[: other.grid], parts, main.order[: main.grid]))
    return Remade(rearranged(facts.scop, places, facts.pairs), cluster.statements, tuple(steps))


def _again(facts: Facts, group: Group) -> Group:
    """A group as it is in what became of the region."""
    names = {s.name for s in group.statements}
    return written(facts, tuple(s for s in facts.scop.statements if s.name in names), group.depth)


def _around(statements: tuple[Statement, ...], names: set[str]) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """The statements before some that stand together, and those behind them."""
    place = next(k for k, s in enumerate(statements) if s.name in names)
    return statements[:place], statements[place + len(names) :]


# --- loops that count from elsewhere ---------------------------------------------------------------------------------


def away_from(facts: Facts, first: Group, second: Group) -> tuple[int, ...] | None:
    """How far behind the iterations that the second group's loops need those are that do; None where it varies."""
    names = {s.name for s in first.statements}
    between = facts.between((*first.statements, *second.statements), first.depth)
    across = [d for d in between if d.source.name in names and d.sink.name not in names]
    result = []
    for own, theirs in zip(first.order[: first.grid], second.order, strict=False):
        pairs = (together(d.relation, first.depth).intersect_params(facts.scop.context) for d in across)
        found = {distance(each, own.depth, theirs.depth) for each in pairs} or {0}
        if len(found) > 1 or None in found:
            return None
        result += [by for by in found if by is not None]
    return tuple(result)


def can_count_elsewhere(loop: LoopNode) -> bool:
    """Whether a loop's numbers can be others, or fewer: nothing wraps around, and it ends where it has passed its
    bound."""
    type_ = loop.iterator.type
    return isinstance(type_, Scalar) and type_.signed and type_.bytes >= INT.bytes and loop.loop.relation != "!="


def shifted(scop: Scop, inside: tuple[Statement, ...], loop: LoopNode, by: int) -> Scop:
    """The region with a loop, which is around the statements `inside`, counting from so much less, whether anything
    is gained by it or not."""
    type_, made = loop.iterator.type, dict[int, LoopNode]()
    assert isinstance(type_, Scalar)

    def change(expr: Expr) -> Expr | None:
        if not isinstance(expr, Var) or expr.symbol != loop.iterator:
            return None
        return binary("+", expr, literal(by, type_), type_)

    def to(instances: isl.Set) -> isl.Map:
        name = instances.get_tuple_name() or ""
        every = points(instances.dim(_SET), name)
        where = [own - by if k == loop.depth else own for k, own in enumerate(every.coordinates)]
        return every.to(where, name)

    def around(statement: Statement) -> tuple[LoopNode, ...]:
        for own in statement.loops[loop.depth :]:
            if own.index not in made:
                made[own.index] = _elsewhere(own, own.domain.apply(to(own.domain)))
        return tuple(made.get(own.index, own) for own in statement.loops)

    def _elsewhere(own: LoopNode, domain: isl.Set) -> LoopNode:
        first, bound = own.loop.first, own.loop.bound
        if own.index == loop.index:
            first, bound = (binary("-", end, literal(by, type_), type_) for end in (first, bound))
        else:
            first, bound = (rewrite(end, change) for end in (first, bound))
        return replace(own, loop=replace(own.loop, first=first, bound=bound, span=_NOWHERE), domain=domain)

    return moved(scop, inside, to, around, change)[0]
