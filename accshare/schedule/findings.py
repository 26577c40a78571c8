"""What is found out about a region once, though every loop asks."""

from __future__ import annotations

import islpy as isl

from accshare.poly.ir import Dependence, Mode, Scop, Variable


class Findings:
    """What has been found out about a region for one loop and is asked again for others."""

    def __init__(self, scop: Scop) -> None:
        self._scop = scop
        self._carried: dict[tuple[int, int], isl.Map | None] = {}
        self._flows: dict[str, isl.UnionFlow] = {}

    def carried(self, dependence: Dependence, depth: int) -> isl.Map | None:
        """The pairs of a dependence in different iterations of the loop at `depth` and the same of all outer ones; None
        where there are none."""
        key = (id(dependence.relation), depth)
        if key not in self._carried:
            relation = _carried_by(dependence, depth)
            self._carried[key] = None if relation.is_empty() else relation
        return self._carried[key]

    def flow(self, variable: Variable) -> isl.UnionFlow:
        """Which write each read of a variable sees."""
        if variable.name not in self._flows:
            self._flows[variable.name] = _flow(self._scop, variable)
        return self._flows[variable.name]


def _carried_by(dependence: Dependence, depth: int) -> isl.Map:
    """The pairs of a dependence in different iterations of the loop at `depth` and the same of all outer ones."""
    relation = dependence.relation
    for k in range(depth):
        relation = relation.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    return relation.subtract(relation.equate(isl.dim_type.in_, depth, isl.dim_type.out, depth))


def _flow(scop: Scop, scalar: Variable) -> isl.UnionFlow:
    empty = isl.UnionMap("{ }")
    reads, writes, may_writes, order = empty, empty, empty, empty
    for statement in scop.statements:
        own = [access for access in statement.accesses if access.variable == scalar]
        if own:
            order = order.union(statement.time.to_union_map())
        for access in own:
            if access.mode is Mode.READ:
                reads = reads.union(access.relation.to_union_map())
            elif access.exact:
                writes = writes.union(access.relation.to_union_map())
            else:
                may_writes = may_writes.union(access.relation.to_union_map())
    info = isl.UnionAccessInfo.from_sink(reads).set_must_source(writes).set_may_source(may_writes)
    return info.set_schedule_map(order).compute_flow()
