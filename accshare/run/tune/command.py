"""``accshare tune`` from the command line to what it says."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar

from rich.console import Console

from accshare.device import PRESETS, Device
from accshare.device.probe import ProbeError, refreshed
from accshare.driver.targets import devices_for, devices_library
from accshare.driver.tunings import DatabaseTrouble, Place, best, database_path, forget, measured
from accshare.run.host import HostTrouble
from accshare.run.sources import Unreadable, read_file
from accshare.run.tune.apart import Answer, Ended, apart, preload
from accshare.run.tune.ir import Asked, Here, Job, RegionFacts, TuneTrouble
from accshare.run.tune.recorded import recorded
from accshare.run.tune.search import Search
from accshare.run.tune.show import bar, summary
from accshare.run.tune.work import device_there, prepare, survey

T = TypeVar("T")

#: seconds for what is no measurement: listing devices, compiling, running the host's loops
_DEVICES, _COMPILING, _HOST = 120.0, 300.0, 600.0
_INTERRUPTED = 128 + signal.SIGINT


@dataclass(frozen=True, slots=True)
class _Task:
    """A region to tune: `asked` are the inputs to tune it for, none where nobody says."""

    job: Job
    region: RegionFacts
    place: Place
    asked: tuple[Asked, ...]


def tune(args: argparse.Namespace) -> int:
    """Tunes every region of every file; 0, or 1 where one of them can't be tuned, or 130 where the user stops it.

    Raises `TuneTrouble` where nothing can be tuned at all.
    """
    preload(["accshare.run.tune.work"])
    try:
        tasks = [task for name in args.files for task in _tasks(name, args)]
        if args.forget:
            print(f"{forget([task.place for task in tasks], None, database_path())} measurements forgotten")
            return 0
        return _all(tasks, args)
    except (Unreadable, HostTrouble, DatabaseTrouble) as why:
        raise TuneTrouble(str(why)) from why
    except KeyboardInterrupt:
        print("interrupted: what was measured is kept, and the same command goes on from there")
        return _INTERRUPTED


def _all(tasks: Sequence[_Task], args: argparse.Namespace) -> int:
    """Each region in turn, with its part of the time."""
    if not tasks:
        raise TuneTrouble("there is nothing to tune: no region runs on a device; `accshare explain` says why")
    console = Console(stderr=True)
    failed = False
    for task in tasks:
        try:
            print(_tuned(task, args, args.budget / len(tasks), console), flush=True)
        except TuneTrouble as why:
            print(f"accshare: {task.region.name}: {why}; the compiler's own choice stands", file=sys.stderr)
            failed = True
    return int(failed)


def _tasks(name: str, args: argparse.Namespace) -> Iterator[_Task]:
    """The regions of a file."""
    source, options = read_file(name, args.flags)
    here = _answer(apart(_DEVICES, device_there), "the OpenCL driver")
    if isinstance(here, str):
        raise TuneTrouble(here)
    options = replace(options, dump=(), time=False, report=False)
    met = recorded(args.record, name) if args.record else {}
    for model in _models(options.targets, here):
        job = Job(source, options, model)
        regions = _answer(apart(_COMPILING, survey, job), "the compiler")
        if isinstance(regions, str):
            raise TuneTrouble(f"{name}: {regions}")
        asked = _defined(args.define, regions)
        for region in regions:
            if args.record and region.name not in met:
                print(f"{region.name}: {args.record} has no sizes for it, so that it is left alone")
            elif args.only in (None, region.name):
                place = Place(region.identity, region.name, here.name, here.driver, model.name)
                yield _Task(replace(job, region=region.name), region, place, (*asked, *met.get(region.name, ())))


def _models(targets: tuple[str, ...], here: Here) -> tuple[Device, ...]:
    """What to compile for: the models the user names, or that of the device. Raises `TuneTrouble` where it can't be
    asked for, as builds can't then."""
    if targets != ("auto",):
        return devices_for(targets)
    library = devices_library()
    try:
        found = refreshed(library) if library else ()
    except ProbeError as why:
        raise TuneTrouble(f"builds would not find what is tuned: {why}") from why
    own = next((one.model for one in found if (one.name, one.driver) == (here.name, here.driver)), None)
    return (own or PRESETS["generic-gpu" if here.gpu else "generic-cpu"],)


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


def _tuned(task: _Task, args: argparse.Namespace, seconds: float, console: Console) -> str:
    """Tunes one region; what came of it."""
    database, region = database_path(), task.region
    with tempfile.NamedTemporaryFile(prefix="accshare-tune-") as inputs, bar(console) as progress:
        line = progress.add_task("", total=seconds, region=region.name, count=0, speedup=1.0)
        sizes = _answer(apart(_HOST, prepare, task.job, task.asked, inputs.name), "running the host's loops")
        if isinstance(sizes, str):
            raise TuneTrouble(sizes)
        started = time.monotonic()

        def tell() -> None:
            fastest = 1 / search.ratio(search.leaders(1)[0])
            spent = min(time.monotonic() - started, seconds)
            progress.update(line, completed=spent, count=len(search.known), speedup=fastest)

        search = Search(task.job, region, inputs.name, sizes, task.place, database, seconds, tell, args.limit)
        search.run(resume=not args.again)
    found = best(measured(task.place, database))
    winner = found[0] if found and found[0] in search.known else None
    return summary(region.name, task.place.target, region.kernels, search.known, winner)


def _answer(found: Answer[T] | Ended, what: str) -> T:
    """What another process returned. Raises `TuneTrouble` where it did not."""
    if isinstance(found, Ended):
        raise TuneTrouble(f"{what} {found.reason}")
    return found.value
