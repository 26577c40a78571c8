"""What the mapping stage produces: kernels cut into tiles, what they keep in local memory and how it lies there, and
what a work-item runs at once."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from itertools import groupby

from accshare.device import Device
from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import Expr, Symbol
from accshare.order.ir import ByRows
from accshare.poly.ir import Access, LoopNode, Statement, Variable
from accshare.records import dataclass, field, replace
from accshare.schedule.ir import (
    Band,
    Kernel,
    Member,
    Node,
    Phase,
    Role,
    Schedule,
    Sequence,
    Stage,
    Staged,
    below,
    between_bands,
    bounds_follow,
    in_order,
    members,
    nodes,
    statements,
    steps,
)
from accshare.source import Span

#: of a group's local memory, the part that copies of arrays may take
COPIED = 2
#: loops with at most this many iterations are unrolled
UNROLLED = 16
#: elements from one iteration to the next: where they lie further apart, putting vectors together element by element
#: takes no longer than loading and shuffling whole ones
INTERLEAVED = 8
#: what a parameter, a bound or an extent is taken to be where it is not known and its value matters
ASSUMED = 1024


def is_short(node: LoopNode) -> bool:
    """Whether a loop is known to have so few iterations that it is unrolled."""
    low, high = node.domain.dim_min_val(node.depth), node.domain.dim_max_val(node.depth)
    return low.is_int() and high.is_int() and high.to_python() - low.to_python() < UNROLLED


# --- tiles and what is staged ------------------------------------------------------------------------------------


class ArrayRole(enum.Enum):
    """How an array came to be looked at (SHARE 3.2.1)."""

    SEED = "seed"  # named by the hint; every array where there is none
    INFERRED = "inferred"  # shares a dependence with a seed


@dataclass(frozen=True, slots=True)
class ArrayFeature:
    """What the solver knows of a group of references to one array, for the plan it chose (SHARE 3.2.2).

    All figures are for one work-group over the whole kernel: `lengths` and `bytes` are |DS| of one strip, `loaded` the
    elements it copies, `reuse` the references (2) in bytes, `ratio` references an element loaded (compared with
    delta_r, (3)), `transactions` those of (7). `coalesced` says that neighbouring work-items already touch
    neighbouring elements at the same time, (4) and (5). `staged` says that it goes through local memory and `why`
    says in a few words why, or why not.
    """

    variable: Variable
    accesses: tuple[Access, ...]
    role: ArrayRole
    lengths: tuple[int, ...]
    bytes: int
    loaded: int
    reuse: int
    ratio: float
    transactions: int
    coalesced: bool
    staged: bool
    why: str


@dataclass(frozen=True, slots=True)
class SearchPoint:
    """A point of the search space: the value of every parameter by name (``TB_X``, ``TB_Y``, ``TB_Z``, and the user's
    iterator for every strip), what it gains in bytes a work-group (8), the local bytes it takes and how many
    work-items a compute unit then holds. Plans are compared by `gain`, the profit of one iteration a work-item."""

    sizes: tuple[tuple[str, int], ...]
    profit: int
    local_bytes: int
    resident: int
    gain: int


@dataclass(frozen=True, slots=True)
class Solution:
    """How the solver came to a kernel's partition, for reports.

    `plans` are all legal plans, best first, so that ``plans[0]`` is the one taken; empty where nothing can be staged.
    `binding` names the constraint that kept the next larger plan away. `assumed` gives the extents taken for
    parameters whose value is not known, `delta_r` and `delta_s` the thresholds of (3) and (9). Where `declined` says
    why in a few words, nothing was staged all the same.
    """

    arrays: tuple[ArrayFeature, ...]
    plans: tuple[SearchPoint, ...]
    binding: str
    assumed: tuple[tuple[str, int], ...]
    delta_r: float
    delta_s: float
    declined: str = ""


@dataclass(frozen=True, slots=True)
class PhaseAt:
    """A phase with the uniform loops and strips `around` it."""

    around: tuple[Member, ...]
    phase: Phase

    @property
    def statements(self) -> tuple[Statement, ...]:
        return statements(self.phase)


@dataclass(frozen=True, slots=True)
class NestPartition:
    """A kernel cut for a device: its tree has the sizes of tiles, work-groups and strips, and what is staged where."""

    nest: Kernel = field(repr=False)
    solution: Solution | None = field(default=None, compare=False, repr=False)

    @property
    def strips(self) -> tuple[Member, ...]:
        """The loops that are cut into strips; what goes through local memory is filled anew for each."""
        return tuple(member for member in members(self.nest) if member.role is Role.STRIP)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The places where arrays go to local memory."""
        return tuple(node for node in nodes(self.nest) if isinstance(node, Stage))

    @property
    def staged(self) -> tuple[Staged, ...]:
        """What goes through local memory, in order of first use."""
        found = [s for stage in self.stages for s in stage.arrays]
        order = [access for statement in self.nest.statements for access in statement.accesses]
        return tuple(sorted(found, key=lambda s: order.index(s.accesses[0])))

    @property
    def work_group(self) -> tuple[int, int, int]:
        """Its size along x, y and z."""
        threads = {member.axis: member.threads for member in (*self.nest.grid, *self.nest.threads)}
        return threads.get(0, 1), threads.get(1, 1), threads.get(2, 1)

    @property
    def in_planes(self) -> bool:
        """Whether planes, not rows of one plane, lie along y: the loop over them is further out than that along z."""
        depth = {member.axis: member.loop.depth for member in self.nest.grid}
        return len(depth) > 2 and depth[1] < depth[2]

    @property
    def packed(self) -> bool:
        """Whether it stages arrays for work-groups of one work-item."""
        return any(staged.packed for staged in self.staged)

    @property
    def several(self) -> bool:
        """Whether work-items run several iterations each, side by side."""
        grid = self.nest.grid
        return any(not member.single for member in grid) and any(member.threads > 1 for member in grid)

    @property
    def cooperative(self) -> bool:
        """Whether code is made for a whole work-group: it stages arrays or shares inner loops, or its work-items run
        several iterations side by side."""
        return self.several or bool(self.stages or self.nest.threads)

    @property
    def phases(self) -> tuple[PhaseAt, ...]:
        """What work-items run by themselves, in order."""
        return tuple(_phases(self.nest.inside, ()))


