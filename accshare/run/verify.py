"""``accshare verify``: every region and variant on a device against the region's own loops on the host."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyopencl as cl

from accshare.emit.ir import RegionText, VariantText
from accshare.run.compare import Difference, compare
from accshare.run.evaluate import Unknown, Values
from accshare.run.execute import Executable
from accshare.run.generate import sections
from accshare.run.host import HostTrouble
from accshare.run.memory import Section
from accshare.run.opencl import DeviceTrouble, misfit
from accshare.run.reference import Reference
from accshare.run.sizes import SIZES, Case, NoCase, case

_SEED = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one variant of a region.

    `cases` are the inputs tried, `worst` is the largest difference among them and `at` its inputs. `trouble` says why
    there is no result ("" when there is one); `unfit` that the device can't run the variant, which is no failure.
    """

    region: str
    variant: str
    cases: tuple[str, ...]
    worst: Difference
    at: str
    trouble: str
    unfit: bool

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


def verify(regions: Sequence[RegionText], device: cl.Device, fixed: Mapping[str, int]) -> Iterator[Verdict]:
    """Checks regions one variant at a time; `fixed` gives integer inputs by name (``n``, ``grid->width``)."""
    with tempfile.TemporaryDirectory(prefix="accshare-verify-") as folder:
        for region in regions:
            try:
                trials = _trials(region, Reference(region, Path(folder)), fixed)
            except (HostTrouble, NoCase, Unknown, TypeError) as why:
                for text in region.variants:
                    yield _without_result(region, text, str(why), unfit=False)
                continue
            for text in region.variants:
                yield _verdict(region, text, device, trials)


def _trials(region: RegionText, reference: Reference, fixed: Mapping[str, int]) -> tuple[_Trial, ...]:
    """Runs the host's loops at every size whose inputs satisfy the guards. Raises `NoCase` when no size does."""
    trials: dict[str, _Trial] = {}
    reason = NoCase("")
    for size in SIZES:
        try:
            chosen = case(region.offload.plan, size, fixed)
        except NoCase as why:
            reason = why
            continue
        if str(chosen) not in trials:
            memory = sections(region, chosen.values, _SEED + size)
            trials[str(chosen)] = _Trial(chosen, memory, reference.run(memory, chosen.values))
    if not trials:
        raise NoCase(f"no inputs found that pass its run-time checks: {reason}; --size NAME=VALUE fixes some")
    return tuple(trials.values())


def _verdict(region: RegionText, text: VariantText, device: cl.Device, trials: tuple[_Trial, ...]) -> Verdict:
    unfit = misfit(text.variant, device)
    if unfit:
        return _without_result(region, text, unfit, unfit=True)
    worst, at = Difference("", 0.0, 0.0), ""
    try:
        executable = Executable.of(text, device)
        for trial in trials:
            found = compare(trial.expected, executable.run(trial.memory, trial.values))
            if (not found.ok, found.error) > (not worst.ok, worst.error):
                worst, at = found, str(trial.case)
    except (DeviceTrouble, Unknown) as why:
        return _without_result(region, text, str(why), unfit=False)
    names = tuple(str(trial.case) for trial in trials)
    return Verdict(region.offload.region.name, text.variant.target.name, names, worst, at, "", False)


def _without_result(region: RegionText, text: VariantText, why: str, *, unfit: bool) -> Verdict:
    nothing = Difference("", 0.0, 0.0)
    return Verdict(region.offload.region.name, text.variant.target.name, (), nothing, "", why, unfit)
