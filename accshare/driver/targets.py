"""Device models for ``--acc-target``."""

from __future__ import annotations

import os
from collections.abc import Iterator

from accshare.device import NATIVE, PRESETS, Device, HostMachine, native_models, processor
from accshare.device.probe import found, machine
from accshare.driver.paths import runtime_library
from accshare.options import AUTO, OPENCL


def devices_for(targets: tuple[str, ...], machine: HostMachine | None = None) -> tuple[Device, ...]:
    """The models of target names, each once, the more special first; `KeyError` for an unknown name.

    ``native`` is the processor that the host compiler compiles for, `machine`, in one model or several; ``opencl``
    stands for the devices of this machine, and ``auto`` for the processor and the GPUs. Generic models come last: other
    machines run the program too. Where there is no ``native`` to be had, ``auto`` is ``opencl``.
    """
    return tuple(dict.fromkeys(model for target in targets for model in _models(target, machine or HostMachine())))


def devices_behind(model: Device) -> frozenset[tuple[str, str]]:
    """Name and driver of each device of this machine that a variant for `model` may run on: those that are of this
    model, and all for one that is known by name. The processor is the device of native models."""
    if model.native:
        return frozenset({(processor.name(), NATIVE)}) if processor.has(model.isa) else frozenset()
    library = devices_library()
    here = machine(library) if library else ()
    return frozenset((one.name, one.driver) for one in here if model.name in PRESETS or one.model == model)


def devices_library() -> str:
    """The runtime library that programs will run with, and that knows the devices; empty when there is none."""
    return os.environ.get("ACCSHARE_RUNTIME") or runtime_library()


def _models(target: str, machine: HostMachine) -> Iterator[Device]:
    if target not in (NATIVE, AUTO, OPENCL):
        yield PRESETS[target]
        return
    native = tuple(native_models(machine)) if target != OPENCL else ()
    yield from native
    if target == NATIVE:
        return
    library = devices_library()
    if library:
        yield from found(library, cpus=not native)
    yield PRESETS["generic-gpu"]
    if not native:
        yield PRESETS["generic-cpu"]
