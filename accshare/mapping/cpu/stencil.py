"""The block of a stencil: rows that load what rows beside them load, in one or two vectors of columns."""

from __future__ import annotations

from math import prod

from accshare.device import Device
from accshare.frontend.ir import Expr, Symbol, Var
from accshare.mapping.ir import UNROLLED, Block, CacheSetConflict, NestPlacement
from accshare.mapping.references import Reference, inner_loops, trips
from accshare.poly.ir import LoopNode
from accshare.tree import expressions

#: rows side by side, most first; those of filters keep what each adds up in registers, and too few are left for four
_ROWS = (4, 2)
#: places in a first-level cache for lines whose addresses differ by a multiple of its size divided by this
_WAYS = 8
#: vectors side by side: lines of a cache are used up before other rows' lines take their places
_VECTORS = 2


def stencil(placement: NestPlacement, references: tuple[Reference, ...], device: Device, lanes: int) -> Block | None:
    """The block of a kernel whose rows share what they load; None where they share nothing."""
    inside = inner_loops(placement.partition.nest)
    short = {symbol: node for symbol, node in inside.items() if trips(node) <= UNROLLED}
    if len(short) < len(inside):
        return Block(_ROWS[0], 1, lanes)
    moving = [r for r in references if 1 in r.moves]
    lines = _places(moving, short, 1)
    planes = _places(moving, short, 2)
    if lines == planes:
        return None
    apart = next((n for n in (*_ROWS, 1) if lines + (n - 1) * planes <= _WAYS), 1)
    rows = max(apart, _ROWS[-1]) if inside else _ROWS[0]
    read = [r for r in moving if not r.stores]
    again = sum(r.times for r in read) * (1 - _places(read, short, 2) / _places(read, short, 1))
    held = rows if inside else again
    registers = device.registers_per_unit // device.simd_width
    way = 1 << max(1, device.l1_bytes // _WAYS).bit_length() - 1
    conflict = CacheSetConflict(apart, max(1, way // 2))
    return Block(rows, _VECTORS if _VECTORS * (held + 2) <= registers else 1, lanes, conflict)


def _places(references: list[Reference], short: dict[Symbol, LoopNode], dimensions: int) -> int:
    """In how many lines, or with 2 `dimensions` left out in how many planes, the elements lie that an iteration
    touches."""
    found = {(r.access.variable.name, r.access.subscripts[:-dimensions]) for r in references}
    return sum(_values(subscripts, short) for _, subscripts in found)


def _values(subscripts: tuple[Expr, ...], short: dict[Symbol, LoopNode]) -> int:
    """How many values subscripts have while `short` loops run."""
    used = {e.symbol for subscript in subscripts for e in expressions(subscript) if isinstance(e, Var)}
    return int(prod(trips(node) for symbol, node in short.items() if symbol in used))
