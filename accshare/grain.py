"""How much iterations of a kernel do: one that does much is a work-group, and has no vectors but those inside of it."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from accshare.poly.ir import LoopNode, Statement

#: iterations of loops inside that are enough for a group
_ENOUGH = 1 << 14


def runs_long(inside: Iterable[Statement], depth: int) -> bool:
    """Whether iterations of the loops above `depth` may be known to run long, and can't run for ever."""
    every = [[_most(loop) for loop in s.loops[depth:]] for s in inside]
    return any(None not in each and prod(n or 0 for n in each) >= _ENOUGH for each in every)


def _most(loop: LoopNode) -> int | None:
    """How often a loop runs at most, if that is known."""
    low, high = loop.domain.dim_min_val(loop.depth), loop.domain.dim_max_val(loop.depth)
    if not (low.is_int() and high.is_int()):
        return None
    return int((high.to_python() - low.to_python()) // abs(loop.loop.step) + 1)
