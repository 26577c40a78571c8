"""The search for the partition with the highest profit (SHARE 3.2.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import inf

from accshare.device import Device
from accshare.mapping.ir import SearchPoint
from accshare.mapping.staging.accesses import Group
from accshare.mapping.staging.features import Figures, StagingSite, delta_r, delta_s, measure, site_of
from accshare.mapping.staging.loops import Instances, LoopFacts
from accshare.mapping.staging.split import Split
from accshare.mapping.staging.work_groups import WorkGroup, along_axes, cuts, strip_sizes, work_groups
from accshare.options import Options, Share
from accshare.records import dataclass, field
from accshare.schedule.ir import Kernel, Member

#: sequential loops with at most this many iterations are kept whole
_SHORT = 16
#: up to this many strip loops get a length each; more share one
_APART = 2
#: iterations between two barriers that hide what a barrier costs
_APART_ENOUGH = 32


@dataclass(frozen=True, slots=True)
class Policy:
    """How devices of a kind cut kernels.

    `plain` gives the sizes of a kernel that stages nothing; its work-groups may be one work-item `alone`, with as many
    iterations as it likes. Where arrays go through local memory, a work-group is at least a `warp` wide (15) and has at
    most `work_items` (10). Devices that `coalesce` gain from neighbouring work-items touching neighbouring elements.
    `pack` may find something to stage where local memory has nothing to offer by itself.
    """

    plain: Callable[[Kernel], tuple[Member, ...]]
    alone: bool
    warp: int
    work_items: int
    coalesce: bool
    pack: Callable[[Problem], Candidate | None] | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One kernel for one device: the candidate groups of references, the loops and how often they run. `reduced` is
    what a work-item's accumulators take in local memory, `coalesce` the arrays that a hint says not to coalesce."""

    nest: Kernel
    device: Device
    policy: Policy
    options: Options
    groups: tuple[Group, ...]
    facts: Mapping[int, LoopFacts] = field(repr=False)
    counts: Mapping[str, Instances] = field(repr=False)
    reduced: int
    coalesce: frozenset[str]

    @property
    def forced(self) -> bool:
        return self.options.share is Share.FORCE

    @property
    def coalesces(self) -> bool:
        """Whether the device gains from neighbouring work-items touching neighbouring elements."""
        return self.forced or self.policy.coalesce

    def worth(self, figures: Figures, site: StagingSite) -> tuple[int, int]:
        """Bytes saved by reuse (2) where the group is in ReuseSet (3), and by coalescing (7) where it is in CoalesceSet
        (6).

        What a kernel writes is not reused: a work-item keeps its own elements in registers. Copies must coalesce
        themselves, or nothing is gained: the rows of a tile have to fill a transaction or a warp.
        """
        group = site.group
        reused = not group.writes and max(figures.lengths) > 1 and figures.ratio > delta_r(self.device, self.options)
        spread = self.coalesces and not site.coalesced and figures.full_rows
        return (
            figures.references * group.element_bytes if reused else 0,
            figures.transactions * self.device.transaction_bytes if spread else 0,
        )


