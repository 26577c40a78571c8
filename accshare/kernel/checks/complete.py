"""Proof that the loops around a statement have all of its iterations: an order that is not the program's may have put
it into loops that end earlier, and nothing would be amiss with what is left.

Kernels are generated from what their loops are said to go over. Loops on the host are printed as they are written, so
that these are read again."""

from __future__ import annotations

import islpy as isl

from accshare.diagnostics import broken
from accshare.islexpr import Unreadable
from accshare.kernel.host_loops import is_as_written
from accshare.poly.ir import Scop, Statement
from accshare.schedule.ir import Schedule

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


def check_host_loops(schedule: Schedule) -> None:
    """Raise `Rejected` (ACC902) where a loop that launches kernels has other iterations than these were generated for.
    Bounds that hang on more than sums and quotients of integers are not read."""
    for kernel in schedule.kernels:
        for depth, node in enumerate(kernel.host):
            try:
                if not is_as_written(node, kernel.host[:depth], schedule.scop.context):
                    raise broken(f"loop {node.iterator.name} passes other values than kernels expect", kernel.span)
            except Unreadable:
                continue
