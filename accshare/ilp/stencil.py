"""The block of a stencil: rows that load what rows beside them load, in one or two vectors of columns."""

from __future__ import annotations

from math import prod

from accshare.banks.ir import NestPlacement
from accshare.device import Device
from accshare.frontend.ir import Expr, Symbol, Var
from accshare.ilp.ir import Block, Crowded
from accshare.ilp.references import Reference, trips
from accshare.poly.ir import LoopNode
from accshare.tree import expressions

#: rows side by side, most first; fewer where the lines that they touch would not all have a place in a cache when rows
#: are a power of two apart, which leaves them one set of it
_ROWS = (4, 2)
_WAYS = 8
#: vectors side by side: lines of a cache are used up before other rows' lines take their places
_VECTORS = 2
#: loops with at most this many iterations are unrolled
_SHORT = 16


def stencil(placement: NestPlacement, references: tuple[Reference, ...], device: Device, lanes: int) -> Block | None:
    """The block of a kernel whose rows share what they load; None where they share nothing."""
    nest = placement.partition.nest
    outside = len(nest.host_loops) + len(nest.mapped)
    inside = {node.iterator: node for s in nest.statements for node in s.loops[outside:]}
    short = {symbol: node for symbol, node in inside.items() if trips(node) <= _SHORT}
    if len(short) < len(inside):
        return Block(_ROWS[0], 1, lanes)
    moving = [r for r in references if 1 in r.moves]
    lines = _places(moving, short, 1)
    planes = _places(moving, short, 2)
    if lines == planes:
        return None
    rows = next((n for n in _ROWS if lines + (n - 1) * planes <= _WAYS), _ROWS[0] if lines > _WAYS else _ROWS[-1])
    loads = sum(r.times for r in moving if not r.stores)
    read = [r for r in moving if not r.stores]
    again = loads * (1 - _places(read, short, 2) / _places(read, short, 1))
    held = rows if inside else again
    registers = device.registers_per_unit // device.simd_width
    crowded = Crowded(rows, 1 << (device.l1_bytes // _WAYS).bit_length() - 1)
    return Block(rows, _VECTORS if _VECTORS * (held + 2) <= registers else 1, lanes, crowded)


def _places(references: list[Reference], short: dict[Symbol, LoopNode], dimensions: int) -> int:
    """In how many lines, or with 2 `dimensions` left out in how many planes, the elements lie that an iteration
    touches."""
    found = {(r.access.variable.name, r.access.subscripts[:-dimensions]) for r in references}
    return sum(_values(subscripts, short) for _, subscripts in found)


def _values(subscripts: tuple[Expr, ...], short: dict[Symbol, LoopNode]) -> int:
    """How many values subscripts have while `short` loops run."""
    used = {e.symbol for subscript in subscripts for e in expressions(subscript) if isinstance(e, Var)}
    return int(prod(trips(node) for symbol, node in short.items() if symbol in used))
