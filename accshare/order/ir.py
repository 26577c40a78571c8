"""What the order stage produces: the region with its loops in the order in which they run, and how that came about."""

from __future__ import annotations

import enum
from typing import TypeAlias

from accshare.frontend.ir import Expr, Symbol
from accshare.options import Options
from accshare.poly.ir import Access, Dependence, Expansion, LoopNode, Scop, Statement, Variable
from accshare.records import dataclass, field

#: iterations of a block: what is left for single work-items grows with it, and shrinks what a product does for each
#: element that it loads and stores. Where pieces read copies, more of a block is left for single work-items
BLOCK, BLOCK_WITH_COPIES = 64, 32


class Word(enum.Enum):
    """What is done to loops."""

    UNTILED = "untiled"  # a loop over tiles and one over their points become one
    IN_PLACE = "in place"  # a scalar becomes the element that it is stored to
    COPIED = "copied"  # loops read a copy of what they change
    EXPANDED = "expanded"  # iterations get parts of their own of what they all used
    DISTRIBUTED = "distributed"  # parts of a loop's body get loops of their own
    INTERCHANGED = "interchanged"  # loops change places
    SPLIT = "split"  # a loop becomes several, one for each part of its iterations
    BLOCKED = "blocked"  # iterations run so many at a time, and other loops in parts
    REVERSED = "reversed"  # a loop that counts down counts up
    SHIFTED = "shifted"  # a loop counts from elsewhere
    SKEWED = "skewed"  # two loops run by fronts of iterations that need nothing of one another
    TILED = "tiled"  # many fronts of two loops run at once
    FUSED = "fused"  # loops around different statements become one


@dataclass(frozen=True, slots=True)
class Step:
    """Something done to `loops`, outermost first: UNTILED, INTERCHANGED and SKEWED ones run as `result`, FUSED ones are
    one with `result`; BLOCKED ones go over the steps, of which a block has `size`, and what is `read_before` the same
    block changes it is copied; the parts of SPLIT ones but the first begin with `values`, and SHIFTED ones with as much
    less as these say; `expansion` is that of EXPANDED ones, `elements` are what scalars became IN_PLACE; the first of
    COPIED ones copies what is `read_before` the second one changes it to what `values` have; copies of the arrays that
    are `read_before` they change would allow SKEWED ones other fronts, `plane` counts these of two iterators, and some
    of the `distances` between iterations that depend on one another are known; TILED ones have so many fronts and
    iterations as `values` say. `parts` are the statements that it keeps together, in their new order."""

    word: Word
    loops: tuple[LoopNode, ...]
    parts: tuple[tuple[Statement, ...], ...]
    result: tuple[LoopNode, ...] = ()
    expansion: Expansion | None = None
    values: tuple[Expr, ...] = ()
    elements: tuple[tuple[Symbol, Access], ...] = ()
    read_before: tuple[Variable, ...] = ()
    plane: tuple[int, int] = (0, 0)
    distances: tuple[tuple[int, int], ...] = ()
    size: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """A loop that something would be done to, were it not for a dependence that it carries: it would be distributed, if
    that did not lead back to an earlier statement, or interchanged with the loop `inner` inside of it, if that did not
    lead to another iteration of this one, too."""

    loop: LoopNode
    dependence: Dependence
    inner: LoopNode | None = None


class Origin(enum.Enum):
    """Where an order of loops is from."""

    SOURCE = "source"  # the program
    SUPER = "super"  # distribution, interchange and fusion (SUPER 5)
    DISTRIBUTED = "distributed"  # that without fusion: loops of its own for whatever can have them
    PARTS = "parts"  # SUPER's with loops split that are parallel in parts
    BLOCKS = "blocks"  # so many iterations at a time of what factors or solves in place, or fills a table
    COPIES = "copies"  # SUPER's with copies of what loops read before they change it
    ISL = "isl"  # fronts, and what isl's scheduler finds: loops in another order or apart


@dataclass(frozen=True, slots=True)
class Figures:
    """What a nest costs on a device in some order, its loops having the iterations that are known, or many: `launches`
    of kernels with so many `parallel` iterations each, `lines` that come from the farthest memory, and the `cycles` of
    all of it. A nest without launches runs on the host."""

    launches: float
    parallel: float
    lines: float
    cycles: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """An order of a nest with its figures."""

    origin: Origin
    figures: Figures


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which of a nest's orders was taken on a device, and what would have been the next best one. `loop` is the nest's
    outermost loop."""

    loop: LoopNode
    device: str
    winner: Candidate
    runner_up: Candidate


@dataclass(frozen=True, slots=True)
class Ordered:
    """A region in the order that suits it best. To whatever comes later `scop` looks as if it had been written so, but
    for its dependences and times, which are the program's own; `source` is the region as it was written."""

    scop: Scop
    source: Scop = field(repr=False)
    steps: tuple[Step, ...] = ()
    kept: tuple[Kept, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


def may_change(scop: Scop, options: Options) -> bool:
    """Whether a region's loops run in another order than the program's where that is better."""
    chosen = not options.plain and options.schedule != Origin.SOURCE.value
    kind = scop.region.construct.kind
    return chosen and (kind.is_kernels or kind.is_parallel)


def alike(one: Ordered, other: Ordered) -> bool:
    """Whether two regions made of the same one are so by the same steps, and neither looks at numbers first."""
    return not (one.scop.tests or other.scop.tests) and _done(one) == _done(other)


def _done(ordered: Ordered) -> list[tuple[object, ...]]:
    return [
        (
            step.word,
            tuple(loop.index for loop in step.loops),
            tuple(tuple(s.name for s in part) for part in step.parts),
            tuple(loop.index for loop in step.result),
            step.values,
            step.size,
        )
        for step in ordered.steps
    ]


@dataclass(frozen=True, slots=True)
class RowPass:
    """A region beside the one that was found, in which two neighbours that go over the same `matrix` do that in one
    pass over its rows, `number` iterations of the `loop`. Elements of the arrays called `copied` are updated by all of
    them. Where each core has at least so many `rows`, that is better under the condition `gains`."""

    scop: Scop = field(repr=False)
    loop: LoopNode
    matrix: str
    copied: tuple[str, ...]
    number: Expr
    rows: int
    gains: Expr


@dataclass(frozen=True, slots=True)
class InBlocks:
    """A region beside the one that was found, in which two neighbours that go over the same `matrix` do that by blocks
    of so many `rows`, over which `loops` go. Where few enough `cores` run it, that is better under the condition
    `gains`."""

    scop: Scop = field(repr=False)
    loops: tuple[LoopNode, LoopNode]
    matrix: str
    rows: int
    gains: Expr
    cores: int


#: what becomes of two passes over a matrix: one, or both by blocks of its rows
ByRows: TypeAlias = RowPass | InBlocks
