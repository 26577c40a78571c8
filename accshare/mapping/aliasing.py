"""Kernels whose arrays may share memory: only loops that a promise is about are parallel, and what an iteration of them
does has the program's order."""

from __future__ import annotations

from accshare.data.ir import Overlap, may_share
from accshare.poly.ir import Scop
from accshare.records import replace
from accshare.schedule.ir import Band, Kernel, Member, Node, Role, Schedule, Sequence, Versions


def in_order_within_iterations(schedule: Schedule, unchecked: tuple[Overlap, ...]) -> Schedule:
    """The schedule where the data in pairs of `unchecked` may overlap; each kernel that uses both of one has a promise
    about its outermost loop."""
    return replace(schedule, tree=_node(schedule.tree, schedule.scop, unchecked))


def _node(node: Node, scop: Scop, unchecked: tuple[Overlap, ...]) -> Node:
    match node:
        case Band(child=child):
            return replace(node, child=_node(child, scop, unchecked))
        case Sequence(children):
            return Sequence(tuple(_node(child, scop, unchecked) for child in children))
        case Versions(plain, split):
            if may_share(plain, unchecked) or may_share(split, unchecked):
                return _kernel(plain, scop, unchecked)
            return node
        case Kernel():
            return _kernel(node, scop, unchecked)
    return node


def _kernel(kernel: Kernel, scop: Scop, unchecked: tuple[Overlap, ...]) -> Kernel:
    aliased = may_share(kernel, unchecked)
    if not aliased:
        return kernel
    promised = tuple(_promised(kernel.grid, scop))
    rest = tuple(Member(member.loop) for member in kernel.grid[len(promised) :])
    inside = _sequential(kernel.inside)
    child = Band(rest, inside) if rest else inside
    if rest:
        promised = tuple(replace(m, axis=len(promised) - 1 - k) for k, m in enumerate(promised))
    return replace(kernel, child=Band(promised, child) if promised else child, aliased=aliased)


def _promised(grid: tuple[Member, ...], scop: Scop) -> list[Member]:
    """The outermost members that promises are about."""
    found: list[Member] = []
    for member in grid:
        if not scop.promises(member.loop):
            break
        found.append(member)
    return found


def _sequential(node: Node) -> Node:
    """With every loop in order: that some have none was proved of arrays that don't overlap."""
    match node:
        case Band(members, child):
            kept = tuple(Member(m.loop) if m.role is Role.REASSOCIABLE else m for m in members)
            return Band(kept, _sequential(child))
        case Sequence(children):
            return Sequence(tuple(map(_sequential, children)))
    return node
