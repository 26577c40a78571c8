"""The ilp stage: instruction-level parallelism (SHARE 3.3.2)."""

from __future__ import annotations

from accshare.banks.ir import NestPlacement, Placement
from accshare.ilp.ir import NestPlan, Plan
from accshare.options import Options

__all__ = ["parallelize"]


def parallelize(placement: Placement, options: Options) -> Plan:
    """Choose how many iterations each work-item of every kernel runs side by side."""
    return Plan(placement, tuple(_planned(nest) for nest in placement.nests))


def _planned(nest: NestPlacement) -> NestPlan:
    along = {d.axis: d.tile // d.threads for d in nest.partition.dimensions}
    return NestPlan(nest, (along.get(0, 1), along.get(1, 1), along.get(2, 1)), 0, 0, "")
