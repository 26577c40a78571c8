"""The C runtime, built once for all tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from runtime_programs import SOURCE, Program, Runtime, call


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Runtime:
    if not shutil.which("cmake"):
        pytest.skip("cmake is not installed: the runtime can't be built")
    folder = tmp_path_factory.mktemp("runtime")
    result = call("cmake", "-S", SOURCE, "-B", folder, "-DCMAKE_C_FLAGS=-Werror")
    assert result.returncode == 0, result.stderr
    result = call("cmake", "--build", folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return Runtime(folder)


@pytest.fixture(scope="session")
def device_runtime(runtime: Runtime) -> Runtime:
    """The runtime, where there is an OpenCL device to run on."""
    if not runtime.devices():
        pytest.skip("no OpenCL device: install one, for example Debian's pocl-opencl-icd")
    return runtime


@pytest.fixture(scope="session")
def pocl_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pocl")


@pytest.fixture
def run(device_runtime: Runtime, tmp_path: Path, pocl_cache: Path) -> Program:
    """Runs a test program on whatever device there is."""
    return Program(device_runtime, tmp_path / "cache", pocl_cache)


@pytest.fixture
def run_without_device(runtime: Runtime, tmp_path: Path, pocl_cache: Path) -> Program:
    """Runs a test program; no device is needed."""
    return Program(runtime, tmp_path / "cache", pocl_cache)


#: variables that give the device its own memory, as a discrete GPU has, or let it share the host's
MEMORIES = {"own memory": {"ACCSHARE_ZERO_COPY": "0"}, "shared memory": {}}


@pytest.fixture(params=list(MEMORIES))
def memory(request: pytest.FixtureRequest) -> dict[str, str]:
    variables: dict[str, str] = MEMORIES[request.param]
    return variables
