"""Loops that combine stand inside of parallel ones: ``for k, for j: y[j] += A[k][j] * x[k]`` is read as j, k.

To MDH the order in which a program nests its dimensions means nothing. What it says of each dimension does: one whose
results are only put side by side can be outermost, and run in parallel; the order of operations on every element stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import islpy as isl

from accshare.combining import combined
from accshare.frontend.ir import Block, For, Region, Stmt, Var
from accshare.poly.ir import Dependence, LoopNode, Scop, Statement, VariableKind
from accshare.pragma.ir import CollapseClause, DirectiveKind, TileClause
from accshare.tree import expressions


def exchanged(scop: Scop) -> Region | None:
    """The region with such loops exchanged; None where none are, or nothing but the user tells which are parallel."""
    if scop.region.construct.kind not in (DirectiveKind.KERNELS, DirectiveKind.KERNELS_LOOP):
        return None
    body = replace(scop.region.body, statements=tuple(_of(s, scop) for s in scop.region.body.statements))
    return None if body == scop.region.body else replace(scop.region, body=body)


def _of(stmt: Stmt, scop: Scop) -> Stmt:
    match stmt:
        case Block(statements=inner):
            return replace(stmt, statements=tuple(_of(s, scop) for s in inner))
        case For():
            chain = tuple(_chain(stmt, scop))
            order = _order(chain, scop) if len(chain) > 1 else chain
            if order == chain:
                return replace(
                    stmt, body=replace(stmt.body, statements=tuple(_of(s, scop) for s in stmt.body.statements))
                )
            made: Stmt = chain[-1].loop
            body = chain[-1].loop.body
            for node in reversed(order):
                made = replace(node.loop, body=body)
                body = Block((made,), node.loop.span)
            return made
    return stmt


def _chain(loop: For, scop: Scop) -> Iterator[LoopNode]:
    """The loops from `loop` on that have nothing but the next one in them."""
    nodes = {id(n.loop): n for s in scop.statements for n in s.loops}
    inner: Stmt = loop
    while isinstance(inner, For) and id(inner) in nodes:
        yield nodes[id(inner)]
        if len(inner.body.statements) != 1:
            return
        inner = inner.body.statements[0]


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
    relation = dependence.relation.intersect_params(scop.context)
    for depth in range(chain[0].depth):
        relation = relation.equate(isl.dim_type.in_, depth, isl.dim_type.out, depth)
    same = relation.equate(isl.dim_type.in_, node.depth, isl.dim_type.out, node.depth)
    return not relation.is_subset(same)


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
