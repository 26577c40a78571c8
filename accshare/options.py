"""Every choice a user can fix from outside, as one frozen value."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Share(enum.Enum):
    """``--acc-share``: whether hints and local-memory staging are used."""

    ON = "on"
    OFF = "off"
    FORCE = "force"


@dataclass(frozen=True, slots=True)
class Options:
    """Options of one compilation (``--acc-…`` and ``ACCSHARE_FLAGS``).

    `targets` are device model names, ``("auto",)`` for the default set. `reassociate` says the user allowed
    reordering of floating-point sums (``-ffast-math``, ``-fassociative-math``); `contract` that a*b+c may be fused,
    as the host compiler was told. `delta_r` and `delta_s` override the thresholds of SHARE's (3) and (9); None derives
    them from the device.
    """

    targets: tuple[str, ...] = ("auto",)
    strict: bool = False
    validate: bool = True
    share: Share = Share.ON
    reassociate: bool = False
    contract: bool = True
    dump: tuple[str, ...] = ()
    time: bool = False
    report: bool = False
    cache: bool = True
    delta_r: float | None = None
    delta_s: float | None = None
