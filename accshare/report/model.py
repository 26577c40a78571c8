"""The report as plain values: what `text` prints, and key for key the JSON of ``docs/report-schema.md``."""

from __future__ import annotations

from accshare.records import dataclass

#: grows when a key changes its meaning or goes away; new keys may come without notice
SCHEMA = 1
#: the parameters that make a work-group's block of iterations; all others are lengths of strips
BLOCK = ("TB_X", "TB_Y", "TB_Z")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the user's files, counted from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Remark:
    """A second place that explains a message."""

    message: str
    place: Place


@dataclass(frozen=True, slots=True)
class Message:
    """A numbered diagnostic. `severity` is note, warning, error or internal error."""

    code: str
    severity: str
    message: str
    hint: str | None
    place: Place | None
    notes: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class StripFact:
    """A kernel for one target runs a loop in strips of `size` iterations, its work-items side by side."""

    kernel: str
    target: str
    size: int


@dataclass(frozen=True, slots=True)
class LoopFact:
    """An affine loop of an offloaded region.

    `runs` says where its iterations are: ``grid`` (one or more a work-item, along `axis` x, y or z), ``work-item``
    (inside each) or ``host`` (around launches). `reason` says why the iterations are in order, where they must be. On
    the targets in `shared`, the work-items of a group share them.
    """

    iterator: str
    place: Place
    parallel: bool
    runs: str
    axis: str | None
    kernels: tuple[str, ...]
    reason: Message | None
    strips: tuple[StripFact, ...]
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReductionFact:
    """A scalar that the kernel's work-items combine into."""

    variable: str
    operator: str


@dataclass(frozen=True, slots=True)
class SizeFact:
    """A kernel's sizes along x, y, z for one target: a work-group's work-items, and the iterations of one work-item.

    `block` has the rows, vectors and lanes that a work-item of a CPU runs at once; it is empty where that is left to
    the OpenCL compiler. Vectors of `inner` lanes lie along loops inside; 0 where none do. `scalar` says why a kernel
    for a CPU has no vectors; it is empty elsewhere. `copies` are the arrays of which each work-group may update a copy
    of its own. `phases` is the loop nest of a work-group whose work-items share inner loops, a line each. All of a tile
    on a CPU runs so many rows, iterations of the loop inside, as `sweep` says before the next ones; 0 elsewhere. Where
    it goes by `planes`, what `block` calls rows are in as many of them, along z.
    With fewer than `below` iterations of the grid for each compute unit, natively in all, a launch has these sizes
    rather than the target's first ones; 0 for those.
    """

    target: str
    work_group: tuple[int, ...]
    tile: tuple[int, ...]
    block: tuple[int, ...] = ()
    inner: int = 0
    scalar: str = ""
    copies: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    sweep: int = 0
    below: int = 0
    planes: bool = False


