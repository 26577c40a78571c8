"""The model of a CPU from what its driver and its host tell."""

from __future__ import annotations

import pytest

from accshare.device import PRESETS
from accshare.device.describe import describe
from accshare.device.vectors import Vectors

GENERIC = PRESETS["generic-cpu"]
ENTRY = {
    "name": "Some CPU",
    "vendor": "Someone",
    "type": "cpu",
    "compute_units": 8,
    "max_work_group": 4096,
    "local_bytes": 1 << 20,
    "local_dedicated": True,
    "fp64": True,
    "vector_width_float": 4,
    "native_width_float": 8,
    "cacheline_bytes": 64,
    "cache_bytes": 0,
    "attributes": {},
}


def level(number, kib, units=1):
    return {"level": number, "bytes": kib * 1024, "units": units}


@pytest.mark.parametrize(
    ("caches", "kib"),
    [
        ([level(1, 48), level(2, 2048), level(3, 32768, 16)], (48, 2048, 2048)),
        ([level(1, 32, 2), level(2, 512, 2), level(3, 16384, 8)], (16, 256, 2048)),
        ([level(1, 64), level(2, 4096, 4)], (64, 1024, 0)),
        ([level(1, 32)], (32, 32, 0)),
    ],
    ids=["a core's own", "of two threads", "without a third", "one"],
)
def test_a_unit_has_its_part_of_each_cache(caches, kib):
    model = describe({**ENTRY, "caches": caches})
    assert (model.l1_bytes, model.l2_bytes, model.l3_bytes) == tuple(size * 1024 for size in kib)


@pytest.mark.parametrize(("told", "third"), [(0, 0), (1 << 20, 0), (32 << 20, 4 << 20)])
def test_without_the_hosts_word_caches_are_taken_for_small(told, third):
    for caches in ({"caches": []}, {}):
        model = describe({**ENTRY, **caches, "cache_bytes": told})
        assert (model.l1_bytes, model.l2_bytes, model.l3_bytes) == (GENERIC.l1_bytes, GENERIC.l2_bytes, third)


def test_local_memory_of_a_cpu_is_ordinary_memory():
    assert not describe(ENTRY).local_dedicated


def test_vectors_are_the_drivers_where_none_were_tried():
    model = describe(ENTRY)
    assert (model.simd_width, model.local_bandwidth) == (8, 64)


def test_tried_vectors_count_more_than_told_ones():
    model = describe({**ENTRY, "native_width_float": 16}, Vectors(32, 32, "its compiler uses vectors of 32 bytes"))
    assert (model.simd_width, model.registers_per_unit, model.cache_bandwidth) == (8, 8 * 32, 64)


def test_caches_that_are_no_list_are_refused():
    with pytest.raises(TypeError, match="caches"):
        describe({**ENTRY, "caches": 3})
