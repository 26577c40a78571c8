"""Tile and work-group sizes by kind of device."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from accshare.device import Device, DeviceKind
from accshare.frontend.ir import For, GeneralFor, Var, While
from accshare.poly.ir import LoopNode
from accshare.schedule.ir import Kernel, Member
from accshare.tree import expressions, statements

#: work-items along x, y, z for one, two and three mapped loops: x is a warp wide so that accesses coalesce
_GPU = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}
#: iterations along x, y, z that one work-item of a CPU takes, for loop bodies without and with loops inside; long rows
#: let the processor fetch ahead
_CPU_FLAT = {1: (4096,), 2: (4096, 8), 3: (4096, 8, 1)}
_CPU_DEEP = {1: (64,), 2: (64, 32), 3: (64, 8, 1)}
#: the same for loops that go through a matrix across: lines of its rows and of others are used whole
_CPU_ACROSS = {2: (32, 512), 3: (32, 512, 1)}
#: loops with at most this many iterations are unrolled
_SHORT = 16
#: iterations that a work-item of a GPU takes of a part
_GPU_PART = 8


def plain_sizes(nest: Kernel, device: Device) -> tuple[Member, ...]:
    """The grid's members of `nest` with their sizes.

    A GPU takes one iteration a work-item. On a CPU a work-group is one work-item on one core, and its loops over the
    tile are what the OpenCL compiler vectorises (MDH).
    """
    count = len(nest.grid)
    if count == 0:
        return ()
    if nest.finalize is not None:
        return _in_parts(nest, device)
    if device.kind is DeviceKind.CPU:
        tiles = (_CPU_DEEP if _has_inner_loops(nest) else _CPU_ACROSS if _is_across(nest) else _CPU_FLAT)[count]
        return tuple(replace(m, size=tiles[m.axis]) for m in nest.grid)
    sizes = list(_GPU[count])
    while prod(sizes) > device.max_work_group:
        largest = sizes.index(max(sizes))
        sizes[largest] //= 2
    return tuple(replace(m, size=sizes[m.axis], threads=sizes[m.axis]) for m in nest.grid)


def _in_parts(nest: Kernel, device: Device) -> tuple[Member, ...]:
    """A work-group has a part of the loop that combines, along x, for one iteration of the others."""
    if device.kind is DeviceKind.CPU:
        tile, threads = (_CPU_DEEP if _has_inner_loops(nest) else _CPU_FLAT)[1][0], 1
    else:
        threads = min(_GPU[1][0], device.max_work_group)
        tile = threads if _has_inner_loops(nest) else threads * _GPU_PART
    return tuple(m if m.axis else replace(m, size=tile, threads=threads) for m in nest.grid)


def _has_inner_loops(nest: Kernel) -> bool:
    """Whether an iteration of the innermost mapped loop runs loops of its own, other than short ones."""
    depth = nest.depth
    return any(
        not all(map(_is_short, s.loops[depth:]))
        or any(isinstance(part, For | GeneralFor | While) for part in statements(s.body))
        for s in nest.statements
    )


def _is_short(node: LoopNode) -> bool:
    """Whether it is known to have few iterations."""
    low, high = node.domain.dim_min_val(node.depth), node.domain.dim_max_val(node.depth)
    return low.is_int() and high.is_int() and high.to_python() - low.to_python() < _SHORT


def _is_across(nest: Kernel) -> bool:
    """Whether neighbouring iterations along y touch neighbouring elements."""
    along_y = {member.loop.iterator for member in nest.grid if member.axis == 1}
    last = (a.subscripts[-1] for s in nest.statements for a in s.accesses if a.subscripts)
    return any(isinstance(e, Var) and e.symbol in along_y for subscript in last for e in expressions(subscript))