def _phases(node: Node, around: tuple[Member, ...]) -> Iterator[PhaseAt]:
    if isinstance(node, Phase):
        yield PhaseAt(around, node)
        return
    inside = (*around, *node.members) if isinstance(node, Band) else around
    for child in below(node):
        yield from _phases(child, inside)


def cut(
    nest: Kernel, grid: tuple[Member, ...], strips: tuple[Member, ...] = (), staged: tuple[Staged, ...] = ()
) -> Kernel:
    """A kernel with these sizes of the members of its grid, `strips` of sequential loops and arrays in local memory.

    Loops down to a strip are uniform. Below, work-items run phases by themselves: their own iterations side by side,
    innermost, so that they share what they load and their operations are independent (SHARE 3.3.2); one after the
    other on a CPU, where consecutive iterations are what fills vectors, and where both ends of a loop depend on them.
    """
    cutter = _Cutter(grid, {strip.loop.index: strip for strip in strips}, staged)
    inside = cutter.staging(None, cutter.grouped(uncut(nest.inside)))
    return replace(nest, child=Band(grid, inside) if grid else inside)


def uncut(node: Node) -> Node:
    """The order of one iteration of the grid, without strips, staging and phases."""
    match node:
        case Sequence(children):
            return in_order(tuple(step for child in children for step in steps(uncut(child))))
        case Stage(child=child) | Phase(child):
            return uncut(child)
        case Band(own, child):
            kept = tuple(
                replace(member, role=Role.SEQUENTIAL) if member.role is Role.UNIFORM else member
                for member in own
                if member.role not in (Role.STRIP, Role.OWN)
            )
            return Band(kept, uncut(child)) if kept else uncut(child)
    return node


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Puts sizes into the tree of one iteration of the grid; `strips` by `LoopNode.index`."""

    grid: tuple[Member, ...]
    strips: dict[int, Member]
    staged: tuple[Staged, ...]

    def staging(self, at: int | None, node: Node) -> Node:
        """`node` with what is staged at a strip, or on entry."""
        arrays = tuple(s for s in self.staged if (None if s.at is None else s.at.index) == at)
        return Stage(arrays, node) if arrays else node

    def grouped(self, node: Node) -> Node:
        """What a work-group runs: uniform loops down to strips, and phases of consecutive nodes without strips."""
        parts: list[Node] = []
        for uniform, run in groupby(steps(node), self._holds_strips):
            together = tuple(run)
            parts += map(self._uniform, together) if uniform else (self._phase(in_order(together)),)
        return in_order(tuple(parts))

    def _holds_strips(self, node: Node) -> bool:
        return any(member.loop.index in self.strips for member in members(node))

    def _uniform(self, band: Node) -> Node:
        assert isinstance(band, Band), "a strip is one of a loop"
        first, *rest = band.members
        strip = self.strips.get(first.loop.index)
        if strip is not None:
            return Band((strip,), self.staging(first.loop.index, self._phase(band)))
        inside = Band(tuple(rest), band.child) if rest else band.child
        return Band((replace(first, role=Role.UNIFORM),), self.grouped(inside))

    def _phase(self, node: Node) -> Phase:
        several = sorted((member for member in self.grid if not member.single), key=lambda member: -member.axis)
        own = tuple(replace(member, role=Role.OWN) for member in several)
        iterators = {member.loop.iterator for member in own}
        alone = all(member.threads == 1 for member in self.grid)
        if own and (alone or any(bounds_follow(member, iterators) for member in members(node))):
            return Phase(Band(own, node))
        return Phase(_jammed(node, own), jammed=True) if own else Phase(node)


def _jammed(node: Node, own: tuple[Member, ...]) -> Node:
    """With the members `own` around each run of statements that no loop interrupts."""
    parts = between_bands(node)
    return in_order(
        tuple(replace(p, child=_jammed(p.child, own)) if isinstance(p, Band) else Band(own, p) for p in parts)
    )


def one_by_one(phase: Phase) -> Phase:
    """A phase with a work-item's own iterations one after the other, where they run side by side."""
    own = next(n.members for n in nodes(phase) if isinstance(n, Band) and _is_own(n))
    return Phase(Band(own, _alone(phase.child)))


