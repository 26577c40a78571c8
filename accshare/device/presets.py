"""Device models known by name. Where each figure is from, and which are estimates: ``docs/devices.md``."""

from __future__ import annotations

from accshare.device.model import Device, DeviceKind

_KIB = 1024


def _cpu(
    name: str, *, cores: int, lanes: int, registers: int, level1_kib: int, level2_kib: int, level3_kib: int
) -> Device:
    """A CPU core runs one work-group at a time; local memory is its ordinary memory, read through its first-level
    cache, which takes two vector loads a clock. A group's local memory should fit there. Caches are a core's own, or
    its part of those that cores share."""
    return Device(
        name=name,
        kind=DeviceKind.CPU,
        lockstep=False,
        compute_units=cores,
        simd_width=lanes,
        max_work_group=1024,
        max_threads_per_unit=1024,
        local_bytes=level1_kib * _KIB,
        local_dedicated=False,
        transaction_bytes=64,
        banks=1,
        bank_bytes=64,
        fp64=True,
        local_per_unit=level1_kib * _KIB,
        max_groups_per_unit=1,
        registers_per_unit=registers * lanes,
        local_bandwidth=2 * 4 * lanes,
        cache_bandwidth=2 * 4 * lanes,
        l1_bytes=level1_kib * _KIB,
        l2_bytes=level2_kib * _KIB,
        l3_bytes=level3_kib * _KIB,
    )


_GENERIC = (
    # The least an OpenCL GPU of the last decade offers; work-groups of 256 run everywhere.
    Device(
        name="generic-gpu",
        kind=DeviceKind.GPU,
        compute_units=16,
        simd_width=32,
        max_work_group=256,
        max_threads_per_unit=1024,
        local_bytes=32 * _KIB,
        local_dedicated=True,
        transaction_bytes=128,
        banks=32,
        bank_bytes=4,
        fp64=True,
        local_per_unit=64 * _KIB,
        max_groups_per_unit=16,
        registers_per_unit=65536,
        local_bandwidth=128,
        cache_bandwidth=48,
        registers_per_item=128,
        lanes=64,
        load_cache_bytes=16 * _KIB,
    ),
    # Any multi-core CPU through PoCL or Intel's runtime; caches no larger than most have had since 2013.
    _cpu("generic-cpu", cores=4, lanes=8, registers=16, level1_kib=32, level2_kib=256, level3_kib=1024),
)


def _nvidia(
    name: str,
    *,
    units: int,
    threads: int,
    groups: int,
    local_kib: int,
    cache: float,
    registers: int = 65536,
    transaction: int = 128,
    bank_bytes: int = 4,
    own: int = 255,
    lanes: int = 128,
    load_kib: int = 0,
) -> Device:
    """What NVIDIA's GPUs have in common: warps of 32, groups of up to 1024, 48 KiB of local memory through OpenCL."""
    return Device(
        name=name,
        kind=DeviceKind.GPU,
        compute_units=units,
        simd_width=32,
        max_work_group=1024,
        max_threads_per_unit=threads,
        local_bytes=48 * _KIB,
        local_dedicated=True,
        transaction_bytes=transaction,
        banks=32,
        bank_bytes=bank_bytes,
        fp64=True,
        local_per_unit=local_kib * _KIB,
        max_groups_per_unit=groups,
        registers_per_unit=registers,
        local_bandwidth=32 * bank_bytes,
        cache_bandwidth=cache,
        registers_per_item=own,
        lanes=lanes,
        load_cache_bytes=load_kib * _KIB,
        sound_barriers=True,
    )


_NVIDIA = (
    # The four GPUs of SHARE are this one, gtx-titan, tesla-c2050 and hd-7850 (SHARE, Table 3). Its formula (12) for
    # gemm counts transactions of 256 bytes; the card holds two GPUs, OpenCL sees each by itself.
    _nvidia(
        "gtx-690",
        units=8,
        threads=2048,
        groups=16,
        local_kib=48,
        cache=64,
        bank_bytes=8,
        transaction=256,
        own=63,
        lanes=192,
    ),
    _nvidia("gtx-titan", units=14, threads=2048, groups=16, local_kib=48, cache=54.9, bank_bytes=8, lanes=192),
    _nvidia(
        "tesla-c2050",
        units=14,
        threads=1536,
        groups=8,
        local_kib=48,
        cache=27.4,
        registers=32768,
        own=63,
        lanes=64,
        load_kib=16,
    ),
    _nvidia("v100", units=80, threads=2048, groups=32, local_kib=96, cache=23.0, lanes=64, load_kib=128),
    _nvidia("a100", units=108, threads=2048, groups=32, local_kib=164, cache=35.8, lanes=64, load_kib=192),
    _nvidia("h100", units=132, threads=2048, groups=32, local_kib=228, cache=34.5, lanes=128, load_kib=256),
    _nvidia("h200", units=132, threads=2048, groups=32, local_kib=228, cache=37.8, lanes=128, load_kib=256),
    _nvidia("rtx-4090", units=128, threads=1536, groups=24, local_kib=100, cache=12.3, lanes=128, load_kib=128),
)


