"""Programs that once went wrong: each prints what its first lines say, on every kind of OpenCL device and without one.

A program is a file of ``programs/`` that begins with a comment, its output (``// prints:``, once a line) and how many
kernels a run launches (``// launches:``).
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from commands import accshare_cc
from tiers import telling

PROGRAMS = {path.stem: path for path in sorted(Path(__file__).with_name("programs").glob("*.c"))}
#: the device shares the host's memory, or has its own
MEMORIES = {"shared": "1", "own": "0"}
#: how devices are: GPUs have memory of their own, CPUs work in the host's
LIKELY = [(name, *device) for name in PROGRAMS for device in (("generic-gpu", "own"), ("generic-cpu", "shared"))]
UNLIKELY = [(name, *device) for name in PROGRAMS for device in (("generic-gpu", "shared"), ("generic-cpu", "own"))]
#: of some programs, as OpenCL takes time to build kernels; natively, with kernels for CPUs, native/test_native.py runs
#: them all
QUICK = {("names", "generic-gpu", "own"), ("segments", "generic-cpu", "shared")}
USUAL = (
    QUICK
    | {(name, "generic-gpu", "own") for name in [*list(PROGRAMS)[4::8], "written_inside"]}
    | {("own_arrays", "generic-cpu", "shared")}
)
#: a GPU's kernels are more likely to be wrong; a CPU's are seldom made with OpenCL
SLOW = {(name, "generic-cpu", "shared") for number, name in enumerate(PROGRAMS) if number % 6}
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wno-unknown-pragmas"]
#: variables of ours that programs see
KEPT = {"ACCSHARE_CACHE_DIR", "ACCSHARE_BREAK_EVEN", "ACCSHARE_LEARN"}


def stated(program: Path, word: str) -> list[str]:
    return re.findall(rf"^// {word}: (.*)$", program.read_text(), re.MULTILINE)


def run(binary: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC") or k in KEPT}
    done = subprocess.run([binary], env=clean | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("program", PROGRAMS)
def test_with_plain_gcc(program, tmp_path):
    program = PROGRAMS[program]
    binary = tmp_path / "plain"
    subprocess.run(["gcc", *FLAGS, program, "-o", binary, "-lm"], check=True)
    assert run(binary).stdout.splitlines() == stated(program, "prints")


@pytest.mark.parametrize(("program", "target", "memory"), telling(USUAL, LIKELY, QUICK, SLOW))
def test_with_accshare(program, target, memory, tmp_path):
    check(program, target, memory, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("program", "target", "memory"), UNLIKELY)
def test_on_a_gpu_in_the_hosts_memory_and_a_cpu_with_its_own(program, target, memory, tmp_path):
    check(program, target, memory, tmp_path)


def check(program, target, memory, tmp_path):
    program = PROGRAMS[program]
    binary = tmp_path / "program"
    built = accshare_cc(f"--acc-target={target}", *FLAGS, program, "-o", binary, "-lm")
    assert built.returncode == 0, built.stderr
    assert "internal error" not in built.stderr
    done = run(binary, ACCSHARE_NOTIFY="1", ACCSHARE_ZERO_COPY=MEMORIES[memory])
    assert done.stdout.splitlines() == stated(program, "prints")
    assert [str(done.stderr.count("accshare: launch"))] == stated(program, "launches"), done.stderr
    assert run(binary, ACC_DEVICE_TYPE="host").stdout.splitlines() == stated(program, "prints")
