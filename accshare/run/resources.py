"""``accshare resources``: what each kernel takes of GPUs that need not be here, and how full it keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from accshare.device import PRESETS, Device
from accshare.driver.paths import runtime_library
from accshare.emit.ir import VariantText
from accshare.pipeline import compile_unit
from accshare.records import dataclass
from accshare.run.sources import read_file
from accshare.run.toolchains import Toolchain, ToolTrouble, Usage, toolchain

#: what is measured when no target is named: one model of each vendor whose tools are common
DEFAULT_TARGETS = ("h100", "mi210")
#: a compute unit has this many register files, and a work-item's registers are handed out in eights
_FILES = 4
_GRANULE = 8


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How many work-groups a compute unit holds, their work-items as a share of the most it can hold, and what keeps
    it from holding one more."""

    groups: int
    share: float
    limit: str


@dataclass(frozen=True, slots=True)
class Resources:
    """What one kernel takes on one device model; `trouble` says why it is not known."""

    region: str
    kernel: str
    target: str
    architecture: str = ""
    work_group: int = 0
    usage: Usage | None = None
    occupancy: Occupancy | None = None
    trouble: str = ""


def measure(path: str, flags: Sequence[str]) -> Iterator[Resources]:
    """Each kernel of a C file on each target model. Raises `Unreadable`, `HostTrouble` and `StageError`."""
    source, options = read_file(path, flags)
    named = tuple(target for target in options.targets if target in PRESETS)
    targets = DEFAULT_TARGETS if "auto" in options.targets or not named else named
    for target in targets:
        device = PRESETS[target]
        # One model at a time: kernels that another model's would stand in for are wanted here.
        result = compile_unit(source, (device,), options, runtime_library())
        texts = [(region.offload.region.name, text) for region in result.output.regions for text in region.variants]
        try:
            tools = toolchain(target)
        except ToolTrouble as why:
            for name, text in texts:
                yield from (Resources(name, kernel.name, target, trouble=str(why)) for kernel in text.variant.kernels)
        else:
            for name, text in texts:
                yield from _measured(name, text, tools, device)


def occupancy(device: Device, work_group: int, usage: Usage) -> Occupancy:
    """What a compute unit of `device` holds of a kernel with groups of `work_group` work-items."""
    warps = -(-work_group // device.simd_width)
    registers = -(-max(usage.registers, 1) // _GRANULE) * _GRANULE
    resident = _FILES * (device.registers_per_unit // _FILES // (registers * device.simd_width))
    limits = {
        "work-items": device.max_threads_per_unit // (warps * device.simd_width),
        "groups": device.max_groups_per_unit,
        "registers": resident // warps,
    }
    if usage.local:
        limits["local memory"] = device.local_per_unit // usage.local if usage.local <= device.local_bytes else 0
    groups = min(limits.values())
    limit = next(name for name, most in limits.items() if most == groups)
    return Occupancy(groups, groups * work_group / device.max_threads_per_unit, limit)


def _measured(region: str, text: VariantText, tools: Toolchain, device: Device) -> Iterator[Resources]:
    try:
        usages = {usage.kernel: usage for usage in tools.usage(text.opencl)}
    except ToolTrouble as why:
        for kernel in text.variant.kernels:
            yield Resources(region, kernel.name, device.name, tools.architecture, trouble=str(why))
        return
    for kernel in text.variant.kernels:
        size, usage = prod(kernel.work_group), usages[kernel.name]
        held = occupancy(device, size, usage)
        yield Resources(region, kernel.name, device.name, tools.architecture, size, usage, held)
