"""Compiles the programs of this folder with and without staging."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
PROGRAMS = HERE / "programs"

from calls import Workshop  # noqa: E402


@pytest.fixture(scope="session")
def workshop(tmp_path_factory):
    """Builds the programs, in a folder for the session."""
    return Workshop(PROGRAMS, tmp_path_factory.mktemp("staging"))
