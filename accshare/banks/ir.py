"""What the banks stage produces: how every tile lies in local memory, and which work-item does what in it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from accshare.partition.ir import NestPartition, Partition
from accshare.poly.ir import LoopNode, Variable
from accshare.schedule.ir import Staged


class Change(enum.Enum):
    """The transformations of SHARE's Table 1."""

    SOA = "AOS to SOA"
    PADDING = "padding"
    TRANSPOSE = "transpose"
    REMAP = "thread remap"
    REORDER = "access reorder"


@dataclass(frozen=True, slots=True)
class Layout:
    """How a tile lies in local memory: its dimensions from the slowest to the fastest, and the elements that are added
    to each of its rows."""

    order: tuple[int, ...]
    padding: int = 0

    def stored(self, lengths: tuple[int, ...]) -> tuple[int, ...]:
        """The lengths of the array in local memory for a hull of `lengths`, slowest first."""
        *rows, row = (lengths[k] for k in self.order)
        return *rows, row + self.padding


@dataclass(frozen=True, slots=True)
class TilePlacement:
    """A staged array with its layout. `before` and `after` are the greatest conflict degree of its references, (20) and
    (21), `path` the questions of the decision tree (Fig. 4) with their answers, `change` what the tree came to.
    `worst` has the words that the request with that degree wants, before and after, in the order of its work-items,
    word ``n`` being in bank ``n % banks``; empty where there were no conflicts."""

    staged: Staged
    layout: Layout
    before: int = field(default=1, compare=False)
    after: int = field(default=1, compare=False)
    path: tuple[str, ...] = field(default=(), compare=False)
    change: Change | None = field(default=None, compare=False)
    worst: tuple[tuple[int, ...], tuple[int, ...]] = field(default=((), ()), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Channels:
    """How the work-groups that run at a time spread over the channels of global memory with their references to an
    array: the busiest channel's segments for each one it would have if they were spread evenly. `before` is with
    work-groups in rows, `after` in the order they run in."""

    variable: Variable
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class NestPlacement:
    """The tiles of one kernel.

    `remap` is the placement matrix of thread remap: work-item (x, y) runs the iteration at ``(a x + b y, c x + d y)``,
    each modulo the work-group's size along its axis, for ``((a, b), (c, d))``. Of the strip loops `rotated` every
    work-item begins a strip at its own place (access reorder). `diagonal` numbers work-groups along diagonals, so that
    those that run at a time use different channels of global memory; `channels` has its arrays on devices where that
    is known.
    """

    partition: NestPartition
    tiles: tuple[TilePlacement, ...] = ()
    remap: tuple[tuple[int, int], tuple[int, int]] | None = None
    rotated: tuple[LoopNode, ...] = ()
    diagonal: bool = False
    channels: tuple[Channels, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Placement:
    """A region's kernels, placed on one device."""

    partition: Partition = field(repr=False)
    nests: tuple[NestPlacement, ...]
