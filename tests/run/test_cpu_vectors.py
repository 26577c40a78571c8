"""What the model of a CPU has from its host, and how wide its vectors are for its OpenCL compiler: tried on the real
one, and on one that fails as some do."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

import pytest
from commands import accshare_cc
from tiers import every

from accshare.device import DeviceKind
from accshare.device.probe import probe

pytestmark = pytest.mark.opencl
SAMPLES = Path(__file__).parents[2] / "samples"
HEADER = Path(__file__).parents[2] / "runtime" / "src" / "opencl_min.h"

#: OpenCL as installed, but for programs whose source is WIDE
SHIM = """\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "HEADER"

static int wide;

static void *real(const char *name) {
  static void *library;
  if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW);
  return dlsym(library, name);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts, const size_t *lengths,
                                     cl_int *error) {
  cl_program (*next)(cl_context, cl_uint, const char **, const size_t *, cl_int *) = real("clCreateProgramWithSource");
  char *text = strdup(texts[0]);
  wide = WIDE;
  for (char *sum = text; wide && WRONG && (sum = strstr(sum, "+= a"));) *sum = ' ';
  cl_program made = next(context, 1, (const char **)&text, NULL, error);
  free(text);
  return made;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void (*notify)(cl_program, void *), void *data) {
  cl_int (*next)(cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *) =
      real("clBuildProgram");
  if (wide && ENDS) {
    write(2, "LLVM ERROR: no such vectors\\n", 28);
    abort();
  }
  if (wide && REFUSES) return -11;
  return next(program, count, devices, options, notify, data);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *first,
                              const size_t *size, const size_t *group, cl_uint count, const cl_event *events,
                              cl_event *event) {
  cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                 const cl_event *, cl_event *) = real("clEnqueueNDRangeKernel");
  if (wide && SLOW) usleep(100000);
  return next(queue, kernel, dimensions, first, size, group, count, events, event);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_uint what, size_t room, void *place, size_t *length) {
  cl_int (*next)(cl_device_id, cl_uint, size_t, void *, size_t *) = real("clGetDeviceInfo");
  static const char name[] = "Another CPU (tm)";
  if (what != CL_DEVICE_NAME || !getenv("SHIM_RENAMES")) return next(device, what, room, place, length);
  if (length) *length = sizeof name;
  if (place && room >= sizeof name) memcpy(place, name, sizeof name);
  return CL_SUCCESS;
}
"""
FAULTS = ("ENDS", "REFUSES", "WRONG", "SLOW")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ACCSHARE_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("ACCSHARE_OPENCL", "ACCSHARE_OFFLOAD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def cpu(runtime):
    """The first CPU device of this machine, as its compiler is without any fault."""
    found = next((one for one in probe(runtime) if one.model.kind is DeviceKind.CPU), None)
    assert found, "no OpenCL device on the CPU: install one, for example Debian's pocl-opencl-icd"
    if found.model.simd_width == 1:
        pytest.skip("its compiler has no vectors")
    return found


@pytest.fixture
def faulty(tmp_path, monkeypatch):
    """Puts an OpenCL before the real one that has one fault with programs that mention any of `words`."""

    def install(fault, *words):
        wide = " || ".join(f'strstr(text, "{word}") != NULL' for word in words)
        text = SHIM.replace("HEADER", str(HEADER)).replace("WIDE", wide)
        for name in FAULTS:
            text = text.replace(name, str(int(name == fault)))
        source, library = tmp_path / "shim.c", tmp_path / "shim.so"
        source.write_text(text)
        flags = ("-Wall", "-Werror", "-Wno-unused-result", "-shared", "-fPIC", "-Wl,--no-as-needed")
        subprocess.run(["cc", *flags, str(source), "-o", str(library), "-l:libOpenCL.so.1", "-ldl"], check=True)
        monkeypatch.setenv("ACCSHARE_OPENCL", str(library))

    return install


def the_cpu(library, like):
    return next(one for one in probe(library) if one.name == like.name)


def test_vectors_are_no_wider_than_the_driver_tells(cpu):
    told = subprocess.run(["clinfo", "--raw"], capture_output=True, text=True, check=False).stdout
    widths = [int(width) for width in re.findall(r"CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT\s+(\d+)", told)]
    if not widths:
        pytest.skip("clinfo is not installed")
    assert cpu.model.simd_width in (1, 4, 8, 16)
    assert cpu.model.simd_width <= max(widths)
    assert cpu.model.registers_per_unit in (16 * cpu.model.simd_width, 32 * cpu.model.simd_width)


def test_caches_are_the_hosts(cpu):
    """The kernel's files, read in another way: a level's size, and how many processors share it, as a mask."""
    folder = Path(f"/sys/devices/system/cpu/cpu{min(os.sched_getaffinity(0))}/cache")
    parts = {}
    for index in folder.glob("index*"):
        read = {name: (index / name).read_text().strip() for name in ("level", "type", "size", "shared_cpu_map")}
        if read["type"] != "Instruction":
            sharers = bin(int(read["shared_cpu_map"].replace(",", ""), 16)).count("1")
            parts[int(read["level"])] = int(read["size"].removesuffix("K")) * 1024 // sharers
    if 1 not in parts:
        pytest.skip("this kernel tells nothing of caches")
    model = cpu.model
    assert (model.l1_bytes, model.l3_bytes) == (parts[1], parts.get(3, 0))
    assert model.l2_bytes == max(parts[1], parts.get(2, 0))


def test_a_compiler_told_of_another_processor_is_believed(runtime, cpu, monkeypatch):
    """PoCL as distributions build it takes the first variable, other builds the second."""
    if cpu.model.simd_width < 16 or platform.machine() != "x86_64":
        pytest.skip("needs a processor with AVX-512")
    monkeypatch.setenv("POCL_KERNELLIB_NAME", "avx2")
    monkeypatch.setenv("POCL_LLVM_CPU_NAME", "haswell")
    found = next(one for one in probe(runtime) if one.model.kind is DeviceKind.CPU)
    if found.name == cpu.name:
        pytest.skip("this PoCL can't be told")
    assert (found.model.simd_width, found.model.registers_per_unit) == (8, 8 * 16)
    assert found.limit == "its compiler uses vectors of 32 bytes"


@pytest.mark.parametrize(
    ("fault", "reason"),
    every(
        2,
        [
            ("ENDS", r"vectors of \d+ bytes end its compiler \(LLVM ERROR: no such vectors\)"),
            ("REFUSES", r"vectors of \d+ bytes are refused by its compiler"),
            ("WRONG", r"vectors of \d+ bytes compute something else"),
            ("SLOW", r"vectors of \d+ bytes take .* times as long as those of \d+"),
        ],
    ),
)
def test_the_next_narrower_vectors_are_used(runtime, cpu, faulty, fault, reason):
    faulty(fault, f"float{cpu.model.simd_width}")
    limited = the_cpu(runtime, cpu)
    assert limited.model.simd_width == (cpu.model.simd_width // 2 if cpu.model.simd_width > 4 else 1)
    assert re.fullmatch(reason, limited.limit)


def test_a_compiler_without_vectors_gets_none(runtime, cpu, faulty):
    faulty("ENDS", "float4", "float8", "float16")
    assert the_cpu(runtime, cpu).model.simd_width == 1


def test_where_nothing_at_all_runs_the_driver_is_believed(runtime, cpu, faulty):
    faulty("ENDS", "float")
    believed = the_cpu(runtime, cpu)
    assert (believed.model.simd_width, believed.limit) == (cpu.model.simd_width, "")


@pytest.fixture
def gemm(runtime, tmp_path, monkeypatch):
    """Compiles the sample for this machine as it is now; running it gives its exit status and messages."""
    monkeypatch.setenv("ACCSHARE_RUNTIME", runtime)
    monkeypatch.setenv("ACCSHARE_OFFLOAD", "mandatory")
    monkeypatch.setenv("ACCSHARE_NOTIFY", "1")
    monkeypatch.setenv("ACC_DEVICE_TYPE", "cpu")

    def build():
        program = str(tmp_path / "gemm")
        assert accshare_cc(SAMPLES / "gemm.c", "-O1", "-o", program).returncode == 0
        return lambda: subprocess.run([program, "64"], capture_output=True, text=True, check=False)

    return build


@pytest.mark.thorough
def test_programs_run_where_wide_vectors_end_the_compiler(cpu, faulty, gemm):
    faulty("ENDS", f"float{cpu.model.simd_width}")
    done = gemm()()
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_programs_from_elsewhere_run_where_wide_vectors_end_the_compiler(cpu, faulty, gemm, monkeypatch):
    """What was compiled for a device of this name may have any vectors, what runs on another has general ones."""
    if cpu.model.simd_width < 16:
        pytest.skip("the general variant has vectors as wide as this device's")
    run = gemm()
    assert f"variant={cpu.model.name}" in run().stderr
    faulty("ENDS", f"float{cpu.model.simd_width}")
    monkeypatch.setenv("ACCSHARE_CACHE_DIR", os.environ["ACCSHARE_CACHE_DIR"] + "-there")
    assert run().returncode < 0
    monkeypatch.setenv("SHIM_RENAMES", "1")
    done = run()
    assert "variant=generic-cpu" in done.stderr
    assert done.returncode == 0


@pytest.mark.thorough
def test_the_listing_says_why(accshare, cpu, faulty):
    faulty("REFUSES", f"float{cpu.model.simd_width}")
    shown = accshare("devices", ACCSHARE_OPENCL=os.environ["ACCSHARE_OPENCL"])
    assert re.search(r"vectors of \d+ bytes in \d+ registers\n +because vectors of \d+ bytes are refused", shown.stdout)
    told = accshare("doctor", ACCSHARE_OPENCL=os.environ["ACCSHARE_OPENCL"])
    assert re.search(r"gets vectors of \d+ bytes: vectors of \d+ bytes are refused by its compiler", told.stdout)
