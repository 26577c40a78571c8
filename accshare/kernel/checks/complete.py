"""Proof that the loops around a statement have all of its iterations: an order that is not the program's may have put
it into loops that end earlier, and nothing would be amiss with what is left."""

from __future__ import annotations

import islpy as isl

from accshare.diagnostics import broken
from accshare.poly.ir import Scop, Statement

_SET = isl.dim_type.set


def check_complete(scop: Scop) -> None:
    """Raise `Rejected` (ACC902) where a statement has an iteration that its loops leave out."""
    for statement in scop.statements:
        _check(statement, scop.context)


def _check(statement: Statement, context: isl.Set) -> None:
    instances = statement.domain.intersect_params(context).reset_tuple_id()
    for loop in reversed(statement.loops):
        if not instances.is_subset(loop.domain.reset_tuple_id()):
            raise broken(f"loop {loop.iterator.name} leaves out iterations of a statement", statement.body.span)
        instances = instances.project_out(_SET, loop.depth, 1)
