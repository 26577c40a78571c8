"""Runs kernels on one device, in a process of its own that a broken OpenCL compiler may end: `accshare.device.vectors`.

``python trial.py LIBRARY NUMBER`` takes on its standard input an array of jobs, ``{"source", "kernels", "data": bytes
as hexadecimal digits, "repeats", "timed": {"kernel", "repeats", "times"} or null}``. It answers each with a line,
``{"data", "seconds"}``, or ``null`` where the runtime would not run it. A job's kernels run one after the other on the
same bytes, each as one work-item that is told `repeats`; then one of them is timed, and `seconds` is the fastest run.
Objects made by accshare-cc run kernels the same way, so the OpenCL that is tried is the one that programs meet; the
structures are those of ``accshare_abi.h``.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
import time
from ctypes import POINTER, Structure, c_char_p, c_int, c_long, c_uint, c_ulong, c_void_p
from typing import Any

from accshare.records import dataclass

_ABI, _NOT_HOST = 2, 3
_COPY, _DATUM, _VALUE = 0, 0, 2
#: what would change where and how the runtime runs a region, or have it write
_OWN = ("ACC_", "ACCSHARE_NOTIFY", "ACCSHARE_PROFILE", "ACCSHARE_RECORD", "ACCSHARE_OFFLOAD")
_OPTIONS = b"-cl-std=CL1.2 -w"


class _Datum(Structure):
    _fields_ = (
        ("name", c_char_p),
        ("origin", c_void_p),
        ("lower", c_long),
        ("bytes", c_ulong),
        ("element", c_ulong),
        ("movement", c_int),
    )


class Variant(Structure):
    """``accshare_variant``."""

    _fields_ = (
        ("target", c_char_p),
        ("kind", c_char_p),
        ("source", c_char_p),
        ("options", c_char_p),
        ("kernels", POINTER(c_char_p)),
        ("kernel_count", c_uint),
        ("work_group", c_ulong),
        ("local_bytes", c_ulong),
        ("flags", c_uint),
    )


class Region(Structure):
    """``accshare_region``."""

    _fields_ = (
        ("file", c_char_p),
        ("line", c_int),
        ("function", c_char_p),
        ("name", c_char_p),
        ("variants", POINTER(Variant)),
        ("variant_count", c_uint),
        ("runtime", c_void_p),
    )


class _Argument(Structure):
    _fields_ = (("kind", c_int), ("index", c_uint), ("value", c_void_p), ("bytes", c_ulong))


class _Launch(Structure):
    _fields_ = (
        ("kernel", c_uint),
        ("line", c_int),
        ("groups", c_long * 3),
        ("local", c_uint * 3),
        ("arguments", POINTER(_Argument)),
        ("argument_count", c_uint),
    )


class _Runtime(Structure):
    """The table's first functions."""

    _fields_ = (
        ("abi", c_int),
        ("begin", ctypes.CFUNCTYPE(c_void_p, POINTER(Region), POINTER(_Datum), c_uint)),
        ("variant", c_void_p),
        ("scratch", c_void_p),
        ("launch", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Launch))),
        ("end", ctypes.CFUNCTYPE(c_int, c_void_p)),
    )


def _runtime(path: str, number: int) -> _Runtime:
    """The runtime library at `path`, set to the device that is the `number`-th of its list."""
    library = ctypes.CDLL(path)
    library.accshare_runtime.restype = POINTER(_Runtime)
    library.acc_set_device_num(number, _NOT_HOST)
    table: _Runtime = library.accshare_runtime(_ABI).contents
    return table


@dataclass
class _Program:
    """A job's kernels, and the bytes that they work on."""

    region: Region
    kernels: list[str]
    data: ctypes.Array[ctypes.c_char]

    def run(self, runtime: _Runtime, names: list[str], repeats: int) -> float | None:
        """Seconds that the kernels called `names` took; None where they did not run."""
        told = c_int(repeats)
        value = ctypes.cast(ctypes.pointer(told), c_void_p)
        passed = (_Argument * 2)(_Argument(_DATUM, 0, None, 0), _Argument(_VALUE, 0, value, ctypes.sizeof(told)))
        ones = (c_long * 3)(1, 1, 1), (c_uint * 3)(1, 1, 1)
        launches = [_Launch(self.kernels.index(name), 1, *ones, passed, len(passed)) for name in names]
        datum = _Datum(b"data", ctypes.addressof(self.data), 0, len(self.data), 1, _COPY)
        session = runtime.begin(ctypes.byref(self.region), ctypes.byref(datum), 1)
        if not session:
            return None
        start = time.perf_counter()
        launched = all(runtime.launch(session, ctypes.byref(launch)) for launch in launches)
        ended = runtime.end(session)
        return time.perf_counter() - start if launched and ended else None


def _answer(runtime: _Runtime, job: dict[str, Any]) -> dict[str, object] | None:
    names: list[str] = job["kernels"]
    kernels = (c_char_p * len(names))(*[name.encode() for name in names])
    variant = Variant(b"trial", b"cpu", job["source"].encode(), _OPTIONS, kernels, len(names), 1, 0, 0)
    region = Region(b"trial", 1, b"trial", b"trial", ctypes.pointer(variant), 1, None)
    given = bytes.fromhex(job["data"])
    program = _Program(region, names, ctypes.create_string_buffer(given, len(given)))
    if program.run(runtime, names, job["repeats"]) is None:
        return None
    result, timed = program.data.raw.hex(), job["timed"]
    if timed is None:
        return {"data": result, "seconds": 0}
    seconds = [program.run(runtime, [timed["kernel"]], timed["repeats"]) for _ in range(timed["times"])]
    if None in seconds:
        return None
    return {"data": result, "seconds": min(one for one in seconds if one is not None)}


def main(path: str, number: str) -> None:
    """Answers the jobs of the standard input."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in [name for name in os.environ if name.startswith(_OWN)]:
        del os.environ[name]
    runtime = _runtime(path, int(number))
    for job in json.load(sys.stdin):
        print(json.dumps(_answer(runtime, job)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
