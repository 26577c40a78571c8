"""What the sample programs gain: the same loops by gcc, by gcc with OpenMP, and on the device."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from accshare.records import dataclass

SIZES = ("small", "medium", "large")

#: sample -> its arguments at each of `SIZES`
PROBLEMS: dict[str, tuple[str, str, str]] = {
    "mt": ("256 256", "2048 2048", "8192 8192"),
    "gemm": ("64 64 64", "512 512 512", "2048 2048 2048"),
    "mv": ("256 256", "2048 2048", "16384 16384"),
    "gauss": ("128 128", "1024 1024", "8192 8192"),
    "hotspot": ("64 64 10", "512 512 60", "4096 4096 100"),
    "reduction": ("4096", "1048576", "67108864"),
    "histogram": ("65536", "4194304", "134217728"),
    "struct": ("1024 5", "65536 20", "4194304 50"),
}
FLAGS = ["-std=gnu99", "-O3", "-march=native", "-Wno-unknown-pragmas"]
_PRAGMA = re.compile(r"^[ \t]*#pragma acc (?P<text>(?:[^\\\n]|\\\n|\\)*)$", re.MULTILINE)
_COMPUTE = re.compile(r"(?:kernels|parallel) loop\b")
_REDUCING = re.compile(r"loop\b.*\breduction\(", re.DOTALL)
_REDUCTION = re.compile(r"reduction\([^)]*\)")
_ATOMIC = re.compile(r"atomic\b")
_CONSTRUCT = re.compile(r"(?:kernels|parallel)\b")
_INNER_PRAGMA = re.compile(r"^[ \t]*#pragma (?:[^\\\n]|\\\n|\\)*\n", re.MULTILINE)
_MARK = re.compile(r"/\*.*?\*/|//[^\n]*|[(){};]", re.DOTALL)
_VALUE = re.compile(r"\b(?:float|double) (?P<name>\w+) = (?P<value>[^;,]*);")
_TIME = re.compile(r"^time first=(?P<first>[\d.e+-]+) best=(?P<best>[\d.e+-]+)$", re.MULTILINE)
_CHECKSUM = re.compile(r"^checksum .*$", re.MULTILINE)


class Failed(Exception):  # noqa: N818 - says what happened to the measurement
    """A command of the measurement failed; the text is its command line and what it said."""


class TooLong(Failed):
    """A command was ended because it took too long."""


class Refused(Failed):
    """A compiler can do nothing with a program that is right; the text has its reason."""


@dataclass(frozen=True, slots=True)
class HostTimes:
    """Seconds of the first and the fastest run of the program's hot part."""

    first: float
    best: float


@dataclass(frozen=True, slots=True)
class DeviceTimes:
    """As `HostTimes`, and where the time went: seconds in kernels and in transfers per run (mean), and once in building
    the kernels. `moved` is bytes per run."""

    first: float
    best: float
    kernel: float
    transfer: float
    build: float
    moved: int
    device: str


@dataclass(frozen=True, slots=True)
class ProgramTimes:
    """One sample at one size."""

    sample: str
    arguments: str
    gcc: HostTimes
    openmp: HostTimes
    accshare: DeviceTimes
    same_answer: bool

    def ratios(self) -> dict[str, float]:
        """How many times faster the device is than each host build, fastest runs compared."""
        return {name: times.best / self.accshare.best for name, times in (("gcc", self.gcc), ("openmp", self.openmp))}


def execute(
    command: list[str], environment: Mapping[str, str], limit: float | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command, in `folder` if one is given, to its end, or until Ctrl-C or `limit` s, when all that it started
    ends as well. Raises `Failed` where it can't start or exits with an error, and `TooLong`."""
    out = subprocess.PIPE
    try:
        process = subprocess.Popen(
            command, env=environment, stdout=out, stderr=out, text=True, start_new_session=True, cwd=folder
        )
    except OSError as error:
        raise Failed(f"{' '.join(command)}: {error.strerror}") from error
    with process:
        try:
            said = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired as error:
            raise TooLong(f"{' '.join(command)}: took longer than {limit:.0f} s") from error
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)  # a compiler's driver would leave the compiler behind
    result = subprocess.CompletedProcess(command, process.returncode, *said)
    if result.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit code {result.returncode}\n{result.stdout}{result.stderr}".rstrip())
    return result


def openmp(source: str) -> str:
    """The program as one would write it for OpenMP: its compute loops ``parallel for``, reductions in them ``simd``,
    ``atomic`` as it is, no other acc pragma."""

    def replace(pragma: re.Match[str]) -> str:
        if _COMPUTE.match(pragma["text"]):
            return " ".join(["#pragma omp parallel for", *_REDUCTION.findall(pragma["text"])])
        if _ATOMIC.match(pragma["text"]):
            return f"#pragma omp {pragma['text']}"
        if _REDUCING.match(pragma["text"]):
            return " ".join(["#pragma omp simd", *_REDUCTION.findall(pragma["text"])])
        return ""

    return _PRAGMA.sub(replace, source)


