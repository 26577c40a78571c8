"""What is found out about a region once, though every loop asks."""

from __future__ import annotations

import islpy as isl

from accshare.carried import carried
from accshare.dataflow import Flow
from accshare.lifetimes import can_be_private as stays_within
from accshare.poly.ir import Dependence, LoopNode, Scop, Statement, Variable


class Findings:
    """What has been found out about a region for one loop and is asked again for others.

    `reassociate` says that the order of floating-point operations may be changed.
    """

    def __init__(self, scop: Scop, reassociate: bool) -> None:
        self.scop = scop
        self.reassociate = reassociate
        self._carried: dict[tuple[int, int], isl.Map | None] = {}
        self._flows: dict[str, Flow] = {}

    def carried(self, dependence: Dependence, depth: int) -> isl.Map | None:
        """The pairs of a dependence in different iterations of the loop at `depth` and the same of all outer ones; None
        where there are none."""
        key = (id(dependence.relation), depth)
        if key not in self._carried:
            relation = carried(dependence.relation, depth)
            self._carried[key] = None if relation.is_empty() else relation
        return self._carried[key]

    def flow(self, variable: Variable) -> Flow:
        """Which write each read of a variable sees."""
        if variable.name not in self._flows:
            self._flows[variable.name] = Flow.of(variable, self.scop.statements)
        return self._flows[variable.name]


def can_be_private(findings: Findings, scalar: Variable, node: LoopNode) -> bool:
    """Whether every value read of `scalar` was written in the same iteration of the loop, and none is needed later."""
    return stays_within(findings.scop, findings.flow(scalar), scalar, node)


def users_of(scop: Scop, scalar: Variable, node: LoopNode) -> tuple[Statement, ...]:
    """The statements of a loop that touch a scalar."""
    return tuple(s for s in scop.statements if node in s.loops and any(a.variable == scalar for a in s.accesses))
