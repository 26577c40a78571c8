"""Which arrays are looked at: the transitive closure of the seeds over dependences (SHARE 3.2.1)."""

from __future__ import annotations

from accshare.mapping.ir import ArrayRole
from accshare.poly.ir import Scop, Variable


def candidates(scop: Scop, seeds: tuple[Variable, ...]) -> dict[str, ArrayRole]:
    """The role of every candidate by name; all arrays are seeds where there are none. Where an array is used by
    ``atomic``, all work-groups have to see it.

    The graph has an edge between two references with a dependence, and between a statement's write and what it
    reads: that dependence runs through the statement.
    """
    atomic = {a.variable.name for s in scop.statements for a in s.accesses if a.atomic}
    if not seeds:
        return {v.name: ArrayRole.SEED for v in scop.variables if v.name not in atomic}
    touched = {s.name: {a.variable.name for a in s.accesses} for s in scop.statements}
    linked = {(d.source.name, d.sink.name) for d in scop.dependences}
    reached = {s.name for s in scop.statements if any(v.name in touched[s.name] for v in seeds)}
    while True:
        more = {b for pair in linked for a, b in (pair, pair[::-1]) if a in reached} - reached
        if not more:
            break
        reached |= more
    named = {v.name for v in seeds}
    found = {name for statement in reached for name in touched[statement]} - atomic
    return {
        v.name: ArrayRole.SEED if v.name in named else ArrayRole.INFERRED for v in scop.variables if v.name in found
    }
