"""The model of a device from what its driver tells; the rest is taken from the nearest preset (``docs/devices.md``)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from accshare.device.model import Device
from accshare.device.presets import PRESETS
from accshare.device.vectors import Vectors, vector_registers
from accshare.records import replace

#: compute capability -> preset with the nearest bandwidths; work-items, groups and KiB of shared memory a
#: multiprocessor has, from the CUDA C++ Programming Guide. Capabilities between take what the one below has.
_NVIDIA = {
    (2, 0): ("tesla-c2050", 1536, 8, 48),
    (3, 0): ("gtx-titan", 2048, 16, 48),
    (5, 0): ("v100", 2048, 32, 64),
    (5, 2): ("v100", 2048, 32, 96),
    (5, 3): ("v100", 2048, 32, 64),
    (6, 1): ("v100", 2048, 32, 96),
    (6, 2): ("v100", 2048, 32, 64),
    (7, 0): ("v100", 2048, 32, 96),
    (7, 5): ("v100", 1024, 16, 64),
    (8, 0): ("a100", 2048, 32, 164),
    (8, 6): ("rtx-4090", 1536, 16, 100),
    (8, 7): ("rtx-4090", 1536, 16, 164),
    (8, 9): ("rtx-4090", 1536, 24, 100),
    (9, 0): ("h100", 2048, 32, 228),
    (10, 0): ("h200", 2048, 32, 228),
    (12, 0): ("rtx-4090", 1536, 24, 100),
}
#: architecture as in the names of ROCm's devices -> preset
_AMD = (("gfx90a", "mi210"), ("gfx9[45]", "mi300x"), ("gfx1[0-9]{3}", "rx-7900-xtx"))
#: the engines of an Intel core hold this many threads' registers: 128 of 64 bytes, or of 32 where cores have 16 engines
_INTEL_REGISTERS = {8: 128 * 16, 16: 128 * 8}
_INTEL_LANES = 32
#: platforms of GPUs' vendors, which bring their own compilers; any other may be PoCL, or built like it
_SOUND = frozenset(
    {"NVIDIA CUDA", "AMD Accelerated Parallel Processing", "Intel(R) OpenCL Graphics", "Intel(R) OpenCL HD Graphics"}
)


def describe(entry: Mapping[str, object], vectors: Vectors | None = None) -> Device:
    """The model of one entry of the runtime's device list; `vectors` are what trials on a CPU found, None where there
    were none. Raises `KeyError` and `TypeError` where the entry is malformed."""
    gpu = entry["type"] == "gpu"
    name = re.sub(r"[^a-z0-9]+", "-", str(entry["name"]).lower())[:48].strip("-")
    told = replace(
        _gpu(entry) if gpu else _cpu(entry, vectors),
        name=name or ("gpu" if gpu else "cpu"),
        max_work_group=number(entry, "max_work_group"),
        local_bytes=number(entry, "local_bytes"),
        local_dedicated=gpu and bool(entry["local_dedicated"]),
        sound_barriers=gpu and str(entry["platform"]) in _SOUND,
        fp64=bool(entry["fp64"]),
    )
    return replace(
        told,
        compute_units=max(1, told.compute_units),
        max_threads_per_unit=max(told.max_threads_per_unit, told.max_work_group),
        local_per_unit=max(told.local_per_unit, told.local_bytes),
    )


def number(entry: Mapping[str, object], key: str) -> int:
    """The integer at `key`; `KeyError` when it is absent, `TypeError` when it is something else."""
    value = entry[key]
    if not isinstance(value, int):
        raise TypeError(f"{key} is no number")
    return value


def told_lanes(entry: Mapping[str, object]) -> int:
    """32-bit lanes of a CPU's vectors, as its driver tells them."""
    return max(1, number(entry, "vector_width_float"), number(entry, "native_width_float"))


