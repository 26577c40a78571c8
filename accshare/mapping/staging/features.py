"""What staging a group of references would save a work-group, and what it costs (SHARE 3.2.2); the thresholds of (3)
and (9), derived from the device rather than fixed."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, inf, prod

from accshare.device import Device
from accshare.mapping.staging.accesses import Group
from accshare.mapping.staging.loops import Instances, LoopFacts
from accshare.options import Options, Share
from accshare.poly.ir import LoopNode
from accshare.records import dataclass
from accshare.subscripts import AffineReference

#: work-groups a compute unit should be able to hold as far as local memory goes
_FEWEST_GROUPS, _MOST_GROUPS = 2, 8
#: the size of a tile or strip by `LoopNode.index`
Sizes = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Extent:
    """The length of one dimension of a rectangular hull: `fixed` where every loop of `cut` makes one iteration, and its
    weight (elements a step) more for each further one."""

    fixed: int
    cut: tuple[tuple[int, int], ...]

    def length(self, sizes: Sizes) -> int:
        """The hull's length, in elements."""
        return self.fixed + sum(weight * (sizes[loop] - 1) for loop, weight in self.cut)

    def touched(self, sizes: Sizes, references: int) -> int:
        """At most so many different indices are touched by `references` references."""
        return min(self.length(sizes), references * prod(sizes[loop] for loop, _ in self.cut))


@dataclass(frozen=True, slots=True)
class Moment:
    """The references of one statement: what the block touches with them at one time, and at how many times."""

    times: float
    extents: tuple[Extent, ...]
    references: int

    def transactions(self, sizes: Sizes, spacing_bytes: int, transaction_bytes: int) -> int:
        """Different segments of memory touched at one time, as `Unique` in (7)."""
        *rows, row = self.extents
        segments = min(row.touched(sizes, self.references), ceil(row.length(sizes) * spacing_bytes / transaction_bytes))
        lines = prod(extent.touched(sizes, self.references) for extent in rows)
        loops = {loop for extent in self.extents for loop, _ in extent.cut}
        return min(lines * segments, self.references * prod(sizes[loop] for loop in loops))


@dataclass(frozen=True, slots=True)
class StagingSite:
    """A group with the place where it would be staged: on entry, or anew for every strip of `at`.

    `uses` counts the references an iteration of the mapped loops makes: the same element in the same place once, and
    once for all iterations of inner loops that leave it the same, since compilers keep it in a register. `passes` and
    `trips` tell how often the loop `at` is started and how many iterations a work-item makes of it in all, `drift` how
    many more a work-group makes each time (see `LoopFacts`).
    """

    group: Group
    at: LoopNode | None
    extents: tuple[Extent, ...]
    uses: float
    passes: float
    trips: float
    drift: tuple[tuple[int, float], ...]
    moments: tuple[Moment, ...]
    coalesced: bool


@dataclass(frozen=True, slots=True)
class Figures:
    """A site in numbers, for one work-group over the whole kernel. `elements` is |DS| of one strip, `loaded` what
    is copied in all, `references` (2) and `transactions` (7) what would be saved, `copies` the transactions of
    the copies and `full_rows` whether the copies coalesce."""

    lengths: tuple[int, ...]
    elements: int
    loaded: int
    references: int
    transactions: int
    copies: int
    full_rows: bool

    @property
    def ratio(self) -> float:
        return self.references / max(1, self.loaded)


