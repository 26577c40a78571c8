"""Loops whose iterations may run in any order, as they carry nothing but sums and the like (SHARE 3.3.1)."""

from __future__ import annotations

from accshare.carried import carried
from accshare.combining import combined, is_exact
from accshare.options import Options
from accshare.poly.ir import Access, LoopNode, Statement
from accshare.pragma.ir import Clause, ReductionClause, ReductionOp
from accshare.schedule.ir import Kernel, Schedule


def is_associative(loop: LoopNode, nest: Kernel, schedule: Schedule, options: Options) -> bool:
    """Whether each work-item may run the iterations of a sequential loop in an order of its own.

    Sums of integers always may; floating-point ones where the user allows it, by an option or a ``reduction`` clause.
    """
    own = {s.name for s in nest.statements if any(n.index == loop.index for n in s.loops)}
    clauses = _clauses(loop, nest, schedule)
    found: dict[str, set[ReductionOp | None]] = {}
    for dependence in schedule.scop.dependences:
        inside = dependence.source.name in own and dependence.sink.name in own
        if inside and not carried(dependence.relation, loop.depth).is_empty():
            ends = (dependence.source, dependence.source_access), (dependence.sink, dependence.sink_access)
            ops = {_operator(statement, access, clauses, options) for statement, access in ends}
            found.setdefault(dependence.source_access.variable.name, set()).update(ops)
    return all(len(ops) == 1 and None not in ops for ops in found.values())


def _operator(
    statement: Statement, access: Access, clauses: tuple[Clause, ...], options: Options
) -> ReductionOp | None:
    """The operator with which a statement combines a value into what it accesses, where that may be reordered."""
    op = combined(statement.body, access.reference)
    name = access.variable.name
    named = {c.op for c in clauses if isinstance(c, ReductionClause) and any(v.base.text == name for v in c.vars)}
    promised = op is not None and op.clause in named
    return op if promised or options.reassociate or is_exact(statement.body) else None


def _clauses(loop: LoopNode, nest: Kernel, schedule: Schedule) -> tuple[Clause, ...]:
    """The clauses of the construct, and of the directives on the loop and those around it."""
    around = {
        n.index: n.loop.directive
        for s in nest.statements
        if any(n.index == loop.index for n in s.loops)
        for n in s.loops[: loop.depth + 1]
    }
    own = (clause for directive in around.values() if directive is not None for clause in directive.clauses)
    return (*schedule.scop.region.construct.clauses, *own)
