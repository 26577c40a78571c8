"""Tables of constants that become part of the code: a filter's weights are no memory to read."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import Var
from accshare.mapping.ir import is_short
from accshare.mapping.staging.hints import hints_of
from accshare.options import Options
from accshare.poly.ir import Access, Mode, Statement
from accshare.records import replace
from accshare.schedule.ir import Kernel, Node, Schedule, below, statements, with_statements
from accshare.subscripts import affine


def with_constants(schedule: Schedule, options: Options) -> Schedule:
    """The schedule whose statements do not access tables of which every subscript is known once short loops are
    unrolled; what a hint names is left alone."""
    known = {v.name for v in schedule.scop.variables if isinstance(v.base, Var) and v.base.symbol.values}
    if known:
        known -= {hint.variable.name for hint in hints_of(schedule.scop, options)[0]}
        known -= set(_looked_up(schedule.tree, known))
    if not known:
        return schedule
    without = {s.name: _without(s, known) for s in schedule.scop.statements}
    scop = replace(schedule.scop, statements=tuple(without.values()))
    return replace(schedule, scop=scop, tree=with_statements(schedule.tree, without))


def _looked_up(node: Node, tables: set[str]) -> Iterator[str]:
    """Those of which the place of an access is known only when the kernel runs, or that are written."""
    if not isinstance(node, Kernel):
        for child in below(node):
            yield from _looked_up(child, tables)
        return
    for statement in statements(node):
        for access in statement.accesses:
            if access.variable.name in tables and not _is_constant(access, statement, node):
                yield access.variable.name


def _is_constant(access: Access, statement: Statement, kernel: Kernel) -> bool:
    reference = affine(access, statement) if access.mode is Mode.READ and access.subscripts else None
    if reference is None or any(row.parameters for row in reference.rows):
        return False
    loops = {n.index: n for n in statement.loops[kernel.depth :] if is_short(n)}
    return all(loop in loops for row in reference.rows for loop, _ in row.loops)


def _without(statement: Statement, names: set[str]) -> Statement:
    kept = tuple(a for a in statement.accesses if a.variable.name not in names)
    return statement if len(kept) == len(statement.accesses) else replace(statement, accesses=kept)
