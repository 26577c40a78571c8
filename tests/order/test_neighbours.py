"""Loops that are launched one after the other become one, turned around or counting from elsewhere."""

from __future__ import annotations

import pytest
from calls import check_where, explained
from tiers import telling

APART = """
for (i = 1; i <= m; i++)
  for (int j = 0; j < n; j++)
    for (int t = 0; t < times; t++)
      p[i - 1][j] = q[i - 1][j] * 3 + (j & i)
      q[r + 2][c - 2] = p[r + 2][c - 2] ^ (r * 5 + c)
"""


def launched(program, target, workshop, request):
    """How many kernels each call of a program launches, whose results are the host's."""
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls(program, target, ACCSHARE_ZERO_COPY="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results(program)
    check_where(calls)
    return {call.text: len(call.notices) for call in calls}


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_are_those_of_loops_that_are_apart(target, workshop, request):
    launches = launched("neighbours", target, workshop, request)
    assert launches["down(5, 0, N)"] == launches["apart(4, N, N - 2)"] == 1


def test_the_report_tells_what_becomes_one_and_how(workshop):
    regions = explained(workshop.sources / "neighbours.c", "--acc-target=native")["regions"]
    steps = {r["function"]: r["order"]["steps"] for r in regions}
    assert {name: " ".join(s["word"] for s in of) for name, of in steps.items()} == {
        "down": "reversed fused interchanged",
        "apart": "reversed shifted shifted fused interchanged",
        "corners": "shifted fused interchanged",
        "never": "",
    }
    sentences = [s["sentence"] for s in steps["apart"]]
    assert sentences[0].endswith(" (line 37) counts up")
    assert sentences[1].endswith(" is shifted by -3: r - 3 is where it had r")
    assert sentences[2].endswith(" is shifted by 2: c + 2 is where it had c")
    assert "\n".join(next(r["order"]["nests"] for r in regions if r["function"] == "apart")) == APART.strip()


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_of_nests_side_by_side_are_those_of_nests_that_are_apart(target, workshop, request):
    launches = launched("side_by_side", target, workshop, request)
    assert launches["three(N)"] == launches["turned(N)"] == launches["changed(N, N - 2)"] == 1
    assert launches["apart(N)"] == 7
