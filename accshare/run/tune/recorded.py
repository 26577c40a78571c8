"""The sizes a program met, as the runtime writes them where ACCSHARE_RECORD names a file.

Every line is a JSON object: the region's ``file`` and ``name``, its inputs by name as ``sizes``, and the ``count`` of
times it ran with them. Programs add lines at their end, so that one file may hold several runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from accshare.run.tune.ir import Asked, TuneTrouble


def recorded(path: Path, source: str) -> Mapping[str, tuple[Asked, ...]]:
    """The inputs that regions of the C file `source` met, by region, the most frequent first.

    Lines that were cut off, as by a full disk, are left out. Raises `TuneTrouble` where no line is whole.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError as error:
        raise TuneTrouble(f"{path}: {error.strerror}") from error
    entries = [entry for line in lines if (entry := _entry(line)) is not None]
    if not entries:
        raise TuneTrouble(f"{path}: not what a program records where ACCSHARE_RECORD names a file")
    counts: dict[str, dict[tuple[tuple[str, int], ...], int]] = {}
    for file, region, inputs, count in entries:
        if os.path.basename(file) == os.path.basename(source):
            known = counts.setdefault(region, {})
            known[inputs] = known.get(inputs, 0) + count
    return {
        region: tuple(Asked(inputs, n) for inputs, n in sorted(met.items(), key=lambda item: -item[1]))
        for region, met in counts.items()
    }


def _entry(line: str) -> tuple[str, str, tuple[tuple[str, int], ...], int] | None:
    """File, region, inputs and count; None where the line is none."""
    try:
        value = json.loads(line)
        inputs = tuple((str(name), int(size)) for name, size in value["sizes"].items())
        return str(value["file"]), str(value["name"]), inputs, int(value["count"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
