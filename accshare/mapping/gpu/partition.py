"""How kernels are cut for a GPU."""

from __future__ import annotations

from functools import partial
from math import prod

from accshare.device import Device
from accshare.mapping.patterns import has_inner_loops
from accshare.mapping.staging.search import Policy
from accshare.records import replace
from accshare.schedule.ir import Kernel, Member

#: work-items along x, y, z for one, two and three mapped loops, and one along others: x is a warp wide so that accesses
#: coalesce
_SIZES = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}
#: iterations that a work-item takes of a part
_PART = 8


def policy_of(device: Device) -> Policy:
    """One iteration a work-item where nothing is staged."""
    plain = partial(_plain, device=device)
    return Policy(plain, False, device.simd_width, device.max_work_group, device.local_dedicated)


def _plain(nest: Kernel, device: Device) -> tuple[Member, ...]:
    if nest.finalize is not None:
        return _in_parts(nest, device)
    sizes = list(_SIZES[min(3, len(nest.grid))]) if nest.grid else []
    while prod(sizes) > device.max_work_group:
        largest = sizes.index(max(sizes))
        sizes[largest] //= 2
    sizes += [1] * (len(nest.grid) - len(sizes))
    return tuple(replace(m, size=sizes[m.axis], threads=sizes[m.axis]) for m in nest.grid)


def _in_parts(nest: Kernel, device: Device) -> tuple[Member, ...]:
    """A work-group has a part of the loop that combines, along x, for one iteration of the others."""
    threads = min(_SIZES[1][0], device.max_work_group)
    tile = threads if has_inner_loops(nest) else threads * _PART
    return tuple(m if m.axis else replace(m, size=tile, threads=threads) for m in nest.grid)
