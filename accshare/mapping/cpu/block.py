"""The block of iterations that a work-item of a CPU runs at once: as many as its vector registers hold."""

from __future__ import annotations

from accshare.device import Device, DeviceKind
from accshare.frontend.ir import Expr, Symbol, Var
from accshare.mapping.cpu.inner import inner_of
from accshare.mapping.cpu.stencil import stencil
from accshare.mapping.cpu.widths import widest
from accshare.mapping.ir import UNROLLED, Block, NestPlacement
from accshare.mapping.references import Reference, inner_loops, references_of, trips
from accshare.poly.ir import Variable, VariableKind
from accshare.tree import expressions

#: vectors side by side in a row of a block that shares its loads with other rows, and in one that shares nothing
_SHARED, _ALONE = 2, 4
#: iterations side by side where no vectors can be had: additions in flight that a core needs to be busy
_CHAINS = 8
_ROWS = 8
#: bytes of what smaller integers are promoted to
_INT = 4
#: of OpenCL's vectors
_MOST_LANES = 16


def block_of(placement: NestPlacement, device: Device) -> Block | None:
    """The block of a kernel whose iterations run loops of their own, combine into one variable or share what they load;
    None where there is nothing to gain by one, or iterations are more than one apart."""
    partition = placement.partition
    if device.kind is not DeviceKind.CPU or (partition.staged and not partition.packs):
        return None
    if not partition.nest.grid or any(d.loop.loop.step != 1 for d in partition.nest.grid):
        return None
    own = partition.nest.private | {r.variable.name for r in partition.nest.reductions}
    if any(a.atomic and a.variable.name not in own for s in partition.nest.statements for a in s.accesses):
        return None
    references = references_of(placement)
    lanes = min(_MOST_LANES, 4 * device.simd_width // widest(s.body for s in partition.nest.statements))
    inner = [r for r in references if r.inner or partition.nest.reductions]
    if not inner:
        return _flat(placement, references, device, lanes)
    if not all(r.coalesced or r.local for r in inner):
        along = lanes > 1 and all(r.coalesced or r.local or r.along for r in inner) and not partition.nest.reductions
        vectors = inner_of(placement, inner, lanes, device)
        return Block(1, 1, lanes, inner=vectors) if along else Block(1, _CHAINS, 1, inner=vectors)
    registers = device.registers_per_unit // device.simd_width
    kept = max(1, _accumulators(placement))
    if _overlaps(placement, inner) and not partition.nest.reductions:
        return None if _is_narrow(references) else stencil(placement, references, device, lanes)
    if _shares(inner) and not partition.nest.reductions:
        rows = (registers - _SHARED - 1) // (_SHARED * kept)
        return Block(max(1, min(_ROWS, rows)), _SHARED, lanes)
    return Block(1, max(1, min(_ALONE, (registers - 2) // (2 * kept))), lanes)


def _flat(placement: NestPlacement, references: tuple[Reference, ...], device: Device, lanes: int) -> Block | None:
    """The block of a kernel without loops inside: a square where it goes through a matrix across, or rows of a stencil,
    which load what their neighbours load."""
    if not all(r.coalesced or r.across for r in references):
        return None
    if any(r.across for r in references):
        return Block(lanes, 1, lanes)
    return None if _is_narrow(references) else stencil(placement, references, device, lanes)


def scalar_because(placement: NestPlacement, block: Block | None, device: Device) -> str:
    """Why a kernel for a CPU has no vectors of its own, in the user's names; "" where it has."""
    if device.kind is not DeviceKind.CPU or (block is not None and (block.lanes > 1 or block.inner is not None)):
        return ""
    partition = placement.partition
    if not partition.nest.grid:
        return "no loop is parallel"
    along = next(d.loop for d in partition.nest.grid if d.axis == 0)
    if along.loop.step != 1:
        return f"loop {along.iterator.name} goes in steps of {along.loop.step}"
    apart = dict.fromkeys(r.access.variable.name for r in references_of(placement) if not (r.coalesced or r.local))
    if apart:
        return (
            f"neighbouring iterations of loop {along.iterator.name} reach elements of {', '.join(apart)} that lie apart"
        )
    return f"iterations of loop {along.iterator.name} share nothing that would be kept in registers"


def _is_narrow(references: tuple[Reference, ...]) -> bool:
    """Whether it goes over integers smaller than ``int``: compilers find vectors of smaller ones for them than C's
    promotions ask for."""
    return all(r.bytes < _INT or _is_table(r.access.variable) for r in references)


def _is_table(variable: Variable) -> bool:
    """Whether the compiler knows its elements."""
    return isinstance(variable.base, Var) and bool(variable.base.symbol.values)


def _overlaps(placement: NestPlacement, references: list[Reference]) -> bool:
    """Whether short loops inside go over rows that the rows of a block share."""
    rows = {d.loop.iterator for d in placement.partition.nest.grid if d.axis == 1}
    short = {symbol for symbol, node in inner_loops(placement.partition.nest).items() if trips(node) <= UNROLLED}
    used = (_symbols(subscript) for r in references if not r.stores for subscript in r.access.subscripts[:-1])
    return any(symbols & rows and symbols & short for symbols in used)


def _symbols(expr: Expr) -> set[Symbol]:
    return {e.symbol for e in expressions(expr) if isinstance(e, Var)}


def _shares(references: list[Reference]) -> bool:
    """Whether rows of a block load the same vectors."""
    return any(0 in r.moves and 1 not in r.moves for r in references) and any(1 in r.moves for r in references)


def _accumulators(placement: NestPlacement) -> int:
    """Variables that each iteration keeps in registers while its loops run: its own, and elements it adds to."""
    nest = placement.partition.nest
    outside = nest.depth
    found = set()
    for statement in nest.statements:
        if len(statement.loops) > outside:
            own = (
                a
                for a in statement.accesses
                if a.variable.name in nest.private or a.variable.kind is not VariableKind.MEMORY
            )
            found |= {a.variable.name for a in own}
    return len(found)
