"""Loops that combine stand inside of parallel ones: ``for k, for j: y[j] += A[k][j] * x[k]`` is scheduled as j, k.

To MDH the order in which a program nests its dimensions means nothing. What it says of each dimension does: one whose
results are only put side by side can be outermost, and run in parallel; the order of operations on every element stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import islpy as isl

from accshare.carried import together
from accshare.combining import combined
from accshare.frontend.ir import Var
from accshare.islbuild import like, points
from accshare.poly.ir import Access, Dependence, LoopNode, Scop, Statement, VariableKind
from accshare.pragma.ir import CollapseClause, DirectiveKind, TileClause
from accshare.tree import expressions

_SET = isl.dim_type.set


def interchanged(scop: Scop) -> Scop:
    """The region with the dimensions of its instances in a better order; as it is where nothing is gained, or where
    something but the dependences tells which loops are parallel."""
    if scop.region.construct.kind not in (DirectiveKind.KERNELS, DirectiveKind.KERNELS_LOOP):
        return scop
    outermost = _loops_at(0, scop.statements)
    for change in tuple(change for loop in outermost for change in _changes(loop, scop)):
        scop = change.of(scop)
    return scop


@dataclass(frozen=True, slots=True)
class _Change:
    """Loops directly in each other, from outside in, and their better `order`."""

    chain: tuple[LoopNode, ...]
    order: tuple[LoopNode, ...]

    def of(self, scop: Scop) -> Scop:
        """The region with the statements in these loops exchanged in all that is known of them."""
        loops = self._loops()
        statements: dict[str, Statement] = {}
        accesses: dict[int, Access] = {}
        for statement in scop.statements:
            if self.chain[0] in statement.loops:
                accesses |= {id(a): replace(a, relation=self._domain(a.relation)) for a in statement.accesses}
                statement = self._statement(statement, loops, accesses)
            statements[statement.name] = statement
        relations: dict[int, isl.Map] = {}

        def dependence(old: Dependence) -> Dependence:
            source, sink = statements[old.source.name], statements[old.sink.name]
            relation = relations.get(id(old.relation))
            if relation is None:
                relation = self._domain(old.relation) if source is not old.source else old.relation
                relation = self._domain(relation.reverse()).reverse() if sink is not old.sink else relation
                relations[id(old.relation)] = relation
            first, second = (accesses.get(id(access), access) for access in (old.source_access, old.sink_access))
            return Dependence(old.kind, source, first, sink, second, relation)

        dependences = tuple(map(dependence, scop.dependences))
        return replace(scop, statements=tuple(statements.values()), dependences=dependences)

    def _statement(self, statement: Statement, loops: dict[int, LoopNode], accesses: dict[int, Access]) -> Statement:
        inside = [loops.get(loop.index, loop) for loop in statement.loops]
        return replace(
            statement,
            loops=tuple(sorted(inside, key=lambda loop: loop.depth)),
            domain=statement.domain.apply(self._exchange(statement.domain)),
            time=self._domain(statement.time),
            accesses=tuple(accesses[id(access)] for access in statement.accesses),
        )

    def _loops(self) -> dict[int, LoopNode]:
        """The loops in their new places, by their index. Whatever moves outwards has bounds of its own."""
        first = self.chain[0].depth
        domain = self.chain[0].domain.project_out(_SET, first, 1)
        moved: dict[int, LoopNode] = {}
        for depth, loop in enumerate(self.order, first):
            domain = domain.add_dims(_SET, 1).intersect(self._bounds(loop, depth))
            moved[loop.index] = replace(loop, depth=depth, domain=domain)
        return moved

    def _bounds(self, loop: LoopNode, depth: int) -> isl.Set:
        """The iterations of a loop at its new depth, whatever those of the loops that were not around it."""
        first, own = self.chain[0].depth, loop.domain
        around = self.order[: depth - first]
        places = [*range(first)]
        for other in self.chain[: self.chain.index(loop)]:
            if other in around:
                places.append(first + around.index(other))
        for other in reversed(self.chain[: self.chain.index(loop)]):
            if other not in around:
                own = own.drop_constraints_involving_dims(_SET, other.depth, 1).project_out(_SET, other.depth, 1)
        moved = points(depth + 1)
        return own.apply(moved.to([moved.coordinates[k] for k in (*places, depth)]).reverse())

    def _domain(self, relation: isl.Map) -> isl.Map:
        """A relation from instances in their old dimensions as one from those in their new ones."""
        return relation.apply_domain(self._exchange(relation.domain()))

    def _exchange(self, instances: isl.Set) -> isl.Map:
        """From the old dimensions of a statement to the new ones."""
        old, first = like(instances), self.chain[0].depth
        new = list(old.coordinates)
        new[first : first + len(self.order)] = [old.coordinates[loop.depth] for loop in self.order]
        return old.to(new, instances.get_tuple_name())


def _changes(loop: LoopNode, scop: Scop) -> Iterator[_Change]:
    """The chains of loops from one on that are better in another order."""
    chain = tuple(_chain(loop, scop))
    order = _order(chain, scop) if len(chain) > 1 else chain
    if order != chain:
        yield _Change(chain, order)
        return
    for inner in _loops_in(loop, scop):
        yield from _changes(inner, scop)


def _chain(loop: LoopNode, scop: Scop) -> Iterator[LoopNode]:
    """The loops from one on that have nothing but the next one in them."""
    yield loop
    inside, inner = loop.loop.body.statements, _loops_in(loop, scop)
    if len(inside) == 1 and len(inner) == 1 and inner[0].loop is inside[0]:
        yield from _chain(inner[0], scop)


def _loops_in(loop: LoopNode, scop: Scop) -> tuple[LoopNode, ...]:
    """The loops directly in another one."""
    return _loops_at(loop.depth + 1, tuple(s for s in scop.statements if loop in s.loops))


def _loops_at(depth: int, statements: tuple[Statement, ...]) -> tuple[LoopNode, ...]:
    """The loops around statements that stand in so many others."""
    return tuple({s.loops[depth].index: s.loops[depth] for s in statements if len(s.loops) > depth}.values())


def _order(chain: tuple[LoopNode, ...], scop: Scop) -> tuple[LoopNode, ...]:
    """Parallel loops first, in the order in which they stand; as it is where that is not legal, or the others do more
    than combine."""
    between = tuple(_between(chain, scop))
    if not any(map(_combines, between)):
        return chain
    outer = [node for node in chain if not any(_differs(d, node, chain, scop) for d in between)]
    order = (*outer, *(node for node in chain if node not in outer))
    crossing = (d for d in between if any(_differs(d, node, chain, scop) for node in chain))
    if order == chain or not _is_free(chain) or not _are_apart(chain, outer) or not all(map(_combines, crossing)):
        return chain
    return order


def _between(chain: tuple[LoopNode, ...], scop: Scop) -> Iterator[Dependence]:
    """The dependences inside of the loops, but for those on what an iteration declares."""

    def inside(statement: Statement) -> bool:
        return chain[-1] in statement.loops

    for dependence in scop.dependences:
        variable = dependence.source_access.variable
        own = variable.kind is VariableKind.PRIVATE and variable.scope > chain[-1].depth
        if inside(dependence.source) and inside(dependence.sink) and not own:
            yield dependence


def _differs(dependence: Dependence, node: LoopNode, chain: tuple[LoopNode, ...], scop: Scop) -> bool:
    """Whether a dependence leads from one iteration of a loop to another, of the same iterations around all of them."""
    relation = together(dependence.relation.intersect_params(scop.context), chain[0].depth)
    return not relation.is_subset(together(relation, node.depth + 1, node.depth))


def _combines(dependence: Dependence) -> bool:
    ends = (dependence.source, dependence.source_access), (dependence.sink, dependence.sink_access)
    return all(combined(statement.body, access.reference) is not None for statement, access in ends)


def _is_free(chain: tuple[LoopNode, ...]) -> bool:
    """Whether no directive counts the loops."""
    clauses = (c for node in chain if node.loop.directive is not None for c in node.loop.directive.clauses)
    return not any(isinstance(c, CollapseClause | TileClause) for c in clauses)


def _are_apart(chain: tuple[LoopNode, ...], outer: list[LoopNode]) -> bool:
    """Whether the bounds of loops that move outwards depend on none that they pass."""
    for place, node in enumerate(chain):
        passed = {other.iterator for other in chain[:place] if other not in outer}
        bounds = (*expressions(node.loop.first), *expressions(node.loop.bound))
        if node in outer and any(isinstance(e, Var) and e.symbol in passed for e in bounds):
            return False
    return True
