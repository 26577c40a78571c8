"""Dependences that lead back in the program: what combines in any order may do so in another one than the program's."""

from __future__ import annotations

from accshare.atomics import REASSOCIATED, commuting
from accshare.closed import Combining, are_tested, extreme, is_closed
from accshare.combining import is_exact
from accshare.diagnostics import broken
from accshare.frontend.ir import Atomic
from accshare.poly.ir import Dependence, Scop


def check_turned(scop: Scop, native: bool, reassociate: bool) -> None:
    """Prove that updates of an element which come in another order than the program's have none: because of what they
    are, or of what the region looks at before `native` kernels run, or because nobody asks for one (`reassociate`).
    Raises `Rejected` (ACC902) where that fails."""
    for statement in scop.statements:
        if isinstance(statement.body, Atomic) and not _is_free(statement.body, reassociate):
            raise broken("updates would combine numbers in another order", statement.body.span)
    free = {s.name for s in scop.statements if reassociate or is_exact(s.body)}
    if scop.tests and native and are_tested(scop, scop.tests) and is_closed(scop, scop.tests):
        free |= {s.name for s in scop.statements if extreme(s) is not None}
    proved: dict[tuple[int, str, str], bool] = {}
    combines = Combining()
    for dependence in scop.dependences:
        ends = dependence.source.name, dependence.sink.name
        if free.issuperset(ends) or not combines(dependence):
            continue
        key = (id(dependence.relation), *ends)
        if key not in proved:
            proved[key] = _is_as_written(scop, dependence)
        if not proved[key]:
            name = dependence.source_access.variable.name
            raise broken(f"elements of {name} would combine numbers in another order", scop.region.construct.span)


def _is_free(atomic: Atomic, reassociate: bool) -> bool:
    """Whether an update that the program has not asked to be in one piece combines, and has no order."""
    if atomic.kind != REASSOCIATED:
        return True
    return commuting(atomic) is not None and (reassociate or all(map(is_exact, atomic.body.statements)))


def _is_as_written(scop: Scop, dependence: Dependence) -> bool:
    """Whether all pairs are in the program's order."""
    pairs = dependence.relation.intersect_params(scop.context)
    return bool(pairs.is_subset(dependence.source.time.lex_lt_map(dependence.sink.time)))