def _amd(
    name: str,
    *,
    units: int,
    wave: int,
    threads: int,
    groups: int,
    registers: int,
    transaction: int,
    cache: float,
    group_kib: int = 64,
    unit_kib: int = 64,
    halves: int = 1,
    load_kib: int = 16,
    channels: tuple[int, int] = (1, 0),
) -> Device:
    """What AMD's GPUs have in common: groups of up to 256 through OpenCL, local memory in banks of 32.

    `halves` counts the local memories of a compute unit, each with its own banks; `channels` are those of global
    memory, and the bytes that lie in each before the next one follows.
    """
    return Device(
        name=name,
        kind=DeviceKind.GPU,
        compute_units=units,
        simd_width=wave,
        max_work_group=256,
        max_threads_per_unit=threads,
        local_bytes=group_kib * _KIB,
        local_dedicated=True,
        transaction_bytes=transaction,
        banks=32,
        bank_bytes=4,
        fp64=True,
        local_per_unit=unit_kib * _KIB,
        max_groups_per_unit=groups,
        registers_per_unit=registers,
        local_bandwidth=128 * halves,
        cache_bandwidth=cache,
        channels=channels[0],
        channel_bytes=channels[1],
        registers_per_item=256,
        lanes=64 * halves,
        load_cache_bytes=load_kib * _KIB,
        sound_barriers=True,
    )


_AMD = (
    _amd(
        "hd-7850",
        units=16,
        wave=64,
        threads=2560,
        groups=16,
        registers=65536,
        transaction=64,
        cache=32,
        group_kib=32,
        channels=(8, 256),
    ),
    _amd("mi210", units=104, wave=64, threads=2048, groups=16, registers=131072, transaction=128, cache=28.6),
    _amd(
        "mi300x",
        units=304,
        wave=64,
        threads=2048,
        groups=16,
        registers=131072,
        transaction=128,
        cache=39.1,
        load_kib=32,
    ),
    # Its compute unit, as OpenCL counts, is a work-group processor: two compute units of the older kind.
    _amd(
        "rx-7900-xtx",
        units=48,
        wave=32,
        threads=2048,
        groups=32,
        registers=196608,
        transaction=128,
        cache=44.6,
        unit_kib=128,
        halves=2,
        load_kib=32,
    ),
)

_INTEL = (
    # A compute unit here is an Xe-core; Intel's driver counts its eight vector engines instead.
    Device(
        name="intel-max-1100",
        kind=DeviceKind.GPU,
        compute_units=56,
        simd_width=32,
        max_work_group=1024,
        max_threads_per_unit=2048,
        local_bytes=128 * _KIB,
        local_dedicated=True,
        transaction_bytes=64,
        banks=128,
        bank_bytes=4,
        fp64=True,
        local_per_unit=128 * _KIB,
        max_groups_per_unit=32,
        registers_per_unit=131072,
        local_bandwidth=512,
        cache_bandwidth=63.5,
        registers_per_item=128,
        load_cache_bytes=512 * _KIB,
        sound_barriers=True,
    ),
)


_CPUS = (
    _cpu("xeon-8480", cores=56, lanes=16, registers=32, level1_kib=48, level2_kib=2048, level3_kib=1920),
    _cpu("graviton3", cores=64, lanes=8, registers=32, level1_kib=64, level2_kib=1024, level3_kib=512),
)

#: name -> model, for ``--acc-target=NAME``.
PRESETS: dict[str, Device] = {device.name: device for device in (*_GENERIC, *_NVIDIA, *_AMD, *_INTEL, *_CPUS)}


def preset(name: str) -> Device:
    """The model called `name`; `KeyError` when there is none."""
    return PRESETS[name]
