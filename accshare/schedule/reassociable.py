"""Innermost loops of a work-item that a CPU may run in vectors: their iterations need each other only to combine."""

from __future__ import annotations

from dataclasses import replace

from accshare.poly.ir import LoopNode, Scop, VariableKind
from accshare.schedule.findings import Findings
from accshare.schedule.ir import Band, Member, Node, Role, in_order, members, steps
from accshare.schedule.parallelism import analyse


def with_reassociable(findings: Findings, node: Node, private: frozenset[str]) -> Node:
    """`node`, which a work-item runs with the variables called `private` for itself, with the role that innermost loops
    may have. Nothing is taken on trust or made to hang on a guard."""
    return in_order(tuple(_marked(findings, step, private) for step in steps(node)))


def _marked(findings: Findings, node: Node, private: frozenset[str]) -> Node:
    if not isinstance(node, Band):
        return node
    if any(members(node.child)):
        return replace(node, child=with_reassociable(findings, node.child, private))
    *outer, innermost = node.members
    return replace(node, members=(*outer, _member(findings, innermost, private)))


def _member(findings: Findings, member: Member, private: frozenset[str]) -> Member:
    loop = member.loop
    if loop.loop.step != 1:
        return member
    parallelism = analyse(findings, loop, elements=True)
    own = parallelism.private | _declared_inside(findings.scop, loop)
    if not parallelism.parallel or parallelism.guards or parallelism.trusted or not own <= private:
        return member
    return replace(member, role=Role.REASSOCIABLE, reductions=parallelism.reductions, private=own)


def _declared_inside(scop: Scop, loop: LoopNode) -> frozenset[str]:
    """The scalars that every iteration declares anew."""
    used = {a.variable.name for s in scop.statements if loop in s.loops for a in s.accesses}
    return frozenset(
        v.name
        for v in scop.variables
        if v.kind is VariableKind.PRIVATE and not v.shape and v.scope > loop.depth and v.name in used
    )