def _alone(node: Node) -> Node:
    """What `_jammed` was made of."""
    if isinstance(node, Band):
        return node.child if _is_own(node) else replace(node, child=_alone(node.child))
    return in_order(tuple(step for part in steps(node) for step in steps(_alone(part)))) if below(node) else node


def _is_own(band: Band) -> bool:
    return band.members[0].role is Role.OWN


@dataclass(frozen=True, slots=True)
class Partition:
    """A region cut for one device. `diagnostics` are share hints that can't be honoured."""

    schedule: Schedule
    device: Device
    nests: tuple[NestPartition, ...]
    diagnostics: tuple[Diagnostic, ...]


# --- how tiles lie in local memory -------------------------------------------------------------------------------


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


class GroupOrder(enum.Enum):
    """How work-groups are numbered along x and y of the grid."""

    ROWS = "row after row"
    COLUMNS = "column after column"  # what is packed for a panel stays in the cache for the next group
    DIAGONALS = "along diagonals"  # those that run at a time use different channels of global memory


@dataclass(frozen=True, slots=True)
class NestPlacement:
    """The tiles of one kernel.

    `remap` is the placement matrix of thread remap: work-item (x, y) runs the iteration at ``(a x + b y, c x + d y)``,
    each modulo the work-group's size along its axis, for ``((a, b), (c, d))``. Of the strip loops `rotated` every
    work-item begins a strip at its own place (access reorder). `channels` has its arrays on devices where channels of
    global memory are known.
    """

    partition: NestPartition
    tiles: tuple[TilePlacement, ...] = ()
    remap: tuple[tuple[int, int], tuple[int, int]] | None = None
    rotated: tuple[LoopNode, ...] = ()
    order: GroupOrder = GroupOrder.ROWS
    channels: tuple[Channels, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Placement:
    """A region's kernels, placed on one device."""

    partition: Partition = field(repr=False)
    nests: tuple[NestPlacement, ...]


# --- what a work-item runs at once -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CacheSetConflict:
    """Rows of arrays that lie a multiple of `bytes` apart fall into the same cache sets: `rows` by `vectors` at once
    there. What counts is how far those of a tile are apart, or those of neighbours along the iterator `between`."""

    rows: int
    vectors: int
    bytes: int
    between: Symbol | None = None


@dataclass(frozen=True, slots=True)
class VectorReduction:
    """Vectors of `lanes` along innermost loops whose iterations may run in any order (`schedule.ir.Role.REASSOCIABLE`).

    They run for `rows` along y by `columns` along x at once, which share what they load, where such loops have at least
    `long` iterations, 0 standing for any number; `interleave` vectors at a time for one alone. What all iterations
    update may be `copied`: each work-group has copies of arrays, of which there are vectors too.
    """

    rows: int
    columns: int
    lanes: int
    interleave: int
    long: int
    copied: bool = False


@dataclass(frozen=True, slots=True)
class RegisterTile:
    """The iterations of its tile that a work-item of a CPU runs at once: `rows` along y by `vectors` of `lanes` along
    x. `conflict` is set for stencils, whose rows load what their neighbours load. Where there is a `reduction` and its
    vectors can be had, it counts instead. The tile is for loops with others inside only where it is not `flat` too.
    All columns of the work-item's tile run `sweep` iterations of the
    loop inside before they run the next ones; with 0, those of a register tile run them all."""

    rows: int
    vectors: int
    lanes: int
    conflict: CacheSetConflict | None = None
    reduction: VectorReduction | None = None
    flat: bool = True
    sweep: int = 0

    @property
    def copied(self) -> bool:
        """Whether rows of copies that all iterations update have its vectors."""
        return self.reduction is not None and self.reduction.copied


@dataclass(frozen=True, slots=True)
class Coarsening:
    """How a GPU's work-items came to have several iterations each, or one, for reports.

    `factors` are those of one work-item along x, y, z (the ILP factor is their product), `registers` the 32-bit
    registers estimated for it, `local_bytes` what a work-group has in local memory, `resident` the work-items a compute
    unit then holds. `why` says in a few words why no more, or why none.
    """

    factors: tuple[int, int, int]
    registers: int
    local_bytes: int
    resident: int
    why: str


@dataclass(frozen=True, slots=True)
class DataBoundLoop:
    """A loop in a statement, known by its `header`, along which there are vectors of `lanes` where it has at least
    `long` iterations. It combines, and may do so in any order; the data decide how long it is."""

    header: Span
    lanes: int
    long: int


@dataclass(frozen=True, slots=True)
class Ahead:
    """What a kernel of bands asks for while it runs: in `steps` steps what the next tile has, of `widths` rows and
    columns, in so many `planes`, from the `first` one on behind multiples of how far bands are `apart`."""

    steps: int
    apart: int
    first: int
    planes: int
    widths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Small:
    """What a kernel is in small launches: with fewer than `each` iterations of its grid for each compute unit, or
    natively in all, counted in whole work-groups, the host runs that of `plan` instead, which has a name of its own."""

    plan: NestPlan
    each: int


@dataclass(frozen=True, slots=True)
class NestPlan:
    """A kernel as it will be generated: `placement` holds its final tiles and work-group. `coarsening` is a GPU's.
    `register_tile` is what a work-item of a CPU runs at once; None leaves that to the OpenCL compiler. `scalar` says
    why that has no vectors, "" where it has or the device is no CPU. Where nothing else has vectors, `data_bound` loops
    may have some. What a tile needs next, a band may ask for `ahead`; with `strips_ahead`, a work-group of a GPU
    fetches what its next strip needs while it runs one. Where a launch would leave compute units idle, it may be
    another kernel, the `small` one."""

    placement: NestPlacement
    coarsening: Coarsening | None = field(default=None, compare=False)
    register_tile: RegisterTile | None = None
    scalar: str = field(compare=False, default="")
    data_bound: tuple[DataBoundLoop, ...] = ()
    ahead: Ahead | None = None
    strips_ahead: bool = False
    small: Small | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """What sweeps leave out at one end of a band: `slope` rows more when the loop over time counts one further, and
    `offsets` for each sweep."""

    slope: int
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """What depends on a row first: those of a sweep so many steps later, from so many rows before it (less than 0) to
    so many behind it. Sweeps are known by their number."""

    source: int
    sink: int
    steps: int
    rows: tuple[int, int]


@dataclass(frozen=True, slots=True)
class InBands:
    """A loop on the host whose steps run so many at a time in bands of so many rows, iterations of loops like `along`,
    and in tiles of so many of each of the loops that they are `cut` along. Bands leave out the rows of `low` and `high`
    at their ends, because of what `reaches` over them.
    `large` is the condition under which they gain, if their `number` is enough for all cores, where it has to be. The
    rows have the matrices of these names in `common`."""

    loop: LoopNode
    along: LoopNode
    steps: int
    rows: int
    cut: tuple[tuple[LoopNode, int], ...]
    low: Edge
    high: Edge
    reaches: tuple[Reach, ...]
    large: Expr
    number: Expr | None
    common: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A region's kernels with all decisions made for one device. Where `tiled` gains, the host runs the kernels of that
    plan instead, which has the loops of `bands` in bands, or those of the first plan that gains of those that go over
    the rows of a matrix once, or by blocks."""

    placement: Placement = field(repr=False)
    nests: tuple[NestPlan, ...]
    bands: tuple[InBands, ...] = ()
    tiled: Plan | None = field(default=None, repr=False)
    by_rows: tuple[tuple[ByRows, Plan], ...] = ()

    @property
    def others(self) -> tuple[Plan, ...]:
        """The plans of which the host may run the kernels instead."""
        return (*(() if self.tiled is None else (self.tiled,)), *(plan for _, plan in self.by_rows))

    @property
    def partition(self) -> Partition:
        """The partition with every kernel's final sizes."""
        return replace(self.placement.partition, nests=tuple(nest.placement.partition for nest in self.nests))
