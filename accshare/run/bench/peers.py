"""Programs on the device against their peers: the host compiler with one thread and with all, libraries, and the naive
kernel; and against what the machine can do at most."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from accshare.device import NATIVE, processor
from accshare.device.probe import machine
from accshare.driver.targets import devices_library
from accshare.options import AUTO
from accshare.records import asdict, dataclass, field
from accshare.run.bench.cases import BLAS, BY_HAND, BYTES, COPY, FLOAT, GCC, NAIVE, OPENMP, PLUTO, POLLY, Wish
from accshare.run.bench.programs import (
    FLAGS,
    Failed,
    Refused,
    TooLong,
    checksum,
    execute,
    host_times,
    kernel_seconds,
    openmp,
    scops,
)
from accshare.run.bench.roofline import Roof, Roofline

#: the build that is compared
OURS = "accshare"
#: what a build adds to the compiler's command line, after the source
_NAIVE_FLAGS = ("--acc-share=off", "--acc-banks=off", "--acc-ilp=off", "--acc-target=generic-gpu")
#: what makes clang run Polly, with OpenMP's threads; its own kind of product takes clang 14 minutes to compile
_POLLY_FLAGS = ("-mllvm", "-polly", "-mllvm", "-polly-parallel", "-mllvm", "-polly-pattern-matching-based-opts=false")
_CLANG = re.compile(r"clang(-(?P<version>\d+))?")
#: what Pluto is asked, so that its loops are not there once for each case, which takes gcc minutes; that its own model
#: tells how large tiles are
_PLUTO_FLAGS, _PLUTO_SIZES = ("--tile", "--parallel", "--nocloogbacktrack"), "--determine-tile-size"
#: what it says of loops that have no order, and how gcc hears it
_IVDEP, _GCC_IVDEP = "#pragma ivdep", "#pragma GCC ivdep"
_COMPLAINT = re.compile(r"^.*(?:error|assertion).*$", re.IGNORECASE | re.MULTILINE)
_SMALLEST = "void f(int *x)\n{\n#pragma acc kernels\n  for (int i = 0; i < 9; i++)\n    x[i] = i;\n}\n"
#: the program that has been written by hand
_HANDWRITTEN = "gemm"
#: what a program's text has where it knows how to be this peer
_SWITCHES = {BLAS: "#ifdef BLAS", COPY: "#ifdef COPY"}
#: processes of each build that matters to a goal, by turns
_TURNS = 3
#: seconds of one run after which a program is not run again
_ENOUGH = 3.0
#: seconds that the runs of a process take at least, as long as these are not too many; no clock tells less than a tick
_SHORTEST, _MOST_REPEATS, _TICK = 0.01, 100_000, 1e-8
#: seconds after which a process that matters to a goal is ended, and a compiler
_LIMIT = 120.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where programs run that are compiled for `target`: the processor, by native kernels, or an OpenCL device."""

    target: str
    name: str
    platform: str
    driver: str
    threads: int


@dataclass(frozen=True, slots=True)
class Workbench:
    """Where programs are and are built, what they run on, and how often each process repeats its hot part.

    `patience` is after how many seconds a process that matters to no goal is ended. `clang` has Polly, `polycc` is
    Pluto's; each is empty where none was looked for or found. `built` has the binaries that were tried, with the reason
    of those that could not be built."""

    benchmarks: Path
    samples: Path
    folder: Path
    where: Place
    repeats: int
    patience: float
    clang: str = ""
    polycc: str = ""
    built: dict[Path, Failed | None] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        """Of the kernels, and so of every peer."""
        return self.where.threads


