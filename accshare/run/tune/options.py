"""The options of ``accshare tune``; the standard library is all they need."""

from __future__ import annotations

import argparse
from pathlib import Path

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``accshare tune``."""
    sizes = "a size to tune for, by the name of an integer that the loops take from outside; several: n=512,4096"
    parser.add_argument("--define", action="append", default=[], type=_define, metavar="NAME=VALUE", help=sizes)
    parser.add_argument("--from", dest="record", type=Path, metavar="FILE", help="the sizes that ACCSHARE_RECORD wrote")
    parser.add_argument("--budget", type=_seconds, default=60.0, metavar="TIME", help="for all of it (default: 60s)")
    parser.add_argument("--choices", type=_count, metavar="COUNT", help="the most choices to try for a region")
    parser.add_argument("--limit", type=_seconds, metavar="TIME", help="the longest that one choice may take")
    parser.add_argument("--only", metavar="REGION", help="the one region to tune")
    parser.add_argument("--again", action="store_true", help="measure anew what was measured before")
    parser.add_argument("--forget", action="store_true", help="delete what was measured for these regions instead")


def _define(text: str) -> tuple[str, tuple[int, ...]]:
    name, _, values = text.partition("=")
    try:
        return name, tuple(int(value) for value in values.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: write NAME=VALUE, as in n=1024, or n=512,4096") from None


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text}: write a number, as in 20")
    return int(text)


def _seconds(text: str) -> float:
    number, unit = (text[:-1], text[-1:]) if text[-1:] in _UNITS else (text, "s")
    try:
        value = float(number) * _UNITS[unit]
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: write a time, as in 60s, 5m or 1h")
    return value
