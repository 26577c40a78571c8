"""What is peculiar to the OpenCL implementation that compiles the kernels of a device."""

from __future__ import annotations

from accshare.device import Device
from accshare.kernel.ir import AS_WRITTEN, Adaptation, Variant
from accshare.target.pocl import POCL

__all__ = ["adaptation", "only_elsewhere"]


def adaptation(device: Device) -> Adaptation:
    """What kernels for a device need: all that PoCL does, unless another implementation is known to compile them."""
    return AS_WRITTEN if device.sound_barriers else POCL


def only_elsewhere(variant: Variant) -> bool:
    """Whether a variant that was not made for PoCL has anything that PoCL would compile to something else."""
    return variant.target.sound_barriers and any(
        change(kernel.body) != kernel.body for kernel in variant.kernels for change in POCL.passes
    )
