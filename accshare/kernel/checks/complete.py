"""Proof that the loops around a statement have all of its iterations: an order that is not the program's may have put
it into loops that end earlier, and nothing would be amiss with what is left.

Kernels are generated from what their loops are said to go over. Loops on the host are printed as they are written, so
that those which the compiler has made are read again."""

from __future__ import annotations

import islpy as isl

from accshare.diagnostics import broken
from accshare.islbuild import COMPARISONS, given, sizes
from accshare.islexpr import Unreadable, value_of
from accshare.poly.ir import LoopNode, Scop, Statement
from accshare.schedule.ir import Schedule
from accshare.source import Span

_SET = isl.dim_type.set
#: where loops stand that no program has
_MADE = Span(0, 0)


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
    """Raise `Rejected` (ACC902) where a loop that launches kernels, and is not the program's, has other iterations than
    these were generated for. Bounds that hang on more than sums and quotients of integers are not read."""
    scop = schedule.scop
    for kernel in schedule.kernels:
        for depth, node in enumerate(kernel.host):
            try:
                if node.loop.span == _MADE and not _is_as_written(node, kernel.host[:depth], scop.context):
                    raise broken(f"loop {node.iterator.name} passes other values than kernels expect", kernel.span)
            except Unreadable:
                continue


def _is_as_written(node: LoopNode, around: tuple[LoopNode, ...], context: isl.Set) -> bool:
    """Whether a loop goes over its domain, for all iterations of those around it."""
    loop, names = node.loop, [n.iterator.unique for n in (*around, node)]
    at, first = sizes(names[-1]).parameters[0].to_pw_aff(), value_of(loop.first)
    if loop.relation not in COMPARISONS:
        raise Unreadable
    passed = COMPARISONS[loop.relation](at, value_of(loop.bound))
    passed = passed.intersect(COMPARISONS[">=" if loop.step > 0 else "<="](at, first))
    steps = at.sub(first).mod_val(isl.Val(abs(loop.step)))
    passed = passed.intersect(steps.eq_set(sizes().function(0).to_pw_aff()))
    known = context.params()
    if around:
        known = known.intersect(given(around[-1].domain, names[:-1]).params())
    domain = given(node.domain, names).params()
    return bool(passed.intersect(known).is_equal(domain.intersect(known)))