def scops(source: str, real: str) -> str:
    """The program as Pluto reads it: each compute construct is a scop, in which there are no pragmas, the element type
    `real` is called by its name, and values that never change are put in for their names, since Pluto knows no
    declarations."""
    parts: list[str] = []
    at = 0
    for pragma in _PRAGMA.finditer(source):
        if not _CONSTRUCT.match(pragma["text"]):
            continue
        end = _end_of_statement(source, pragma.end())
        region = re.sub(r"\breal\b", real, _INNER_PRAGMA.sub("", source[pragma.end() : end]))
        parts += [source[at : pragma.start()], "#pragma scop", _with_values(region), "\n#pragma endscop"]
        at = end
    return "".join([*parts, source[at:]])


def _end_of_statement(source: str, at: int) -> int:
    """Of the loop or block that comes next."""
    depth = 0
    for mark in _MARK.finditer(source, at):
        depth += (mark[0] in "({") - (mark[0] in ")}")
        if depth == 0 and mark[0] in ";}":
            return mark.end()
    return len(source)


def _with_values(region: str) -> str:
    """The region with the values of its variables that are only ever initialised."""
    for name in [value["name"] for value in _VALUE.finditer(region)]:
        if len(re.findall(rf"\b{name}\s*[-+*/]?=(?!=)", region)) > 1:
            continue
        value = next(value for value in _VALUE.finditer(region) if value["name"] == name)
        text = " ".join(value["value"].split())
        region = region[: value.start()] + re.sub(rf"\b{name}\b", f"({text})", region[value.end() :])
    return region


def program_times(samples: Path, sample: str, size: str, repeats: int, folder: Path) -> ProgramTimes:
    """Builds `sample` three ways in `folder` and runs each; raises `Failed`."""
    if sample not in PROBLEMS:
        raise Failed(f"{sample}: no such sample; there are {', '.join(PROBLEMS)}")
    source = samples / f"{sample}.c"
    if not source.is_file():
        raise Failed(f"{source}: no such file; --samples names the folder")
    arguments = PROBLEMS[sample][SIZES.index(size)]
    parallel = folder / f"{sample}-openmp.c"
    parallel.write_text(openmp(source.read_text()))
    profile = folder / f"{sample}.json"
    on_device = {
        "ACCSHARE_OFFLOAD": "mandatory",
        "ACCSHARE_PROFILE": f"json:{profile}",
        "ACCSHARE_CACHE_DIR": str(folder / "kernels"),
    }

    def measure(name: str, command: list[str], file: Path, settings: dict[str, str]) -> tuple[HostTimes, str]:
        binary = folder / f"{sample}-{name}"
        execute([*command, *FLAGS, "-I", str(samples), str(file), "-lm", "-o", str(binary)], os.environ)
        result = execute([str(binary), *arguments.split(), str(repeats)], {**os.environ, **settings})
        return host_times(str(binary), result.stderr), checksum(result.stdout)

    gcc, answer = measure("gcc", ["gcc"], source, {})
    omp, omp_answer = measure("openmp", ["gcc", "-fopenmp"], parallel, {})
    ours, our_answer = measure("accshare", [sys.executable, "-m", "accshare.cc"], source, on_device)
    device = _device_times(ours, profile, repeats)
    return ProgramTimes(sample, arguments, gcc, omp, device, answer == omp_answer == our_answer)


def checksum(output: str) -> str:
    """What a sample printed of its results."""
    return "".join(_CHECKSUM.findall(output))


def host_times(program: str, text: str) -> HostTimes:
    """What a program printed of its time; raises `Failed`."""
    found = _TIME.search(text)
    if found is None:
        raise Failed(f"{program}: printed no time")
    return HostTimes(float(found["first"]), float(found["best"]))


def kernel_seconds(profile: Path) -> tuple[str, float]:
    """The device of a profile, and the seconds in kernels of all runs."""
    regions = _offloaded(profile)["regions"]
    return regions[0]["device"], sum(region["kernel_seconds"] for region in regions)


def regions_of(profile: Path) -> list[dict[str, Any]]:
    """What a profile says of each region; nothing where no program wrote one."""
    return _figures(profile)["regions"] if profile.is_file() else []


def _figures(profile: Path) -> dict[str, Any]:
    try:
        figures: dict[str, Any] = json.loads(profile.read_text())
    except (OSError, ValueError) as error:
        raise Failed(f"{profile}: no profile: {error}") from error
    return figures


def _offloaded(profile: Path) -> dict[str, Any]:
    figures = _figures(profile)
    if not figures["regions"]:
        raise Failed(f"{profile}: no region ran on a device")
    return figures


def _device_times(times: HostTimes, profile: Path, repeats: int) -> DeviceTimes:
    figures = _offloaded(profile)
    regions = figures["regions"]
    traffic = [place[way] for place in (*regions, *figures["data"]) for way in ("in", "out")]
    return DeviceTimes(
        first=times.first,
        best=times.best,
        kernel=sum(region["kernel_seconds"] for region in regions) / repeats,
        transfer=sum(moved["seconds"] for moved in traffic) / repeats,
        build=sum(region["build_seconds"] for region in regions),
        moved=sum(moved["bytes"] for moved in traffic) // repeats,
        device=regions[0]["device"],
    )
