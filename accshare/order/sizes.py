"""How often loops and statements run, with every size that is not known taken for a usual one."""

from __future__ import annotations

from math import prod

import islpy as isl

from accshare.poly.ir import LoopNode, Statement

#: iterations of a loop of which no more is known
USUAL = 1024
_SET, _PARAM = isl.dim_type.set, isl.dim_type.param


class Sizes:
    """The answers about one order of a region's loops. `counts` has how often each statement runs, which is the same
    in every order; without it, that is what the loops around it come to."""

    def __init__(self, counts: dict[str, float] | None = None) -> None:
        self._counts = counts
        self._found: dict[int, tuple[float, int]] = {}

    def count(self, statement: Statement) -> float:
        """How often a statement runs in all."""
        known = None if self._counts is None else self._counts.get(statement.name)
        return self.runs(statement.loops) if known is None else known

    def runs(self, loops: tuple[LoopNode, ...]) -> float:
        """How often the innermost of some loops, all that stand around it, runs its body."""
        return prod(self._extent(loops[: k + 1])[0] for k in range(len(loops)))

    def trips(self, loops: tuple[LoopNode, ...]) -> float:
        """The iterations of the innermost of some loops in the middle of those around it."""
        return self._extent(loops)[0]

    def _extent(self, loops: tuple[LoopNode, ...]) -> tuple[float, int]:
        """The iterations and the middle one."""
        loop = loops[-1]
        if loop.index not in self._found:
            there = loop.domain
            for k in range(there.dim(_PARAM)):
                if there.involves_dims(_PARAM, k, 1):
                    there = there.fix_val(_PARAM, k, isl.Val(USUAL))
            for depth in range(loop.depth):
                if there.involves_dims(_SET, depth, 1):
                    there = there.fix_val(_SET, depth, isl.Val(self._extent(loops[: depth + 1])[1]))
            self._found[loop.index] = _range(there, loop)
        return self._found[loop.index]


def _range(there: isl.Set, loop: LoopNode) -> tuple[float, int]:
    low, high = there.dim_min_val(loop.depth), there.dim_max_val(loop.depth)
    if not (low.is_int() and high.is_int()):  # none, where sizes differ that are the same here
        return float(USUAL), USUAL // 2
    step = abs(loop.loop.step)
    count = (int(high.to_python()) - int(low.to_python())) // step + 1
    return float(count), int(low.to_python()) + count // 2 * step
