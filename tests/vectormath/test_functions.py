"""How exact mathematical functions on vectors are on a device."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import accshare_cc

SOURCE = Path(__file__).with_name("functions.c")
FLAGS = ("--acc-target=generic-cpu", "-O2")
FUNCTIONS = 24


def distances(folder, *words, flags=()):
    """What the program says of each function: how many units in the last place float and double are off at most."""
    binary = folder / "functions"
    built = accshare_cc(*FLAGS, *flags, SOURCE, "-o", binary, "-lm")
    assert built.returncode == 0, built.stderr
    assert built.stderr == ""
    environment = {**os.environ, "ACCSHARE_OFFLOAD": "mandatory"}
    done = subprocess.run([binary, *words], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(line.split(maxsplit=1) for line in done.stdout.splitlines())


def test_no_result_is_more_than_two_units_off(tmp_path):
    found = distances(tmp_path)
    assert len(found) == FUNCTIONS
    assert found["round"] == found["fmod"] == "0 0"


@pytest.mark.thorough
def test_nor_without_fused_multiply_add(tmp_path):
    found = distances(tmp_path, "20011", "40", flags=("-ffp-contract=off",))
    assert found["round"] == found["fmod"] == "0 0"


@pytest.mark.slow
def test_nor_that_of_any_float(tmp_path):
    assert len(distances(tmp_path, "1", "2000")) == FUNCTIONS
