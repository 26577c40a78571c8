"""Programs that once went wrong: each prints what its first lines say, on every kind of device and without one.

A program is a file of ``programs/`` that begins with a comment, its output (``// prints:``, once a line) and how many
kernels a run launches (``// launches:``).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.c"))
TARGETS = ["generic-cpu", "generic-gpu"]
#: the device shares the host's memory, or has its own
MEMORIES = [{"ACCSHARE_ZERO_COPY": "1"}, {"ACCSHARE_ZERO_COPY": "0"}]
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wno-unknown-pragmas"]
#: variables of ours that programs see
KEPT = {"ACCSHARE_CACHE_DIR", "ACCSHARE_BREAK_EVEN"}


def stated(program: Path, word: str) -> list[str]:
    return re.findall(rf"^// {word}: (.*)$", program.read_text(), re.MULTILINE)


def run(binary: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC") or k in KEPT}
    done = subprocess.run([binary], env=clean | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_with_plain_gcc(program, tmp_path):
    binary = tmp_path / "plain"
    subprocess.run(["gcc", *FLAGS, program, "-o", binary, "-lm"], check=True)
    assert run(binary).stdout.splitlines() == stated(program, "prints")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_with_accshare(program, target, tmp_path):
    binary = tmp_path / "program"
    command = [sys.executable, "-m", "accshare.cc", f"--acc-target={target}", *FLAGS, program, "-o", binary, "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert "internal error" not in built.stderr
    for memory in MEMORIES:
        done = run(binary, ACCSHARE_NOTIFY="1", **memory)
        assert done.stdout.splitlines() == stated(program, "prints"), memory
        assert [str(done.stderr.count("accshare: launch"))] == stated(program, "launches"), done.stderr
    assert run(binary, ACC_DEVICE_TYPE="host").stdout.splitlines() == stated(program, "prints")
