"""OpenCL devices through pyopencl."""

from __future__ import annotations

import warnings
from typing import Any

import pyopencl as cl

from accshare.emit.ir import BUILD_OPTIONS, Needs

#: added where the device takes it, as the runtime does
_EXACT = "-cl-fp32-correctly-rounded-divide-sqrt"
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


def misfit(needs: Needs, device: cl.Device) -> str | None:
    """Why a device can't run a variant that `needs` so much; None when it can."""
    if needs.work_group > device.max_work_group_size:
        return f"needs work-groups of {needs.work_group}, the device runs {device.max_work_group_size}"
    if needs.local_bytes > device.local_mem_size:
        return f"needs {needs.local_bytes} bytes of local memory, the device has {device.local_mem_size}"
    if needs.fp64 and not device.double_fp_config:
        return "needs double precision"
    if needs.atomics64 and "cl_khr_int64_base_atomics" not in device.extensions.split():
        return "needs to change 64 bits in one piece"
    if needs.sound_barriers and "PoCL" in device.platform.version:
        return "needs another OpenCL than PoCL, which would compile its barriers to something else"
    return None


def build(context: cl.Context, device: cl.Device, text: str) -> cl.Program:
    """The compiled program. Raises `DeviceTrouble` with the compiler's own words."""
    exact = device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
    options = [*BUILD_OPTIONS.split(), *([_EXACT] if exact else [])]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CompilerWarning)
            program = cl.Program(context, text)
            program.build(options, cache_dir=_NO_CACHE)
            return program
    except cl.Error as error:
        raise DeviceTrouble(f"the generated kernel does not compile: {error}") from error
