"""The loops that SUPER is measured with: never slower than in the program's order, by what their kernels do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "two_levels.py"


@pytest.mark.slow
def test_no_loops_are_slower_than_they_are_written():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines()[3:]]
    assert len(rows) == 17
    assert not any("host" in cell for row in rows for cell in row)
