"""Loops that are parallel in parts are split where these begin."""

from __future__ import annotations

import pytest
from calls import check_where, explained
from tiers import telling

#: where loops are split, by the function they are in
PLACES = {
    "paths": ["i = k and at i = k + 1", *(f"j = {place} and at j = {place} + 1" for place in "kik")],
    "eliminated": ["j = k and at j = k + 1"],
    "edges": ["i = 1", "j = n - 2 and at j = 0"],
    "turned": ["i = n - floord(n, 2)"],
    "ends": ["i = n - 1 and at i = low"],
    "last": ["i = n - 1L"],
    "never": [],
}


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_are_those_of_whole_loops(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("split", target, "--acc-schedule=parts", ACCSHARE_ZERO_COPY="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("split")
    check_where(calls)


def test_the_report_tells_where_loops_are_split(workshop):
    report = explained(workshop.sources / "split.c", "--acc-target=native", "--acc-schedule=parts")
    for region in report["regions"]:
        steps = region["order"]["steps"] if region["order"] else []
        places = [s["sentence"].rpartition(" is split at ")[2] for s in steps if s["word"] == "split"]
        assert places == PLACES[region["function"]], region["function"]


def test_loops_are_split_where_that_gains(workshop):
    regions = explained(workshop.sources / "split.c", "--acc-target=native")["regions"]
    found = {r["function"] for r in regions if r["order"] and "split" in {s["word"] for s in r["order"]["steps"]}}
    assert {"eliminated", "edges"} <= found
    assert "paths" not in found  # blocks are better
    assert "turned" not in found  # so short a loop takes less time than another launch


def test_a_region_whose_parts_gain_nothing_says_what_they_would_take(tmp_path):
    """Its loop could be parallel, and the user reads that it could, and how to have it so all the same."""
    (tmp_path / "first.c").write_text("""
float x[1000];
void first(void)
{
#pragma acc kernels
  for (int i = 0; i < 1000; i++)
    x[i] += x[0];
}
""")
    (region,) = explained(tmp_path / "first.c", "--acc-target=native")["regions"]
    assert not region["offloaded"]
    said = region["messages"][0]
    assert "as it is written, no loop of this region can run in parallel" in said["message"]
    assert "in parts order kernels are expected to take 1." in said["message"]
    option = said["hint"].split()[0]
    (region,) = explained(tmp_path / "first.c", "--acc-target=native", option)["regions"]
    assert region["offloaded"]
