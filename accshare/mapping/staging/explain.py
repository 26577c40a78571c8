"""Why an array was staged or not, and what kept a larger plan away, in a few words for reports."""

from __future__ import annotations

from math import isinf, prod

from accshare.mapping.ir import ArrayFeature, ArrayRole
from accshare.mapping.staging.features import Figures, StagingSite, delta_r, measure, site_of
from accshare.mapping.staging.search import Candidate, Problem, local_limit
from accshare.schedule.ir import Member

#: the strips that figures are given for where nothing is staged
_STRIP = 32
_OPEN = "its tile has no constant size"


def feature(
    problem: Problem,
    index: int,
    role: ArrayRole,
    chosen: Candidate | None,
    plain: tuple[Member, ...],
    least: dict[int, int],
) -> ArrayFeature:
    """What is known of a group for the plan `chosen`, or for the sizes `plain` of a kernel that stages nothing."""
    group = problem.groups[index]
    dimensions = chosen.work_group.grid if chosen else plain
    along_x = next((d.loop.index for d in dimensions if d.axis == 0), None)
    cut = _cut(problem, index, chosen)
    found = None
    if group.rows:
        forced = group.variable.name in problem.coalesce
        found = site_of(group, cut, problem.facts, problem.counts, along_x, forced)
    staged = chosen is not None and any(one.group == index for one in chosen.staged)
    if found is None:
        why = group.blocked or _OPEN
        return ArrayFeature(group.variable, group.accesses, role, (), 0, 0, 0, 0.0, 0, False, False, why)
    sizes = {**dict.fromkeys(problem.facts, _STRIP), **{d.loop.index: d.size for d in dimensions}}
    if chosen is not None:
        sizes |= chosen.sizes
    figures = measure(found, sizes, prod(d.size for d in dimensions), problem.device)
    why = _staged(problem, found, figures) if staged else _left(problem, index, found, figures, chosen, least)
    return ArrayFeature(
        group.variable,
        group.accesses,
        role,
        figures.lengths,
        figures.elements * group.element_bytes,
        figures.loaded,
        figures.references * group.element_bytes,
        figures.ratio,
        figures.transactions,
        found.coalesced,
        staged,
        why,
    )


def binding(problem: Problem, chosen: Candidate) -> str:
    """The constraint that keeps the next larger plan away."""
    limit = problem.policy.work_items
    items = chosen.work_group.work_items
    if 2 * items > limit:
        return f"work-items a group (10): {items} of {limit}"
    most = local_limit(problem, items)
    if 2 * chosen.local_bytes > most:
        return f"local memory (9): {chosen.local_bytes} of {most} bytes"
    if all(chosen.split.of(d.loop.index) for d in chosen.work_group.grid):
        return "the lengths of the hint"
    return "none: the loops are no longer"


def _cut(problem: Problem, index: int, chosen: Candidate | None) -> frozenset[int]:
    """The strips to show a group with: those of the plan, else those of the loops that need it."""
    if chosen is not None:
        return chosen.cut
    used = [problem.facts[loop] for loop in problem.groups[index].used if loop in problem.facts]
    open_ = [f.node for f in used if not f.mapped and f.span is None and f.node.loop.step == 1]
    return frozenset(node.index for node in sorted(open_, key=lambda node: node.depth)[-1:])


def _staged(problem: Problem, site: StagingSite, figures: Figures) -> str:
    if isinf(delta_r(problem.device, problem.options)) and not problem.coalesces:
        return "all rows of the tile use it, and what they use of it lies far apart"
    reuse, coalescing = problem.worth(figures, site)
    words = []
    if reuse and figures.ratio > 1:
        words.append(f"each element is used {_times(figures.ratio)}")
    if coalescing:
        words.append("neighbouring work-items touch elements that lie apart")
    return " and ".join(words) or "staging is forced"


def _left(
    problem: Problem,
    index: int,
    site: StagingSite,
    figures: Figures,
    chosen: Candidate | None,
    least: dict[int, int],
) -> str:
    group = site.group
    needed = figures.elements * group.element_bytes
    if group.blocked:
        return group.blocked
    if chosen is None and index in least:
        needed = least[index]
    if index in (dict(chosen.wanted) if chosen else least):
        items = chosen.work_group.work_items if chosen else 1
        return f"takes {_bytes(needed)} of {_bytes(local_limit(problem, items))}"
    threshold = delta_r(problem.device, problem.options)
    if isinf(threshold) and not problem.coalesces:
        return "local memory is ordinary memory here"
    if group.writes:
        return "it is written and already coalesces" if site.coalesced else "its rows are too short to coalesce"
    if not site.coalesced:
        return "its rows are too short to coalesce"
    if max(figures.lengths) == 1:
        return "it is one element"
    if figures.ratio <= 1:
        return "each element is used once, and it already coalesces"
    return f"reuse {figures.ratio:.1f} is not above {threshold:.2f}"


def _times(ratio: float) -> str:
    return f"{ratio:.0f} times" if ratio == round(ratio) else f"{ratio:.1f} times"


def _bytes(count: int) -> str:
    return f"{count / 1024:.0f} KB" if count >= 10240 else f"{count} bytes"
