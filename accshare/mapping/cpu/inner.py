"""Vectors along the loops inside an iteration, where these only combine what lies side by side there."""

from __future__ import annotations

from accshare.device import Device
from accshare.mapping.ir import Inner, NestPlacement
from accshare.mapping.references import Reference, trips

#: rows that share what they load, and both sides of a square of rows and columns
_SHARED, _SIDE = 8, 4
#: vectors at a time for a row alone: additions in flight that a core needs to be busy
_CHAINS = 4
#: what rows share may take of the nearest cache before a row alone would lose it to the others; shorter ones are read
#: fastest one after the other, as they lie in memory
_KEPT = 0.375
_NEAREST = 32 << 10


def inner_of(placement: NestPlacement, references: list[Reference], lanes: int, device: Device) -> Inner | None:
    """Vectors along inner loops for a kernel with these `references` in such loops; None where they don't lie so."""
    partition = placement.partition
    nest = partition.nest
    loops = {m.loop.index: m for m in nest.reassociable if trips(m.loop) >= lanes}
    if lanes == 1 or partition.staged or not loops or not all(r.coalesced or r.along for r in references):
        return None
    apart = {r.access.variable.name for r in references if not r.coalesced}
    outside = nest.depth
    for statement in nest.statements:
        used = {a.variable.name for a in statement.accesses if a.subscripts}
        if used & apart and len(statement.loops) > outside and statement.loops[-1].index not in loops:
            return None
    kept = max(1, max(len(u.reductions) for u in loops.values()))
    registers = device.registers_per_unit // device.simd_width // kept
    by_rows = [r for r in references if 1 in r.moves and 0 not in r.moves]
    by_columns = [r for r in references if 0 in r.moves and 1 not in r.moves]
    if by_rows and by_columns and any(d.axis == 1 for d in partition.nest.grid):
        columns = max(1, min(_SIDE, registers // 4))
        return Inner(max(1, min(_SIDE, registers // (2 * columns))), columns, lanes, _CHAINS, lanes)
    shared = max((r.bytes for r in references if 0 not in r.moves), default=0)
    columns = max(1, min(_SHARED, registers // 2)) if shared else 1
    nearest = device.l1_bytes or _NEAREST
    return Inner(1, columns, lanes, _CHAINS, int(nearest * _KEPT) // max(1, shared))
