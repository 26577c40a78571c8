"""A region's variants on a device against the region's own loops on the host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyopencl as cl

from accshare.device import NATIVE
from accshare.emit.ir import RegionText, VariantText
from accshare.frontend.ir import For, GeneralFor, Stmt, While
from accshare.pragma.ir import Movement
from accshare.records import dataclass
from accshare.run.compare import Difference, compare
from accshare.run.evaluate import Unknown, Values
from accshare.run.execute import Executable
from accshare.run.generate import sections
from accshare.run.host import HostTrouble
from accshare.run.memory import Section
from accshare.run.native import NativeExecutable, Unfit
from accshare.run.opencl import DeviceTrouble, default_device, misfit
from accshare.run.reference import ReferenceFunction
from accshare.run.sizes import Case, NoCase, cases
from accshare.tree import substatements

_SEED = 20
_NO_DEVICE = "there is no OpenCL device"
#: the device starts without the host's values
_FRESH = (Movement.COPYOUT, Movement.CREATE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one variant of a region.

    `cases` are the inputs tried, `worst` is the largest difference among them and `at` its inputs. `trouble` says why
    there is no result ("" when there is one); `unfit` that the device can't run the variant, which is no failure.
    `device` is its name, "" when the check did not live to tell.

    `fused` is where the kernel as the program has it differs only because it may round ``a * b + c`` once: with every
    operation rounded, as in the host's loops, it does not, and `worst` is what is left then. "" where it makes no
    difference that counts.
    """

    region: str
    variant: str
    cases: tuple[str, ...]
    worst: Difference
    at: str
    trouble: str
    unfit: bool
    device: str
    fused: str = ""

    @property
    def ok(self) -> bool:
        """Whether the device gave the host's answer every time."""
        return not self.trouble and self.worst.ok


@dataclass(frozen=True, slots=True)
class _Trial:
    """Inputs, and what the host made of them."""

    case: Case
    memory: Mapping[str, Section]
    expected: Mapping[str, Section]

    @property
    def values(self) -> Values:
        return self.case.values


@dataclass(frozen=True, slots=True)
class _Builds:
    """How variants are made to run: by OpenCL on `device`, or by the host compiler in `folder` with `flags`."""

    device: cl.Device | None
    folder: Path
    flags: Sequence[str]

    def executable(self, text: VariantText, *, exact: bool) -> Executable | NativeExecutable:
        if text.native or self.device is None:
            return NativeExecutable.of(text, self.folder, self.flags, exact=exact)
        return Executable.of(text.exact if exact else text, self.device)


def check(region: RegionText, fixed: Mapping[str, int], folder: Path, flags: Sequence[str] = ()) -> Iterator[Verdict]:
    """Checks a region one variant at a time, native ones here and others on the preferred device. Raises
    `DeviceTrouble` when there is none and all need one.

    `fixed` gives integer inputs by name (``n``, ``grid->width``); the host's loops are built in `folder`, native
    kernels too, with `flags`.
    """
    device = _device(region)
    try:
        trials = _trials(region, ReferenceFunction(region, folder), fixed)
    except (HostTrouble, NoCase, Unknown, TypeError) as why:
        for text in region.variants:
            yield without_result(region, text, str(why), _name(text, device))
        return
    for text in region.variants:
        yield _verdict(region, text, _Builds(device, folder, flags), trials)


def _device(region: RegionText) -> cl.Device | None:
    """Where variants of OpenCL run; None where native ones are all that can."""
    native = [text for text in region.variants if text.native]
    try:
        return None if len(native) == len(region.variants) else default_device()
    except DeviceTrouble:
        if native:
            return None
        raise


def _name(text: VariantText, device: cl.Device | None) -> str:
    return NATIVE if text.native or device is None else str(device.name)


def without_result(
    region: RegionText, text: VariantText, why: str, device: str = "", *, unfit: bool = False
) -> Verdict:
    """The verdict on a variant that could not be checked."""
    nothing = Difference("", 0.0, 0.0)
    return Verdict(region.offload.region.name, text.variant.target.name, (), nothing, "", why, unfit, device)


def _trials(region: RegionText, reference: ReferenceFunction, fixed: Mapping[str, int]) -> tuple[_Trial, ...]:
    """Runs the host's loops on inputs of all sizes. Raises `NoCase` when none satisfy the guards."""
    try:
        chosen = cases(region.offload.plan, _depth((region.offload.region.body,)), fixed)
    except NoCase as why:
        raise NoCase(f"no inputs found that pass its run-time checks: {why}; --size NAME=VALUE fixes some") from why
    memories = [sections(region, case.values, _SEED + number) for number, case in enumerate(chosen)]
    return tuple(
        _Trial(case, memory, reference.run(memory, case.values)) for case, memory in zip(chosen, memories, strict=True)
    )


def _depth(stmts: tuple[Stmt, ...]) -> int:
    """How many loops stand in one another."""
    return max((isinstance(stmt, For | GeneralFor | While) + _depth(substatements(stmt)) for stmt in stmts), default=0)


def _verdict(region: RegionText, text: VariantText, builds: _Builds, trials: tuple[_Trial, ...]) -> Verdict:
    device = builds.device
    name = _name(text, device)
    unfit = "" if text.native else _NO_DEVICE if device is None else misfit(text.needs, device)
    if unfit:
        return without_result(region, text, unfit, name, unfit=True)
    fused = ""
    try:
        worst, at = _worst(region, builds.executable(text, exact=not text.contracts), trials)
        if not worst.ok and text.contracts:
            differs = f"{worst.place}, {at}"
            worst, at = _worst(region, builds.executable(text, exact=True), trials)
            fused = differs if worst.ok else ""
    except Unfit as why:
        return without_result(region, text, str(why), name, unfit=True)
    except (DeviceTrouble, HostTrouble, Unknown) as why:
        return without_result(region, text, str(why), name)
    names = tuple(str(trial.case) for trial in trials)
    target = text.variant.target.name
    return Verdict(region.offload.region.name, target, names, worst, at, "", False, name, fused)


def _worst(
    region: RegionText, executable: Executable | NativeExecutable, trials: tuple[_Trial, ...]
) -> tuple[Difference, str]:
    """The largest difference from the host among all trials, and its inputs."""
    data = region.offload.plan.data
    shares = isinstance(executable, NativeExecutable)
    fresh = {datum.name for datum in data if datum.movement in _FRESH and not shares}
    unseen = {datum.name for datum in data if datum.movement is Movement.CREATE}
    worst, at = Difference("", 0.0, 0.0), ""
    for trial in trials:
        found = compare(trial.expected, executable.run(trial.memory, trial.values, fresh), unseen)
        if (not found.ok, found.error) > (not worst.ok, worst.error):
            worst, at = found, str(trial.case)
    return worst, at
