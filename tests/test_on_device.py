"""The script for a borrowed machine: from a folder of wheels alone to test results and figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "benchmarks/on-device.sh"
MEASURED = ("gemm", "reduction")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheels")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder)]
    made = subprocess.run(
        [*pip, f"{ROOT}[run]", "pytest", "hypothesis", "pip"], cwd=folder, capture_output=True, text=True
    )
    if made.returncode != 0:
        pytest.skip(f"no package registry to make the wheels from: {made.stderr[-200:]}")
    return folder


@pytest.mark.slow
def test_everything_is_measured_and_left_behind(wheels, tmp_path):
    out = tmp_path / "out"
    tests = " ".join(f"tests/test_samples.py::test_the_loop_really_runs_on_the_device[{name}]" for name in MEASURED)
    settings = {"SIZE": "small", "ONLY": ",".join(MEASURED), "TESTS": tests, "PYTHON": sys.executable}
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}
    ran = subprocess.run(
        ["bash", str(SCRIPT), str(wheels), str(out)],
        env=os.environ | settings | offline,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{len(MEASURED)} passed" in (out / "tests.txt").read_text()
    figures = json.loads((out / "bench.json").read_text())
    assert [program["sample"] for program in figures["programs"]] == [*MEASURED]
    assert figures["failures"] == []
    assert json.loads((out / "compile.json").read_text())["compile"]["accshare"] > 0
    assert "all ran and passed" in ran.stdout
    assert {"log.txt", "doctor.txt", "bench.txt", "compile.txt"} <= {path.name for path in out.iterdir()}


@pytest.mark.thorough
def test_a_missing_wheel_is_not_silent(tmp_path):
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels/accshare-0.1.0-py3-none-any.whl").write_bytes(b"not a wheel")
    ran = subprocess.run(
        ["bash", str(SCRIPT), str(tmp_path / "wheels"), str(tmp_path / "out")],
        env=os.environ | {"PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1
    assert "install failed" in ran.stdout
    assert "install failed" in (tmp_path / "out/log.txt").read_text()


def test_without_arguments_it_says_what_it_wants():
    ran = subprocess.run(["bash", str(SCRIPT)], capture_output=True, text=True)
    assert ran.returncode == 2
    assert "on-device.sh WHEELS OUT" in ran.stdout
