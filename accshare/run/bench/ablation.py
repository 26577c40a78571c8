"""What each step gains: one sample built again and again with one more optimisation (the steps of SHARE's Fig. 7), the
iterations a work-item runs side by side (its Table 4), and what was written by hand or is a vendor's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from accshare.records import dataclass
from accshare.run.bench.programs import FLAGS, PROBLEMS, SIZES, Failed, checksum, execute, kernel_seconds

#: the samples of SHARE's evaluation
SAMPLES = ("mt", "gemm", "mv", "gauss", "hotspot")
#: what each step leaves out, the plain kernel with a work-item for each element first: SHARE's, which look at traffic
#: alone, and the one that has local memory gain time, too
STEPS: dict[str, tuple[str, ...]] = {
    "naive": ("--acc-share=off", "--acc-banks=off", "--acc-ilp=off"),
    "+share": ("--acc-share=on", "--acc-banks=off", "--acc-ilp=off"),
    "+banks": ("--acc-share=on", "--acc-ilp=off"),
    "+ILP": ("--acc-share=on",),
    "+time": (),
    "tuned": (),
}
#: the whole of what the compiler does by itself
ALL = "+time"
#: as ``benchmarks/on_gpu.py`` calls them -> as people do
PEERS = {"hand": "by hand", "clblast": "CLBlast", "cublas": "cuBLAS"}
#: runs of the hot part in one process, the mean of which counts
_RUNS = 3
#: its exit code where a library is not there, or has nothing for a sample
_NOTHING = 2


@dataclass(frozen=True, slots=True)
class Ablation:
    """One sample at one size: the fastest run's seconds in kernels by step, and the iterations of a work-item along
    x, y, z of each kernel, estimated and tuned. Steps that were not asked for are missing. `peers` has seconds, too, of
    those of `PEERS` that are there."""

    sample: str
    arguments: str
    target: str
    device: str
    seconds: Mapping[str, float]
    factors: Mapping[str, tuple[tuple[int, ...], ...]]
    peers: Mapping[str, float]
    same_answer: bool

    def speedup(self, step: str) -> float:
        """How many times faster than the naive kernel."""
        return self.seconds["naive"] / self.seconds[step]

    def against(self, peer: str) -> float | None:
        """How many times faster everything that the compiler does is than a peer."""
        return self.peers[peer] / self.seconds[ALL] if peer in self.peers else None


def ablation(
    samples: Path,
    benchmarks: Path,
    sample: str,
    size: str,
    repeats: int,
    folder: Path,
    target: str,
    budget: float,
    choices: int | None,
) -> Ablation:
    """Builds `sample` for the device model `target` step by step in `folder` and runs every build `repeats` times by
    turns. The tuner gets `budget` seconds and tries as many `choices` at most; it is left out where there is no budget.
    Peers are from `benchmarks`. Raises `Failed`."""
    if sample not in PROBLEMS:
        raise Failed(f"{sample}: no such sample; there are {', '.join(PROBLEMS)}")
    source = samples / f"{sample}.c"
    arguments = PROBLEMS[sample][SIZES.index(size)].split()
    flags = (*FLAGS, "-I", str(samples), f"--acc-target={target}")
    tuned, untuned = str(folder / f"{sample}.tuned"), str(folder / "untuned")
    steps = [step for step in STEPS if step != "tuned" or budget]
    databases = {step: tuned if step == "tuned" else untuned for step in steps}
    binaries: dict[str, Path] = {}
    for step in steps:
        binaries[step] = folder / f"{sample}-{step}"
        if step == "tuned":
            record = folder / f"{sample}.sizes"
            _run(binaries[ALL], [*arguments, "1"], {"ACCSHARE_RECORD": str(record)})
            command = ["tune", str(source), "--from", str(record), f"--budget={budget:.0f}s", *flags]
            command += [] if choices is None else [f"--choices={choices}"]
            _accshare(command, {"ACCSHARE_TUNING": tuned})
        build = [sys.executable, "-m", "accshare.cc", *flags, *STEPS[step], str(source), "-lm", "-o"]
        execute([*build, str(binaries[step])], {**os.environ, "ACCSHARE_TUNING": databases[step]})
    factors = {
        step: _factors([str(source), *flags, *STEPS[step]], databases[step]) for step in steps if step in (ALL, "tuned")
    }
    seconds: dict[str, list[float]] = {step: [] for step in steps}
    peers: dict[str, list[float]] = {}
    answers: set[str] = set()
    device = ""
    for _ in range(repeats):
        for step in steps:
            profile = folder / f"{sample}-{step}.json"
            settings = {"ACCSHARE_PROFILE": f"json:{profile}", "ACCSHARE_CACHE_DIR": str(folder / "kernels")}
            answers.add(checksum(_run(binaries[step], [*arguments, str(_RUNS)], settings)))
            device, spent = kernel_seconds(profile)
            seconds[step].append(spent / _RUNS)
        for by, peer in PEERS.items():
            peers.setdefault(peer, []).extend(_by(benchmarks, by, [sample, *arguments]))
    fastest = {step: min(all_of) for step, all_of in seconds.items()}
    others = {peer: min(all_of) for peer, all_of in peers.items() if all_of}
    return Ablation(sample, " ".join(arguments), target, device, fastest, factors, others, len(answers) == 1)


def _by(benchmarks: Path, by: str, problem: Sequence[str]) -> Iterator[float]:
    """Seconds of a peer, if it is there."""
    script = benchmarks / "on_gpu.py"
    if not script.is_file():
        return
    words = [sys.executable, str(script), by, *problem, str(_RUNS)]
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode == 0:
        yield float(result.stdout)
    elif result.returncode != _NOTHING:
        raise Failed(f"{' '.join(words)}: exit code {result.returncode}\n{result.stderr}".rstrip())


def _run(binary: Path, arguments: Sequence[str], settings: Mapping[str, str]) -> str:
    """What the program prints, its regions run by a device."""
    return execute([str(binary), *arguments], {**os.environ, "ACCSHARE_OFFLOAD": "mandatory", **settings}).stdout


def _accshare(words: Sequence[str], settings: Mapping[str, str]) -> str:
    return execute([sys.executable, "-m", "accshare.cli", *words], {**os.environ, **settings}).stdout


def _factors(words: Sequence[str], database: str) -> tuple[tuple[int, ...], ...]:
    """The iterations of every kernel's work-items on the first GPU it is for, or its work-groups' on a CPU."""
    report = json.loads(_accshare(["explain", "--json", *words], {"ACCSHARE_TUNING": database}))
    kernels = [kernel for region in report["regions"] for kernel in region["kernels"]]
    chosen = ((k["ilp"][0] if k["ilp"] else None, k["sizes"][0]["tile"]) for k in kernels)
    return tuple(tuple(ilp["factors"][: len(ilp["tile"])] if ilp else tile) for ilp, tile in chosen)
