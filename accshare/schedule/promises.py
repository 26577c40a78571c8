"""What a promise of independent iterations can't have meant: updates of elements that iterations may share."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.cprint import SourcePrinter
from accshare.diagnostics import Diagnostic
from accshare.poly.ir import Dependence, DependenceKind, Scop
from accshare.reference import strip
from accshare.schedule.ir import Trusted
from accshare.schedule.slots import has_own_slot


def unproved_updates(scop: Scop, trusted: tuple[Trusted, ...]) -> Iterator[Diagnostic]:
    """A warning for every statement that reads and writes an element which the data choose, as ``h[a[i]]++`` does,
    where only a promise says that no other iteration chooses it too."""
    updates = [t for t in trusted if t.promised and _is_update(t.dependence) and not has_own_slot(scop, t)]
    for dependence in {t.dependence.sink.name: t.dependence for t in updates}.values():
        access = dependence.sink_access
        element = SourcePrinter().text(strip(access.reference))
        message = (
            f"{element} is read and written here, and that no two iterations meet in one element is taken on trust"
        )
        hint = "if they may meet, results are wrong: put #pragma acc atomic in front of the statement"
        yield Diagnostic("ACC311", message, access.span, hint)


def _is_update(dependence: Dependence) -> bool:
    """Whether it leads from a statement's write of an element to its own read of what it calls the same."""
    if not dependence.sink_access.subscripts:
        return False
    same = strip(dependence.source_access.reference) == strip(dependence.sink_access.reference)
    return dependence.kind is DependenceKind.FLOW and dependence.source is dependence.sink and same
