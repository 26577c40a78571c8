"""The most that a machine can do, measured on the spot: bytes a second by how many are used, operations a second."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from accshare import private
from accshare.records import asdict, dataclass
from accshare.run.bench.cases import BYTES, Work
from accshare.run.bench.machine import this_machine
from accshare.run.bench.programs import FLAGS, Failed, execute

_SOURCE = Path(__file__).with_name("roofline.c")
_BANDWIDTH = re.compile(r"^bandwidth (\d+) ([\d.e+]+) ([\d.e+]+)$", re.MULTILINE)
_PEAK = re.compile(r"^peak (\w+) ([\d.e+]+)$", re.MULTILINE)
#: seconds without a better try after which a figure stands that is kept
_PATIENCE = 0.3
#: other programs that run at a time, for each core, from which on nothing is kept
_BUSY = 0.5

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
        return self.over(used, work.passes * used, work.passes * work.operations, real)

    def over(self, used: int, moved: int, operations: int, real: str) -> Roof:
        """Of what moves so many bytes, `used` of which are different ones, and does so many operations."""
        memory = moved / self.rate(used)
        compute = operations / self.peak[real] if operations else 0.0
        return Roof(memory, MEMORY, moved) if memory >= compute else Roof(compute, COMPUTE, operations)

    def rate(self, used: int) -> float:
        """Bytes a second, where so many are used over and over."""
        fitting = [kib for kib in self.bandwidth if kib * 1024 >= used] or [max(self.bandwidth)]
        return self.bandwidth[min(fitting)]


def roofline(folder: Path, threads: int, patience: float) -> Roofline:
    """Builds ``roofline.c`` in `folder` and runs it: each figure stands after `patience` seconds without a better one.
    Raises `Failed`."""
    binary = folder / "roofline"
    execute(["gcc", *FLAGS, "-fopenmp", str(_SOURCE), "-o", str(binary)], os.environ)
    text = execute([str(binary), str(patience)], {**os.environ, "OMP_NUM_THREADS": str(threads)}).stdout
    measured = {int(kib): max(float(read), float(triad)) for kib, read, triad in _BANDWIDTH.findall(text)}
    # What many bytes can do, few can: where they can't, another process was in the way.
    bandwidth = {kib: max(rate for more, rate in measured.items() if more >= kib) for kib in measured}
    peak = {real: float(rate) for real, rate in _PEAK.findall(text)}
    if not bandwidth or not peak:
        raise Failed(f"{binary}: printed no figures")
    return Roofline(bandwidth, peak)


def kept_roofline() -> tuple[Roofline, bool]:
    """This machine's, measured once and kept in the cache; and whether others kept it so busy that it is not. Raises
    `Failed`."""
    machine, path = asdict(this_machine()), private.cache_home() / "roofline.json"
    machine.pop("accshare")
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
        known = json.loads(private.load(path) or b"")
        if known["machine"] == machine:
            return Roofline({int(kib): float(rate) for kib, rate in known["bandwidth"].items()}, known["peak"]), False
    busy = os.getloadavg()[0] > _BUSY * machine["cores"]
    with tempfile.TemporaryDirectory(prefix="accshare-roofline-") as folder:
        found = roofline(Path(folder), machine["cores"], _PATIENCE)
    with contextlib.suppress(OSError):
        if not busy:
            private.store(path, json.dumps({"machine": machine, **asdict(found)}).encode())
    return found, busy
