"""OpenCL devices through pyopencl."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import pyopencl as cl

from accshare.frontend.ir import Array, Pointer, Scalar, Struct, Type
from accshare.kernel.ir import Buffer, Kernel, Variant

#: as the runtime builds kernels; it adds the second where the device takes it
_BUILD_OPTIONS = ("-cl-std=CL1.2", "-cl-fp32-correctly-rounded-divide-sqrt")
#: pyopencl's own cache off; its annotations leave this value out
_NO_CACHE: Any = False


class DeviceTrouble(Exception):  # noqa: N818 - says what happened to the run
    """OpenCL or a device refuses; the message is for the user."""


def devices() -> tuple[cl.Device, ...]:
    """Every device that can compile, GPUs first. Raises `DeviceTrouble` when there is no OpenCL at all."""
    try:
        platforms = cl.get_platforms()
    except cl.Error as error:
        raise DeviceTrouble(f"no OpenCL platform ({error}); `accshare doctor` tells what to install") from error
    found: list[cl.Device] = []
    for platform in platforms:
        try:
            found += [device for device in platform.get_devices() if device.available and device.compiler_available]
        except cl.Error:
            continue  # a platform without devices raises
    return tuple(sorted(found, key=lambda device: not device.type & cl.device_type.GPU))


def default_device() -> cl.Device:
    """The preferred device. Raises `DeviceTrouble` when there is none."""
    found = devices()
    if not found:
        raise DeviceTrouble("no OpenCL device; `accshare doctor` tells what to install")
    return found[0]


def misfit(variant: Variant, device: cl.Device) -> str | None:
    """Why a device can't run a variant; None when it can."""
    group = max((k.work_group[0] * k.work_group[1] * k.work_group[2] for k in variant.kernels), default=1)
    if group > device.max_work_group_size:
        return f"needs work-groups of {group}, the device runs {device.max_work_group_size}"
    if not device.double_fp_config and any(_uses_double(k) for k in variant.kernels):
        return "needs double precision"
    return None


def build(context: cl.Context, device: cl.Device, text: str) -> cl.Program:
    """The compiled program. Raises `DeviceTrouble` with the compiler's own words."""
    options = list(_BUILD_OPTIONS)
    if not device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
        options.pop()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CompilerWarning)
            program = cl.Program(context, text)
            program.build(options, cache_dir=_NO_CACHE)
            return program
    except cl.Error as error:
        raise DeviceTrouble(f"the generated kernel does not compile: {error}") from error


def _uses_double(kernel: Kernel) -> bool:
    types: list[Type] = [p.element if isinstance(p, Buffer) else p.symbol.type for p in kernel.params]
    types += [p.element for p in kernel.private] + [b.element for b in kernel.local]
    return _has_double(types)


def _has_double(types: Iterable[Type]) -> bool:
    for type_ in types:
        match type_:
            case Scalar(name) if name == "double":
                return True
            case Struct(fields=fields) if _has_double(f.type for f in fields):
                return True
            case Array(element) if _has_double([element]):
                return True
            case Pointer():
                continue
    return False
