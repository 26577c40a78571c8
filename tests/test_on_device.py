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
ORDERED = ("jacobi1d 67 5", "two_levels/mvt 20")


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
    settings = {"SIZE": "small", "ONLY": ",".join(MEASURED), "TESTS": tests, "PYTHON": sys.executable, "LIMIT": "3600"}
    settings |= {"ORDERS": ",".join(ORDERED)}
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
    figures = json.loads((out / "figures.json").read_text())
    assert [program["sample"] for program in figures["programs"]] == [*MEASURED]
    assert [steps["sample"] for steps in figures["ablation"]] == [*MEASURED]
    assert [loops["program"] for loops in figures["orders"]] == [name.partition(" ")[0] for name in ORDERED]
    assert figures["failures"] == []
    assert figures["compile"]["accshare"] > 0
    assert "all ran and passed" in ran.stdout
    measured = {f"{name}.{end}" for name in ("steps", "orders", "bench", "compile") for end in ("txt", "json")}
    assert {"log.txt", "doctor.txt", "figures.txt", *measured} <= {path.name for path in out.iterdir()}


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


@pytest.fixture
def unregistered(tmp_path):
    """What a container with NVIDIA's driver has: its library, no .icd file; some other driver stands in for it."""
    known = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    (tmp_path / "driver").mkdir()
    (tmp_path / "registered").mkdir()
    for line in known.splitlines():
        if line.strip().startswith("libpocl.so"):
            library = Path(line.partition("=> ")[2])
            (tmp_path / "driver/libnvidia-opencl.so.1").symlink_to(library)
            (tmp_path / "driver/pocl").symlink_to(library.parent / "pocl")  # its devices, looked for beside it
            place = {"LD_LIBRARY_PATH": "driver", "OCL_ICD_VENDORS": "registered", "ACCSHARE_CACHE_DIR": "cache"}
            return os.environ | {name: str(tmp_path / folder) for name, folder in place.items()}
    return pytest.skip("no PoCL to stand in for NVIDIA's driver")


def doctor(settings):
    """What it says in a process of its own: the linker reads LD_LIBRARY_PATH once."""
    words = [sys.executable, "-m", "accshare.cli", "doctor"]
    return subprocess.run(words, env=settings, capture_output=True, text=True).stdout


def test_a_driver_without_an_icd_file_is_found(unregistered, tmp_path):
    assert "libnvidia-opencl.so.1 is there but not registered" in doctor(unregistered)
    script = ROOT / "benchmarks/opencl-env.sh"
    ran = subprocess.run(
        ["sh", str(script), sys.executable, str(tmp_path / "vendors")],
        env=unregistered,
        capture_output=True,
        text=True,
    )
    settings = dict(line.split("=", 1) for line in ran.stdout.replace("'", "").splitlines())
    assert settings["OCL_ICD_VENDORS"] == str(tmp_path / "vendors"), ran.stderr
    after = doctor(unregistered | settings)
    assert "driver libnvidia-opencl.icd: " in after
    assert "ok    device: " in after


def test_without_arguments_it_says_what_it_wants():
    ran = subprocess.run(["bash", str(SCRIPT)], capture_output=True, text=True)
    assert ran.returncode == 2
    assert "on-device.sh WHEELS OUT" in ran.stdout