@dataclass(frozen=True, slots=True)
class Compared:
    """A program at one size: the fastest run's seconds by build; why others were not or could not be measured.

    `kernels` are the seconds in kernels of a run (mean; 0 where there was none).
    """

    wish: Wish
    seconds: Mapping[str, float]
    missing: Mapping[str, str]
    failed: Mapping[str, str]
    kernels: float
    roof: Roof
    same_answer: bool

    def against(self, peer: str) -> float | None:
        """How many times faster than a peer; None where one of the two did not run."""
        if OURS not in self.seconds or peer not in self.seconds:
            return None
        return self.seconds[peer] / self.seconds[OURS]

    def ratio(self) -> float | None:
        """How many times faster than the fastest of the peers that matter."""
        ratios = [ratio for ratio in map(self.against, self.wish.case.peers) if ratio is not None]
        return min(ratios, default=None)

    def met(self) -> bool | None:
        """Whether the goal is reached; None where there is no peer to tell."""
        if OURS not in self.seconds:
            return False
        ratio = self.ratio()
        return None if ratio is None else ratio >= self.wish.case.goal

    def part_of_roof(self) -> float | None:
        """1 is as fast as the machine can be; more where a cache held what was expected to come from memory."""
        return self.roof.seconds / self.seconds[OURS] if OURS in self.seconds else None

    def bound(self) -> str:
        """What limits the program: launches where half of its time is outside kernels, else what its roof says."""
        outside = self.kernels and self.seconds[OURS] > 2 * self.kernels
        return "launch" if outside else self.roof.bound

    def json(self) -> dict[str, object]:
        """For programs."""
        return {
            "program": self.wish.case.name,
            "arguments": self.wish.arguments,
            "real": self.wish.real,
            "peers": self.wish.case.peers,
            "goal": self.wish.case.goal,
            "seconds": dict(self.seconds),
            "missing": dict(self.missing),
            "failed": dict(self.failed),
            "kernel_seconds": self.kernels,
            "same_answer": self.same_answer,
            "ratio": self.ratio(),
            "met": self.met(),
            "roof": asdict(self.roof),
            "of_roof": self.part_of_roof(),
            "bound": self.bound(),
        }


def place_of(target: str) -> Place:
    """Where programs run that are compiled for `target`. Raises `Failed`."""
    if target in (AUTO, NATIVE):
        return Place(target, processor.name(), "native kernels", "", len(os.sched_getaffinity(0)))
    library = devices_library()
    found = machine(library) if library else ()
    if not found:
        raise Failed("no OpenCL device; `accshare doctor` tells what to install")
    one = found[0]
    return Place(target, one.name, one.platform, one.driver, one.model.compute_units)


def openblas(place: Workbench) -> str:
    """Which OpenBLAS peers are linked with. Raises `Failed` where there is none."""
    source, binary = place.benchmarks / "openblas.c", place.folder / "openblas"
    if not source.is_file():
        raise Failed(f"{source}: no such file; --benchmarks names the folder")
    try:
        execute(["gcc", str(source), "-lopenblas", "-o", str(binary)], os.environ)
    except Failed as failed:
        raise Failed("no OpenBLAS; on Debian: apt-get install libopenblas-dev") from failed
    return execute([str(binary)], _environment(place)).stdout.strip()


def polly(folder: Path) -> str:
    """The newest clang that has Polly. Raises `Failed` where there is none."""
    source = folder / "polly.c"
    source.write_text("int main(void) { return 0; }\n")
    folders = map(Path, os.get_exec_path())
    found = {file for one in folders if one.is_dir() for file in one.iterdir() if _CLANG.fullmatch(file.name)}
    for clang in sorted(found, key=_version, reverse=True):
        with contextlib.suppress(Failed):
            execute([str(clang), *_POLLY_FLAGS, str(source), "-lgomp", "-o", str(folder / "polly")], os.environ)
            return str(clang)
    raise Failed("no clang with Polly; on Debian: apt-get install clang")


def pluto(folder: Path) -> str:
    """Pluto's compiler. Raises `Failed` where there is none that works."""
    polycc = shutil.which("polycc")
    if polycc is None:
        raise Failed("no polycc, which is Pluto's; build it from https://github.com/bondhugula/pluto")
    _by_pluto(polycc, _SMALLEST, FLOAT, folder / "pluto")
    return polycc


