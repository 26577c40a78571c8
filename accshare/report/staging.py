"""From the partition solver's findings to the report's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.mapping.ir import ArrayFeature, NestPartition, SearchPoint, Solution
from accshare.poly.ir import Variable
from accshare.report.model import BLOCK, ArrayFact, ParameterFact, PlanFact, StagingFact
from accshare.report.readable import Readable
from accshare.report.tiles import axes
from accshare.schedule.ir import Staged


def staging(target: str, part: NestPartition, solution: Solution, readable: Readable) -> StagingFact:
    """What is said of one kernel for one target."""
    plans = () if solution.declined else solution.plans
    return StagingFact(
        target,
        tuple(_array(feature, part, readable) for feature in solution.arrays),
        len(plans),
        plan_fact(plans[0]) if plans else None,
        plan_fact(plans[1]) if len(plans) > 1 else None,
        tuple(map(plan_fact, _surface(plans))),
        solution.binding,
        tuple(ParameterFact(name, value) for name, value in solution.assumed),
        solution.delta_r,
        solution.delta_s,
    )


def plan_fact(plan: SearchPoint) -> PlanFact:
    """A plan with its parameters by name."""
    parameters = tuple(ParameterFact(name, value) for name, value in plan.sizes)
    return PlanFact(parameters, plan.profit, plan.local_bytes, plan.resident, plan.gain)


def block(plan: PlanFact) -> tuple[int, int, int]:
    """The iterations a work-group takes along x, y and z."""
    sizes = {p.name: p.value for p in plan.parameters}
    x, y, z = (sizes.get(name, 1) for name in BLOCK)
    return x, y, z


def _surface(plans: Iterable[SearchPoint]) -> Iterator[SearchPoint]:
    """The first, so the best, of the plans for each block."""
    seen = set()
    for plan in plans:
        group = block(plan_fact(plan))
        if group not in seen:
            seen.add(group)
            yield plan


def _array(feature: ArrayFeature, part: NestPartition, readable: Readable) -> ArrayFact:
    at = _staged(feature, part) if feature.staged else None
    references = dict.fromkeys(readable.text(access.reference) for access in feature.accesses)
    return ArrayFact(
        written_name(feature.variable, readable),
        tuple(references),
        feature.role.value,
        feature.staged,
        feature.why,
        None if at is None else "entry" if at.at is None else "strip",
        at.at.iterator.name if at is not None and at.at is not None else None,
        at is not None and at.reads,
        at is not None and at.writes,
        1 if at is None else at.width,
        tuple(axes(feature, part, readable)),
        feature.bytes,
        feature.loaded,
        feature.reuse,
        feature.ratio,
        feature.transactions,
        feature.coalesced,
    )


def written_name(variable: Variable, readable: Readable) -> str:
    """The name in the user's source, ``grid->cells`` for what a pointer in a struct points to."""
    return readable.text(variable.base)


def _staged(feature: ArrayFeature, part: NestPartition) -> Staged | None:
    own = set(map(id, feature.accesses))
    return next((s for s in part.staged if own & set(map(id, s.accesses))), None)
