"""Packing on a CPU: what rows of a tile share, and reach with long strides, goes into a small array of its own.

A work-group of a CPU is one work-item on one core. Local memory is ordinary memory there, so a copy only pays where the
original is badly spread: panels whose rows lie in different pages, or whose rows compete for the same cache sets. With
strips, a panel stays in the cache while all rows of the tile use it. Measured on gemm, 2048 cubed: from half to nearly
all of what OpenBLAS gets.
"""

from __future__ import annotations

from collections.abc import Mapping

from accshare.device import Device
from accshare.factors import common_factor
from accshare.frontend.ir import Expr, Storage
from accshare.mapping.cpu.short_products import adds_up_short_products
from accshare.mapping.staging.accesses import Group
from accshare.mapping.staging.features import Sizes, StagingSite, measure
from accshare.mapping.staging.search import Candidate, Problem, Worth, sites_of, sizes_of, strippable
from accshare.mapping.staging.split import NAMES, Split
from accshare.mapping.staging.work_groups import WorkGroup, cuts
from accshare.options import Share
from accshare.poly.ir import Mode
from accshare.records import replace
from accshare.reference import root
from accshare.schedule.ir import Kernel
from accshare.tree import own_expressions, statements

#: iterations of a tile along x, of a large problem, and the groups that a core should have of that
_COLUMNS, _LARGE, _GROUPS = 64, 1024, 4
#: those along x where panels of rows are packed too: the more, the less often
_WIDE = 256
#: iterations of a tile along y, at least and at most: the more, the less often a panel is packed
_FEW, _MANY = 32, 256
#: iterations of a strip, at most and at least: the loops around it must not cost more than what it does
_LONG, _SHORT = 256, 64
#: the part of the second-level cache that the panels of a work-group may take: rows of what is not packed need some too
_PART = 0.25


def packed(problem: Problem) -> Candidate | None:
    """The plan that packs most, or None where there is nothing to gain."""
    nest = problem.nest
    axes = {member.axis: member.loop for member in nest.grid}
    if problem.options.share in (Share.OFF, Share.FORCE) or nest.reductions or adds_up_short_products(nest):
        return None
    if 1 not in axes or any(node.loop.step != 1 for node in axes.values()):
        return None
    found, rows = [], _rows(problem.device)
    for cut in cuts(nest, strippable(problem, Split())):
        long = frozenset(loop for loop in cut if (problem.facts[loop].trips or _LONG) >= _LONG)
        sites = sites_of(problem, long, axes[0].index)
        panels = {k: site for k, site in sites.items() if _is_panel(site, axes[0].index, axes[1].index)}
        scaled = {k: site for k, site in sites.items() if _is_scaled(site, axes[1].index, axes[0].index, nest)}
        if panels:
            found.append(_candidate(problem, panels, (_COLUMNS, rows)))
        if panels and scaled:
            both = _candidate(problem, {**panels, **scaled}, (_WIDE, max(_FEW, rows // 2)))
            found += [both] if both.local_bytes <= _room(problem.device) else []
    possible = (c for c in found if c.local_bytes <= problem.device.local_bytes)
    return max(possible, key=lambda c: len(c.staged), default=None)


def _is_panel(site: StagingSite, x: int, y: int) -> bool:
    """Whether all rows of a tile share what its columns and the strip reach, in another dimension each."""
    group, at = site.group, site.at
    if group.writes or at is None or y in group.used or group.members:
        return False
    along = [row.of(x) for row in group.rows]
    strip = [row.of(at.index) for row in group.rows]
    apart = not any(a and s for a, s in zip(along, strip, strict=True))
    return apart and sum(map(abs, along)) == 1 and 1 in along and _is_small(group)


def _is_scaled(site: StagingSite, along: int, across: int, nest: Kernel) -> bool:
    """Whether all columns of a tile share what its rows and the strip reach, and multiply it by one and the same
    number: with that in the panel, it is done once."""
    return _is_panel(site, along, across) and _factor(site.group, nest) is not None


def _factor(group: Group, nest: Kernel) -> Expr | None:
    """What the elements of a group are always multiplied by."""
    references = {access.reference for access in group.accesses}
    using = [s for s in nest.statements if any(access in group.accesses for access in s.accesses)]
    tops = [top for s in using for part in statements(s.body) for top in own_expressions(part)]
    moving = {root(a.reference) for s in nest.statements for a in s.accesses if a.mode is Mode.WRITE}
    moving |= {loop.iterator for s in using for loop in s.loops}
    return common_factor(tops, lambda e: e in references, lambda s: s.storage is not Storage.INNER and s not in moving)


def _is_small(group: Group) -> bool:
    """Whether it is one reference, or several to the same element."""
    return all(group.spread(k) == 0 for k in range(len(group.rows)))


def _candidate(problem: Problem, panels: Mapping[int, StagingSite], shape: tuple[int, int]) -> Candidate:
    """The point with these panels in local memory for tiles of some columns and rows, its strips as long as the cache
    allows."""
    tile = *shape, 1
    dimensions = tuple(replace(m, size=tile[m.dimension]) for m in problem.nest.grid)
    names = tuple(zip(NAMES, tile[: len(dimensions)], strict=False))
    work_group = WorkGroup(names, dimensions)
    loops = sorted({site.at.index for site in panels.values() if site.at is not None})
    size = _LONG
    while True:
        strips = tuple((loop, size) for loop in loops)
        worth = tuple(
            _worth(k, site, sizes_of(work_group, strips), work_group.points, problem) for k, site in panels.items()
        )
        taken = sum(one.bytes for one in worth)
        if taken <= _room(problem.device) or size == _SHORT:
            break
        size //= 2
    wanted = tuple((one.group, one.bytes) for one in worth)
    profit, copies = sum(one.saved for one in worth), sum(one.figures.copies for one in worth)
    return Candidate(Split(), frozenset(loops), work_group, strips, worth, wanted, profit, taken, 1, copies)


def _worth(number: int, site: StagingSite, sizes: Sizes, points: int, problem: Problem) -> Worth:
    figures = measure(site, sizes, points, problem.device)
    return Worth(number, site, figures, figures.references * site.group.element_bytes)


def _room(device: Device) -> int:
    """The bytes that the panels of a work-group may take."""
    return min(int(device.l2_bytes * _PART), device.local_bytes)


def _rows(device: Device) -> int:
    """The rows of a tile with which large problems keep all cores busy."""
    rows = _LARGE // _COLUMNS * _LARGE // (_GROUPS * device.compute_units)
    return max(_FEW, min(_MANY, 1 << (rows.bit_length() - 1) if rows else 0))
