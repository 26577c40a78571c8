"""Statements whose iterators become others: these are in new terms wherever they occur, instances get new numbers."""

from __future__ import annotations

from collections.abc import Callable

import islpy as isl

from accshare.frontend.ir import Expr
from accshare.poly.ir import Access, LoopNode, Scop, Statement
from accshare.records import replace
from accshare.tree import rewrite, rewrite_statement


def moved(
    scop: Scop,
    nest: tuple[Statement, ...],
    to: Callable[[isl.Set], isl.Map],
    loops: Callable[[Statement], tuple[LoopNode, ...]],
    change: Callable[[Expr], Expr | None],
) -> tuple[Scop, tuple[Statement, ...]]:
    """The region with some statements in other loops, and these: `to` leads from instances to their new numbers, and
    `change` says what old iterators are in new terms."""
    maps = {s.name: to(s.domain) for s in nest}
    accesses: dict[int, Access] = {}
    found: dict[str, Statement] = {}
    for old in nest:
        own = maps[old.name]
        accesses |= {id(a): _access(a, own, change) for a in old.accesses}
        found[old.name] = replace(
            old,
            body=rewrite_statement(old.body, change),
            loops=loops(old),
            domain=old.domain.apply(own),
            time=old.time.apply_domain(own),
            accesses=tuple(accesses[id(a)] for a in old.accesses),
        )
    relations: dict[int, isl.Map] = {}
    dependences = []
    for one in scop.dependences:
        if id(one.relation) not in relations:  # several have the same one
            relation = one.relation
            if one.source.name in maps:
                relation = relation.apply_domain(maps[one.source.name])
            if one.sink.name in maps:
                relation = relation.apply_range(maps[one.sink.name])
            relations[id(one.relation)] = relation
        dependences.append(one.between(found, accesses, relations[id(one.relation)]))
    statements = tuple(found.get(s.name, s) for s in scop.statements)
    return replace(scop, statements=statements, dependences=tuple(dependences)), tuple(found.values())


def _access(access: Access, to: isl.Map, change: Callable[[Expr], Expr | None]) -> Access:
    return replace(
        access,
        relation=access.relation.apply_domain(to),
        reference=rewrite(access.reference, change),
        subscripts=tuple(rewrite(e, change) for e in access.subscripts),
    )
