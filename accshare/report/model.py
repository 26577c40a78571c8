"""The report as plain values: what `text` prints, and key for key the JSON of ``docs/report-schema.md``."""

from __future__ import annotations

from dataclasses import dataclass

#: grows when a key changes its meaning or goes away; new keys may come without notice
SCHEMA = 1


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
class LoopFact:
    """An affine loop of an offloaded region.

    `runs` says where its iterations are: ``grid`` (one or more a work-item, along `axis` x, y or z), ``work-item``
    (inside each) or ``host`` (around launches). `reason` says why the iterations are in order, where they must be.
    """

    iterator: str
    place: Place
    parallel: bool
    runs: str
    axis: str | None
    kernels: tuple[str, ...]
    reason: Message | None


@dataclass(frozen=True, slots=True)
class ReductionFact:
    """A scalar that the kernel's work-items combine into."""

    variable: str
    operator: str


@dataclass(frozen=True, slots=True)
class SizeFact:
    """A kernel's sizes along x, y, z for one target: a work-group's work-items, and the iterations of one work-item."""

    target: str
    work_group: tuple[int, ...]
    tile: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KernelFact:
    """A kernel made from a part of the region; `dimensions` counts its grid's, 0 where one work-item does it all."""

    name: str
    place: Place
    dimensions: int
    reductions: tuple[ReductionFact, ...]
    sizes: tuple[SizeFact, ...]


@dataclass(frozen=True, slots=True)
class TransferFact:
    """An array section, or a scalar, that the region has on the device. `movement` is a data clause's name; `implied`
    tells that it follows from the accesses, `lower` and `length` count elements."""

    name: str
    movement: str
    implied: bool
    scalar: bool
    lower: str
    length: str
    reads: bool
    writes: bool


@dataclass(frozen=True, slots=True)
class GuardFact:
    """A C condition without which the region runs on the host; `reason` says what is wrong when it is false."""

    condition: str
    reason: str
    place: Place


@dataclass(frozen=True, slots=True)
class ValidationFact:
    """How many dependences were proved to be kept, and on how many a promise or a guard left pairs out."""

    dependences: int
    excluded: int


@dataclass(frozen=True, slots=True)
class HintFact:
    """An array of a ``share`` hint. `checked` means that it fits the region, `staged` that local memory holds it."""

    array: str
    place: Place
    checked: bool
    staged: bool


@dataclass(frozen=True, slots=True)
class RegionFact:
    """A compute construct. `messages` are its diagnostics; on the host the first one says why."""

    name: str
    function: str
    construct: str
    place: Place
    offloaded: bool
    targets: tuple[str, ...]
    kernels: tuple[KernelFact, ...]
    loops: tuple[LoopFact, ...]
    transfers: tuple[TransferFact, ...]
    guards: tuple[GuardFact, ...]
    overlap_tests: tuple[tuple[str, str], ...]
    not_affine: tuple[Remark, ...]
    validation: ValidationFact | None
    hints: tuple[HintFact, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A translation unit; `messages` are the diagnostics that belong to no region."""

    schema: int
    source: str
    regions: tuple[RegionFact, ...]
    messages: tuple[Message, ...]
