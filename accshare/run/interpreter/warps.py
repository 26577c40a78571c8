"""What a warp-wide access costs: segments of global memory, words that meet in a bank of local memory."""

from __future__ import annotations

import numpy as np

from accshare.device import Device
from accshare.run.dtypes import AnyArray

_IDLE = np.iinfo(np.int64).max


def transactions(first: AnyArray, active: AnyArray, size: int, segment: int) -> int:
    """Distinct segments of `segment` bytes that each warp touches, added up.

    `first` holds byte offsets of elements of `size` bytes and `active` who takes part, both a row a warp.
    """
    total = 0
    whole = active.all(axis=1)
    for rows in (whole, active.any(axis=1) & ~whole):
        if rows.any():
            offsets, mask = (first, active) if rows.all() else (first[rows], active[rows])
            low = offsets // segment
            high = (offsets + (size - 1)) // segment
            if not np.array_equal(low, high):
                parts = [(offsets + k) // segment for k in range(0, size, segment)]
                low, mask = np.concatenate((*parts, high), axis=1), np.tile(mask, len(parts) + 1)
            total += int(_distinct(low, mask)[1].sum())
    return total


def bank_degrees(first: AnyArray, active: AnyArray, size: int, device: Device) -> AnyArray:
    """For each request how many words its busiest bank delivers; 0 where nobody takes part.

    Arguments as for `transactions`. A warp that has more work-items than there are banks, or elements wider than one,
    asks in several requests: of as many work-items as all banks together can serve.
    """
    warps, lanes = first.shape
    parts = max(1, lanes * max(1, size // device.bank_bytes) // device.banks)
    if lanes % parts:
        parts = 1
    words = (first // device.bank_bytes).reshape(warps * parts, lanes // parts)
    words, new = _distinct(words, active.reshape(words.shape))
    requests = np.arange(len(words))[:, None] * device.banks
    busy = np.bincount((requests + words % device.banks)[new], minlength=len(words) * device.banks)
    degrees: AnyArray = busy.reshape(len(words), device.banks).max(axis=1)
    return degrees


def _distinct(values: AnyArray, active: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The values of each row sorted, and which of them are an active lane's and the first of their kind."""
    if not active.all():
        values = np.where(active, values, _IDLE)
    steps = np.diff(values, axis=1)
    if (steps < 0).any():
        values = np.sort(values, axis=1)
        steps = np.diff(values, axis=1)
    new = np.ones(values.shape, dtype=np.bool_)
    new[:, 1:] = steps != 0
    return values, new & (values != _IDLE)
