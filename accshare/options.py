"""Every choice a user can fix from outside, as one frozen value."""

from __future__ import annotations

import enum

from accshare.device import HostMachine
from accshare.records import dataclass, field, replace

#: targets that stand for several: those of a processor and of this machine's GPUs, and those of OpenCL alone
AUTO, OPENCL = "auto", "opencl"


class Share(enum.Enum):
    """``--acc-share``: whether hints and local-memory staging are used: where that saves traffic and the kernel is
    estimated to be no slower for it, wherever it saves traffic, never, or wherever it can be done."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"
    FORCE = "force"


@dataclass(frozen=True, slots=True)
class Ilp:
    """``--acc-ilp``: how many iterations a work-item runs side by side, where it is not `automatic`.

    `axes` are those along x, y, z; 1 leaves an axis as the partition has it. `several` stands for the axis y, or x
    where a kernel has no other.
    """

    automatic: bool = True
    axes: tuple[int, int, int] = (1, 1, 1)
    several: int = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """``--acc-choose=KERNEL:NAME=SIZE,…``: sizes of one kernel that are not for the compiler to choose.

    ``TB_X``, ``TB_Y``, ``TB_Z`` are those of a work-group (on a CPU, the iterations it takes), an iterator's name is
    the length of its strips, ``ILP_X``, ``ILP_Y``, ``ILP_Z`` are iterations of one work-item, ``PAD`` is
    the elements added to the rows of tiles; ``STAGE`` is 1 or 0: with local memory, or without.
    """

    kernel: str
    sizes: tuple[tuple[str, int], ...]

    def of(self, name: str) -> int | None:
        """The size of that name; None where it is left to the compiler."""
        return dict(self.sizes).get(name)

    @property
    def ilp(self) -> Ilp:
        """The iterations of a work-item: where none are named, the work-group stays as the others have it."""
        x, y, z = (self.of(f"ILP_{axis}") or 1 for axis in "XYZ")
        return Ilp(False, (x, y, z))


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was found best for a region on one device model: the sizes of each of its kernels, none for a kernel that
    is best left to the compiler, and where the `order` of its loops is from, empty where that is too. `region` is its
    identity: what its source comes to. It was measured on `device`, where it takes `part` of the time of the compiler's
    own choice."""

    region: str
    target: str
    kernels: tuple[tuple[tuple[str, int], ...], ...]
    device: str = ""
    part: float = 1.0
    order: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of one compilation (``--acc-…`` and ``ACCSHARE_FLAGS``).

    `targets` are names of device models, and of sets of them. `reassociate` says the user allowed reordering of
    floating-point sums (``-ffast-math``, ``-fassociative-math``); `contract` that a*b+c may be fused, as the host
    compiler was told, `contract_asked` that the flags say so themselves: where they don't, native versions for newer
    processors than they name fuse no more than the loops beside them; `wraps` that signed integers wrap around
    (``-fwrapv``). `schedule` tells where the order of loops is from, by default wherever it is best. `delta_r` and
    `delta_s` override the thresholds of SHARE's (3) and (9); None derives them from the device. `banks` says that tiles
    may lie in local memory as suits its banks, `ilp` how many iterations work-items run side by side. `choices` fix
    sizes of kernels by name, `tuned` has what the tuner found, which gives way to them. `machine` is what the host
    compiler compiles for, `prebuild` has kernels built for the devices of this one. `plain` is no wish of the user's:
    the stages leave out what costs much, for a region that is too complicated otherwise.
    """

    targets: tuple[str, ...] = (AUTO,)
    strict: bool = False
    validate: bool = True
    share: Share = Share.AUTO
    reassociate: bool = False
    contract: bool = True
    contract_asked: bool = False
    wraps: bool = False
    schedule: str = AUTO
    dump: tuple[str, ...] = ()
    time: bool = False
    report: bool = False
    cache: bool = True
    prebuild: bool = False
    delta_r: float | None = None
    delta_s: float | None = None
    banks: bool = True
    ilp: Ilp = Ilp()
    choices: tuple[Choice, ...] = ()
    tuned: tuple[Tuned, ...] = ()
    machine: HostMachine = field(default_factory=HostMachine)
    plain: bool = False

    @property
    def named(self) -> bool:
        """Whether the user names all models to compile for; sets have some for whatever machine runs the program."""
        return not {AUTO, OPENCL} & set(self.targets)

    def choice(self, kernel: str) -> Choice | None:
        """What is fixed for the kernel of that name; the last word counts."""
        return next((choice for choice in reversed(self.choices) if choice.kernel == kernel), None)

    def of_kernel(self, kernel: str) -> Options:
        """The options with `ilp` as the kernel's choice has it."""
        choice = self.choice(kernel)
        return self if choice is None else replace(self, ilp=choice.ilp)

    @property
    def plainer(self) -> Options:
        """The options for a region on which the stages spend too much otherwise: iterations one after the other, all
        arrays where they are, whatever sizes were asked for."""
        return replace(self, plain=True, share=Share.OFF, banks=False, ilp=Ilp(False), choices=(), tuned=())

    def tuned_for(self, region: str, target: str) -> Tuned | None:
        """What was found best for a region on a device model."""
        return next((t for t in self.tuned if (t.region, t.target) == (region, target)), None)

    def tuned_as(self, region: str) -> str:
        """What a region of that identity is called where results of tuning are kept: those for an order of loops that
        the user asks for say nothing of others."""
        return region if self.schedule == AUTO else f"{region}-{self.schedule}"

    def tuned_order(self, region: str, target: str) -> str:
        """Where the order of a region's loops is from: what was found best on a device model, unless the user says."""
        found = self.tuned_for(region, target)
        return found.order if self.schedule == AUTO and found is not None and found.order else self.schedule

    def having(self, tuned: Tuned, kernels: tuple[str, ...]) -> Options:
        """The options with what was tuned for a region as choices for its `kernels`, which the user's own override."""
        named = (Choice(name, sizes) for name, sizes in zip(kernels, tuned.kernels, strict=True) if sizes)
        return replace(self, choices=(*named, *self.choices))
