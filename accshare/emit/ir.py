"""What the emit stage produces: finished text."""

from __future__ import annotations

import enum

from accshare.data.ir import DataPlan
from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import Region
from accshare.kernel.ir import Variant
from accshare.pragma.ir import Directive
from accshare.records import dataclass, replace
from accshare.source import Span

#: it is the host compiler that warns of what the user wrote; correct rounding of float division and square root is an
#: option only some devices take: who builds adds it
BUILD_OPTIONS = "-cl-std=CL1.2 -w"
#: in kernels that have this line ``a * b + c`` is rounded twice; in others a device may fuse the two operations
EXACT = "#pragma OPENCL FP_CONTRACT OFF"


@dataclass(frozen=True, slots=True)
class Offload:
    """A region with all it takes to run it on a device: the input of emit."""

    region: Region
    plan: DataPlan
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Hosted:
    """A pragma that should have opened a region and did not: what it stands on runs on the host because of `reason`.
    `directive` is what it says, where it can be read."""

    pragma: Span
    reason: str
    directive: Directive | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """What a device must offer: work-items in the largest work-group, bytes of local memory one group takes, and
    whether any kernel holds or computes a ``double``, or changes 64 bits in one piece. `sound_barriers`:
    it is not for PoCL, which would compile it to something else. `in_parts`: a launch may be several, each with some of
    the groups."""

    work_group: int
    local_bytes: int
    fp64: bool
    atomics64: bool
    sound_barriers: bool
    in_parts: bool = False


class Flag(enum.IntFlag):
    """What the runtime has to know of a variant, as ``accshare_abi.h`` has it."""

    NEEDS_FP64 = 1
    ONE_CPU = 2
    NEEDS_ATOMICS64 = 8
    NEEDS_SOUND_BARRIERS = 16
    NATIVE = 32
    ANY_EXTENT = 64
    ANY_THREADS = 128
    IN_PARTS = 256


@dataclass(frozen=True, slots=True)
class Carried:
    """A variant as an object carries it: ``accshare_variant`` in ``accshare_abi.h``. A native one has no `source`."""

    target: str
    kind: str
    source: str
    options: str
    kernels: tuple[str, ...]
    work_group: int
    local_bytes: int
    flags: Flag


@dataclass(frozen=True, slots=True)
class NativeText:
    """Kernels as C of the program itself: what the function that runs the region has to know of them, and they
    themselves, for the place behind it. `helpers` are functions that kernels of other regions call too. A launch of
    kernel K calls ``<prefix>K_groups``, with a struct of the kernel's arguments and the three numbers of groups: these
    are the `ranges`."""

    prefix: str
    helpers: tuple[str, ...]
    declarations: str
    ranges: str
    kernels: str

    @property
    def text(self) -> str:
        """All of it, as a translation unit."""
        return "\n".join((*self.helpers, self.declarations, self.ranges, self.kernels))


@dataclass(frozen=True, slots=True)
class VariantText:
    """The OpenCL C of one variant, as the object carries it, or where the variant is `native`, its C. `contracts` tells
    whether a multiplication and an addition may be fused."""

    variant: Variant
    opencl: str
    needs: Needs
    native: NativeText | None = None
    contracts: bool = True

    @property
    def text(self) -> str:
        """The kernels in their language."""
        return self.opencl if self.native is None else self.native.text

    @property
    def exact(self) -> VariantText:
        """The same kernels of OpenCL with every operation rounded."""
        return replace(self, opencl=f"{EXACT}\n{self.opencl}", contracts=False) if self.contracts else self


@dataclass(frozen=True, slots=True)
class RegionText:
    """A region's finished kernels, and `reference`: a stand-alone C file with one function
    ``void <region name>(…)`` that runs the region's loops on the host. Its arguments are, in order, the address
    of element 0 of each of `plan.data` and then each of `plan.parameters` by value. `carried` is what the object has
    of the variants."""

    offload: Offload
    variants: tuple[VariantText, ...]
    reference: str
    carried: tuple[Carried, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """`host` is the C text to hand to the host compiler (latin-1 held, with line markers). `diagnostics` says
    which regions and directives could not be printed."""

    host: str
    regions: tuple[RegionText, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
