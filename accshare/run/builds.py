"""Where PoCL leaves what it builds: it ends the process where something is wrong with that folder, so the user's own
cache is none, which other programs fill (the runtime does the same, runtime/src/place.c)."""

from __future__ import annotations

import os
from pathlib import Path

_VARIABLE = "POCL_CACHE_DIR"


def keep_builds_in(folder: Path) -> None:
    """Has this process and its children use an empty folder, unless the user has named one. OpenCL must not have been
    asked for devices yet."""
    folder.mkdir(mode=0o700)
    os.environ.setdefault(_VARIABLE, str(folder))
