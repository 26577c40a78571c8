"""Time: what is left of it, and how much of that each call may take."""

from __future__ import annotations

import time
from collections.abc import Callable

from accshare.records import dataclass

#: how long something that is past its limit may say nothing before it counts as hung: as long again, and at least this
_SILENCE = 20.0
#: a choice that takes this many times the shortest time known is not run often enough to know its own well
HOPELESS = 1.5
#: the part of a region's time that is kept for running the fastest choice against the default, at most
_KEPT = 0.5


@dataclass(frozen=True, slots=True)
class Budget:
    """The time up to `deadline`, in seconds of `clock`."""

    deadline: float
    clock: Callable[[], float] = time.monotonic

    @staticmethod
    def of(seconds: float, clock: Callable[[], float] = time.monotonic) -> Budget:
        """That much time from now on."""
        return Budget(clock() + seconds, clock)

    def left(self) -> float:
        """Seconds up to the end; 0 after it."""
        return max(0.0, self.deadline - self.clock())

    def share(self, count: int) -> Budget:
        """The first of `count` equal parts of what is left."""
        return Budget.of(self.left() / count, self.clock)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one call may take: a result is due within `limit` seconds, a sign of life within `silence` more; all is
    over after `left`."""

    limit: float
    silence: float
    left: float

    @property
    def total(self) -> float:
        """Seconds after which the call is ended whatever it says."""
        return min(self.limit + self.silence, self.left)


def allowance(limit: float, left: float) -> Allowance:
    """What a call with that limit gets of the time left."""
    return Allowance(limit, max(_SILENCE, limit), max(0.0, left))


def kept_for_duels(duels: int, took: float, left: float) -> float:
    """Seconds of those left that no further choice gets, where the default `took` that long: enough for the duels."""
    return min(2 * duels * took, _KEPT * left)


def outcome_of(given: Allowance, spoke: bool) -> str:
    """What is known of a call without a result that was ended: "stopped" before its limit, for time was up; "slow"
    where it `spoke` after its limit, or had no time to; "hung" where it said nothing for long."""
    if given.left <= given.limit:
        return "stopped"
    return "slow" if spoke or given.left < given.limit + given.silence else "hung"
