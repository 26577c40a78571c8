"""The most that a machine can do, measured on the spot: bytes a second by how many are used, operations a second."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from accshare.run.bench.cases import BYTES, Work
from accshare.run.bench.programs import FLAGS, Failed, execute

_BANDWIDTH = re.compile(r"^bandwidth (\d+) ([\d.e+]+) ([\d.e+]+)$", re.MULTILINE)
_PEAK = re.compile(r"^peak (\w+) ([\d.e+]+)$", re.MULTILINE)

#: what can bound a program
MEMORY, COMPUTE = "memory", "compute"


@dataclass(frozen=True, slots=True)
class Roof:
    """The shortest time a run can take, in seconds, what sets it, `MEMORY` or `COMPUTE`, and the bytes or operations
    that take it."""

    seconds: float
    bound: str
    amount: int


@dataclass(frozen=True, slots=True)
class Roofline:
    """Bytes a second by how many KiB are used over and over, the better of reading and of a triad; operations a
    second by element type. With all threads."""

    bandwidth: Mapping[int, float]
    peak: Mapping[str, float]

    def roof(self, work: Work, real: str) -> Roof:
        """Of a program. What it uses in turn stays in the smallest cache that holds it."""
        used = work.elements * BYTES[real]
        fitting = [kib for kib in self.bandwidth if kib * 1024 >= used] or [max(self.bandwidth)]
        moved, operations = work.passes * used, work.passes * work.operations
        memory = moved / self.bandwidth[min(fitting)]
        compute = operations / self.peak[real] if operations else 0.0
        return Roof(memory, MEMORY, moved) if memory >= compute else Roof(compute, COMPUTE, operations)


def roofline(benchmarks: Path, samples: Path, folder: Path, threads: int, patience: float) -> Roofline:
    """Builds ``roofline.c`` in `folder` and runs it: each figure stands after `patience` seconds without a better one.
    Raises `Failed`."""
    binary = folder / "roofline"
    source = benchmarks / "roofline.c"
    execute(["gcc", *FLAGS, "-fopenmp", "-I", str(samples), str(source), "-o", str(binary)], os.environ)
    text = execute([str(binary), str(patience)], {**os.environ, "OMP_NUM_THREADS": str(threads)}).stdout
    measured = {int(kib): max(float(read), float(triad)) for kib, read, triad in _BANDWIDTH.findall(text)}
    # What many bytes can do, few can: where they can't, another process was in the way.
    bandwidth = {kib: max(rate for more, rate in measured.items() if more >= kib) for kib in measured}
    peak = {real: float(rate) for real, rate in _PEAK.findall(text)}
    if not bandwidth or not peak:
        raise Failed(f"{binary}: printed no figures")
    return Roofline(bandwidth, peak)
