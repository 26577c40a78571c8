"""From a kernel to its partition: candidates, splits, search, and the account of how it came out (SHARE 3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf

from accshare.device import Device
from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import Scalar
from accshare.mapping.ir import ASSUMED, NestPartition, Solution, cut
from accshare.mapping.staging.accesses import Group, candidates, groups_of
from accshare.mapping.staging.chosen import not_legal, plainly, preferred
from accshare.mapping.staging.explain import binding, feature
from accshare.mapping.staging.features import StagingSite, delta_r, delta_s
from accshare.mapping.staging.hints import Hint, does_not_pay, needless_coalesce, not_followed, too_large
from accshare.mapping.staging.loops import facts_of, instances_of
from accshare.mapping.staging.search import Candidate, Policy, Problem, best_first, has_work_group, search
from accshare.mapping.staging.split import splits
from accshare.mapping.staging.width import widest
from accshare.options import Options, Share
from accshare.records import dataclass, replace
from accshare.schedule.ir import Kernel, Member, Role, Schedule, Staged

_GLOBAL = "it stays in global memory"
_UNHINTED = "the compiler chooses its tile"


@dataclass(frozen=True, slots=True)
class Solved:
    """The partition of a kernel, what is wrong with the hints, and what is to be said of one whose array no kernel
    stages."""

    partition: NestPartition
    problems: tuple[Diagnostic, ...] = ()
    notes: tuple[tuple[Hint, Diagnostic], ...] = ()


def solve(
    schedule: Schedule, nest: Kernel, device: Device, policy: Policy, options: Options, hints: tuple[Hint, ...]
) -> Solved:
    """Choose the sizes of a kernel's work-groups and what they keep in local memory.

    Where nothing pays, the sizes are those of a kernel without local memory. What `options` choose for the kernel is
    taken where it is legal.
    """
    plain = policy.plain(nest)
    choice = options.choice(nest.name)
    if nest.finalize is not None:
        return Solved(NestPartition(cut(nest, plain)), (not_legal(choice, nest, device),) if choice else ())
    sizes = plainly(choice, plain, policy.alone, device) if choice else None
    if not nest.grid or options.share is Share.OFF or nest.aliased or (choice and choice.of("STAGE") == 0 and sizes):
        wrong = (not_legal(choice, nest, device),) if choice and sizes is None else ()
        return Solved(NestPartition(cut(nest, sizes or plain)), wrong)
    roles = candidates(schedule.scop, tuple(h.variable for h in hints))
    groups = tuple(g for g in groups_of(schedule, nest) if g.variable.name in roles)
    own = tuple(h for h in hints if any(g.variable == h.variable for g in groups))
    problem = _problem(nest, device, policy, options, groups, own)
    found, problems = _searched(problem, own)
    best = best_first(problem, [c for c in found if c.staged])
    if choice is not None:
        chosen = preferred(choice, best, problem.facts)
        if not chosen and sizes is not None:
            return Solved(NestPartition(cut(nest, sizes)), problems)
        best = chosen or best
        problems = problems if chosen else (*problems, not_legal(choice, nest, device))
    least = _least(found)
    shown = best[0] if best else None
    arrays = tuple(feature(problem, k, roles[g.variable.name], shown, plain, least) for k, g in enumerate(groups))
    work_items = (shown.work_group.work_items if shown else 0) or policy.work_items
    solution = Solution(
        arrays,
        tuple(dict.fromkeys(c.plan(problem.facts) for c in best)),
        binding(problem, shown) if shown and _gains(problem) else "",
        _assumed(schedule, problem),
        delta_r(device, options),
        delta_s(device, options, work_items),
    )
    if shown is None:
        partition = NestPartition(cut(nest, plain), solution)
    else:
        grid = _begun(problem, shown)
        strips, staged = _strips(problem, shown), _staged(problem, shown, grid)
        partition = NestPartition(cut(nest, grid, strips, staged), solution)
    return Solved(partition, (*problems, *_needless(own, solution)), tuple(_notes(own, solution, problem)))


def _problem(
    nest: Kernel,
    device: Device,
    policy: Policy,
    options: Options,
    groups: tuple[Group, ...],
    hints: tuple[Hint, ...],
) -> Problem:
    first = nest.depth
    elements = [r.variable.element for r in nest.reductions]
    return Problem(
        nest,
        device,
        policy,
        options,
        groups,
        facts_of(nest),
        {s.name: instances_of(s, first) for s in nest.statements},
        sum(e.bytes for e in elements if isinstance(e, Scalar)),
        frozenset(h.variable.name for h in hints if h.array.coalesce),
    )


def _searched(problem: Problem, hints: tuple[Hint, ...]) -> tuple[list[Candidate], tuple[Diagnostic, ...]]:
    """All points worth knowing. The search is made without a hint that no work-group of the device can follow."""
    if not _gains(problem):
        panels = problem.policy.pack(problem) if problem.policy.pack else None
        return [panels] if panels else [], ()
    tried, problems = splits(hints, tuple(g for g in problem.groups if not g.blocked), problem.facts)
    found = [candidate for split in tried for candidate in search(problem, split)]
    least = _least(found)
    for hint in hints:
        asking = [split for split in tried if any(own.hint == hint for _, own in split.loops)]
        sizes = [least[k] for k, g in enumerate(problem.groups) if g.variable == hint.variable and k in least]
        wrong = None
        if asking and sizes and min(sizes) > problem.device.local_bytes:
            wrong = too_large(hint, min(sizes), problem.device, _UNHINTED)
        elif asking and not any(has_work_group(problem, split) for split in asking):
            wrong = not_followed(hint, None, f"no work-group of {problem.device.name} has such a size", _UNHINTED)
        if wrong is not None:
            rest, more = _searched(problem, tuple(h for h in hints if h != hint))
            return rest, (wrong, *more)
    return found, problems


def _gains(problem: Problem) -> bool:
    """Whether local memory has anything to offer on the device."""
    return problem.coalesces or not isinf(delta_r(problem.device, problem.options))


def _least(found: list[Candidate]) -> dict[int, int]:
    """The fewest local bytes each group that would pay takes anywhere in the search."""
    least: dict[int, int] = {}
    for candidate in found:
        for group, needed in candidate.wanted:
            least[group] = min(needed, least.get(group, needed))
    return least


def _strips(problem: Problem, chosen: Candidate) -> tuple[Member, ...]:
    return tuple(Member(problem.facts[loop].node, Role.STRIP, size=size) for loop, size in chosen.strips)


def _begun(problem: Problem, chosen: Candidate) -> tuple[Member, ...]:
    """The members of the grid, of which tiles start where the loop does if that is known, rather than at multiples of
    their size: none has a border that needn't be there, and fewer are cut off. Along a loop that moves along rows, this
    is so if rows of what is staged then begin where those of the array do."""
    if chosen.work_group.work_items == 1 or not chosen.staged:
        return chosen.work_group.grid
    sites = [one.site.group for one in chosen.staged]

    def begun(member: Member) -> Member:
        low = problem.facts[member.loop.index].low
        if low is None or low <= 0 or member.step != 1:
            return member
        first = [(min(r.constants[-1] for r in g.references), g.rows[-1].of(member.loop.index)) for g in sites]
        along = [constant + low * coefficient for constant, coefficient in first if coefficient]
        return replace(member, begin=low) if all(place == 0 for place in along) else member

    return tuple(map(begun, chosen.work_group.grid))


def _staged(problem: Problem, chosen: Candidate, grid: tuple[Member, ...]) -> tuple[Staged, ...]:
    begins = {member.loop.index: member.begin for member in grid}

    def staged(site: StagingSite, lengths: tuple[int, ...]) -> Staged:
        group, at = site.group, site.at
        packed = chosen.work_group.work_items == 1  # compilers vectorise its loops over rows
        width = 1 if packed else widest(problem.nest, group, at, lengths, chosen.sizes, begins, problem.facts)
        growth = tuple(extent.cut for extent in site.extents)
        return Staged(
            group.variable, group.accesses, at, lengths, group.reads, group.writes, width, growth, group.members, packed
        )

    return tuple(staged(one.site, one.figures.lengths) for one in chosen.staged)


def _assumed(schedule: Schedule, problem: Problem) -> tuple[tuple[str, int], ...]:
    """The parameters whose value the counts rest on."""
    used = {name for counts in problem.counts.values() for name in counts.parameters}
    return tuple((p.symbol.name, ASSUMED) for p in schedule.scop.parameters if p.symbol.unique in used)


def _needless(hints: tuple[Hint, ...], solution: Solution) -> tuple[Diagnostic, ...]:
    """What ``:coalesce`` is said of although it changes nothing."""
    return tuple(
        needless_coalesce(hint)
        for hint in hints
        if hint.array.coalesce and all(a.coalesced for a in solution.arrays if a.variable == hint.variable)
    )


def _notes(hints: tuple[Hint, ...], solution: Solution, problem: Problem) -> Iterator[tuple[Hint, Diagnostic]]:
    """What is to be said of hinted arrays that this kernel leaves in global memory."""
    for hint in hints:
        own = [a for a in solution.arrays if a.variable == hint.variable]
        blocked = next((g.blocked for g in problem.groups if g.variable == hint.variable and g.blocked), "")
        if blocked and _gains(problem):
            yield hint, not_followed(hint, None, blocked, _GLOBAL)
        else:
            yield hint, does_not_pay(hint, own[0].why, problem.device)
