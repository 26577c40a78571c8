"""The routines of openacc.h in programs that check themselves: natively, on shared and separate memory, on the host."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import accshare_cc

PROGRAMS = sorted(Path(__file__).with_name("routines").glob("*.c"))
KEPT = {"ACCSHARE_CACHE_DIR", "ACCSHARE_LEARN"}
WAYS = {
    "native": {"ACCSHARE_BREAK_EVEN": "0"},
    "shared": {"ACC_DEVICE_TYPE": "opencl", "ACCSHARE_ZERO_COPY": "1", "ACCSHARE_BREAK_EVEN": "0"},
    "separate": {"ACC_DEVICE_TYPE": "opencl", "ACCSHARE_ZERO_COPY": "0", "ACCSHARE_BREAK_EVEN": "0"},
    "host": {"ACC_DEVICE_TYPE": "host"},
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_each_does_what_openacc_says(program, tmp_path):
    binary = tmp_path / "program"
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror"]
    built = accshare_cc(*flags, program, "-o", binary)
    assert (built.returncode, built.stderr) == (0, "")
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC") or k in KEPT}
    for name, way in WAYS.items():
        done = subprocess.run([binary], env=clean | way | {"WAY": name}, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, ""), (name, done.stderr)
