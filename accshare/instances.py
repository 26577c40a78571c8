"""Proof that statements in pieces are all there is, each once: of one that nobody runs no dependence tells."""

from __future__ import annotations

import islpy as isl

from accshare.diagnostics import broken
from accshare.poly.ir import Scop, Statement


def check_instances(source: Scop, scop: Scop) -> None:
    """Raise `Rejected` (ACC902) where a region does not run what its `source` has, whose times tell instances apart."""
    if [s.name for s in source.statements] == [s.name for s in scop.statements]:
        return
    made = {one.last for one in scop.expansions} | {name for one in scop.copies for name in one.statements}
    made -= {s.name for s in source.statements}
    left = _times(source, source.statements)
    for statement in scop.statements:
        if statement.name in made:
            continue
        own = _times(scop, (statement,))
        if not own.is_subset(left):
            raise broken("a statement would run an iteration again", source.region.construct.span)
        left = left.subtract(own)
    if not left.is_empty():
        raise broken("an iteration of a statement would be left out", source.region.construct.span)


def _times(scop: Scop, statements: tuple[Statement, ...]) -> isl.UnionSet:
    found = isl.UnionSet.empty(isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0))
    for statement in statements:
        found = found.union(statement.time.intersect_domain(statement.domain).intersect_params(scop.context).range())
    return found