@dataclass(frozen=True, slots=True)
class ParameterFact:
    """A size by name: ``TB_X``, the iterator of a loop cut into strips, a value that is only known at run time."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class PlanFact:
    """A legal choice of sizes: what it gains in bytes a work-group (8), the local bytes it takes, and how many
    work-items a compute unit then holds (SHARE 3.2.3). Plans are compared by `gain`, the profit of one iteration a
    work-item."""

    parameters: tuple[ParameterFact, ...]
    profit: int
    local_bytes: int
    resident: int
    gain: int


@dataclass(frozen=True, slots=True)
class AxisFact:
    """One subscript of an array, and what a work-group touches along it at a time.

    `extent` is the array's as C text, None where it isn't known. Of `length` elements `lower` and `upper` are the halo
    before and after those the group's own iterations are at. `runs` is ``grid`` where a parallel loop moves the
    tile, ``strip`` where the strips of a sequential one do, ``whole`` where all of it is touched at once; `iterator`
    is the loop's.
    """

    extent: str | None
    length: int
    lower: int
    upper: int
    runs: str
    iterator: str | None


@dataclass(frozen=True, slots=True)
class ArrayFact:
    """References to one array that go together, for one work-group over the whole kernel (SHARE 3.2.2).

    `role` is ``seed`` or ``inferred``. `loaded` says when local memory is filled, ``entry`` or ``strip`` (of `loop`);
    None for an array left alone. `copied_in` and `stored_back` tell which way it is copied, `width` how many elements a
    work-item loads at once where alignment allows. `bytes` is one tile's, `elements` what is loaded over all strips,
    `reuse` bytes, `ratio` references an element loaded.
    """

    name: str
    references: tuple[str, ...]
    role: str
    staged: bool
    why: str
    loaded: str | None
    loop: str | None
    copied_in: bool
    stored_back: bool
    width: int
    tile: tuple[AxisFact, ...]
    bytes: int
    elements: int
    reuse: int
    ratio: float
    transactions: int
    coalesced: bool


@dataclass(frozen=True, slots=True)
class StagingFact:
    """How one kernel's sizes and local memory were chosen for one target.

    `best` is the plan taken, of `plans` legal ones; both plans are None where nothing can be staged. `surface` has the
    best plan for each block of iterations, best first.
    """

    target: str
    arrays: tuple[ArrayFact, ...]
    plans: int
    best: PlanFact | None
    runner_up: PlanFact | None
    surface: tuple[PlanFact, ...]
    binding: str
    assumed: tuple[ParameterFact, ...]
    delta_r: float
    delta_s: float


@dataclass(frozen=True, slots=True)
class BankedFact:
    """A tile in the banks of local memory (SHARE 3.3.1).

    `tile` has its lengths, outermost first, `order` the subscripts from the slowest to the fastest, `padding` the
    elements added to each row. `before` and `after` are conflict degrees, `path` the questions of the decision tree
    with their answers, `change` what they came to. `words_before` and `words_after` are what the work-items of the
    worst request want, word ``n`` being in bank ``n % banks``; empty where there were no conflicts.
    """

    array: str
    references: tuple[str, ...]
    tile: tuple[int, ...]
    order: tuple[int, ...]
    padding: int
    before: int
    after: int
    path: tuple[str, ...]
    change: str | None
    words_before: tuple[int, ...]
    words_after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SpreadFact:
    """How much more the busiest channel of global memory moves of an array than with an even spread, before and after
    work-groups were numbered along diagonals."""

    array: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class BankFact:
    """How a kernel's tiles lie in the `banks` of one target. `remap` tells where work-item (x, y) goes, `reordered` the
    loops of whose strips each work-item begins at an iteration of its own."""

    target: str
    banks: int
    tiles: tuple[BankedFact, ...]
    remap: str | None
    reordered: tuple[str, ...]
    channels: tuple[SpreadFact, ...]
    diagonal: bool


@dataclass(frozen=True, slots=True)
class IlpFact:
    """How many iterations a work-item runs side by side on one target (SHARE 3.3.2).

    `factors` are a work-item's iterations along x, y, z, `tile` a work-group's. `registers` of 32 bits are estimated
    for a work-item, `local_bytes` are a work-group's, `resident` the work-items that a compute unit holds. With `ahead`
    a group fetches what its next strip needs while it runs one. `why` says what the kernel is bound by and what keeps
    more iterations away, or why there is only one.
    """

    target: str
    factors: tuple[int, int, int]
    tile: tuple[int, ...]
    registers: int
    local_bytes: int
    resident: int
    ahead: bool
    why: str


@dataclass(frozen=True, slots=True)
class KernelFact:
    """A kernel made from a part of the region; `dimensions` counts its grid's, 0 where one work-item does it all.

    One with a name in `instead_of` runs in place of that kernel where the loops of that one do not fill the device: its
    grid has one more loop, split; a finalize kernel combines the results.
    """

    name: str
    place: Place
    dimensions: int
    reductions: tuple[ReductionFact, ...]
    instead_of: str | None
    sizes: tuple[SizeFact, ...]
    staging: tuple[StagingFact, ...]
    banking: tuple[BankFact, ...]
    ilp: tuple[IlpFact, ...]


@dataclass(frozen=True, slots=True)
class TransferFact:
    """An array section, or a scalar, that the region has on the device. `movement` is a data clause's name; `implied`
    tells that it follows from the accesses, `lower` and `length` count elements; empty where only the present table
    tells. Of a table of pointers to rows they count rows, `column` and `width` the elements of each."""

    name: str
    movement: str
    implied: bool
    scalar: bool
    lower: str
    length: str
    reads: bool
    writes: bool
    column: str = ""
    width: str = ""


@dataclass(frozen=True, slots=True)
class LookFact:
    """An array of integers that native kernels look at before they run, and the arrays whose reach that tells."""

    array: str
    reached: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GuardFact:
    """A C condition without which the region runs on the host; `reason` says what is wrong when it is false."""

    condition: str
    reason: str
    place: Place


@dataclass(frozen=True, slots=True)
class ValidationFact:
    """How many dependences were proved to be kept altogether, and of how many others a run-time check or the user's
    promise excludes some pairs."""

    dependences: int
    checked: int
    trusted: int


@dataclass(frozen=True, slots=True)
class HintFact:
    """An array of a ``share`` hint. `checked` means that the hint can be followed, `staged` that local memory holds the
    array in a kernel for some of the `targets`."""

    array: str
    place: Place
    checked: bool
    staged: bool
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepFact:
    """Which loops were ``distributed``, ``interchanged``, ``skewed``, ``fused``, ``not distributed``, ``not fused`` or
    ``not parallel``, in a sentence that begins behind that word."""

    word: str
    sentence: str
    place: Place


@dataclass(frozen=True, slots=True)
class FiguresFact:
    """What a nest is expected to cost in the order that `origin` has for it: `launches` of kernels with so many
    `parallel` iterations each, none on the host, `lines` from the farthest memory, and the `cycles` of all of it."""

    origin: str
    launches: float
    parallel: float
    lines: float
    cycles: float


@dataclass(frozen=True, slots=True)
class VerdictFact:
    """Which order of a nest was taken, and the next best one, with their figures on a target."""

    place: Place
    target: str
    winner: FiguresFact
    runner_up: FiguresFact


@dataclass(frozen=True, slots=True)
class OrderFact:
    """How loops were reordered for some targets: step by step, and the `nests` that came of it, line by line. What was
    left undone, in `kept`, comes with the dependence that forbids it, and what was chosen from, in `verdicts`, with
    figures."""

    targets: tuple[str, ...]
    steps: tuple[StepFact, ...]
    nests: tuple[str, ...]
    kept: tuple[StepFact, ...]
    verdicts: tuple[VerdictFact, ...]


@dataclass(frozen=True, slots=True)
class RegionFact:
    """A compute construct. `messages` are its diagnostics; on the host the first one says why. `here` is the target
    whose kernels run on the device that this machine prefers, empty for a region that stays on the host. `order` is
    None where nothing is to be said of that of its loops; `other_orders` are those on targets that it is not for."""

    name: str
    function: str
    construct: str
    place: Place
    offloaded: bool
    here: str
    targets: tuple[str, ...]
    kernels: tuple[KernelFact, ...]
    loops: tuple[LoopFact, ...]
    transfers: tuple[TransferFact, ...]
    guards: tuple[GuardFact, ...]
    overlap_tests: tuple[tuple[str, str], ...]
    looks: tuple[LookFact, ...]
    not_affine: tuple[Remark, ...]
    validation: ValidationFact | None
    hints: tuple[HintFact, ...]
    messages: tuple[Message, ...]
    order: OrderFact | None = None
    other_orders: tuple[OrderFact, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionFact:
    """What a data directive names with one movement, as written there."""

    movement: str
    name: str


@dataclass(frozen=True, slots=True)
class DataFact:
    """A ``data``, ``enter data``, ``exit data`` or ``update`` directive. `regions` are the names of those that stand
    inside a ``data`` construct; what they call may hold more."""

    directive: str
    function: str
    place: Place
    sections: tuple[SectionFact, ...]
    regions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A translation unit; `functions` are those with regions or data directives in source order, `messages` the
    diagnostics that belong to no region."""

    schema: int
    source: str
    regions: tuple[RegionFact, ...]
    messages: tuple[Message, ...]
    data: tuple[DataFact, ...]
    functions: tuple[str, ...]
