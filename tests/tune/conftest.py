"""The command in a folder of its own, with its own database, and a device to measure on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from known import ask  # noqa: E402
from tuning import surroundings, tuner_in  # noqa: E402

from accshare.driver.paths import runtime_library  # noqa: E402


@pytest.fixture
def tuner(tmp_path, pocl_cache, asked):
    return tuner_in(tmp_path, pocl_cache, asked)


@pytest.fixture(scope="session")
def asked(tmp_path_factory, pocl_cache):
    return ask(tmp_path_factory.mktemp("devices"), surroundings(pocl_cache))


@pytest.fixture(scope="session")
def pocl_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("pocl")


@pytest.fixture(scope="session")
def runtime() -> str:
    if not runtime_library():
        pytest.skip("the runtime library is not installed")
    return runtime_library()
