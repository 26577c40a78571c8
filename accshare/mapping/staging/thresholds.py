"""The thresholds of (3) and (9), derived from the device rather than fixed (SHARE 3.2.2, 3.2.3)."""

from __future__ import annotations

from math import inf

from accshare.device import Device
from accshare.options import Options, Share

#: work-groups a compute unit should be able to hold as far as local memory goes
_FEWEST_GROUPS, _MOST_GROUPS = 2, 8


def delta_r(device: Device, options: Options) -> float:
    """References an element must have before staging it pays; infinite where it never does.

    Staging moves a byte once through the cache, once into local memory, and then reads it r times from there rather
    than from the cache. With g and l bytes a clock that pays if r / g > 1 / g + 1 / l + r / l: r > (l + g) / (l - g).
    Local memory that is ordinary memory under another name has nothing to offer.
    """
    if options.delta_r is not None:
        return options.delta_r
    if options.share is Share.FORCE:
        return 0.0
    local, cache = device.local_bandwidth, device.cache_bandwidth
    return (local + cache) / (local - cache) if device.local_dedicated and local > cache else inf


def delta_s(device: Device, options: Options, work_items: int) -> float:
    """The part of a compute unit's local memory that one work-group of `work_items` may take.

    As many groups should fit as the unit has room for work-items, so that local memory does not limit occupancy, but no
    fewer than two and no more than eight. SHARE picks 0.125 to 0.25 by hand, for four to eight groups.
    """
    most = device.local_bytes / device.local_per_unit
    if options.delta_s is not None:
        return min(options.delta_s, most)
    if options.share is Share.FORCE:
        return most
    groups = device.max_threads_per_unit // work_items
    return min(1 / min(max(groups, _FEWEST_GROUPS), _MOST_GROUPS), most)
