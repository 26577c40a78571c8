"""Short loops over rows of an array that the rows of a tile share: what a row holds is loaded once, for all of them.

``for (v = 0; v <= 4; v++) for (y = 0; y < 2; y++) sum[y] += w[v] * in[y + v]`` goes over rows of ``in`` twice. Skewed,
``for (r = 0; r <= 5; r++) for (y = 0; y < 2; y++) { v = r - y; if (v >= 0 && v <= 4) … in[y + v] }`` goes over each
once, and every iteration still runs its own ``v`` in their order. Both loops are unrolled, so nothing is tested.
"""

from __future__ import annotations

from accshare.frontend.ir import INT, LONG, Binary, IntLit, Subscript, Symbol
from accshare.islexpr import binary, literal, step, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, own, parts
from accshare.kernel.uses import used_expressions
from accshare.kernel.vectors.strips import scalar_of
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import expressions, mentions

_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Skew:
    """A loop that counts `iterator` from `first` to `last` for every row; `over` counts the rows that all touch."""

    iterator: Symbol
    over: Symbol
    first: int
    last: int

    def loop(self, loop: Loop, rows: int, body: tuple[Stmt, ...]) -> Loop:
        """The loop over what `rows` rows of a register tile touch."""
        type_ = scalar_of(self.iterator)
        end = Binary("<=", variable(self.over), literal(self.last + rows - 1, type_), INT, _NOWHERE)
        return replace(loop, iterator=self.over, condition=end, unroll=loop.unroll + rows - 1, body=body)

    def of_row(self, nth: Symbol, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """`body` for the row of the register tile that `nth` counts, where its own loop gets as far."""
        type_ = scalar_of(self.iterator)
        value = Define(self.iterator, binary("-", variable(self.over), variable(nth), type_))
        low = Binary(">=", variable(self.iterator), literal(self.first, type_), INT, _NOWHERE)
        high = Binary("<=", variable(self.iterator), literal(self.last, type_), INT, _NOWHERE)
        return (value, Guarded(binary("&&", low, high, INT), body, ()))


def skew_of(loop: Loop, row: Symbol) -> Skew | None:
    """How to skew a loop with constant bounds; None where rows of a tile that `row` counts don't meet in it, or loops
    inside depend on it."""
    iterator = loop.iterator
    if not isinstance(loop.first, IntLit) or loop.unroll < 2 or loop.step != 1:
        return None
    heads = (e for stmt in loop.body for p in parts(stmt) if isinstance(p, Loop | Guarded) for e in own(p))
    if any(mentions(head, iterator) for head in heads):
        return None
    places = (part for e in used_expressions(loop.body) if isinstance(e, Subscript) for part in expressions(e.index))
    one = literal(1, LONG)
    if not any(step(place, iterator) == step(place, row) == one for place in places):
        return None
    first = loop.first.value
    return Skew(iterator, derived(iterator, "row", scalar_of(iterator)), first, first + loop.unroll - 1)
