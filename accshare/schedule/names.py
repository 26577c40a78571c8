"""What kernels are called."""

from __future__ import annotations

from accshare.frontend.ir import Stmt
from accshare.records import replace
from accshare.schedule.ir import Band, Kernel, Node, Schedule, Sequence, Versions


def named(node: Node, names: dict[int, str]) -> Node:
    """With the names of kernels that are known by their identity, and names made of them for split ones."""
    match node:
        case Band(child=child):
            return replace(node, child=named(child, names))
        case Sequence(children):
            return Sequence(tuple(named(child, names) for child in children))
        case Versions(plain, split):
            name = names[id(plain)]
            last = None if split.finalize is None else replace(split.finalize, name=f"{name}_finalize")
            return Versions(replace(plain, name=name), replace(split, name=f"{name}_split", finalize=last))
        case Kernel():
            return replace(node, name=names[id(node)])
    return node


def beside(one: Schedule, other: Schedule, word: str) -> Schedule | None:
    """Another schedule of the same region, the kernels of which have names that end in a `word` of their own where they
    are not those of the `other`; None where the host has to know something else of it."""
    if one.guards != other.guards or {v.name for v in one.scratch} != {v.name for v in other.scratch}:
        return None
    known = {_inside(kernel): kernel.name for kernel in reversed(other.kernels)}  # of two versions, the plain one's
    names = {id(kernel): known.get(_inside(kernel), f"{kernel.name}_{word}") for kernel in one.kernels}
    return replace(one, tree=named(one.tree, names))


def apart(schedule: Schedule, word: str) -> Schedule:
    """A schedule whose kernels have names that end in a word of their own."""
    return replace(schedule, tree=named(schedule.tree, {id(k): f"{k.name}_{word}" for k in schedule.kernels}))


def _inside(kernel: Kernel) -> tuple[tuple[str, Stmt, tuple[int, ...]], ...]:
    return tuple((s.name, s.body, tuple(loop.index for loop in s.loops)) for s in kernel.statements)