def _by_pluto(polycc: str, source: str, real: str, folder: Path) -> str:
    """A program's text with its loops as Pluto has them, which leaves its files in `folder`. Raises `Failed`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scop.c").write_text(scops(source, real))
    command = [polycc, "scop.c", *_PLUTO_FLAGS, "-o", "loops.c"]
    try:
        execute([*command, _PLUTO_SIZES, f"--data-element-size={BYTES[real]}"], os.environ, _LIMIT, folder)
    except Failed:  # its model has not all loops
        execute(command, os.environ, _LIMIT, folder)
    return (folder / "loops.c").read_text().replace(_IVDEP, _GCC_IVDEP)


def _version(clang: Path) -> int:
    """The one in a compiler's name; that without any comes last."""
    named = _CLANG.fullmatch(clang.name)
    return int((named and named["version"]) or 0)


def compare(place: Workbench, line: Roofline, wish: Wish, unusable: Mapping[str, str]) -> Compared:
    """Builds and runs a program in every way that there is for it but the `unusable`, which come with the reason.
    Raises `Failed` where the program is not there."""
    source = _source(place, wish)
    if not source.is_file():
        raise Failed(f"{source}: no such file; --benchmarks and --samples name the folders")
    text = source.read_text()
    builds = [OURS, GCC, *(peer for peer, switch in _SWITCHES.items() if switch in text)]
    builds += [peer for peer in (POLLY, PLUTO) if peer in (*wish.case.peers, *wish.case.shown)]
    builds += [OPENMP, NAIVE] if wish.case.forced and not wish.case.loops else []
    builds += [BY_HAND] if wish.case.name == _HANDWRITTEN else []
    times = _by_turns(place, wish, [build for build in builds if build not in unusable])
    missing = times.missing | {peer: why for peer, why in unusable.items() if peer in builds}
    kernels = _in_kernels(place, wish, times.seconds[OURS]) if OURS in times.seconds else 0.0
    roof = line.roof(wish.work, wish.real)
    return Compared(wish, times.seconds, missing, times.failed, kernels, roof, len(times.answers) <= 1)


@dataclass(slots=True)
class _Times:
    """By build: the fastest run's seconds, or why there are none; and all that was printed of results."""

    seconds: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    answers: set[str] = field(default_factory=set)


def _by_turns(place: Workbench, wish: Wish, builds: Sequence[str]) -> _Times:
    """Runs the builds one after the other, several times those that matter to the goal."""
    times = _Times()
    matter = (OURS, *wish.case.peers)
    repeats = _repeats(place, wish)
    for turn in range(_TURNS):
        for build in builds if turn == 0 else [build for build in builds if build in matter]:
            if build in (times.missing | times.failed) or times.seconds.get(build, 0) > _ENOUGH:
                continue
            try:
                limit = max(_LIMIT, place.patience) if build in matter else place.patience
                if turn == 0 and build in (OURS, NAIVE):
                    _run(place, wish, build, 1, limit)  # compiles the kernels
                best, answer = _run(place, wish, build, repeats, limit)
            except TooLong as why:
                (times.failed if build in matter else times.missing)[build] = str(why)
                continue
            except Refused as why:
                times.missing[build] = str(why)
                continue
            except Failed as why:
                times.failed[build] = str(why)
                continue
            times.seconds[build] = min(best, times.seconds.get(build, best))
            if build not in (COPY, BY_HAND):
                times.answers.add(answer)
    for build in times.failed:
        times.seconds.pop(build, None)
    return times


def _repeats(place: Workbench, wish: Wish) -> int:
    """How often a process repeats the hot part: often enough for what is shorter than the clock can tell."""
    if not wish.case.sample:
        return place.repeats
    try:
        first, _ = _run(place, wish, GCC, 1, place.patience)
    except Failed:
        return place.repeats
    return max(place.repeats, min(_MOST_REPEATS, int(_SHORTEST / max(first, _TICK))))


def _source(place: Workbench, wish: Wish) -> Path:
    folder = place.samples if wish.case.sample else place.benchmarks / "programs"
    return folder / f"{wish.case.program}.c"


def _environment(place: Workbench, *, forced: bool = True) -> dict[str, str]:
    threads = str(place.threads)
    return {
        **os.environ,
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "ACCSHARE_OFFLOAD": "mandatory" if forced else "default",
        "ACCSHARE_CACHE_DIR": str(place.folder / "kernels"),
    }


