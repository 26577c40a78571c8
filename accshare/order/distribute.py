"""Distribution: the statements of a nest in as few nests of their own as their ranks ask for.

What depends on itself, directly or through others, stays in one loop; the rest may have loops of its own, in an order
in which every value is there when it is needed. Pieces that lose nothing by it are put together again, which keeps
values in registers and memory from being passed over twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.frontend.ir import Expr, Symbol, Var
from accshare.order.carry import iterations
from accshare.order.facts import Facts
from accshare.order.nests import Group, Rank, arranged, has_tile, ranks
from accshare.poly.ir import Statement, VariableKind
from accshare.records import dataclass, replace
from accshare.tree import all_expressions, rewrite

#: more statements than anyone distributes with gain, for questions that are asked of all pairs
_MOST = 40


@dataclass(frozen=True, slots=True)
class Cluster:
    """Groups, in this order, whose parallel loops are the same ones; where there are several, they have as many."""

    groups: tuple[Group, ...]

    @property
    def main(self) -> Group:
        """The group whose loops they all run in: the first with most."""
        return max(self.groups, key=lambda group: max(len(s.loops) for s in group.statements))

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All statements in their new order."""
        return tuple(s for group in self.groups for s in group.statements)


def distributed(facts: Facts, nest: tuple[Statement, ...], depth: int, *, fused: bool = True) -> tuple[Cluster, ...]:
    """The statements of one loop at `depth` in as few clusters as their ranks ask for, or, unless they are to be
    `fused`, in as many as can be; one where that is not legal."""
    edges = _edges(facts, nest, depth) if len(nest) <= _MOST else {s.name: {t.name for t in nest} for s in nest}
    clusters: list[Cluster] = []
    for part in _parts(nest, edges):
        group = arranged(facts, part, depth)
        if fused:
            _add(facts, clusters, group, edges)
        else:
            clusters.append(Cluster((group,)))
    return tuple(clusters)


def _edges(facts: Facts, nest: tuple[Statement, ...], depth: int) -> dict[str, set[str]]:
    """Which statements come after each because of a dependence; those that share what their loop declares come after
    one another."""
    edges: dict[str, set[str]] = {s.name: set() for s in nest}
    for dependence in facts.between(nest, depth):
        edges[dependence.source.name].add(dependence.sink.name)
    for variable in facts.scop.variables:
        if variable.kind is VariableKind.PRIVATE and variable.scope > depth:
            users = {s.name for s in nest if any(a.variable == variable for a in s.accesses)}
            for name in users:
                edges[name] |= users
    return edges


def _parts(nest: tuple[Statement, ...], edges: dict[str, set[str]]) -> Iterator[tuple[Statement, ...]]:
    """The statements that depend on themselves through each other, in an order that dependences allow and that is as
    near to the program's as can be."""
    after = {name: _reached(name, edges) for name in edges}
    waiting = list(nest)
    while waiting:
        names = {s.name for s in waiting}
        for first in waiting:
            cycle = {first.name} | {n for n in after[first.name] if first.name in after[n]}
            if not any(cycle & after[name] for name in names - cycle):
                break
        yield tuple(s for s in waiting if s.name in cycle)
        waiting = [s for s in waiting if s.name not in cycle]


