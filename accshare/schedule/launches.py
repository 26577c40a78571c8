"""Loops on the host whose every iteration launches kernels, for the sake of a scalar."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.diagnostics import Diagnostic
from accshare.schedule.ir import Band, Kernel, Node, Serial, Versions, steps

#: why a loop is serial, if that is a scalar
_OF_SCALARS = {"ACC306", "ACC307"}


def many_launches(tree: Node, serial: tuple[Serial, ...]) -> Iterator[Diagnostic]:
    """A warning for each such loop, of those that don't stand in another one: a launch takes longer than many
    iterations of what is in it, and nothing but the scalar keeps the loop from being one launch."""
    reasons = {one.loop.index: one.diagnostic for one in serial}
    for node in steps(tree):
        if not isinstance(node, Band):
            continue
        loop = node.members[0].loop
        why = reasons.get(loop.index)
        if why is None or why.code not in _OF_SCALARS:
            yield from many_launches(node.child, serial)
            continue
        name = loop.iterator.name
        cause = why.message.removeprefix(f"loop {name} is serial: ")
        message = f"loop {name} launches {_launches(node.child)} in each of its iterations: {cause}"
        yield Diagnostic("ACC406", message, loop.loop.header, why.hint, why.notes)


def _launches(node: Node) -> str:
    count, more = _count(node)
    return f"{count}{' or more' if more else ''} kernel{'s' if count > 1 or more else ''}"


def _count(node: Node) -> tuple[int, bool]:
    """How many kernels are launched at least, and whether there may be more."""
    count, more = 0, False
    for step in steps(node):
        match step:
            case Band(child=child):
                count, more = count + _count(child)[0], True
            case Versions():
                count, more = count + 1, True
            case Kernel(reductions=reductions):
                count += 1 + bool(reductions)
    return count, more
