"""Variables that the compiler made: parts of their own for iterations that used one and the same variable, and copies
of what is read before it changes."""

from __future__ import annotations

import islpy as isl

from accshare.diagnostics import Rejected, broken
from accshare.lifetimes import Touching, is_copied, is_faithful
from accshare.poly.ir import Access, Copied, Expansion, Mode, Scop, Statement
from accshare.records import replace

_OUT = isl.dim_type.out


def check_expansions(scop: Scop) -> None:
    """Prove that reads of parts and of copies see the writes that they saw, and that every dependence on these is
    known, so that the proof of the order has it. Raises `Rejected` (ACC902) where that fails."""
    both = Touching()
    for expansion in scop.expansions:
        if not is_faithful(scop, expansion):
            raise _broken(scop, expansion, "would read another value")
        own = [a for s in scop.statements for a in s.accesses if a.variable.memory == expansion.variable.name]
        if not _has_all_dependences(scop, own, both):
            raise _broken(scop, expansion, "might come too early for another")
    for copied in scop.copies:
        makers = [s for s in scop.statements if _makes(s, copied)]
        own = [a for s in scop.statements for a in s.accesses if a.variable.memory == copied.variable.name]
        own += [s.accesses[0] for s in makers]
        if not is_copied(scop, copied, both) or not _has_all_dependences(scop, own, both):
            message = f"a copy of {copied.original.name} would have other elements than what is read of it"
            raise broken(message, scop.region.construct.span)


def _makes(statement: Statement, copied: Copied) -> bool:
    written = (a.variable.memory for a in statement.accesses if a.mode is Mode.WRITE)
    return copied.variable.name in written


def _has_all_dependences(scop: Scop, own: list[Access], both: Touching) -> bool:
    """Whether all pairs of accesses to an element are known of which one is among some, in whatever order."""
    every = [(s, a) for s in scop.statements for a in s.accesses]
    wanted = {id(a) for a in own}
    for source, first in every:
        for sink, second in every:
            if Mode.WRITE not in (first.mode, second.mode) or not {id(first), id(second)} & wanted:
                continue
            if first.variable.memory != second.variable.memory:
                continue
            there = second.relation.set_tuple_name(_OUT, first.relation.get_tuple_name(_OUT))
            pairs = both.of(source, first, sink, replace(second, relation=there))
            if pairs.is_empty():
                continue
            pairs = pairs.intersect_params(scop.context)
            for known in scop.dependences:
                if known.source_access is first and known.sink_access is second:
                    pairs = pairs.subtract(known.relation)
            if not pairs.is_empty():
                return False
    return True


def _broken(scop: Scop, expansion: Expansion, what: str) -> Rejected:
    name = expansion.original.name
    return broken(f"an iteration with its own {name} {what}", scop.region.construct.span)
