"""The devices of this machine as models, found by the C runtime: what ``--acc-target=opencl`` compiles for, and
``auto`` where they are GPUs.

Starting a driver takes a moment and may crash, so another process asks it, and the answer is kept on disk until a
driver is installed, removed or replaced, or a variable that steers OpenCL changes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from accshare import private
from accshare.device.describe import describe, number, told_lanes
from accshare.device.model import Device, DeviceKind
from accshare.device.presets import PRESETS
from accshare.device.vectors import vectors
from accshare.records import asdict, dataclass, replace

_SCRIPT = (
    "import ctypes, sys; library = ctypes.CDLL(sys.argv[1]);"
    "library.accshare_devices_json.restype = ctypes.c_char_p;"
    "sys.stdout.buffer.write(library.accshare_devices_json())"
)
_SECONDS = 120
#: how long "no device" is believed: loading a kernel module changes it, and no file tells
_NONE_SECONDS = 600
#: how long a failure is: as long as one build may go on, since a driver that hangs makes each of its files wait
_FAILED_SECONDS = 30
_SIMULATOR = "Oclgrind"
_CPUINFO = Path("/proc/cpuinfo")
_IDENTITY = re.compile(r"(vendor_id|cpu family|model( name)?|flags|CPU (implementer|part)|Features|cpu|isa)\s*:")
_VENDORS = "/etc/OpenCL/vendors"
_MODEL = frozenset(Device.__match_args__)
_STEERING = re.compile(r"(ACCSHARE_OPENCL|ACCSHARE_OFFLOAD|OCL_|OPENCL_|POCL_|CUDA_VISIBLE|ROCR_|HIP_|LD_)\w*")


class ProbeError(Exception):
    """The devices can't be asked for; the message says why."""


@dataclass(frozen=True, slots=True)
class Found:
    """A device of this machine and the model it is compiled for; `library` is the OpenCL it was found through, `limit`
    says why its vectors are not those that its driver tells of."""

    name: str
    vendor: str
    platform: str
    driver: str
    version: str
    library: str
    global_bytes: int
    unified: bool
    model: Device
    limit: str


def probe(library: str, *, cpus: bool = True) -> tuple[Found, ...]:
    """Asks the runtime library at path `library`, the preferred device first; without `cpus`, GPUs alone, as it takes
    seconds to find out about a CPU's vectors. Raises `ProbeError`."""
    command = [sys.executable, "-I", "-c", _SCRIPT, library]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProbeError(f"{library} gives no answer: {error}") from error
    if done.returncode < 0:
        raise ProbeError(f"an OpenCL driver crashed with signal {-done.returncode} while its devices were listed")
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise ProbeError(f"{library} can't be used: {last}")
    try:
        asked = [(k, entry) for k, entry in enumerate(json.loads(done.stdout)) if cpus or entry["type"] != "cpu"]
        return tuple(_named_apart(_found(entry, library, place) for place, entry in asked))
    except (ValueError, KeyError, TypeError) as error:
        raise ProbeError(f"{library} describes its devices in a way that can't be read: {error}") from error


def found(library: str, *, cpus: bool = True) -> tuple[Device, ...]:
    """The models of this machine's devices, each once; none when they can't be asked for. Answers come from disk."""
    return tuple(dict.fromkeys(one.model for one in machine(library, cpus=cpus)))


def machine(library: str, *, cpus: bool = True) -> tuple[Found, ...]:
    """What `probe` says, which may come from disk; nothing when the devices can't be asked for."""
    entry = _entry(library, cpus)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        rows, age = json.loads(private.load(entry) or b""), time.time() - entry.stat().st_mtime
        devices = tuple(_load(row) for row in rows or ())
        if devices or age < (_FAILED_SECONDS if rows is None else _NONE_SECONDS):
            return devices
    try:
        return refreshed(library, cpus=cpus)
    except ProbeError:
        with contextlib.suppress(OSError):
            _store(entry, None)
        return ()


def refreshed(library: str, *, cpus: bool = True) -> tuple[Found, ...]:
    """What `probe` says now; it stays on disk for `machine`. Raises `ProbeError`."""
    devices = probe(library, cpus=cpus)
    with contextlib.suppress(OSError):
        _store(_entry(library, cpus), devices)
    return devices


def _named_apart(devices: Iterable[Found]) -> Iterator[Found]:
    """Devices whose models differ get different names, as variants and files are called after them."""
    taken = dict(PRESETS)
    for one in devices:
        name = one.model.name
        models = (replace(one.model, name=f"{name}-{k}" if k > 1 else name) for k in count(1))
        yield replace(one, model=next(m for m in models if taken.setdefault(m.name, m) == m))


def _found(entry: Mapping[str, object], library: str, place: int) -> Found:
    """The device at `place` of the list of the runtime `library`; a CPU's vectors are tried."""
    tried = None
    if entry["type"] == "cpu":
        timed = entry["platform"] != _SIMULATOR
        tried = vectors(library, place, 4 * told_lanes(entry), bool(entry["fp64"]), timed)
    return Found(
        name=str(entry["name"]),
        vendor=str(entry["vendor"]),
        platform=str(entry["platform"]),
        driver=str(entry["driver"]),
        version=str(entry["version"]),
        library=str(entry["library"]),
        global_bytes=number(entry, "global_bytes"),
        unified=bool(entry["unified"]),
        model=describe(entry, tried),
        limit=tried.limit if tried else "",
    )


def _key(library: str) -> str:
    """Changes with the machine (homes are shared), its processor (images are moved), the runtime library, the
    registered drivers and the variables that choose among them."""
    steering = sorted((name, value) for name, value in os.environ.items() if _STEERING.fullmatch(name))
    vendors = Path(os.environ.get("OCL_ICD_VENDORS", _VENDORS))
    registered = sorted(vendors.glob("*.icd")) if vendors.is_dir() else [vendors]
    named = os.environ.get("ACCSHARE_OPENCL")
    drivers = [*map(_driver, registered), *([Path(named)] if named else [])]
    stamps = [_stamp(path) for path in (Path(library), vendors, *registered, *drivers)]
    text = repr((os.uname().nodename, _processor(), stamps, steering))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _processor() -> list[str]:
    """What tells the first processor of this machine from others, as far as Linux says."""
    try:
        first = _CPUINFO.read_text("utf-8", "replace").partition("\n\n")[0]
    except OSError:
        return []
    return [line for line in first.splitlines() if _IDENTITY.match(line)]


def _driver(registered: Path) -> Path:
    """The library that an .icd file names, which may be a full path."""
    try:
        return Path(registered.read_text("utf-8", "replace").strip())
    except OSError:
        return registered


def _stamp(path: Path) -> tuple[str, int]:
    try:
        return str(path), path.stat().st_mtime_ns
    except OSError:
        return str(path), 0


def _entry(library: str, cpus: bool) -> Path:
    return private.cache_home() / "devices" / f"{_key(library)}{'' if cpus else '-gpus'}.json"


def _load(row: dict[str, Any]) -> Found:
    """Raises `ValueError` and others for what another version wrote: defaults of new fields are no answers."""
    if set(row["model"]) != _MODEL:
        raise ValueError("fields of another version")
    model = Device(**{**row["model"], "kind": DeviceKind(row["model"]["kind"])})
    return Found(**{**row, "model": model})


def _store(entry: Path, devices: tuple[Found, ...] | None) -> None:
    """Keeps an answer; None stands for a failure."""
    rows = None if devices is None else [asdict(one) for one in devices]
    private.store(entry, json.dumps(rows, default=_value).encode("ascii"))


def _value(kind: DeviceKind) -> str:
    return kind.value