def _reached(name: str, edges: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = edges[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _add(facts: Facts, clusters: list[Cluster], group: Group, edges: dict[str, set[str]]) -> None:
    """Put a group to the last cluster that loses nothing by it and lets it, or behind them all."""
    own = {s.name for s in group.statements}
    for place in reversed(range(len(clusters))):
        cluster = clusters[place]
        together = _together(facts, cluster, group) or in_one(facts, cluster, group)
        if together is not None:
            clusters[place] = together
            return
        if any(edges[s.name] & own for s in cluster.statements):
            break
    clusters.append(Cluster((group,)))


def _together(facts: Facts, cluster: Cluster, group: Group) -> Cluster | None:
    """A cluster and a group in loops that they have in the program, as one group."""
    if len(cluster.groups) > 1:
        return None
    (other,) = cluster.groups
    both = {s.name for s in (*other.statements, *group.statements)}
    merged = arranged(facts, tuple(s for s in facts.scop.statements if s.name in both), group.depth)
    apart, now = ranks(facts, other) | ranks(facts, group), ranks(facts, merged)
    if any(merged.grid < g.grid and len(merged.order) < len(g.order) for g in (other, group)):
        return None
    if _tiles(facts, merged) < _tiles(facts, other) | _tiles(facts, group):
        return None
    return Cluster((merged,)) if all(now[name] >= rank for name, rank in apart.items()) else None


def _tiles(facts: Facts, group: Group, others: Iterable[Statement] = ()) -> set[str]:
    """The products of a group whose rows share what they load, beside `others` in the same parallel loops."""
    products = (s for s in group.statements if ranks(facts, group)[s.name] is Rank.PRODUCT)
    grid, every = group.order[: group.grid], (*group.statements, *others)
    return {s.name for s in products if has_tile(s, every, grid)}


def in_one(facts: Facts, cluster: Cluster, group: Group) -> Cluster | None:
    """A cluster and a group in the same parallel loops: their bounds are the same, no value goes from one iteration to
    another, and some is used again."""
    if any(min(ranks(facts, g).values()) < Rank.OUTSIDE or g.grid != group.grid for g in (*cluster.groups, group)):
        return None
    shares = any(_memory(s) & _memory(t) for s in cluster.statements for t in group.statements)
    if not shares or not all(are_alike(facts, other, group) for other in cluster.groups):
        return None
    for one in (*cluster.groups, group):
        others = [s for other in (*cluster.groups, group) if other is not one for s in _in_loops_of(one, other)]
        if _tiles(facts, one, others) < _tiles(facts, one):
            return None
    return Cluster((*cluster.groups, group))


def _in_loops_of(group: Group, other: Group) -> Iterator[Statement]:
    """The statements of another group with the iterators of a group's parallel loops in what they access."""
    pairs = zip(other.order[: group.grid], group.order, strict=False)
    names = {theirs.iterator: own.iterator for theirs, own in pairs}

    def renamed(expr: Expr) -> Expr | None:
        return replace(expr, symbol=names[expr.symbol]) if isinstance(expr, Var) and expr.symbol in names else None

    for statement in other.statements:
        accesses = (replace(a, reference=rewrite(a.reference, renamed)) for a in statement.accesses)
        yield replace(statement, accesses=tuple(accesses))


def _memory(statement: Statement) -> set[str]:
    return {a.variable.name for a in statement.accesses if a.variable.kind is VariableKind.MEMORY}


def are_alike(facts: Facts, one: Group, other: Group) -> bool:
    """Whether the parallel loops of two groups can be the same ones."""
    pairs = tuple(zip(one.order[: one.grid], other.order[: other.grid], strict=True))
    if any(first.loop.step != second.loop.step for first, second in pairs):
        return False
    if not _can_be_renamed(one, other) or not _can_be_renamed(other, one) or not _have_one_domain(one, other):
        return False
    names = {s.name for s in one.statements}
    for dependence in facts.between((*one.statements, *other.statements), one.depth):
        ends = dependence.source.name in names, dependence.sink.name in names
        for pair in pairs if ends[0] != ends[1] else ():
            source, sink = pair if ends[0] else pair[::-1]
            if not facts.keeps(dependence, one.depth, source, sink):
                return False
    return True


def _have_one_domain(one: Group, other: Group) -> bool:
    """Whether their parallel loops have the same iterations."""
    first, second = (iterations(g.loops(g.statements[0])[: g.depth + g.grid]) for g in (one, other))
    return bool(first.is_equal(second))


def _can_be_renamed(group: Group, other: Group) -> bool:
    """Whether the iterators of another group's parallel loops mean nothing yet in a group that has others, and count
    in the same type."""
    pairs = zip(group.order[: group.grid], other.order, strict=False)
    renamed = [(own.iterator, theirs.iterator) for own, theirs in pairs if own.iterator != theirs.iterator]
    new = {theirs for _, theirs in renamed}
    same = all(own.type == theirs.type for own, theirs in renamed)
    return same and not (new and any(new & symbols_of(s) for s in group.statements))


def symbols_of(statement: Statement) -> set[Symbol]:
    """Whatever a statement names, and what counts the loops around it."""
    named = {e.symbol for e in all_expressions(statement.body) if isinstance(e, Var)}
    return named | {loop.iterator for loop in statement.loops}
