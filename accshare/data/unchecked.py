"""What may share memory where nobody knows how far arrays reach.

Kernels in the program's own memory move no data: extents tell them nothing but what may overlap. A promise of
independent iterations is one about memory, whatever names lead there, and holds without that; the order within an
iteration is then the program's own.
"""

from __future__ import annotations

from accshare.data.ir import Datum, Overlap, may_share
from accshare.frontend.ir import Var
from accshare.poly.ir import Scop
from accshare.schedule.ir import Kernel, Schedule


def unchecked(data: tuple[Datum, ...], overlaps: tuple[Overlap, ...], schedule: Schedule) -> tuple[Overlap, ...] | None:
    """The pairs of data that no test at run time keeps apart; None where kernels have to know the extents."""
    scop = schedule.scop
    endless = {datum.name for datum in data if datum.endless}
    known = {datum.name: datum for datum in data}
    if any(datum.modifiers for datum in data if datum.certain is not None):
        return None
    pairs = []
    for overlap in overlaps:
        if not {overlap.first, overlap.second} & endless:
            continue
        if overlap.value is not None:
            if not (scop.region.construct.kind.is_parallel and isinstance(overlap.value, Var)):
                return None  # in parallel constructs, scalars are copies
            continue
        if any(known[name].scalar or known[name].rows for name in (overlap.first, overlap.second)):
            return None
        pairs.append(overlap)
    alike = all(_holds(kernel, scop) for kernel in schedule.kernels if may_share(kernel, tuple(pairs)))
    return tuple(pairs) if alike else None


def _holds(kernel: Kernel, scop: Scop) -> bool:
    """Whether a promise makes the grid's first loop parallel, and that for the same iterations of the loops around it
    as in the program."""
    nested = all(list(s.loops) == sorted(s.loops, key=lambda loop: loop.index) for s in kernel.statements)
    return not kernel.grid or (nested and scop.promises(kernel.grid[0].loop))
