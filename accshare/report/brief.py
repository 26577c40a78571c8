"""The short report: what becomes of each region on this machine's device, and what would help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isinf

from accshare.records import replace
from accshare.report.model import DataFact, KernelFact, RegionFact, SizeFact
from accshare.report.text import (
    Said,
    below_text,
    block_text,
    copies_text,
    counted,
    innermost,
    looks_text,
    loop_lines,
    order_lines,
    phases_text,
    proofs,
    remarks,
    said_of,
    sweep_text,
    transfer_lines,
    verdict_lines,
)


def brief_of(region: RegionFact, data: Iterable[DataFact]) -> list[Said]:
    """What matters of a region, in the order of its lines."""
    around = [one for one in data if region.name in one.regions]
    if not region.offloaded:
        return said_of(region, around)
    said: list[Said] = [(region.place, list(_head(region, around)))]
    said += order_lines(region.order)
    said += verdict_lines(region.order)
    said += [(loop.place, loop_lines(replace(loop, strips=()), region)) for loop in region.loops]
    said += [(innermost(kernel, region), list(_kernel(kernel, region.here))) for kernel in _here(region)]
    said += remarks(region)
    return sorted(said, key=lambda one: one[0].line)


def _here(region: RegionFact) -> list[KernelFact]:
    """The kernels that run on this machine."""
    return [kernel for kernel in region.kernels if region.here in {size.target for size in kernel.sizes}]


def _head(region: RegionFact, around: list[DataFact]) -> Iterator[str]:
    kernels = counted(len(_here(region)), "kernel")
    yield f"{region.construct} region {region.name} offloaded: {kernels}, target {region.here}"
    yield from transfer_lines(region, around)
    if region.overlap_tests:
        pairs = ", ".join(f"{first} and {second}" for first, second in region.overlap_tests)
        yield f"    runs on the host where these overlap in memory: {pairs} [ACC304]"
    yield from looks_text(region)
    if region.guards:
        checks = "a check" if len(region.guards) == 1 else f"one of {len(region.guards)} checks"
        yield f"    runs on the host where {checks} of sizes and values fails [ACC305]"
    yield from proofs(region)
    for hint in region.hints:
        if region.here not in hint.targets:
            yield f"    share({hint.array}) changes nothing here{_why_not(hint.array, region)}"


def _why_not(array: str, region: RegionFact) -> str:
    """Why local memory does not hold a hinted array, where that was considered."""
    considered = (one for kernel in region.kernels for one in kernel.staging if one.target == region.here)
    reasons = dict.fromkeys(fact.why for one in considered for fact in one.arrays if fact.name == array)
    return f": {'; '.join(reasons)} [ACC507]" if reasons else ""


def _kernel(kernel: KernelFact, here: str) -> Iterator[str]:
    name = f"    kernel {kernel.name}"
    if kernel.dimensions == 0:
        yield f"{name}: one work-item, nothing in it is parallel"
    for size in kernel.sizes:
        if size.target == here and kernel.dimensions:
            yield f"{name}{below_text(size)}: {_runs(size)}"
            yield from (f"        {line}" for line in phases_text(size))
    for names in dict.fromkeys(size.copies for size in kernel.sizes if size.target == here and size.copies):
        yield f"        {copies_text(names)}"
    if kernel.instead_of:
        yield f"        where the loops of {kernel.instead_of} don't fill the device, instead of it"
    for reduction in kernel.reductions:
        yield f"    reduction({reduction.operator}:{reduction.variable})"
    for one in kernel.staging:
        kept = ", ".join(dict.fromkeys(array.name for array in one.arrays if array.staged))
        if one.target == here and kept:
            yield f"        {kept} {'packed' if isinf(one.delta_r) else 'kept in local memory'}"


def _runs(size: SizeFact) -> str:
    if size.inner:
        return f"vectors of {size.inner} along loops inside"
    if size.scalar:
        return f"not in vectors: {size.scalar}; its compiler may find some"
    if size.block:
        return f"{block_text(size)} at once{sweep_text(size)}"
    group = "x".join(map(str, size.work_group))
    own = "x".join(map(str, size.tile))
    several = f", {own} iterations a work-item" if any(n != 1 for n in size.tile) else ""
    return f"work-groups of {group}{several}"
