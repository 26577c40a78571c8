"""Variables that the compiler made: parts of their own for iterations that used one and the same variable."""

from __future__ import annotations

from accshare.diagnostics import Rejected, broken
from accshare.lifetimes import is_faithful, touching
from accshare.poly.ir import Expansion, Mode, Scop


def check_expansions(scop: Scop) -> None:
    """Prove that reads of parts see the writes that they saw, and that every dependence on parts is known, so that the
    proof of the order has it. Raises `Rejected` (ACC902) where that fails."""
    for expansion in scop.expansions:
        if not is_faithful(scop, expansion):
            raise _broken(scop, expansion, "would read another value")
        if not _has_all_dependences(scop, expansion):
            raise _broken(scop, expansion, "might come too early for another")


def _has_all_dependences(scop: Scop, expansion: Expansion) -> bool:
    own = [(s, a) for s in scop.statements for a in s.accesses if a.variable == expansion.variable]
    for source, first in own:
        for sink, second in own:
            if Mode.WRITE not in (first.mode, second.mode):
                continue
            pairs = touching(source, first, sink, second).intersect_params(scop.context)
            for known in scop.dependences:
                if known.source_access is first and known.sink_access is second:
                    pairs = pairs.subtract(known.relation)
            if not pairs.is_empty():
                return False
    return True


def _broken(scop: Scop, expansion: Expansion, what: str) -> Rejected:
    name = expansion.original.name
    return broken(f"an iteration with its own {name} {what}", scop.region.construct.span)