def _run(place: Workbench, wish: Wish, build: str, repeats: int, limit: float) -> tuple[float, str]:
    """Seconds of the fastest run of a process, and the answer. Raises `Failed`."""
    sizes = [*wish.arguments.split(), str(repeats)]
    if build == BY_HAND:
        command = [sys.executable, str(place.benchmarks / "handwritten.py"), wish.real, *sizes]
    else:
        command = [str(_built(place, wish, build)), *sizes]
    result = execute(command, _environment(place, forced=wish.case.forced), limit)
    return host_times(command[0], result.stderr).best, checksum(result.stdout)


def _in_kernels(place: Workbench, wish: Wish, best: float) -> float:
    """Seconds in kernels of a run; 0 where the host ran it."""
    runs = max(1, min(place.repeats, int(_ENOUGH / 2 / best)))
    profile = place.folder / "profile.json"
    words = [str(_built(place, wish, OURS)), *wish.arguments.split(), str(runs)]
    settings = _environment(place, forced=wish.case.forced) | {"ACCSHARE_PROFILE": f"json:{profile}"}
    try:
        execute(words, settings, max(_LIMIT, place.patience))
        return kernel_seconds(profile)[1] / runs
    except Failed:
        return 0.0


def _built(place: Workbench, wish: Wish, build: str) -> Path:
    """The program's binary, built once. Raises `Failed`, again and again where it can't be built."""
    binary = place.folder / f"{wish.case.name.replace('/', '-')}-{wish.real}-{build}"
    if binary not in place.built:
        try:
            _build(place, wish, build, binary)
            place.built[binary] = None
        except Failed as failed:
            place.built[binary] = failed
    why = place.built[binary]
    if why is not None:
        raise why
    return binary


def _build(place: Workbench, wish: Wish, build: str, binary: Path) -> None:
    source = _source(place, wish)
    ours = [sys.executable, "-m", "accshare.cc"]
    flags = [*FLAGS, "-I", str(place.samples), "-I", str(source.parent)]
    flags += [] if wish.case.sample else [f"-DREAL={wish.real}"]
    flags += [f"-DLOOPS={wish.case.loops}"] if wish.case.loops else []
    if build == OPENMP:
        parallel = binary.with_suffix(".c")
        parallel.write_text(openmp(source.read_text()))
        source = parallel
    if build == PLUTO:
        source = _pluto_source(place, wish, binary.with_name(f"{binary.name}-loops"))
    command = {
        OURS: [*ours, *flags, f"--acc-target={place.where.target}", str(source)],
        NAIVE: [*ours, *flags, *_NAIVE_FLAGS, str(source)],
        GCC: ["gcc", *flags, str(source)],
        OPENMP: ["gcc", "-fopenmp", *flags, str(source)],
        BLAS: ["gcc", *flags, "-DBLAS", str(source), "-lopenblas"],
        COPY: ["gcc", "-fopenmp", *flags, "-DCOPY", str(source)],
        POLLY: [place.clang, *_POLLY_FLAGS, *flags, str(source), "-lgomp"],
        PLUTO: ["gcc", "-fopenmp", *flags, str(source)],
    }[build]
    execute([*command, "-lm", "-o", str(binary)], os.environ, _LIMIT)


def _pluto_source(place: Workbench, wish: Wish, folder: Path) -> Path:
    """The program in `folder`, its loops as Pluto has them. Raises `Refused` where it has none."""
    case, source = wish.case, _source(place, wish)
    loops = place.benchmarks / case.program / f"{case.loops}.c" if case.loops else source
    try:
        text = _by_pluto(place.polycc, loops.read_text(), wish.real, folder)
    except Failed as failed:
        complaint = _COMPLAINT.search(str(failed))
        raise Refused(f"Pluto refuses {case.name}: {complaint[0] if complaint else failed}") from failed
    program, written = (folder / file.relative_to(place.benchmarks) for file in (source, loops))
    for file in (program, written):
        file.parent.mkdir(exist_ok=True)
    program.write_text(source.read_text())
    written.write_text(text)
    return program
