"""Counts what the kernels of ``wavefronts.c`` do on a device model: transactions, barriers and launches, and what time
these stand for, as ``two_levels.py`` does.

python wavefronts.py [TARGET [FLAG...]]
"""

from __future__ import annotations

import sys
from pathlib import Path

from two_levels import counted

SOURCE = Path(__file__).with_suffix(".c")
SIZES = {"n": 3000, "steps": 300}


def main(target: str = "generic-gpu", *flags: str) -> None:
    print("| loops | transactions | barriers | launches | thousands of cycles |")
    print("|---|---:|---:|---:|---:|")
    for name, one in counted(target, list(flags), SOURCE, SIZES).items():
        row = ("host",) * 4 if one is None else tuple(f"{value:,}".replace(",", " ") for value in one)
        print(f"| {name} | {' | '.join(row)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
