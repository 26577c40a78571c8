"""What the order stage produces: the region with its loops in the order in which they run, and how that came about."""

from __future__ import annotations

import enum

from accshare.poly.ir import Dependence, LoopNode, Scop, Statement
from accshare.records import dataclass, field

#: iterations of a block: what is left for single work-items grows with it, and shrinks what a product does for each
#: element that it loads and stores
BLOCK = 64


class Word(enum.Enum):
    """What is done to loops."""

    DISTRIBUTED = "distributed"  # parts of a loop's body get loops of their own
    INTERCHANGED = "interchanged"  # loops change places
    BLOCKED = "blocked"  # iterations run so many at a time, and other loops in parts
    FUSED = "fused"  # loops around different statements become one


@dataclass(frozen=True, slots=True)
class Step:
    """Something done to `loops`, outermost first: INTERCHANGED ones run as `result`, FUSED ones are one with `result`;
    BLOCKED ones go over the steps of which a block has some.
    `parts` are the statements that it keeps together, in their new order."""

    word: Word
    loops: tuple[LoopNode, ...]
    parts: tuple[tuple[Statement, ...], ...]
    result: tuple[LoopNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A loop that would be distributed, were it not for a dependence that leads back to an earlier statement."""

    loop: LoopNode
    dependence: Dependence


@dataclass(frozen=True, slots=True)
class Ordered:
    """A region in the order that suits it best. To whatever comes later `scop` looks as if it had been written so, but
    for its dependences and times, which are the program's own; `source` is the region as it was written."""

    scop: Scop
    source: Scop = field(repr=False)
    steps: tuple[Step, ...] = ()
    kept: tuple[Kept, ...] = ()
