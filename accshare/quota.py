"""What a computation may cost: isl's limit on its own operations, which is the same on every machine.

Operations on integer sets can take exponential time, and no program may hang its compiler. Limits nest: what is spent
inside of one counts for those around it. A computation that passes its limit is given up as a whole, since isl goes on
with missing results where it can; `QuotaExceeded` says so, and who set the limit does something plainer.
"""

from __future__ import annotations

from types import TracebackType
from typing import TypeVar

import islpy as isl

T = TypeVar("T")

_CONTEXT = isl.DEFAULT_CONTEXT
#: a number that isl does not hold ready, so that making it is one operation
_LARGE = 1 << 40


class QuotaExceeded(Exception):  # noqa: N818 - says what happened to the computation
    """A computation took more of isl's operations than it may."""


class Quota:
    """``with Quota(operations): …`` raises `QuotaExceeded` when isl would take more operations, whatever else has come
    of it."""

    def __init__(self, operations: int) -> None:
        self._operations = operations
        self._around = 0

    def __enter__(self) -> None:
        limit = _CONTEXT.get_max_operations()
        self._around = max(1, limit - _spent(limit)) if limit else 0
        _CONTEXT.reset_operations()
        _CONTEXT.set_max_operations(min(self._operations, self._around or self._operations))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        exceeded = not _is_left()
        _CONTEXT.set_max_operations(self._around)
        if exceeded and (kind is None or issubclass(kind, Exception)):
            raise QuotaExceeded from error


def complete(result: T) -> T:
    """`result`, which outlives the computation around it; raises `QuotaExceeded` where it may be what isl made of
    missing results."""
    if not _is_left():
        raise QuotaExceeded
    return result


def _is_left() -> bool:
    """Whether isl would do one more operation."""
    try:
        isl.Val(_LARGE)
    except isl.Error:
        return False
    return True


def _spent(limit: int) -> int:
    """The operations since the limit was set, or up to a hundredth more: isl doesn't tell, but refuses to go on where
    they are not fewer, which takes as long as some operations."""
    low, high = 0, limit
    while high - low > low // 100:
        middle = (low + high) // 2
        _CONTEXT.set_max_operations(middle + 1)
        low, high = (low, middle) if _is_left() else (middle + 1, high)
    return high
