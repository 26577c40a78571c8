"""Columns are added up right behind the statement that leaves their elements, in one pass over the matrix."""

from __future__ import annotations

import pytest
from calls import check_where, explained
from tiers import telling

#: functions whose nests are one
TOGETHER = {"updated", "summed", "triangle"}


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_are_those_of_two_passes(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("one_pass", target, "--acc-schedule=super", ACCSHARE_ZERO_COPY="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("one_pass")
    check_where(calls)


@pytest.mark.parametrize("flags", [(), ("--acc-schedule=super",)])
def test_the_report_tells_which_nests_become_one(flags, workshop):
    """No others: their sums need what is not there yet, or go over other elements."""
    report = explained(workshop.sources / "one_pass.c", "--acc-target=native", *flags)
    fused = {
        r["function"]
        for r in report["regions"]
        if "fused" in {s["word"] for s in (r["order"] or {"steps": []})["steps"]}
    }
    assert fused == TOGETHER


def test_statements_are_shown_in_the_names_of_their_loops(workshop):
    (region, *_) = explained(workshop.sources / "one_pass.c", "--acc-target=native")["regions"]
    assert "A[j][i] = A[j][i] + u[j] * v[i] + w[j] * z[i]" in {line.strip() for line in region["order"]["nests"]}
