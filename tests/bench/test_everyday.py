"""`accshare bench --everyday`: whole programs, each with a check of its own inside, built three ways."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from accshare.run.bench import add_arguments, main
from tests.tiers import telling

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path.stem for path in (ROOT / "benchmarks/everyday").glob("*.c"))
#: of those whose argument is an exponent
SMALL = {"fft": "6", "sorting_network": "7", "pyramid": "5"}


def figures(folder: Path, *words: str, code: int = 0) -> dict:
    """What the command wrote as JSON."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    common = ["--samples", str(ROOT / "samples"), "--benchmarks", str(ROOT / "benchmarks"), "--repeats", "1"]
    assert main(parser.parse_args([*common, "--everyday", "--json", str(folder / "f.json"), *words])) == code
    return json.loads((folder / "f.json").read_text())


@pytest.mark.parametrize("program", telling(["heat", "monte_carlo"], PROGRAMS))
def test_everyday_programs_come_to_what_gcc_does(program, tmp_path, monkeypatch):
    monkeypatch.setenv("ACCSHARE_BREAK_EVEN", "1")
    found = figures(tmp_path, "--only", f"{program} {SMALL.get(program, '37')} 2")
    assert found["failures"] == []
    [row] = found["everyday"]
    assert row["same_answer"]
    assert {seconds > 0 for times in row["seconds"].values() for seconds in times.values()} == {True}


def test_unknown_programs_are_named(tmp_path, capsys):
    found = figures(tmp_path, "--only", "heat,gemmm", code=1)
    assert "gemmm: no such program" in found["failures"][0]
