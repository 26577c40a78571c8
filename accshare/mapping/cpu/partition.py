"""How kernels are cut for a CPU."""

from __future__ import annotations

from functools import partial

from accshare.conversions import size
from accshare.device import Device
from accshare.frontend.ir import Var
from accshare.grain import runs_long
from accshare.mapping.cpu.packing import packed
from accshare.mapping.patterns import has_inner_loops
from accshare.mapping.staging.search import Policy
from accshare.options import Options, Share
from accshare.records import replace
from accshare.schedule.ir import Kernel, Member, members
from accshare.tree import expressions, named

#: iterations along x, y, z that one work-item takes, for loop bodies without and with loops inside, and one along what
#: there is beyond; long rows let the processor fetch ahead
_FLAT = {1: (4096,), 2: (4096, 16), 3: (4096, 8, 1)}
_DEEP = {1: (64,), 2: (64, 32), 3: (64, 8, 1)}
#: bytes of a line of a cache, which is how wide tiles are that read an array across: lines are used whole, and no more
#: rows are read along than processors fetch ahead; iterations along y and z that such a tile takes
_LINE, _NARROW = 64, 8
_ACROSS = (512, 1)
#: along each axis where nothing is shared between iterations, and each is long
_IN_ORDER = 8
#: iterations of a single loop in native kernels that go over rows of their own: a group is a function call, and threads
#: that have one group less wait for the others
_ROWS = 16
#: rows of which a group that has a part of a loop that combines has that part at once, so that what they share is
#: loaded once and as many streams are read from memory; smaller numbers are left to compilers
_STREAMS, _SMALL = 4, 4
#: the narrowest and the largest work-group where staging is forced
_NARROWEST, _LARGEST = 32, 256


def policy_of(device: Device, options: Options) -> Policy:
    """A work-group is one work-item on one core, and its loops over the tile are what fills vectors (MDH)."""
    most = min(device.max_work_group, _LARGEST) if options.share is Share.FORCE else device.max_work_group
    return Policy(partial(plain_sizes, device), True, _NARROWEST, most, False, packed)


def plain_sizes(device: Device, nest: Kernel) -> tuple[Member, ...]:
    """The members of a kernel's grid with the sizes of tiles where nothing is staged."""
    deep = has_inner_loops(nest)
    if nest.finalize is not None:  # a part of the loop that combines, along x, for some iterations of the others
        tile, rows = (_DEEP if deep else _FLAT)[1][0], 1 if deep else _rows_at_once(nest)
        return tuple(replace(m, size=rows if m.axis else tile, threads=1) for m in nest.grid)
    if not nest.grid:
        return ()
    if nest.aliased and deep and any(members(nest.inside)):
        return tuple(replace(m, size=_IN_ORDER) for m in nest.grid)
    if device.native and deep and len(nest.grid) == 1 and _has_rows(nest):
        return (replace(nest.grid[0], size=_ROWS),)
    if device.native and len(nest.grid) == 1 and runs_long(nest.statements, nest.depth):
        return (replace(nest.grid[0], size=1),)
    across = None if deep else _across(nest)
    tiles = (_DEEP if deep else _FLAT)[min(3, len(nest.grid))]
    if across:
        tiles = (max(_NARROW, _LINE // across), *_ACROSS)
    return tuple(replace(m, size=tiles[m.dimension]) for m in nest.grid)


def _rows_at_once(nest: Kernel) -> int:
    """Of how many iterations of the only loop that does not combine a group runs its part: several where each goes
    along a row of its own."""
    if len(nest.grid) != 2 or any(m.loop.loop.step != 1 for m in nest.grid):
        return 1
    column, row = (m.loop.iterator for m in sorted(nest.grid, key=lambda m: m.axis))
    reads = [a for s in nest.statements for a in s.accesses if a.subscripts]
    rows = False
    for access in reads:
        *outer, last = (named(sub) for sub in access.subscripts)
        if row in last or any(column in used for used in outer) or size(access.reference.type) < _SMALL:
            return 1
        rows |= column in last and any(row in used for used in outer)
    return _STREAMS if rows else 1


def _has_rows(nest: Kernel) -> bool:
    """Whether iterations of the only loop go over rows of an array and none goes along one."""
    along = nest.grid[0].loop.iterator
    several = [a.subscripts for s in nest.statements for a in s.accesses if len(a.subscripts) > 1]
    used = [named(subscripts[-1]) for subscripts in several]
    rows = (e for subscripts in several for row in subscripts[:-1] for e in expressions(row))
    return all(along not in last for last in used) and any(isinstance(e, Var) and e.symbol == along for e in rows)


def _across(nest: Kernel) -> int | None:
    """The bytes of the smallest element that is read or written across: neighbouring iterations along y touch
    neighbouring elements, and those along x others. None where there are none."""
    along_x, along_y = ({m.loop.iterator for m in nest.grid if m.axis == axis} for axis in (0, 1))
    found = []
    for access in (a for s in nest.statements for a in s.accesses if a.subscripts):
        *_, last = used = [named(sub) for sub in access.subscripts]
        if last & along_y and any(along_x & one for one in used):
            found.append(size(access.reference.type))
    return min(found, default=None)
