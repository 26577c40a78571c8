"""What the tuner's other processes do: find a device, compile, run the host's loops, measure a choice."""

from __future__ import annotations

import hashlib
import pickle
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyopencl as cl

from accshare.device.probe import Found, ProbeError, refreshed
from accshare.emit.ir import RegionText, VariantText
from accshare.mapping.ir import NestPlan
from accshare.options import AUTO, Choice
from accshare.order.ir import Origin
from accshare.pipeline import Outcome, Result, compile_unit
from accshare.pragma.ir import Movement
from accshare.records import replace
from accshare.run.compare import compare
from accshare.run.evaluate import Unknown
from accshare.run.execute import Executable
from accshare.run.generate import sections
from accshare.run.host import HostTrouble
from accshare.run.native import NativeExecutable, Unfit
from accshare.run.opencl import DeviceTrouble, default_device, misfit
from accshare.run.reference import ReferenceFunction
from accshare.run.sizes import Case, NoCase, case_near, integers
from accshare.run.tune.apart import Alive
from accshare.run.tune.budget import HOPELESS
from accshare.run.tune.ir import Asked, Here, Job, KernelFacts, Measured, RegionFacts, Sizes, Timing, Trial
from accshare.run.tune.sizes import inputs_of, size_class
from accshare.trace import StageError

#: what inputs are taken to be where nobody says
USUAL = 512
#: sizes at which a choice is only checked: more than a warp, and no multiple of a tile
_CHECKED = (33, 100)
_MOST_ELEMENTS = 1 << 28
_SEED = 20
#: repeats, and the seconds after which a few are enough
_REPEATS, _FEW, _FEWEST, _ENOUGH = 15, 3, 2, 0.6
_AXES = ("TB_X", "TB_Y", "TB_Z")


def device_there() -> Here | str:
    """The preferred device, or why there is none."""
    try:
        device = default_device()
    except DeviceTrouble as why:
        return str(why)
    return Here(device.name.strip(), device.driver_version, bool(device.type & cl.device_type.GPU))


def models_of(library: str) -> tuple[Found, ...] | str:
    """The devices that the runtime finds now, with their models, or why it can't be asked."""
    try:
        return refreshed(library)
    except ProbeError as why:
        return str(why)


def survey(job: Job) -> tuple[RegionFacts, ...] | str:
    """The regions of a file that run on the device, or what is wrong in the compiler."""
    try:
        result = compile_unit(job.source, (job.device,), job.options, "")
    except StageError as why:
        return f"this is a bug in accshare, please report it: {why}"
    return tuple(
        RegionFacts(
            outcome.region.name,
            job.options.tuned_as(outcome.identity),
            integers(outcome.offload.plan),
            tuple(_facts(nest, job) for nest in outcome.plans[0].nests),
            tuple(_orders(result, outcome, job)),
        )
        for outcome in result.outcomes
        if outcome.offload is not None and _text(result, outcome.region.name) is not None
    )


def _orders(result: Result, outcome: Outcome, job: Job) -> Iterator[tuple[str, tuple[KernelFacts, ...]]]:
    """The orders of a region's loops that give other kernels than those before, where there was any to choose from."""
    name = outcome.region.name
    if job.options.schedule != AUTO or not any(one.ordered.verdicts for one in outcome.arranged):
        return
    known = {_digest(result, name)}
    for origin in Origin:
        options = replace(job.options, schedule=origin.value)
        other = compile_unit(job.source, (job.device,), options, "", name)
        if _text(other, name) is not None and _digest(other, name) not in known:
            known.add(_digest(other, name))
            yield origin.value, tuple(_facts(nest, job) for nest in other.outcomes[0].plans[0].nests)


def prepare(job: Job, asked: Sequence[Asked], path: str) -> dict[str, str] | str:
    """Runs the host's loops on every input asked for and on small ones, and leaves all in the file `path`, and what it
    needs meanwhile in the same folder: the size class of each input, or why there are none."""
    region = _text(compile_unit(job.source, (job.device,), job.options, "", job.region), job.region)
    assert region is not None
    try:
        with tempfile.TemporaryDirectory(dir=Path(path).parent) as folder:
            reference = ReferenceFunction(region, Path(folder))
            cases = list(_cases(region, asked))
            trials = [_trial(region, reference, *each) for each in cases]
        with open(path, "wb") as file:
            pickle.dump(trials, file, protocol=pickle.HIGHEST_PROTOCOL)
    except (HostTrouble, NoCase, Unknown, TypeError, OSError) as why:
        return str(why)
    return {size: size_class(case.named) for size, _, case in cases if size}


def measure(alive: Alive, job: Job, path: str, best: Mapping[str, float], known: frozenset[str]) -> Measured:
    """Compiles the region with the choices in `job`, compares its results with the host's in the file `path`, and times
    it. `best` is the best time so far for each size, `known` the digests of what has been measured; `alive` is called
    whenever compiler or device have done something."""
    result = compile_unit(job.source, (job.device,), job.options, "", job.region)
    alive()
    region = _text(result, job.region)
    if region is None:
        return Measured("illegal", said=_reason(result.outcomes[0]))
    text = region.variants[0]
    refused = next((d.message for d in result.outcomes[0].diagnostics if d.code == "ACC509"), "")
    if refused:
        return Measured("illegal", said=refused)
    digest = _digest(result, job.region)
    if digest in known:
        return Measured("same", digest)
    measured = Measured("ok", digest)
    try:
        with tempfile.TemporaryDirectory(dir=Path(path).parent) as folder:
            executable = _executable(text, job, Path(folder))
        alive()
        with open(path, "rb") as file:
            trials: list[Trial] = pickle.load(file)
        wrong = next(_wrong(region, executable, trials, alive), "")
        if wrong:
            return replace(measured, outcome="wrong", said=wrong)
        timed = (_timed(region, executable, trial, best.get(trial.size), alive) for trial in trials if trial.size)
        return replace(measured, timings=tuple(timed))
    except Unfit as why:
        return replace(measured, outcome="unfit", said=str(why))
    except (DeviceTrouble, HostTrouble, Unknown, OSError) as why:
        return replace(measured, outcome="failed", said=str(why))


