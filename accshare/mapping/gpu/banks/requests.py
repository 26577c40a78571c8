"""How many words the busiest bank delivers for one request to local memory: (20), (21) and a simulation (SHARE 3.3.1).

A warp asks in requests of as many neighbouring work-items as all banks together can serve at a time: the whole warp
with elements no wider than a bank; half of it where they are twice as wide, or where there are half as many banks as
work-items (AMD's wavefronts of 64). Work-items that want the same word of a bank get it together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import gcd

from accshare.device import Device


def request_lanes(warp: int, size: int, device: Device) -> int:
    """How many work-items of a warp ask for elements of `size` bytes at a time."""
    together = max(1, device.banks * device.bank_bytes // max(size, device.bank_bytes))
    return together if warp % together == 0 else warp


def closed_form(stride: int, size: int, lanes: int, device: Device) -> int | None:
    """The degree where neighbours are `stride` elements of `size` bytes apart, by (20) and (21); None where elements
    lie across the borders of words, so that it depends on where the first one is.

    Below a bank stride of 1 several work-items share a word. Hardware that gives it to one of them at a time takes
    |1 / bank_stride| turns, as (21) says; none of the devices here is that old, and the degree is 1.
    """
    step = abs(stride) * size
    if step == 0 or (step < device.bank_bytes and device.bank_bytes % size == 0):
        return 1
    if step % device.bank_bytes:
        return None
    period = device.banks // gcd(step // device.bank_bytes, device.banks)
    return -(-lanes // period)


def degree(offsets: Sequence[int], size: int, device: Device) -> int:
    """The degree of the requests of a warp, one entry a work-item that takes part: the byte its element begins at."""
    return max((_busiest(request, device) for request in _requests(offsets, size, device)), default=1)


def worst(warps: Iterable[Sequence[int]], size: int, device: Device) -> tuple[int, ...]:
    """The words, numbered from a line of all banks, that the request with the greatest degree wants, in the order of
    its work-items."""
    requests = (request for offsets in warps for request in _requests(offsets, size, device))
    found = max(requests, key=lambda request: _busiest(request, device), default=())
    words = [offset // device.bank_bytes for offset in found]
    line = min(words, default=0) // device.banks * device.banks
    return tuple(word - line for word in words)


def _requests(offsets: Sequence[int], size: int, device: Device) -> Iterator[Sequence[int]]:
    lanes = request_lanes(device.simd_width, size, device)
    for first in range(0, len(offsets), lanes):
        yield offsets[first : first + lanes]


def _busiest(offsets: Sequence[int], device: Device) -> int:
    first = min(offsets) // device.bank_bytes
    return _most(tuple(sorted({o // device.bank_bytes - first for o in offsets})), device.banks)


@cache
def _most(words: tuple[int, ...], count: int) -> int:
    """The most different words in one of `count` banks."""
    return max(Counter(word % count for word in words).values())
