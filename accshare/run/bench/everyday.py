"""``accshare bench --everyday``: whole programs as a scientist writes them, with a plain compiler and with ours."""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean

from accshare.records import dataclass
from accshare.run.bench.programs import FLAGS, Failed, execute, host_times

#: builds of a program: its loops by gcc, by gcc with the OpenMP pragmas that stand beside ours, and by accshare
_GCC, _OPENMP, _OURS = "gcc", "openmp", "accshare"
_COMMANDS: Mapping[str, Sequence[str]] = {
    _GCC: ("gcc",),
    _OPENMP: ("gcc", "-fopenmp"),
    _OURS: (sys.executable, "-m", "accshare.cc"),
}
#: how far results may lie apart that are added up in another order, or from products that are not rounded
_ROUNDING = 5e-3
#: seconds after which a program is given up
_LIMIT = 300.0
_RESULT = re.compile(r"^result (?P<name>\w+) (?P<value>\S+)$", re.MULTILINE)
_NOISE = re.compile(r"^(?!time |accshare: (host|device|offload)).+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Seconds:
    """Of one build: the program's hot part, the whole process when caches are warm, and the first time ever."""

    hot: float
    whole: float
    first: float


@dataclass(frozen=True, slots=True)
class Everyday:
    """What one program takes in each build."""

    program: str
    seconds: Mapping[str, Seconds]
    same_answer: bool

    @property
    def ratios(self) -> tuple[float, ...]:
        """How many times faster ours is: its hot part than the better of the others, than gcc's, than OpenMP's; the
        second run and the first one than plain gcc's."""
        gcc, openmp, ours = (self.seconds[build] for build in (_GCC, _OPENMP, _OURS))
        best = min(gcc.hot, openmp.hot)
        hot = (best / ours.hot, gcc.hot / ours.hot, openmp.hot / ours.hot)
        return *hot, gcc.whole / ours.whole, gcc.first / ours.first


def programs(benchmarks: Path, only: Sequence[str]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The programs' files, all or those named, with the arguments that follow the name. Raises `Failed` where there is
    no such program."""
    found = {path.stem: path for path in sorted((benchmarks / "everyday").glob("*.c"))}
    chosen = {words.partition(" ")[0]: tuple(words.split()[1:]) for words in only} or dict.fromkeys(found, ())
    unknown = [name for name in chosen if name not in found]
    if unknown or not found:
        known = ", ".join(found) or "none; --benchmarks names the folder"
        raise Failed(f"{', '.join(unknown) or benchmarks / 'everyday'}: no such program; there are {known}")
    yield from ((found[name], arguments) for name, arguments in chosen.items())


def everyday(
    source: Path, samples: Path, folder: Path, repeats: int, arguments: Sequence[str], target: str
) -> Everyday:
    """Builds a program three ways, ours for `target`, and runs them by turns, each time in a process of its own.

    Raises `Failed`.
    """
    binaries = {build: folder / f"{source.stem}-{build}" for build in _COMMANDS}
    for build, command in _COMMANDS.items():
        flags = [*FLAGS, "-I", str(samples), "-I", str(source.parent)]
        flags += [f"--acc-target={target}"] if build == _OURS else []
        execute([*command, *flags, str(source), "-lm", "-o", str(binaries[build])], os.environ)
    caches = folder / f"{source.stem}-caches"
    environment = {**os.environ, "XDG_CACHE_HOME": str(caches), "ACCSHARE_CACHE_DIR": str(caches / "kernels")}
    runs = {build: [_run(binary, arguments, environment)] for build, binary in binaries.items()}
    for _ in range(repeats):
        for build, binary in binaries.items():
            runs[build].append(_run(binary, arguments, environment))
    seconds = {
        build: Seconds(min(r.hot for r in all_), min(r.whole for r in all_[1:]), all_[0].whole)
        for build, all_ in runs.items()
    }
    expected = runs[_GCC][0].results
    same = all(_agree(run.results, expected) for all_ in runs.values() for run in all_)
    return Everyday(source.stem, seconds, same)


def means(found: Sequence[Everyday]) -> tuple[float, ...]:
    """Geometric means of the ratios over all programs."""
    return tuple(geometric_mean(column) for column in zip(*(one.ratios for one in found), strict=True))


@dataclass(frozen=True, slots=True)
class _Run:
    hot: float
    whole: float
    results: Mapping[str, float]


def _run(binary: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> _Run:
    begin = time.perf_counter()
    process = execute([str(binary), *arguments], environment, _LIMIT)
    whole = time.perf_counter() - begin
    said = _NOISE.search(process.stderr)
    if said:
        raise Failed(f"{binary.name} wrote to stderr: {said[0]}")
    results = {found["name"]: float(found["value"]) for found in _RESULT.finditer(process.stdout)}
    return _Run(host_times(str(binary), process.stderr).best, whole, results)


def _agree(found: Mapping[str, float], expected: Mapping[str, float]) -> bool:
    return found.keys() == expected.keys() and all(
        math.isclose(found[name], value, rel_tol=_ROUNDING) for name, value in expected.items()
    )
