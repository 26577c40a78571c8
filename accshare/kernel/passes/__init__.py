"""The passes over kernels' code, each from a body to a body: which of them run on what, in order.

Before these, code generation gives the loops over a work-item's own iterations of a tile full trips where they run side
by side (`full_trip`); after them, a body becomes a kernel (`tables`, `generate.privatize`).
"""

from __future__ import annotations

from accshare.kernel.ir import Adaptation, Pass, Stmt
from accshare.kernel.passes.if_conversion import if_converted, read_in_any_case
from accshare.kernel.passes.index_sets import split
from accshare.kernel.passes.jamming import jammed
from accshare.kernel.passes.promote import promote
from accshare.kernel.passes.unroll import rows_kept, rows_with_loops_left, unrolled

#: code of a work-item that has one iteration of the grid
ITERATION: tuple[Pass, ...] = (promote,)
#: of one that runs its iterations one after the other, as on a CPU: `vectors` then makes register tiles of it
TILE: tuple[Pass, ...] = (promote, if_converted)
#: where no register tiles can be made, compilers are left to find vectors
SCALAR_TILE: tuple[Pass, ...] = (
    promote,
    rows_with_loops_left,
    rows_kept,
    unrolled,
    split,
    if_converted,
    read_in_any_case,
    jammed,
)


#: of one whose arrays may share memory, so that nothing may come earlier or later than in the program
IN_ORDER: tuple[Pass, ...] = (rows_with_loops_left, unrolled)


def group(adapted: Adaptation) -> tuple[Pass, ...]:
    """Of a whole work-group, whose work-items wait for one another."""
    return (*adapted.passes, promote)


def through(passes: tuple[Pass, ...], body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """What passes make of a body, one after the other."""
    for one in passes:
        body = one(body)
    return body
