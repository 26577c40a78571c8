"""What passes between the tuner and the processes that compile and measure for it."""

from __future__ import annotations

from collections.abc import Mapping

from accshare.device import Device
from accshare.driver.tunings import Way
from accshare.options import Options
from accshare.records import dataclass
from accshare.run.evaluate import Values
from accshare.run.memory import Section
from accshare.source import SourceFile

#: a kernel's sizes by name; empty where all is left to the compiler
Sizes = tuple[tuple[str, int], ...]


class TuneTrouble(Exception):  # noqa: N818 - says what happened to the command
    """Nothing can be tuned; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Here:
    """The device that choices are measured on."""

    name: str
    driver: str
    gpu: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """Integer inputs by name, and how often the program meets them."""

    inputs: tuple[tuple[str, int], ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """What a kernel can be asked for: `plans` are those of the solver, best first; `tile` is what a work-group takes
    along each named axis where nothing is asked, empty where nothing can be; `alone` says that one work-item runs
    all of it."""

    name: str
    plans: tuple[Sizes, ...]
    tile: Sizes
    limit: int
    alone: bool


@dataclass(frozen=True, slots=True)
class RegionFacts:
    """A region that can be tuned. `integers` are the inputs that sizes can be given for, `orders` those of its loops
    that give other kernels, by name, with these."""

    name: str
    identity: str
    integers: tuple[str, ...]
    kernels: tuple[KernelFacts, ...]
    orders: tuple[tuple[str, tuple[KernelFacts, ...]], ...] = ()

    def of(self, order: str) -> tuple[KernelFacts, ...]:
        """The kernels in an order of loops, the compiler's own where that is empty."""
        return dict(self.orders)[order] if order else self.kernels

    def has(self, way: Way) -> bool:
        """Whether it can be asked for a choice: it has that order of loops and as many kernels then."""
        known = not way.order or way.order in dict(self.orders)
        return known and len(self.of(way.order)) == len(way.kernels)


@dataclass(frozen=True, slots=True)
class Job:
    """What to compile and for what: `device` is the model, `region` a name; native kernels get the user's `flags`."""

    source: SourceFile
    options: Options
    device: Device
    region: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """Inputs, and what the host's loops made of them. `size` tells them apart, empty for one that is only checked."""

    size: str
    count: int
    values: Values
    memory: Mapping[str, Section]
    expected: Mapping[str, Section]


@dataclass(frozen=True, slots=True)
class Timing:
    """The median of repeats with the inputs `size`, and how far they are apart, as a part of it."""

    size: str
    count: int
    seconds: float
    spread: float


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of a choice: `outcome` is "ok", "same" as another one, "illegal", "unfit", "wrong" or "failed".

    `digest` tells the kernels' text from others.
    """

    outcome: str
    digest: str = ""
    timings: tuple[Timing, ...] = ()
    said: str = ""
