"""For which parameters a dependence between iterations of a loop exists."""

from __future__ import annotations

import islpy as isl

from accshare.carried import far_apart
from accshare.frontend.ir import LONG
from accshare.islbuild import sizes
from accshare.islexpr import all_large, is_true, of_condition, variable
from accshare.poly.ir import Dependence, Guard, LoopNode, Scop
from accshare.quota import Quota

#: a loop with this many iterations counts as one that really iterates, when a dependence hangs on a parameter
_MANY = 1000
#: isl's operations for one dependence; about a tenth of a second, or one where sets are large
_OPERATIONS = 100_000


def certainty(
    scop: Scop, node: LoopNode, inside: frozenset[str], dependence: Dependence, bad: isl.Set
) -> tuple[bool, Guard | None]:
    """Whether a dependence exists whenever the loop has many iterations, `bad` being the parameters with which it
    exists at all; otherwise the guard that excludes it, if there is one. `inside` names the statements of the loop.

    Raises `QuotaExceeded` where that is too complicated.
    """
    memory = bool(dependence.source_access.variable.shape)
    with Quota(_OPERATIONS):
        sure = dependence.exact and (not memory or _whenever_it_iterates(scop, node, inside, bad))
        return sure, None if sure or not dependence.exact else _guard(scop, dependence, bad, node)


def _whenever_it_iterates(scop: Scop, node: LoopNode, inside: frozenset[str], bad: isl.Set) -> bool:
    """Whether the dependence exists for all parameters with which the loop has many iterations."""
    iterating = present = sizes().nothing
    for statement in scop.statements:
        if statement.name not in inside:
            continue
        pairs = far_apart(statement.domain, node.depth, _MANY)
        iterating = iterating.union(pairs)
        present = present.union(statement.domain.params())
    usual = (present if iterating.is_empty() else iterating).intersect(scop.context)
    large = usual.intersect(all_large(present, _MANY))
    return (usual if large.is_empty() else large).is_subset(bad)


def _guard(scop: Scop, dependence: Dependence, bad: isl.Set, node: LoopNode) -> Guard | None:
    """The condition on parameters under which the dependence doesn't exist."""
    good = bad.complement().gist(scop.context).coalesce()
    if good.intersect(scop.context).is_empty():
        return None
    names = {p.symbol.unique: variable(p.symbol) for p in scop.parameters}
    condition = of_condition(good, scop.context, names, LONG)
    if is_true(condition):
        return None
    name = dependence.source_access.variable.name
    return Guard(condition, f"iterations of loop {node.iterator.name} may share elements of {name}", node.loop.header)
