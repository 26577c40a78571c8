"""The host's part of a region, step by step."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.kernel.ir import HostBlock, HostIf, HostLoop, HostStmt, Launch
from accshare.run.evaluate import Values


def launches(host: tuple[HostStmt, ...], values: Values) -> Iterator[tuple[Launch, Values]]:
    """The launches of a region in order, each with the host loops' iterators at that moment. Raises `Unknown`."""
    for step in host:
        match step:
            case Launch():
                yield step, values
            case HostIf(condition, body):
                if values.of(condition):
                    yield from launches(body, values)
            case HostBlock(bands=bands):
                yield from launches(bands, values)
            case HostLoop(iterator, first, condition, stride, body):
                inside = values.having(iterator.unique, values.integer(first))
                while inside.of(condition):
                    yield from launches(body, inside)
                    inside = values.having(iterator.unique, inside.names[iterator.unique] + stride)
