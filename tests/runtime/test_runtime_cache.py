"""The cache of built programs: found again, rebuilt when broken, done without when it can't be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from runtime_programs import Program

ON_DEVICE = "device=1 host=0 wrong=0\n"
REGION = ("region", 100, 5, 1, 1)
#: a build that must come from the cache: the preloaded library lets no source be compiled
FROM_CACHE = {"FAIL_CALL": "clCreateProgramWithSource"}


def entries(cache: Path) -> list[Path]:
    return sorted(cache.iterdir())


def preload(run: Program) -> dict[str, str]:
    return {"LD_PRELOAD": f"{run.runtime.compile('failing_opencl', '-shared', '-fPIC')} libOpenCL.so.1"} | FROM_CACHE


def test_a_program_is_built_once(run: Program) -> None:
    assert run(*REGION).stdout == ON_DEVICE
    (entry,) = entries(run.cache)
    assert entry.suffix == ".bin"
    assert run(*REGION, **preload(run)).stdout == ON_DEVICE


def test_without_an_entry_the_source_is_compiled(run: Program) -> None:
    result = run(*REGION, **preload(run))
    assert result.stdout == "device=0 host=1 wrong=0\n"
    assert "OpenCL build failed; running the host loops" in result.stderr


@pytest.mark.parametrize("damage", ["truncated", "emptied", "flipped", "other key", "no header"])
def test_a_broken_entry_is_rebuilt_and_replaced(run: Program, damage: str) -> None:
    run(*REGION)
    (entry,) = entries(run.cache)
    good = entry.read_bytes()
    middle = len(good) // 2
    entry.write_bytes(
        {
            "truncated": good[:middle],
            "emptied": b"",
            "flipped": good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :],
            "other key": good[:40] + bytes([good[40] ^ 1]) + good[41:],
            "no header": os.urandom(len(good)),
        }[damage]
    )
    result = run(*REGION)
    assert (result.stdout, result.stderr) == (ON_DEVICE, "")
    assert entries(run.cache) == [entry]
    assert run(*REGION, **preload(run)).stdout == ON_DEVICE


def test_a_cache_that_cannot_be_written_is_done_without(run: Program, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    result = run(*REGION)
    assert (result.stdout, result.stderr) == (ON_DEVICE, "")
    told = run(*REGION, ACCSHARE_NOTIFY="1")
    assert "can't be written: Not a directory" in told.stderr


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"XDG_CACHE_HOME": "{}/xdg"}, "xdg/accshare"),
        ({"XDG_CACHE_HOME": "", "HOME": "{}/home"}, "home/.cache/accshare"),
    ],
)
def test_where_the_cache_is(run: Program, tmp_path: Path, variables: dict[str, str], folder: str) -> None:
    (tmp_path / "home").mkdir()
    placed = {name: value.format(tmp_path) for name, value in variables.items()}
    assert run(*REGION, ACCSHARE_CACHE_DIR="", **placed).stdout == ON_DEVICE
    assert len(entries(tmp_path / folder)) == 1


def test_no_place_for_a_cache(run: Program) -> None:
    result = run(*REGION, ACCSHARE_CACHE_DIR="", XDG_CACHE_HOME="", HOME="")
    assert (result.stdout, result.stderr) == (ON_DEVICE, "")
