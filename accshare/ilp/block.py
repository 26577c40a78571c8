"""The block of iterations that a work-item of a CPU runs at once: as many as its vector registers hold."""

from __future__ import annotations

from accshare.banks.ir import NestPlacement
from accshare.device import Device, DeviceKind
from accshare.ilp.ir import Block
from accshare.ilp.references import Reference, references_of
from accshare.poly.ir import Role

#: vectors side by side in a row of a block that shares its loads with other rows, and in one that shares nothing
_SHARED, _ALONE = 2, 4
#: iterations side by side where no vectors can be had: additions in flight that a core needs to be busy
_CHAINS = 8
_ROWS = 8
#: of OpenCL's vectors
_MOST_LANES = 16


def block_of(placement: NestPlacement, device: Device) -> Block | None:
    """The block of a kernel whose iterations run loops of their own or combine into one variable; None where there is
    nothing to gain by one, or iterations are more than one apart."""
    partition = placement.partition
    if device.kind is not DeviceKind.CPU or partition.staged:
        return None
    if not partition.dimensions or any(d.loop.loop.step != 1 for d in partition.dimensions):
        return None
    inner = [r for r in references_of(placement) if r.inner or partition.nest.reductions]
    if not inner:
        return None
    if not all(r.coalesced for r in inner):
        return Block(1, _CHAINS, 1)
    register = 4 * device.simd_width
    lanes = min(_MOST_LANES, register // max(4, *(r.bytes for r in inner)))
    registers = device.registers_per_unit // device.simd_width
    kept = max(1, _accumulators(placement))
    if _shares(inner) and not partition.nest.reductions:
        rows = (registers - _SHARED - 1) // (_SHARED * kept)
        return Block(max(1, min(_ROWS, rows)), _SHARED, lanes)
    return Block(1, max(1, min(_ALONE, (registers - 2) // (2 * kept))), lanes)


def _shares(references: list[Reference]) -> bool:
    """Whether rows of a block load the same vectors."""
    return any(0 in r.moves and 1 not in r.moves for r in references) and any(1 in r.moves for r in references)


def _accumulators(placement: NestPlacement) -> int:
    """Variables that each iteration keeps in registers while its loops run: its own, and elements it adds to."""
    nest = placement.partition.nest
    outside = len(nest.host_loops) + len(nest.mapped)
    found = set()
    for statement in nest.statements:
        if len(statement.loops) > outside:
            own = (
                a for a in statement.accesses if a.variable.name in nest.private or a.variable.role is not Role.MEMORY
            )
            found |= {a.variable.name for a in own}
    return len(found)