def site_of(
    group: Group,
    strips: frozenset[int],
    facts: Mapping[int, LoopFacts],
    counts: Mapping[str, Instances],
    along_x: int | None,
    coalesce: bool,
) -> StagingSite | None:
    """Where a group is staged when the loops `strips` are cut into strips, of which none is inside another; None where
    its hull has no constant size. `along_x` is the loop that neighbouring work-items share; `coalesce` skips the test
    that adjacent elements are touched at all."""
    statement = group.references[0].statement
    at = next((node for node in statement.loops if node.index in strips and node.index in group.used), None)
    extents = []
    for k, row in enumerate(group.rows):
        fixed = 1 + group.spread(k)
        cut = []
        for loop, coefficient in row.loops:
            fact = facts.get(loop)
            if fact is None:
                continue  # a host loop's iterator is fixed
            if fact.mapped or (at is not None and loop == at.index):
                cut.append((loop, abs(coefficient) * fact.step))
                fixed += abs(coefficient) * (fact.step - 1)  # tiles start at multiples of the step, the loop may not
            elif at is None or fact.node.depth > at.depth:
                if fact.span is None:
                    return None
                fixed += abs(coefficient) * (fact.span // fact.step * fact.step)
        extents.append(Extent(fixed, tuple(cut)))
    distinct = {
        (tuple(n.index for n in r.statement.loops), r.constants): _times(r, group, counts) for r in group.references
    }
    prefix = counts[statement.name].prefix
    depth = at.depth if at is not None else 0
    return StagingSite(
        group,
        at,
        tuple(extents),
        sum(distinct.values()),
        1.0 if at is None or depth == 0 else prefix[depth - 1],
        1.0 if at is None else prefix[depth],
        () if at is None else facts[at.index].drift,
        _moments(group, facts, counts),
        along_x is None or _coalesced(group, facts, along_x, coalesce),
    )


def measure(site: StagingSite, sizes: Sizes, points: int, device: Device) -> Figures:
    """The figures of a site for tiles and strips of `sizes`; a tile has `points` iterations of mapped loops."""
    group, at = site.group, site.at
    lengths = tuple(extent.length(sizes) for extent in site.extents)
    elements = prod(lengths)
    fills = 1.0
    if at is not None:
        more = sum(slope * (sizes[loop] - 1) for loop, slope in site.drift)
        fills = max(site.passes, (site.trips + site.passes * more) / sizes[at.index])
    references = round(site.uses * points)
    wide = lengths[-1] * group.spacing_bytes
    full = min(device.transaction_bytes, device.simd_width * group.element_bytes)
    line = device.transaction_bytes
    return Figures(
        lengths,
        elements,
        min(ceil(elements * fills), references),
        references,
        round(sum(m.times * m.transactions(sizes, group.spacing_bytes, line) for m in site.moments)),
        ceil(fills * prod(lengths[:-1]) * ceil(wide / line)),
        wide >= full or not site.extents[-1].cut,
    )


def _times(reference: AffineReference, group: Group, counts: Mapping[str, Instances]) -> float:
    """How often an iteration of the mapped loops makes a reference anew."""
    loops = reference.statement.loops
    deepest = max((node.depth for node in loops if node.index in group.used), default=-1)
    return counts[reference.statement.name].prefix[deepest] if deepest >= 0 else 1.0


def _moments(group: Group, facts: Mapping[int, LoopFacts], counts: Mapping[str, Instances]) -> tuple[Moment, ...]:
    by_statement: dict[str, list[AffineReference]] = {}
    for reference in group.references:
        by_statement.setdefault(reference.statement.name, []).append(reference)
    moments = []
    for references in by_statement.values():
        same = tuple(references)
        extents = tuple(
            Extent(
                1 + group.spread(k, same),
                tuple((i, abs(c) * facts[i].step) for i, c in row.loops if i in facts and facts[i].mapped),
            )
            for k, row in enumerate(group.rows)
        )
        moments.append(Moment(_times(same[0], group, counts), extents, len({r.constants for r in same})))
    return tuple(moments)


def _coalesced(group: Group, facts: Mapping[int, LoopFacts], along_x: int, coalesce: bool) -> bool:
    """Whether adjacent elements are touched at the same time by adjacent work-items, (4) and (5), or never."""

    def moves_along_row(loop: int) -> bool:
        steps = [abs(row.of(loop)) * facts[loop].step for row in group.rows]
        return steps[-1] == 1 and not any(steps[:-1])

    constants = {r.constants for r in group.references}
    adjacent = any((*c[:-1], c[-1] + 1) in constants for c in constants)
    elsewhere = coalesce or adjacent or any(moves_along_row(loop) for loop in facts)
    return moves_along_row(along_x) or not elsewhere


def delta_r(device: Device, options: Options) -> float:
    """References an element must have before staging it pays; infinite where it never does.

    Staging moves a byte once through the cache, once into local memory, and then reads it r times from there rather
    than from the cache. With g and l bytes a clock that pays if r / g > 1 / g + 1 / l + r / l: r > (l + g) / (l - g).
    Local memory that is ordinary memory under another name has nothing to offer.
    """
    if options.delta_r is not None:
        return options.delta_r
    if options.share is Share.FORCE:
        return 0.0
    local, cache = device.local_bandwidth, device.cache_bandwidth
    return (local + cache) / (local - cache) if device.local_dedicated and local > cache else inf


def delta_s(device: Device, options: Options, work_items: int) -> float:
    """The part of a compute unit's local memory that one work-group of `work_items` may take.

    As many groups should fit as the unit has room for work-items, so that local memory does not limit occupancy, but no
    fewer than two and no more than eight. SHARE picks 0.125 to 0.25 by hand, for four to eight groups.
    """
    most = device.local_bytes / device.local_per_unit
    if options.delta_s is not None:
        return min(options.delta_s, most)
    if options.share is Share.FORCE:
        return most
    groups = device.max_threads_per_unit // work_items
    return min(1 / min(max(groups, _FEWEST_GROUPS), _MOST_GROUPS), most)
