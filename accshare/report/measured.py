"""What was measured of a program's regions, and what its machine could do at most: what the page shows of a profile."""

from __future__ import annotations

from collections.abc import Mapping

from accshare.records import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """One run of a region on the machine's roofline: its operations on floating-point numbers of type `real`, the bytes
    of all that it touches, the shortest time in which the machine could do that, and which of the two takes it
    (``memory``, ``compute``)."""

    operations: float
    bytes: float
    real: str
    seconds: float
    bound: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A region in a profile. `seconds` are those of all `runs` by kernels of `variant`, without building them, `kernel`
    the part in kernels, `build` in building. `host_runs` ran the host loops, for `reasons`, in `host_seconds`. Of one
    run at the largest sizes, `on_host` and `by_kernels` are seconds that the runtime measured to choose between the
    two. Seconds are 0 where they are not known. `reach` is that of a mean run, where it can be told."""

    device: str
    variant: str
    runs: int
    seconds: float
    kernel: float
    build: float
    host_runs: int
    reasons: tuple[tuple[str, int], ...]
    host_seconds: float = 0.0
    on_host: float = 0.0
    by_kernels: float = 0.0
    reach: Reach | None = None

    @property
    def once(self) -> float:
        """Seconds of one run by kernels; 0 where there was none."""
        return self.seconds / self.runs if self.runs else self.by_kernels

    @property
    def total(self) -> float:
        """Seconds of all runs, as far as they are known."""
        return self.seconds + self.host_seconds

    @property
    def gain(self) -> float | None:
        """How many times faster than the host loops."""
        kernels = self.by_kernels or self.once
        return self.on_host / kernels if self.on_host and kernels else None

    @property
    def of_roof(self) -> float | None:
        """The part of what the machine could do; about 1 is all of it."""
        return self.reach.seconds / self.once if self.reach and self.once else None

    @property
    def bound(self) -> str:
        """What takes the time: launching and moving where most of it is outside kernels."""
        if self.runs and self.seconds > 2 * self.kernel:
            return "launching, moving"
        return self.reach.bound if self.reach else ""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What the machine's processor can do at most: operations a second by type, bytes a second by how many KiB are used
    over and over; more than that where it was `busy` when they were measured."""

    processor: str
    peak: Mapping[str, float]
    bandwidth: Mapping[int, float]
    busy: bool = False


@dataclass(frozen=True, slots=True)
class Measurements:
    """All that was measured: regions by file and name, and the processor; `missing` says why that is not known."""

    regions: Mapping[tuple[str, str], Measured]
    ceiling: Ceiling | None
    missing: str = ""
