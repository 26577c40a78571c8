"""Builds the programs of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from calls import Workshop  # noqa: E402


@pytest.fixture(scope="session")
def workshop(tmp_path_factory):
    """Builds the programs, in a folder for the session."""
    return Workshop(HERE / "programs", tmp_path_factory.mktemp("mdh"))
