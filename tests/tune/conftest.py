"""The command in a folder of its own, with its own database, and a device to measure on."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from accshare.driver.paths import runtime_library  # noqa: E402


@dataclass(frozen=True)
class Tuner:
    """Runs commands in `folder`; the database is there too."""

    folder: Path
    database: Path
    environment: dict[str, str]

    def __call__(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """The ``accshare`` command."""
        return self.execute(sys.executable, "-m", "accshare.cli", *words, **variables)

    def compile(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """``accshare-cc``."""
        return self.execute(sys.executable, "-m", "accshare.cc", *words, **variables)

    def execute(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [str(word) for word in words]
        environment = {**self.environment, **variables}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    def start(self, *words: object) -> subprocess.Popen[str]:
        """The ``accshare`` command, while the test goes on."""
        command = [sys.executable, "-m", "accshare.cli", *map(str, words)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def tuner(tmp_path, pocl_cache):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACC_", "ACCSHARE_"))}
    database = tmp_path / "tuning.sqlite"
    own = {"ACCSHARE_CACHE_DIR": str(tmp_path / "cache"), "ACCSHARE_TUNING": str(database)}
    return Tuner(tmp_path, database, {**clean, **own, "POCL_CACHE_DIR": str(pocl_cache)})


@pytest.fixture(scope="session")
def pocl_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("pocl")


@pytest.fixture(scope="session")
def opencl() -> None:
    listed = subprocess.run(["clinfo", "-l"], capture_output=True, text=True)
    if "Device" not in listed.stdout:
        pytest.skip("no OpenCL device")


@pytest.fixture(scope="session")
def runtime() -> str:
    if not runtime_library():
        pytest.skip("the runtime library is not installed")
    return runtime_library()
