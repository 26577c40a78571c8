"""`accshare bench --orders`: loops as they are written and in the order that is found, on one device."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from accshare.run.bench import add_arguments, main

ROOT = Path(__file__).parents[2]


def orders(*words) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    places = ["--samples", str(ROOT / "samples"), "--benchmarks", str(ROOT / "benchmarks"), "--size", "small"]
    return main(parser.parse_args([*places, "--orders", "--repeats", "1", "--target", "generic-gpu", *words]))


@pytest.mark.thorough
def test_both_orders_are_measured(tmp_path, capsys):
    assert orders("--only", "jacobi1d 67 5,sor1d 67 5", "--json", str(tmp_path / "f.json")) == 0
    fronts, steps = json.loads((tmp_path / "f.json").read_text())["orders"]
    assert (steps["program"], steps["arguments"]) == ("jacobi1d", "67 5")
    assert steps["launches"]["source"] > steps["launches"]["found"] > 0
    assert fronts["launches"]["source"] == 0, "no loop is parallel as it is written"
    for one in (steps, fronts):
        assert one["same_answer"]
        assert one["gain"] == pytest.approx(one["seconds"]["source"] / one["seconds"]["found"])
    assert "host" in capsys.readouterr().out


def test_a_program_that_is_not_there(capsys):
    assert orders("--only", "nothing") == 1
    assert "nothing: no such program" in capsys.readouterr().out
