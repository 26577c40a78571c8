"""What `make demo` runs once everything is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.thorough
def test_the_demo_shows_the_answer_the_peers_and_the_reasons(tmp_path):
    environment = {**os.environ, "ACCSHARE_CACHE_DIR": str(tmp_path)}
    command = ["sh", str(ROOT / "samples" / "demo.sh"), str(Path(sys.executable).parent)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Same answer.") == 2
    assert "s natively." in done.stdout
    assert "times the speed of cc -O3 -march=native, one thread" in done.stdout
    assert "-O3 -march=native with OpenMP" in done.stdout
    assert 'device="native"' in done.stdout
    assert re.search(r'launch .* device="(?!native)', done.stdout)
    assert "1 of 1 region gives the host's answer" in done.stdout
    assert "region gemm_l12 offloaded" in done.stdout
