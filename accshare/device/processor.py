"""The processor that this process runs on, as the operating system tells."""

from __future__ import annotations

import os
from pathlib import Path

#: what tells processors with an instruction set from those with the one before
_FLAGS = {
    "x86-64-v2": {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
    "x86-64-v3": {"abm", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"},
    "x86-64-v4": {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"},
}
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def name() -> str:
    """What the processor is called."""
    return _told("model name") or os.uname().machine


def has(isa: str) -> bool:
    """Whether it has an instruction set of x86-64 and those before; every processor has the one without a name."""
    flags = set(_told("flags").split())
    return not isa or all(needed <= flags for level, needed in _FLAGS.items() if level <= isa)


def cache(level: int) -> int:
    """Bytes of the cache of that level which data go through; 0 where nobody tells."""
    for place in sorted(_CACHES.glob("index*")):
        if _read(place / "level") == str(level) and _read(place / "type") in ("Data", "Unified"):
            size = _read(place / "size")
            number = size.rstrip("KMG")
            return int(number) * _UNITS.get(size[len(number) :], 1) if number.isdecimal() else 0
    return 0


def _told(field: str) -> str:
    lines = (line.partition(":") for line in _read(Path("/proc/cpuinfo")).splitlines())
    return next((value.strip() for key, _, value in lines if key.strip() == field), "")


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
