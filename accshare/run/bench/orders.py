"""What the order gains that the compiler finds: loops in several phases (SUPER's seventeen) and steps in time (WAVE's
eight), as they are written and as they are found, on the same device."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from accshare.records import dataclass
from accshare.run.bench.cases import CASES, FLOAT, Wish
from accshare.run.bench.programs import FLAGS, Failed, checksum, execute, host_times, regions_of
from accshare.run.bench.suite import wishes

SOURCE, FOUND = "source", "found"
_BUILDS = {SOURCE: ("--acc-schedule=source",), FOUND: ()}
#: WAVE's, as programs of ``benchmarks/programs``
_STEPS = ("jacobi1d", "jacobi2d", "jacobi3d", "stencil27", "sor1d", "sor", "fdtd2d", "heat2d")
#: what host and device agree on
_SAME_DIGITS = ("-ffp-contract=off",)


@dataclass(frozen=True, slots=True)
class Ordered:
    """A program at one size: by build, the fastest run's seconds in kernels, and its launches; none where the host runs
    a part, and seconds are those of the program's hot part."""

    program: str
    arguments: str
    device: str
    seconds: Mapping[str, float]
    launches: Mapping[str, int]
    same_answer: bool

    @property
    def gain(self) -> float:
        """How many times faster what is found is."""
        return self.seconds[SOURCE] / self.seconds[FOUND]


def ordered_programs(only: Sequence[str], size: str) -> Iterator[Wish]:
    """The programs, each at the first of its sizes; or those that are asked for, also with sizes. Raises `Failed`."""
    names = only or (*_STEPS, *(case.name for case in CASES if case.loops))
    last = ""
    for wish in wishes(names, size, FLOAT):
        if wish.case.name != last:
            yield wish
        last = wish.case.name


def ordered(wish: Wish, benchmarks: Path, samples: Path, repeats: int, folder: Path, target: str) -> Ordered:
    """Builds a program twice for `target` and runs both `repeats` times by turns, after a run that builds kernels.
    Raises `Failed`."""
    case = wish.case
    source = benchmarks / "programs" / f"{case.program}.c"
    if not source.is_file():
        raise Failed(f"{source}: no such file; --benchmarks names the folder")
    flags = [*FLAGS, *_SAME_DIGITS, "-I", str(samples), "-I", str(source.parent), f"-DREAL={wish.real}"]
    flags += [f"-DLOOPS={case.loops}", "-ffast-math"] if case.loops else []  # sums there may be taken in any order
    binaries = {build: folder / f"{case.name.replace('/', '-')}-{build}" for build in _BUILDS}
    for build, binary in binaries.items():
        ours = [sys.executable, "-m", "accshare.cc", *flags, f"--acc-target={target}", *_BUILDS[build]]
        execute([*ours, str(source), "-lm", "-o", str(binary)], os.environ)
    profile = folder / "orders.json"
    settings = {
        "ACCSHARE_BREAK_EVEN": "0",
        "ACCSHARE_LEARN": "off",
        "ACCSHARE_PROFILE": f"json:{profile}",
        "ACCSHARE_CACHE_DIR": str(folder / "kernels"),
    }
    seconds: dict[str, float] = {}
    launches: dict[str, int] = {}
    answers, device = set(), ""
    for turn in range(1 + repeats):
        for build, binary in binaries.items():
            profile.unlink(missing_ok=True)
            result = execute([str(binary), *wish.arguments.split(), "1"], {**os.environ, **settings})
            answers.add(checksum(result.stdout))
            regions = regions_of(profile)
            if regions and not any(region["host_runs"] for region in regions):
                device = regions[0]["device"]
                launches[build] = sum(region["launches"] for region in regions)
                one = sum(region["kernel_seconds"] for region in regions)
            else:
                launches[build], one = 0, host_times(str(binary), result.stderr).best
            seconds[build] = min(one, seconds.get(build, one)) if turn else math.inf
    return Ordered(case.name, wish.arguments, device, seconds, launches, len(answers) == 1)
