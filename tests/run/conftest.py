from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import commands
import pytest
from known import ask, knowing

from accshare.driver.paths import runtime_library

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def runtime(tmp_path_factory):
    """Path of the runtime library: the installed one, else built here."""
    if runtime_library():
        return runtime_library()
    folder = tmp_path_factory.mktemp("runtime")
    for step in (["cmake", "-S", str(ROOT / "runtime"), "-B", str(folder)], ["cmake", "--build", str(folder)]):
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return str(folder / "libaccshare.so")


DEVICE = {
    "name": "GPU",
    "vendor": "Someone",
    "platform": "OpenCL",
    "driver": "1",
    "version": "OpenCL 3.0",
    "library": "libOpenCL.so",
    "type": "gpu",
    "compute_units": 8,
    "max_work_group": 1024,
    "local_bytes": 65536,
    "local_dedicated": True,
    "fp64": True,
    "unified": False,
    "vector_width_float": 1,
    "cacheline_bytes": 64,
    "cache_bytes": 0,
    "global_bytes": 1 << 30,
    "native_width_float": 1,
    "attributes": {},
}


@pytest.fixture
def machine(tmp_path):
    """Makes a runtime library that tells of the devices it is given, each as what differs from `DEVICE`."""

    def library(*devices):
        text = json.dumps(json.dumps([{**DEVICE, **device} for device in devices]))
        source = tmp_path / "machine.c"
        source.write_text(f"const char *accshare_devices_json(void) {{ return {text}; }}\n")
        path = tmp_path / f"libmachine{len(list(tmp_path.glob('libmachine*')))}.so"
        subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(path)], check=True)
        return str(path)

    return library


@pytest.fixture(scope="session")
def surroundings(runtime):
    """Variables for the command, and none of ours from outside."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACC_", "ACCSHARE_"))}
    return {**clean, "ACCSHARE_RUNTIME": runtime, "COLUMNS": "200", "ACCSHARE_BREAK_EVEN": "0"}


@pytest.fixture(scope="session")
def asked(surroundings, tmp_path_factory):
    return ask(tmp_path_factory.mktemp("devices"), surroundings)


@pytest.fixture
def accshare(asked, surroundings, tmp_path):
    """Runs the command, with a cache of its own where the devices are known."""
    own = {**surroundings, "ACCSHARE_CACHE_DIR": str(knowing(asked, tmp_path / "cache"))}

    def call(*arguments, **variables):
        return commands.accshare(*arguments, env={**own, **variables})

    return call
