"""Grids with more groups along y and z than GPUs of NVIDIA take."""

import os
import re
import subprocess
from pathlib import Path

from commands import accshare_cc

PROGRAM = Path(__file__).with_name("long_grids.c")


def test_launches_come_in_parts(tmp_path):
    binary = tmp_path / "program"
    built = accshare_cc("--acc-target=h100", "--acc-ilp=off", "-O2", PROGRAM, "-o", binary)
    assert built.returncode == 0, built.stderr
    environment = os.environ | {"ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_NOTIFY": "1"}
    ran = subprocess.run([binary], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "0 of 1060016 rows, 0 of 1680012 planes\n"
    grids = re.findall(r"kernel=(\w).* grid=(\S+)", ran.stderr)
    assert grids == [("r", "1x65535x1"), ("r", "1x716x1"), ("p", "1x1x65535"), ("p", "1x1x4466")]
