"""How exact mathematical functions on vectors are on a device."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import accshare_cc
from tiers import telling

SOURCE = Path(__file__).with_name("functions.c")
SWEEP = SOURCE.with_name("sweep.c")
TARGETS = ("native", "generic-cpu")
FLAGS = (("-ffp-contract=off",), ("-march=x86-64-v3",), ("-march=x86-64-v3", "-mno-fma"), ("-march=x86-64",))
FEW_FLAGS = [pytest.param(flags, marks=[pytest.mark.slow] * (number % 2)) for number, flags in enumerate(FLAGS)]
FUNCTIONS = 30
ONE_ARGUMENT = (
    *("exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "asinh", "acosh", "atanh", "sin", "cos", "tan"),
    *("asin", "acos", "atan", "sinh", "cosh", "tanh", "erf", "erfc", "cbrt", "round"),
)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    """The program that tries all numbers."""
    binary = tmp_path_factory.mktemp("sweep") / "sweep"
    built = accshare_cc("--acc-target=native", "-O3", "-march=native", SWEEP, "-o", binary, "-lm")
    assert built.returncode == 0, built.stderr
    return binary


def distances(folder, target, *words, flags=(), **variables):
    """What the program says of each function: the largest errors of float and double, in units in the last place."""
    binary = folder / "functions"
    given = (f"--acc-target={target}", "-O2", *(flags or ("-march=native",)), SOURCE, "-o", binary, "-lm")
    built = accshare_cc(*given, env={**os.environ, **variables})
    assert built.returncode == 0, built.stderr
    assert built.stderr == ""
    environment = {**os.environ, "ACCSHARE_OFFLOAD": "mandatory"}
    done = subprocess.run([binary, *words], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(line.split(maxsplit=1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("target", telling({"native"}, TARGETS))
def test_no_result_is_more_than_two_units_off(target, tmp_path):
    found = distances(tmp_path, target)
    assert len(found) == FUNCTIONS
    assert found["round"] == found["fmod"] == "0.0 0.0"


@pytest.mark.thorough
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("flags", FEW_FLAGS, ids=" ".join)
def test_nor_as_other_flags_have_it(target, flags, tmp_path):
    found = distances(tmp_path, target, "20011", "40", flags=flags)
    assert found["round"] == found["fmod"] == "0.0 0.0"


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang")
def test_nor_as_clang_compiles_them(tmp_path):
    found = distances(tmp_path, "native", flags=("-march=x86-64",), ACCSHARE_CC="clang")
    assert len(found) == FUNCTIONS


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), *FLAGS], ids=" ".join)
def test_nor_of_ten_million_doubles(flags, tmp_path):
    distances(tmp_path, "native", "655211", "611", flags=flags)


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_nor_that_of_any_float(name, sweep):
    environment = {**os.environ, "ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_THREADS": "1"}
    done = subprocess.run([sweep, name], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(name)
