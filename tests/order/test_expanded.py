"""Iterations that used one and the same scalar or array get one each where that lets their loops run otherwise."""

from __future__ import annotations

import pytest
from calls import check_where, explained
from tiers import telling

#: what is said of the loops of `expanded.c`, by the function they are in
SAID = {
    "rows": ["each iteration of loop q has its own sum, and the last one's is stored back"],
    "through": ["each iteration of loop q has its own s, and the last one's is stored back"],
    "scalar": ["each iteration of loop i has its own t"],
    "used_later": ["each iteration of loop i has its own t, and the last one's is stored back"],
    "declared_inside": ["each iteration of loop i has its own u"],
    "own_rows": ["each iteration of loop i has its own row"],
    "solved": [],
    "shrinking": [],
    "kept": [],
}


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_are_those_of_one_variable_for_all(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("expanded", target, ACCSHARE_ZERO_COPY="0", ACCSHARE_THREADS="2")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("expanded")
    check_where(calls)
    launches = {call.text: len(call.notices) for call in calls}
    assert launches["rows(9, N, N)"] == (1 if target == "generic-gpu" else 2 * 9 + 1)
    assert launches["scalar(N, N - 1)"] == 3


def test_the_report_tells_what_iterations_have_for_themselves(workshop):
    report = explained(workshop.sources / "expanded.c", "--acc-target=native")
    for region in report["regions"]:
        steps = region["order"]["steps"] if region["order"] else []
        assert [step["sentence"] for step in steps if step["word"] == "expanded"] == SAID[region["function"]]
