"""Loops that combine inside of kernels: a CPU may run those of a work-item in vectors, and a kernel can do its work in
parts, for the case that the other loops don't fill the machine.

MDH gives each dimension of a loop nest an operator that puts together the results of its parts: concatenation for
parallel loops, another one for loops that combine. Any dimension can be cut. Here a loop that combines inside the
parallel ones is cut too: the first kernel combines in each part, the second one puts the parts together.
"""

from __future__ import annotations

from accshare.atomics import atomics
from accshare.carried import far_apart
from accshare.islbuild import sizes
from accshare.poly.ir import DependenceKind, LoopNode, Scop, Statement, VariableKind
from accshare.records import dataclass, replace
from accshare.relax.ir import LoopOrder, Reduction, Relaxed
from accshare.schedule.ir import (
    Band,
    Kernel,
    Leaf,
    Member,
    Node,
    Role,
    combination,
    in_order,
    members,
    steps,
)

#: fewer iterations are never worth a second kernel
_FEWEST = 4096


@dataclass(frozen=True, slots=True)
class Split:
    """A split kernel: the members of its grid, what it runs for an iteration of these, and what is done with the
    combined results."""

    grid: tuple[Member, ...]
    inside: Node
    after: Node


def combining_loop(plain: Kernel) -> LoopNode | None:
    """The only loop inside the grid's, with nothing but single statements before and behind it. The second kernel would
    combine in steps what others do in one piece."""
    bands = [step for step in steps(plain.inside) if isinstance(step, Band)]
    if len(bands) != 1 or not plain.grid or plain.reductions or atomics(s.body for s in plain.statements):
        return None
    return bands[0].members[0].loop


def parts_of(scop: Scop, plain: Kernel, order: LoopOrder) -> Split | None:
    """`plain` split, `order` being that of its combining loop; None where that is not legal, or never worth it."""
    loop = order.loop
    inside = tuple(s for s in plain.statements if loop in s.loops)
    if not order.parallel or not order.reductions or order.assumed:
        return None
    if not _is_long(scop, inside, loop) or not _is_apart(scop, plain, inside, order.reductions):
        return None
    whole = steps(plain.inside)
    ends = tuple(Leaf(combination(r, inside, loop)) for r in order.reductions)
    after = tuple(end for step in whole for end in (ends if isinstance(step, Band) else (step,)))
    chain = tuple(member.loop for member in plain.grid)
    grid = tuple(Member(node, Role.GRID, len(chain) - k) for k, node in enumerate((*chain, loop)))
    body = next(step.child for step in whole if isinstance(step, Band))
    return Split(grid, body, in_order(after))


def _is_long(scop: Scop, inside: tuple[Statement, ...], loop: LoopNode) -> bool:
    """Whether the loop can have many iterations at all."""
    far = sizes().nothing
    for statement in inside:
        far = far.union(far_apart(statement.domain, loop.depth, _FEWEST))
    return not far.intersect(scop.context).is_empty()


def _is_apart(scop: Scop, plain: Kernel, inside: tuple[Statement, ...], reductions: tuple[Reduction, ...]) -> bool:
    """Whether the loop can be run before everything else in the kernel, but for what it combines: it needs nothing that
    the other statements compute, and leaves them no private values."""
    own = {s.name for s in inside}
    others = {s.name for s in plain.statements} - own
    combined = {r.variable for r in reductions}
    for dependence in scop.dependences:
        shared = dependence.source_access.variable
        ends = dependence.source.name, dependence.sink.name
        if shared in combined or not (set(ends) & own and set(ends) & others):
            continue
        private = shared.kind is not VariableKind.MEMORY or shared.name in plain.private
        if dependence.kind is DependenceKind.FLOW if private else ends[1] in own:
            return False
    return True


# --- in vectors ---------------------------------------------------------------------------------------------------


def with_reassociable(relaxed: Relaxed, node: Node, private: frozenset[str]) -> Node:
    """`node`, which a work-item runs with the variables called `private` for itself, with the role that innermost loops
    may have. Nothing is taken on trust or made to hang on a guard."""
    return in_order(tuple(_marked(relaxed, step, private) for step in steps(node)))


def _marked(relaxed: Relaxed, node: Node, private: frozenset[str]) -> Node:
    if not isinstance(node, Band):
        return node
    if any(members(node.child)):
        own = tuple(_coincident(relaxed, member, private) for member in node.members)
        return replace(node, members=own, child=with_reassociable(relaxed, node.child, private))
    *outer, innermost = node.members
    return replace(node, members=(*outer, _member(relaxed, innermost, private)))


def _member(relaxed: Relaxed, member: Member, private: frozenset[str]) -> Member:
    order = relaxed.order(member.loop, elements=True)
    own = _own(relaxed, order, private)
    if own is None:
        return member
    alone = not order.reductions
    return replace(member, role=Role.REASSOCIABLE, reductions=order.reductions, private=own, coincident=alone)


def _coincident(relaxed: Relaxed, member: Member, private: frozenset[str]) -> Member:
    """The member of a loop around others, whose iterations may need nothing of one another."""
    order = relaxed.order(member.loop)
    own = _own(relaxed, order, private) if not order.reductions else None
    return member if own is None else replace(member, private=own, coincident=True)


def _own(relaxed: Relaxed, order: LoopOrder, private: frozenset[str]) -> frozenset[str] | None:
    """The variables that each iteration of a loop has for itself; None where that doesn't make the loop parallel."""
    own = order.private | _declared_inside(relaxed.scop, order.loop)
    fits = order.loop.loop.step == 1 and order.parallel and not order.assumed and own <= private
    return own if fits else None


def _declared_inside(scop: Scop, loop: LoopNode) -> frozenset[str]:
    """The scalars that every iteration declares anew."""
    used = {a.variable.name for s in scop.statements if loop in s.loops for a in s.accesses}
    return frozenset(
        v.name
        for v in scop.variables
        if v.kind is VariableKind.PRIVATE and not v.shape and v.scope > loop.depth and v.name in used
    )
