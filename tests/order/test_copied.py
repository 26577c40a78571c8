"""Loops that read what they change later read a copy, where they are parallel then and that gains."""

from __future__ import annotations

import pytest
from calls import check_where, explained
from tiers import telling

#: what is copied in the loops of `copied.c`, by the function they are in
COPIED = {
    "halved": ["line"],
    "ahead": ["a"],
    "corner": ["a"],
    "several": ["g", "h"],
    "down": ["g"],
    "cubes": ["q"],
    "rows": ["g"],
    "fewer": ["g"],
    "both": [],
}


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_are_those_without_copies(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("copied", target, "--acc-schedule=copies", ACCSHARE_ZERO_COPY="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("copied")
    check_where(calls)


def test_the_report_tells_what_is_copied(workshop):
    for region in explained(workshop.sources / "copied.c", "--acc-target=native", "--acc-schedule=copies")["regions"]:
        steps = region["order"]["steps"] if region["order"] else []
        told = [step["sentence"] for step in steps if step["word"] == "copied"]
        names = [sentence.partition(" copies ")[2].partition(" to ")[0] for sentence in told]
        assert names == COPIED[region["function"]]
