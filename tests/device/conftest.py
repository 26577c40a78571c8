from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.fixture
def accshare():
    """Runs the command in a fresh process."""

    def call(*arguments, **variables):
        command = [sys.executable, "-m", "accshare.cli", *arguments]
        environment = {**os.environ, **variables}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    return call
