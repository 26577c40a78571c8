"""What drivers tell beyond the standard, on its whole way: from an OpenCL driver through the runtime into the model."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from accshare.device import PRESETS, DeviceKind
from accshare.device.probe import probe

HEADER = Path(__file__).parents[2] / "runtime" / "src" / "opencl_min.h"

#: what every device here answers: property -> text, 4-byte number, or 8-byte number
COMMON = {
    "CL_DEVICE_TYPE": ("long", "CL_DEVICE_TYPE_GPU"),
    "CL_DEVICE_AVAILABLE": ("int", 1),
    "CL_DEVICE_COMPILER_AVAILABLE": ("int", 1),
    "CL_DEVICE_MAX_COMPUTE_UNITS": ("int", 40),
    "CL_DEVICE_MAX_WORK_GROUP_SIZE": ("long", 1024),
    "CL_DEVICE_LOCAL_MEM_SIZE": ("long", 49152),
    "CL_DEVICE_LOCAL_MEM_TYPE": ("int", "CL_LOCAL"),
    "CL_DEVICE_GLOBAL_MEM_SIZE": ("long", 1 << 34),
    "CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE": ("int", 64),
    "CL_DEVICE_DOUBLE_FP_CONFIG": ("long", 63),
    "CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT": ("int", 1),
    "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT": ("int", 1),
}

#: what vendors call their own OpenCL
PLATFORMS = {
    "NVIDIA Corporation": "NVIDIA CUDA",
    "Advanced Micro Devices, Inc.": "AMD Accelerated Parallel Processing",
    "Intel(R) Corporation": "Intel(R) OpenCL Graphics",
}
ANSWER = """\
static cl_int answer(const void *value, size_t bytes, size_t room, void *place, size_t *length) {
  if (length) *length = bytes;
  if (place && room < bytes) return -30;
  if (place) memcpy(place, value, bytes);
  return CL_SUCCESS;
}
cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *count) {
  static int platform;
  if (room && ids) *ids = (cl_platform_id)&platform;
  if (count) *count = 1;
  return CL_SUCCESS;
}
cl_int clGetDeviceIDs(cl_platform_id p, cl_bitfield type, cl_uint room, cl_device_id *ids, cl_uint *count) {
  static int device;
  (void)p, (void)type;
  if (room && ids) *ids = (cl_device_id)&device;
  if (count) *count = 1;
  return CL_SUCCESS;
}
cl_int clGetPlatformInfo(cl_platform_id p, cl_uint what, size_t room, void *place, size_t *length) {
  (void)p, (void)what;
  return answer(PLATFORM, sizeof PLATFORM, room, place, length);
}
cl_int clGetDeviceInfo(cl_device_id d, cl_uint what, size_t room, void *place, size_t *length) {
  (void)d;
  switch (what) {
"""


@pytest.fixture
def driver(tmp_path, monkeypatch):
    """Makes an OpenCL driver with one device, which answers these properties as well as the common ones."""

    def make(vendor, name, extensions="", platform=None, **told):
        texts = {"CL_DEVICE_VENDOR": vendor, "CL_DEVICE_NAME": name, "CL_DEVICE_EXTENSIONS": extensions}
        properties = {**COMMON, **{f"CL_DEVICE_{key}": value for key, value in told.items()}}
        own = f"#define PLATFORM {json.dumps(platform or PLATFORMS.get(vendor, 'Test'))}"
        lines = [f'#include "{HEADER}"', "#include <string.h>", own, ANSWER]
        for what, text in texts.items():
            quoted = json.dumps(text)
            lines.append(f"case {what}: return answer({quoted}, sizeof {quoted}, room, place, length);")
        for what, (kind, number) in properties.items():
            type_ = {"int": "cl_uint", "long": "cl_ulong"}[kind]
            lines.append(f"case {what}: {{ {type_} v = {number}; return answer(&v, sizeof v, room, place, length); }}")
        lines.append("default: return -30; } }")
        for function in re.findall(r"X\([a-z_ *]+, (\w+), \d+,", HEADER.read_text()):
            if function not in ("GetPlatformIDs", "GetPlatformInfo", "GetDeviceIDs", "GetDeviceInfo"):
                lines.append(f"cl_int cl{function}(void) {{ return -1; }}")
        source = tmp_path / "driver.c"
        source.write_text("\n".join(lines))
        library = tmp_path / "libdriver.so"
        subprocess.run(["cc", "-w", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        monkeypatch.setenv("ACCSHARE_OPENCL", str(library))

    return make


def only(runtime):
    (found,) = probe(runtime)
    return found.model


NVIDIA = "cl_khr_fp64 cl_nv_device_attribute_query cl_khr_icd"


def nvidia(major, minor, registers=65536):
    return {
        "COMPUTE_CAPABILITY_MAJOR_NV": ("int", major),
        "COMPUTE_CAPABILITY_MINOR_NV": ("int", minor),
        "REGISTERS_PER_BLOCK_NV": ("int", registers),
        "WARP_SIZE_NV": ("int", 32),
    }


@pytest.mark.parametrize(
    ("capability", "threads", "groups", "local"),
    [((2, 1), 1536, 8, 48), ((7, 5), 1024, 16, 64), ((8, 6), 1536, 16, 100), ((9, 0), 2048, 32, 228)],
)
def test_nvidia_by_compute_capability(driver, runtime, capability, threads, groups, local):
    driver("NVIDIA Corporation", "NVIDIA Something", NVIDIA, **nvidia(*capability))
    model = only(runtime)
    assert (model.max_threads_per_unit, model.max_groups_per_unit) == (threads, groups)
    assert model.local_per_unit == local * 1024
    assert (model.local_bytes, model.compute_units, model.registers_per_unit) == (49152, 40, 65536)
    assert (model.transaction_bytes, model.simd_width, model.banks) == (128, 32, 32)


def test_a_known_nvidia_gpu_is_its_preset(driver, runtime):
    driver("NVIDIA Corporation", "H100", NVIDIA, MAX_COMPUTE_UNITS=("int", 132), **nvidia(9, 0))
    assert only(runtime) == replace(PRESETS["h100"], name="h100")


@pytest.mark.parametrize("platform", ["Portable Computing Language", "rusticl"])
def test_barriers_are_sound_only_through_the_vendors_own_platform(driver, runtime, platform):
    driver("NVIDIA Corporation", "NVIDIA Something", NVIDIA, platform, **nvidia(9, 0))
    assert not only(runtime).sound_barriers
    driver("NVIDIA Corporation", "NVIDIA Something", NVIDIA, **nvidia(9, 0))
    assert only(runtime).sound_barriers


def test_a_newer_nvidia_gpu_is_like_the_newest_known(driver, runtime):
    driver("NVIDIA Corporation", "NVIDIA Future", NVIDIA, **nvidia(19, 2))
    assert only(runtime).cache_bandwidth == PRESETS["rtx-4090"].cache_bandwidth


def test_attributes_are_asked_for_only_with_their_extension(driver, runtime):
    driver("NVIDIA Corporation", "NVIDIA Something", "cl_khr_fp64", **nvidia(2, 0, 32768))
    assert only(runtime).registers_per_unit == 65536


def amd(wavefront, local_per_unit, gfx_major):
    return {
        "WAVEFRONT_WIDTH_AMD": ("int", wavefront),
        "LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD": ("int", local_per_unit),
        "LOCAL_MEM_BANKS_AMD": ("int", 32),
        "GFXIP_MAJOR_AMD": ("int", gfx_major),
        "MAX_WORK_GROUP_SIZE": ("long", 256),
    }


@pytest.mark.parametrize(
    ("name", "attributes", "like"),
    [
        ("gfx90a:sramecc+:xnack-", amd(64, 65536, 9), "mi210"),
        ("gfx942:sramecc+:xnack-", amd(64, 65536, 9), "mi300x"),
        ("gfx1100", amd(32, 65536, 11), "rx-7900-xtx"),
        ("Pitcairn", amd(64, 65536, 6), "hd-7850"),
    ],
)
def test_amd_by_architecture(driver, runtime, name, attributes, like):
    driver("Advanced Micro Devices, Inc.", name, "cl_amd_device_attribute_query", **attributes)
    model, known = only(runtime), PRESETS[like]
    assert model.simd_width == known.simd_width
    assert model.max_threads_per_unit == known.max_threads_per_unit
    assert model.local_per_unit == known.local_per_unit
    assert (model.max_work_group, model.cache_bandwidth) == (256, known.cache_bandwidth)


def test_amd_tells_more_local_memory_than_the_preset_has(driver, runtime):
    told = {**amd(64, 163840, 9), "LOCAL_MEM_SIZE": ("long", 163840)}
    driver("Advanced Micro Devices, Inc.", "gfx950", "cl_amd_device_attribute_query", **told)
    assert (only(runtime).local_per_unit, only(runtime).local_bytes) == (163840, 163840)


def test_intel_counts_vector_engines(driver, runtime):
    attributes = {"NUM_EUS_PER_SUB_SLICE_INTEL": ("int", 8), "NUM_THREADS_PER_EU_INTEL": ("int", 8)}
    driver(
        "Intel(R) Corporation",
        "Max",
        "cl_intel_device_attribute_query",
        MAX_COMPUTE_UNITS=("int", 448),
        LOCAL_MEM_SIZE=("long", 131072),
        **attributes,
    )
    assert only(runtime) == replace(PRESETS["intel-max-1100"], name="max")


def test_an_unknown_gpu_is_generic_but_for_what_it_tells(driver, runtime):
    driver("Someone", "Thing", MAX_WORK_GROUP_SIZE=("long", 512), LOCAL_MEM_SIZE=("long", 131072))
    model = only(runtime)
    assert (model.max_work_group, model.local_bytes, model.local_per_unit) == (512, 131072, 131072)
    assert (model.transaction_bytes, model.compute_units) == (64, 40)
    assert model.cache_bandwidth == PRESETS["generic-gpu"].cache_bandwidth


def test_a_cpu_has_no_memory_faster_than_its_cache(driver, runtime):
    driver(
        "Someone",
        "CPU",
        TYPE=("long", "CL_DEVICE_TYPE_CPU"),
        NATIVE_VECTOR_WIDTH_FLOAT=("int", 16),
        LOCAL_MEM_TYPE=("int", "CL_LOCAL"),
    )
    model = only(runtime)
    assert (model.kind, model.simd_width, model.local_dedicated) == (DeviceKind.CPU, 16, False)
    assert model.local_bandwidth == model.cache_bandwidth == 128
    assert model.registers_per_unit == 32 * 16
