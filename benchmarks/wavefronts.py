"""Counts what the kernels of ``wavefronts.c`` do on a device model as they are written and in the order that is found:
transactions, barriers and launches, and what time these stand for, as ``two_levels.py`` does.

python wavefronts.py [TARGET [FLAG...]]
"""

from __future__ import annotations

import sys
from pathlib import Path

from two_levels import counted, table

SOURCE = Path(__file__).with_suffix(".c")
SIZES = {"n": 3000, "steps": 300}
PLANES = "jacobi_2d", "sor_2d", "fdtd_2d", "heat_2d", "example_2d"
SMALL = {name: {"n": 130, "steps": 20, "times": 20} for name in PLANES}
SMALL |= {name: {"n": 33, "steps": 3} for name in ("jacobi_3d", "jacobi_27")}


def main(target: str = "generic-gpu", *flags: str) -> None:
    as_written = [*flags, "--acc-schedule=source"]
    table(counted(target, as_written, SOURCE, SIZES, SMALL), counted(target, list(flags), SOURCE, SIZES, SMALL))


if __name__ == "__main__":
    main(*sys.argv[1:])
