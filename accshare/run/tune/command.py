"""``accshare tune`` from the command line to what it says."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeVar

from rich.console import Console

from accshare.device import NATIVE, PRESETS, Device, processor
from accshare.driver.targets import devices_for, devices_library
from accshare.driver.tunings import DatabaseTrouble, Setting, best, database_path, forget, measured
from accshare.options import AUTO, Options
from accshare.records import dataclass, replace
from accshare.run.host import HostTrouble, kernel_flags
from accshare.run.sources import Unreadable, read_file
from accshare.run.tune.apart import Answer, Ended, apart, preload
from accshare.run.tune.budget import Allowance, Budget
from accshare.run.tune.ir import Asked, Here, Job, RegionFacts, TuneTrouble
from accshare.run.tune.recorded import recorded
from accshare.run.tune.search import Search
from accshare.run.tune.show import Progress, summary
from accshare.run.tune.sizes import typical
from accshare.run.tune.work import device_there, models_of, prepare, survey

T = TypeVar("T")

#: seconds for what is no measurement: listing devices, compiling, running the host's loops
_DEVICES, _COMPILING, _HOST = 120.0, 300.0, 600.0
_INTERRUPTED = 128 + signal.SIGINT


@dataclass(frozen=True, slots=True)
class _Task:
    """A region to tune: `asked` are the inputs to tune it for, none where nobody says."""

    job: Job
    region: RegionFacts
    place: Setting
    asked: tuple[Asked, ...]


def tune(args: argparse.Namespace) -> int:
    """Tunes every region of every file; 0, or 1 where one of them can't be tuned, or 130 where the user stops it.

    Raises `TuneTrouble` where nothing can be tuned at all.
    """
    budget = Budget.of(args.budget)
    preload(["accshare.run.tune.work"])
    try:
        tasks = [task for name in args.files for task in _tasks(name, args, budget)]
        if args.forget:
            print(f"{forget([task.place for task in tasks], None, database_path())} measurements forgotten")
            return 0
        return _all(tasks, args, budget)
    except (Unreadable, HostTrouble, DatabaseTrouble) as why:
        raise TuneTrouble(str(why)) from why
    except KeyboardInterrupt:
        print("interrupted: what was measured is kept, and the same command goes on from there")
        return _INTERRUPTED


def _all(tasks: Sequence[_Task], args: argparse.Namespace, budget: Budget) -> int:
    """Each region in turn, with its part of the time."""
    if not tasks:
        raise TuneTrouble("there is nothing to tune: no region runs on a device; `accshare explain` says why")
    console = Console(stderr=True)
    failed = False
    for done, task in enumerate(tasks):
        try:
            print(_tuned(task, args, budget.share(len(tasks) - done), console), flush=True)
        except TuneTrouble as why:
            print(f"accshare: {task.region.name}: {why}; the compiler's own choice stands", file=sys.stderr)
            failed = True
    return int(failed)


def _tasks(name: str, args: argparse.Namespace, budget: Budget) -> Iterator[_Task]:
    """The regions of a file."""
    source, options = read_file(name, args.flags)
    native = bool({NATIVE, AUTO} & set(options.targets))
    here = Here(processor.name(), NATIVE, False) if native else _device(budget)
    options = replace(options, dump=(), time=False, report=False)
    met = recorded(args.record, name) if args.record else {}
    for model in _natively(options) if native else _models(options, here, budget):
        job = Job(source, options, model, flags=kernel_flags(args.flags))
        regions = _answer(apart(_within(_COMPILING, budget), survey, job), "the compiler")
        if isinstance(regions, str):
            raise TuneTrouble(f"{name}: {regions}")
        asked = _defined(args.define, regions)
        for region in regions:
            if args.record and region.name not in met:
                print(f"{region.name}: {args.record} has no sizes for it, so that it is left alone")
            elif args.only in (None, region.name):
                place = Setting(region.identity, region.name, here.name, here.driver, model.name)
                yield _Task(
                    replace(job, region=region.name), region, place, (*asked, *typical(met.get(region.name, ())))
                )


def _device(budget: Budget) -> Here:
    here = _answer(apart(_within(_DEVICES, budget), device_there), "the OpenCL driver")
    if isinstance(here, str):
        raise TuneTrouble(here)
    return here


def _models(options: Options, here: Here, budget: Budget) -> tuple[Device, ...]:
    """What to compile for: the models the user names, or that of the device. Raises `TuneTrouble` where it can't be
    asked for, as builds can't then."""
    if options.named:
        return devices_for(options.targets)
    library = devices_library()
    found = _answer(apart(_within(_DEVICES, budget), models_of, library), "the runtime") if library else ()
    if isinstance(found, str):
        raise TuneTrouble(f"builds would not find what is tuned: {found}")
    own = next((one.model for one in found if (one.name, one.driver) == (here.name, here.driver)), None)
    return (own or PRESETS["generic-gpu" if here.gpu else "generic-cpu"],)


def _natively(options: Options) -> tuple[Device, ...]:
    """The model whose kernels this processor runs: the latest that it has."""
    models = devices_for((NATIVE,), options.machine)
    found = tuple(model for model in models if processor.has(model.isa))[:1]
    if not found:
        raise TuneTrouble("the host compiler makes no native kernels for this processor")
    return found


def _defined(defines: Sequence[tuple[str, tuple[int, ...]]], regions: Sequence[RegionFacts]) -> tuple[Asked, ...]:
    """Every combination of the sizes on the command line."""
    known = dict.fromkeys(name for region in regions for name in region.integers)
    for name, _ in defines:
        if name not in known:
            there = ", ".join(known) or "none"
            raise TuneTrouble(f"--define: no loop has an integer input called {name}; there are {there}")
    values: Mapping[str, tuple[int, ...]] = dict(defines)
    if not values:
        return ()
    return tuple(Asked(tuple(zip(values, sizes, strict=True))) for sizes in product(*values.values()))


def _tuned(task: _Task, args: argparse.Namespace, budget: Budget, console: Console) -> str:
    """Tunes one region; what came of it."""
    database, region = database_path(), task.region
    with tempfile.TemporaryDirectory(prefix="accshare-tune-") as folder, Progress(console, region.name, budget) as seen:
        inputs = os.path.join(folder, "inputs")
        seen.doing("running the host's loops")
        classes = _answer(
            apart(_within(_HOST, budget), prepare, task.job, task.asked, inputs), "running the host's loops"
        )
        if isinstance(classes, str):
            raise TuneTrouble(classes)
        seen.doing("measuring the compiler's own choice")

        def tell() -> None:
            seen.tried(len(search.known), 1 / search.ratio(search.leaders(1)[0]))

        search = Search(
            *(task.job, region, inputs, classes, task.place, database, budget, tell, args.limit, args.choices)
        )
        search.run(resume=not args.again)
    found = best(measured(task.place, database))
    winner = found[0] if found and found[0] in search.known else None
    kernels = region.of(winner.order) if winner else region.kernels
    return summary(region.name, task.place.target, kernels, search.known, winner, sure=winner in search.sure)


def _within(seconds: float, budget: Budget) -> Allowance:
    """What a call gets that is silent while it runs."""
    return Allowance(seconds, 0.0, budget.left())


def _answer(found: Answer[T] | Ended, what: str) -> T:
    """What another process returned. Raises `TuneTrouble` where it did not."""
    if isinstance(found, Ended):
        raise TuneTrouble(f"{what} {found.reason}")
    return found.value