@dataclass(frozen=True, slots=True)
class Worth:
    """What staging a group would save at a point, in bytes; `group` is its number in `Problem.groups`."""

    group: int
    site: StagingSite
    figures: Figures
    saved: int

    @property
    def bytes(self) -> int:
        """What it takes of local memory."""
        return self.figures.elements * self.site.group.element_bytes


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point of the search space. `wanted` are the groups that would pay, whether or not they fit, with the local
    bytes they take."""

    split: Split
    cut: frozenset[int]
    work_group: WorkGroup
    strips: tuple[tuple[int, int], ...]
    staged: tuple[Worth, ...]
    wanted: tuple[tuple[int, int], ...]
    profit: int
    local_bytes: int
    resident: int
    copies: int

    @property
    def sizes(self) -> dict[int, int]:
        return sizes_of(self.work_group, self.strips)

    @property
    def gain(self) -> float:
        """The profit of as many iterations as there are work-items."""
        return self.profit * self.work_group.work_items / self.work_group.points

    def plan(self, facts: Mapping[int, LoopFacts]) -> SearchPoint:
        """The point as the report shows it."""
        strips = {facts[loop].node.iterator.name: size for loop, size in self.strips}
        sizes = (*self.work_group.names, *strips.items())
        return SearchPoint(sizes, self.profit, self.local_bytes, self.resident, round(self.gain))


def search(problem: Problem, split: Split) -> Iterator[Candidate]:
    """All points of one iteration split that stage something, and those that would if it fitted."""
    grid = along_axes(problem.nest, split)
    along_x = next((member.loop.index for member in grid if member.axis == 0), None)
    tried: set[frozenset[int]] = set()
    for loops in cuts(problem.nest, strippable(problem, split)):
        sites = sites_of(problem, loops, along_x)
        cut = frozenset(site.at.index for site in sites.values() if site.at is not None)
        if not sites or cut in tried:
            continue
        tried.add(cut)
        evaluate = _Evaluator(problem, split, cut, sites)
        for work_group in _work_groups(problem, split, grid, bool(cut)):
            for strips in _strips(problem, split, cut, work_group):
                found = evaluate.at(work_group, strips)
                if found is not None:
                    yield found


def has_work_group(problem: Problem, split: Split) -> bool:
    """Whether some work-group of the device has the sizes a split asks for."""
    return any(True for _ in _work_groups(problem, split, along_axes(problem.nest, split), False))


def _work_groups(problem: Problem, split: Split, grid: tuple[Member, ...], stripped: bool) -> Iterator[WorkGroup]:
    policy = problem.policy
    return work_groups(grid, split, problem.facts, policy.warp, policy.work_items, stripped)


def strippable(problem: Problem, split: Split) -> frozenset[int]:
    """The sequential loops that count up by one and are long, or have a length in a hint."""
    return frozenset(
        index
        for index, fact in problem.facts.items()
        if not fact.mapped
        and fact.node.loop.step == 1
        and (split.of(index) or fact.trips is None or fact.trips > _SHORT)
    )


def sites_of(problem: Problem, cut: frozenset[int], along_x: int | None) -> dict[int, StagingSite]:
    """Where groups, by their number, can be staged when `cut` is stripped."""
    found = (
        (k, site_of(group, cut, problem.facts, problem.counts, along_x, group.variable.name in problem.coalesce))
        for k, group in enumerate(problem.groups)
        if not group.blocked
    )
    return {k: site for k, site in found if site is not None}


def sizes_of(work_group: WorkGroup, strips: tuple[tuple[int, int], ...]) -> dict[int, int]:
    """The sizes of tiles and strips by loop."""
    return {**{d.loop.index: d.size for d in work_group.grid}, **dict(strips)}


def best_first(problem: Problem, found: list[Candidate]) -> list[Candidate]:
    """Candidates by profit; equal ones by resident work-items, transactions of the copies, how long work-items run
    between two barriers, up to what makes barriers cheap, and local bytes.

    Where work-items run several iterations, profit and copies are compared for as many iterations as there are
    work-items. Forced staging puts those first that stage most.
    """

    def key(candidate: Candidate) -> tuple[float, ...]:
        most = len(candidate.staged) if problem.forced else 0
        copies = candidate.copies * candidate.work_group.work_items / candidate.work_group.points
        apart = min((size for _, size in candidate.strips), default=_APART_ENOUGH)
        return -most, -candidate.gain, -candidate.resident, copies, -min(apart, _APART_ENOUGH), candidate.local_bytes

    return sorted(found, key=key)


def local_limit(problem: Problem, work_items: int) -> int:
    """The local bytes a work-group may take (9)."""
    part = delta_s(problem.device, problem.options, work_items)
    return int(min(part * problem.device.local_per_unit, problem.device.local_bytes))


def resident(device: Device, work_items: int, local_bytes: int) -> int:
    """How many work-items a compute unit holds at a time.

    As printed, (11) forbids work-groups so small in local memory that more of them would fit than a unit has room for:
    by (17) the paper's own answer for gemm is illegal. The hardware just does not start what it has no room for, so the
    number is clamped, and what (11) asks is that one group fits.
    """
    by_local = device.local_per_unit // local_bytes if local_bytes else inf
    groups = min(by_local, device.max_threads_per_unit // work_items, device.max_groups_per_unit)
    return int(groups) * work_items


def _strips(
    problem: Problem, split: Split, cut: frozenset[int], work_group: WorkGroup
) -> Iterator[tuple[tuple[int, int], ...]]:
    loops = sorted(cut)
    choices = [strip_sizes(problem.facts[loop], split, dict(work_group.names)) for loop in loops]
    if len(loops) <= _APART:
        yield from (tuple(zip(loops, sizes, strict=True)) for sizes in product(*choices))
        return
    for size in sorted(set().union(*choices)):
        if all(choices):
            yield tuple((loop, min(own, key=lambda k: abs(k - size))) for loop, own in zip(loops, choices, strict=True))


class _Evaluator:
    """Evaluates points that differ in sizes only; what depends on few sizes is computed once for each of them."""

    def __init__(self, problem: Problem, split: Split, cut: frozenset[int], sites: Mapping[int, StagingSite]) -> None:
        self._problem, self._split, self._cut = problem, split, cut
        self._sites = sites
        self._loops = {
            k: sorted({loop for extent in site.extents for loop, _ in extent.cut} | set(dict(site.drift)))
            for k, site in sites.items()
        }
        self._known: dict[tuple[int, ...], Figures] = {}

    def at(self, work_group: WorkGroup, strips: tuple[tuple[int, int], ...]) -> Candidate | None:
        """The point, or None where nothing pays or no group would be resident (11)."""
        problem = self._problem
        worth = list(self._worth(sizes_of(work_group, strips), work_group.points))
        if not worth:
            return None
        wanted = tuple((one.group, one.bytes) for one in worth)
        limit = local_limit(problem, work_group.work_items) - problem.reduced * work_group.work_items
        kept: list[Worth] = []
        taken = 0
        for one in sorted(worth, key=lambda w: -w.saved / max(1, w.figures.elements)):
            if taken + one.bytes <= limit:
                kept.append(one)
                taken += one.bytes
        taken += problem.reduced * work_group.work_items
        threads = resident(problem.device, work_group.work_items, taken)
        if threads == 0 and not problem.forced:
            kept = []
        used = {one.site.at.index for one in kept if one.site.at is not None}
        return Candidate(
            self._split,
            self._cut,
            work_group,
            tuple((loop, size) for loop, size in strips if loop in used),
            tuple(sorted(kept, key=lambda one: one.group)),
            wanted,
            sum(one.saved for one in kept),
            taken,
            threads,
            sum(one.figures.copies for one in kept),
        )

    def _worth(self, sizes: dict[int, int], points: int) -> Iterator[Worth]:
        """The groups that pay."""
        problem = self._problem
        for group, site in self._sites.items():
            key = (group, points, *(sizes[loop] for loop in self._loops[group]))
            figures = self._known.get(key)
            if figures is None:
                figures = self._known[key] = measure(site, sizes, points, problem.device)
            saved = sum(problem.worth(figures, site))
            if problem.forced or saved > 0:
                yield Worth(group, site, figures, saved)
