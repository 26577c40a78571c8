"""Loops on the host whose every iteration launches kernels, for the sake of a scalar."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.diagnostics import Diagnostic
from accshare.schedule.ir import Either, HostFor, HostNode, Serial

#: why a loop is serial, if that is a scalar
_OF_SCALARS = {"ACC306", "ACC307"}


def many_launches(nodes: tuple[HostNode, ...], serial: tuple[Serial, ...]) -> Iterator[Diagnostic]:
    """A warning for each such loop, of those that don't stand in another one: a launch takes longer than many
    iterations of what is in it, and nothing but the scalar keeps the loop from being one launch."""
    reasons = {one.loop.index: one.diagnostic for one in serial}
    for node in nodes:
        if not isinstance(node, HostFor):
            continue
        why = reasons.get(node.loop.index)
        if why is None or why.code not in _OF_SCALARS:
            yield from many_launches(node.body, serial)
            continue
        name = node.loop.iterator.name
        cause = why.message.removeprefix(f"loop {name} is serial: ")
        message = f"loop {name} launches {_launches(node.body)} in each of its iterations: {cause}"
        yield Diagnostic("ACC406", message, node.loop.loop.header, why.hint, why.notes)


def _launches(nodes: tuple[HostNode, ...]) -> str:
    count, more = _count(nodes)
    return f"{count}{' or more' if more else ''} kernel{'s' if count > 1 or more else ''}"


def _count(nodes: tuple[HostNode, ...]) -> tuple[int, bool]:
    """How many kernels are launched at least, and whether there may be more."""
    count, more = 0, False
    for node in nodes:
        match node:
            case HostFor(body=body):
                count, more = count + _count(body)[0], True
            case Either():
                count, more = count + 1, True
            case _:
                count += 1 + bool(node.reductions)
    return count, more
