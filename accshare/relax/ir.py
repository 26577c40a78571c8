"""What the relax stage produces: which dependences keep the iterations of a loop in order, and what may be done about
the others."""

from __future__ import annotations

import enum

import islpy as isl

from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import Expr
from accshare.poly.ir import Dependence, Guard, LoopNode, Scop, Variable
from accshare.pragma.ir import ReductionOp
from accshare.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Reduction:
    """What every work-item combines into: an accumulator each, combined when the loops are done. `target` is the
    scalar, or the element of `variable` that stays the same throughout the loops. `inferred`: no clause names it, and
    its operations have an order that a promise about the loops gave up."""

    variable: Variable
    op: ReductionOp
    target: Expr
    inferred: bool = False


class Kind(enum.Enum):
    """What a dependence means for the iterations of a loop that carries it."""

    HARD = "hard"  # they keep their order
    TRUSTED = "trusted"  # the user promised that it doesn't exist, and that it does isn't proved
    GUARDED = "guarded"  # a condition that is tested at run time excludes it
    COMBINED = "combined"  # they combine into a variable, in whatever order
    UNORDERED = "unordered"  # both ends happen in one piece, in whatever order
    PRIVATE = "private"  # gone once each has the variable for itself


@dataclass(frozen=True, slots=True)
class Carried:
    """The pairs of a dependence in different iterations of a loop and in the same ones of the loops around it.

    A GUARDED one comes with its guard, a COMBINED one with what is combined, a HARD one with the reason in the user's
    words.
    """

    dependence: Dependence
    pairs: isl.Map = field(compare=False, repr=False)
    kind: Kind
    guard: Guard | None = None
    reduction: Reduction | None = None
    why: Diagnostic | None = None

    @property
    def promised(self) -> bool:
        """Whether nothing but the user's word says that it doesn't exist."""
        return self.kind is Kind.TRUSTED


@dataclass(frozen=True, slots=True)
class LoopOrder:
    """The dependences that a loop carries, those to ignore first; none behind a HARD one, which decides.

    `seq` is the reason of a loop that is to be sequential whatever its dependences are, `broken_promise` of one that
    was promised to be independent and is not.
    """

    loop: LoopNode
    carried: tuple[Carried, ...] = ()
    seq: Diagnostic | None = None
    broken_promise: Diagnostic | None = None

    @property
    def parallel(self) -> bool:
        """Whether the iterations may run in any order, given the guards, private variables, reductions and trust."""
        return self.reason is None

    @property
    def reason(self) -> Diagnostic | None:
        """Why they may not."""
        return self.seq or next((one.why for one in self.carried if one.kind is Kind.HARD), None)

    @property
    def guards(self) -> tuple[Guard, ...]:
        """What must hold at run time."""
        return tuple(one.guard for one in self.carried if one.guard is not None)

    @property
    def private(self) -> frozenset[str]:
        """The variables that each iteration must have for itself."""
        names = (one.dependence.source_access.variable.name for one in self.carried if one.kind is Kind.PRIVATE)
        return frozenset(names)

    @property
    def reductions(self) -> tuple[Reduction, ...]:
        """What the iterations combine into."""
        return tuple(dict.fromkeys(one.reduction for one in self.carried if one.reduction is not None))

    @property
    def assumed(self) -> tuple[Carried, ...]:
        """The dependences that are taken not to exist, on trust or behind a guard."""
        return tuple(one for one in self.carried if one.kind in (Kind.TRUSTED, Kind.GUARDED))


@dataclass(frozen=True, slots=True)
class Relaxed:
    """A region with what keeps the iterations of its loops in order. `combining` has the loops of which elements of
    arrays may be the targets of reductions too, where that makes a difference."""

    scop: Scop
    loops: tuple[LoopOrder, ...]
    combining: tuple[LoopOrder, ...]

    def order(self, loop: LoopNode, elements: bool = False) -> LoopOrder:
        """The answer for a loop; with `elements`, where these may be combined into."""
        orders = (*self.combining, *self.loops) if elements else self.loops
        return next(one for one in orders if one.loop.index == loop.index)
