"""Caches that hold what is known of this machine's devices and nothing else.

To find out how wide the vectors of a CPU may be, its OpenCL compiler is tried, which takes seconds: once a run for all
tests that want a cache of their own.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from commands import accshare


def ask(cache: Path, environment: Mapping[str, str]) -> Path:
    """Has `cache` hold what there is to know about the devices that programs meet in `environment`."""
    accshare("devices", env={**environment, "ACCSHARE_CACHE_DIR": str(cache)})
    return cache


def knowing(asked: Path, cache: Path) -> Path:
    """Makes the folder `cache`, with the answers that `ask` found."""
    cache.mkdir(mode=0o700)
    if (asked / "devices").is_dir():
        shutil.copytree(asked / "devices", cache / "devices")
    return cache
