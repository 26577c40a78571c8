"""Compiles the programs of this folder for every target and reads what they and the compiler say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
PROGRAMS = HERE / "programs"

from calls import Workshop, explained  # noqa: E402


@pytest.fixture(scope="session")
def workshop(tmp_path_factory):
    """Builds the programs, in a folder for the session."""
    return Workshop(PROGRAMS, tmp_path_factory.mktemp("middle"))


@pytest.fixture
def report(name):
    """What ``accshare explain`` says of a program."""
    return explained(PROGRAMS / f"{name}.c", "--acc-target=generic-gpu")