def _executable(text: VariantText, job: Job, folder: Path) -> Executable | NativeExecutable:
    """Raises `Unfit` where the variant can't run here, `DeviceTrouble` and `HostTrouble`."""
    if text.native:
        return NativeExecutable.of(text, folder, job.flags)
    device = default_device()
    unfit = misfit(text.needs, device)
    if unfit:
        raise Unfit(unfit)
    return Executable.of(text, device)


def _facts(planned: NestPlan, job: Job) -> KernelFacts:
    nest = planned.placement.partition
    plans: tuple[Sizes, ...] = tuple(p.sizes for p in nest.solution.plans) if nest.solution else ()
    free = () if nest.nest.finalize is not None else sorted(nest.nest.grid, key=lambda d: d.axis)  # parts are fixed
    tile = tuple((_AXES[d.axis], d.size) for d in free if d.axis < len(_AXES))
    alone = planned.coarsening is None
    return KernelFacts(nest.nest.name, plans, tile, job.device.max_work_group, alone)


def _text(result: Result, name: str) -> RegionText | None:
    return next((text for text in result.output.regions if text.offload.region.name == name), None)


def _digest(result: Result, name: str) -> str:
    """What tells a region's kernels from others."""
    region = _text(result, name)
    assert region is not None
    text = region.variants[0]
    return hashlib.sha256(repr((text.text, text.variant.host)).encode()).hexdigest()


def _reason(outcome: Outcome) -> str:
    return outcome.diagnostics[0].message if outcome.diagnostics else "it can't be printed"


def _cases(region: RegionText, asked: Sequence[Asked]) -> Iterator[tuple[str, int, Case]]:
    """Name, count and inputs of everything to run, each as it was asked for. Raises `NoCase`."""
    plan = region.offload.plan
    for small in _CHECKED:
        try:
            yield "", 0, case_near(plan, small, {})
        except NoCase:  # the sizes asked for are checked as well
            continue
    named: dict[str, tuple[int, Case]] = {}
    for one in asked or (Asked(()),):
        fixed = {name: value for name, value in one.inputs if name in integers(plan)}
        case = case_near(plan, USUAL, fixed, _MOST_ELEMENTS)
        name = inputs_of(case.named)
        named[name] = (named.get(name, (0, case))[0] + one.count, case)
    yield from ((name, count, case) for name, (count, case) in named.items())


def _trial(region: RegionText, reference: ReferenceFunction, size: str, count: int, case: Case) -> Trial:
    memory = sections(region, case.values, _SEED)
    return Trial(size, count, case.values, memory, reference.run(memory, case.values))


def _fresh(region: RegionText) -> set[str]:
    data = region.offload.plan.data
    return {datum.name for datum in data if datum.movement in (Movement.COPYOUT, Movement.CREATE)}


def _wrong(
    region: RegionText, executable: Executable | NativeExecutable, trials: Sequence[Trial], alive: Alive
) -> Iterator[str]:
    """What differs from the host."""
    unseen = {datum.name for datum in region.offload.plan.data if datum.movement is Movement.CREATE}
    for trial in trials:
        shares = isinstance(executable, NativeExecutable)
        done = executable.run(trial.memory, trial.values, () if shares else _fresh(region))
        found = compare(trial.expected, done, unseen)
        alive()
        if not found.ok:
            yield f"{found.place} differs from the host by {found.error:.2g}"


def _timed(
    region: RegionText, executable: Executable | NativeExecutable, trial: Trial, best: float | None, alive: Alive
) -> Timing:
    """The median; after a few repeats when they take long, and even sooner when it is clearly not the best."""
    started, found = time.perf_counter(), []
    for seconds in _times(region, executable, trial):
        alive()
        found.append(seconds)
        hopeless = best is not None and min(found) > HOPELESS * best
        long = time.perf_counter() - started > _ENOUGH
        if len(found) >= (_FEWEST if hopeless else _FEW if long else _REPEATS):
            break
    middle = statistics.median(found)
    return Timing(trial.size, trial.count, middle, statistics.median(abs(s - middle) for s in found) / middle)


def _times(region: RegionText, executable: Executable | NativeExecutable, trial: Trial) -> Iterator[float]:
    if isinstance(executable, NativeExecutable):
        return executable.times(trial.memory, trial.values)
    return executable.times(trial.memory, trial.values, _fresh(region))


def choices_for(names: Sequence[str], kernels: Sequence[Sizes]) -> tuple[Choice, ...]:
    """Choices for a region's kernels by name, in order; a kernel without sizes gets none."""
    return tuple(Choice(name, sizes) for name, sizes in zip(names, kernels, strict=True) if sizes)