def _cpu(entry: Mapping[str, object], vectors: Vectors | None) -> Device:
    """A core takes two vector loads a clock from its first-level cache, where local memory is too."""
    lanes = vectors.bytes // 4 if vectors else told_lanes(entry)
    line = number(entry, "cacheline_bytes") or 64
    registers = vectors.registers if vectors else vector_registers(4 * lanes)
    level1, level2, level3 = _caches(entry)
    return replace(
        PRESETS["generic-cpu"],
        compute_units=number(entry, "compute_units"),
        simd_width=lanes,
        max_threads_per_unit=number(entry, "max_work_group"),
        transaction_bytes=line,
        bank_bytes=line,
        local_per_unit=number(entry, "local_bytes"),
        registers_per_unit=registers * lanes,
        local_bandwidth=2 * 4 * lanes,
        cache_bandwidth=2 * 4 * lanes,
        l1_bytes=level1,
        l2_bytes=level2,
        l3_bytes=level3,
    )


def _caches(entry: Mapping[str, object]) -> tuple[int, int, int]:
    """Bytes a compute unit has of each level. The host tells; where it doesn't, the first two levels are the generic
    CPU's, and the one that OpenCL tells of is the third if it is larger."""
    generic, rows = PRESETS["generic-cpu"], entry.get("caches", [])
    if not isinstance(rows, list):
        raise TypeError("caches is no array")
    told = {number(row, "level"): number(row, "bytes") // max(1, number(row, "units")) for row in rows}
    if 1 in told:
        return told[1], max(told[1], told.get(2, 0)), told.get(3, 0)
    last = number(entry, "cache_bytes") // max(1, number(entry, "compute_units"))
    return generic.l1_bytes, generic.l2_bytes, last if last > generic.l2_bytes else 0


def _gpu(entry: Mapping[str, object]) -> Device:
    attributes = entry["attributes"]
    if not isinstance(attributes, dict):
        raise TypeError("attributes is no object")
    told = {str(key): number(attributes, key) for key in attributes if attributes[key]}
    units = number(entry, "compute_units")
    vendor = str(entry["vendor"]).lower()
    if "nvidia" in vendor:
        return _nvidia(told, units)
    if "advanced micro" in vendor or "amd" in vendor.split():
        return _amd(str(entry["name"]), told, units)
    if "engines_per_core" in told and "threads_per_engine" in told:
        return _intel(told, units)
    line = number(entry, "cacheline_bytes") or PRESETS["generic-gpu"].transaction_bytes
    return replace(PRESETS["generic-gpu"], compute_units=units, transaction_bytes=line)


def _nvidia(told: Mapping[str, int], units: int) -> Device:
    # A driver that does not tell is taken for a GPU of the last decade.
    capability = (told.get("capability_major", 7), told.get("capability_minor", 0))
    like, threads, groups, local_kib = _NVIDIA[max((c for c in _NVIDIA if c <= capability), default=(2, 0))]
    return replace(
        PRESETS[like],
        compute_units=units,
        simd_width=told.get("warp", PRESETS[like].simd_width),
        max_threads_per_unit=threads,
        max_groups_per_unit=groups,
        local_per_unit=local_kib * 1024,
        registers_per_unit=told.get("registers_per_group", PRESETS[like].registers_per_unit),
    )


def _amd(name: str, told: Mapping[str, int], units: int) -> Device:
    older = "rx-7900-xtx" if told.get("gfx_major", 0) >= 10 else "hd-7850"
    like = PRESETS[next((preset for pattern, preset in _AMD if re.match(pattern, name)), older)]
    return replace(
        like,
        compute_units=units,
        simd_width=told.get("wavefront", like.simd_width),
        local_per_unit=max(told.get("local_per_unit", 0), like.local_per_unit),
        banks=told.get("local_banks", like.banks),
    )


def _intel(told: Mapping[str, int], units: int) -> Device:
    """The driver counts vector engines as compute units; a work-group has a core of them."""
    engines, threads = told["engines_per_core"], told["threads_per_engine"]
    like = PRESETS["intel-max-1100" if engines == 8 else "generic-gpu"]
    return replace(
        like,
        compute_units=units // engines,
        simd_width=_INTEL_LANES,
        max_threads_per_unit=engines * threads * _INTEL_LANES,
        transaction_bytes=PRESETS["intel-max-1100"].transaction_bytes,
        registers_per_unit=engines * threads * _INTEL_REGISTERS.get(engines, 128 * 8),
    )
