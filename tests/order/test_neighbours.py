"""Loops that are launched one after the other become one, turned around or counting from elsewhere."""

from __future__ import annotations

import pytest
from calls import check_where, explained
from commands import accshare
from tiers import telling

APART = """
for (i = 1; i <= m; i++)
  for (int j = 0; j < n; j++)
    for (int t = 0; t < times; t++)
      p[i - 1][j] = q[i - 1][j] * 3 + (j & i)
      q[r + 2][c - 2] = p[r + 2][c - 2] ^ (r * 5 + c)
"""


#: nests that stay apart, each for another reason
UNFUSED = """
void unfused(int n, float a[n][n], float b[n][n], float c[n], float d[n])
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) a[i][j] = 1;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) b[i][j] = a[j][i];
    for (int i = 0; i < n; i++) c[i] = 2;
    for (int i = 1; i < n - 1; i++) d[i] = c[i - 1] - c[i + 1];
    for (int i = 1; i < n - 1; i++) a[0][i] = 3;
    for (int i = 1; i < n; i++) c[i] = c[i - 1];
  }
}
"""
REASONS = [
    "the nests of lines 6 and 8, since line 9 reads a[j][i], which line 7 writes as a[i][j] in other iterations of"
    " loop i",
    "the nests of lines 8 and 10, since neighbours have no array in common",
    "the nests of lines 10 and 11, since line 11 reads c[i + 1], which line 10 writes as c[i] 1 iteration of loop i"
    " later; line 11 reads c[i - 1], which line 10 writes as c[i] 1 iteration of loop i earlier",
    "the nests of lines 11 and 12, since neighbours have no array in common",
    "the nests of lines 12 and 13, since loop i of line 13 is sequential",
]


def launched(program, target, workshop, request, *options):
    """How many kernels each call of a program launches, whose results are the host's."""
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls(program, target, *options, ACCSHARE_ZERO_COPY="0")
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
        "never": "reversed tiled",
    }
    sentences = [s["sentence"] for s in steps["apart"]]
    assert sentences[0].endswith(" (line 37) counts up")
    assert sentences[1].endswith(" is shifted by -3: r - 3 is where it had r")
    assert sentences[2].endswith(" is shifted by 2: c + 2 is where it had c")
    assert "\n".join(next(r["order"]["nests"] for r in regions if r["function"] == "apart")) == APART.strip()


def test_the_report_tells_why_neighbours_stay_apart(tmp_path):
    source = tmp_path / "unfused.c"
    source.write_text(UNFUSED)
    (region,) = explained(source, "--acc-target=native")["regions"]
    assert [one["sentence"] for one in region["order"]["kept"] if one["word"] == "not fused"] == REASONS
    lines = accshare("explain", "--acc-target=native", source).stdout.splitlines()
    assert [line.split("not fused: ")[1] for line in lines if "not fused" in line] == REASONS


def test_the_report_says_once_what_holds_for_many_neighbours(tmp_path):
    source = tmp_path / "many.c"
    nests = "".join(f"    for (int i = 0; i < n; i++) {name}[i] = {name}[i] + 1;\n" for name in "abcd")
    source.write_text(f"void f(int n, int *a, int *b, int *c, int *d)\n{{\n#pragma acc kernels\n{{\n{nests}}}\n}}\n")
    (kept,) = explained(source, "--acc-target=native")["regions"][0]["order"]["kept"]
    assert kept["sentence"] == "the nests of lines 5, 6, 7 and 8, since neighbours have no array in common"


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_of_nests_with_other_borders_are_those_of_nests_that_are_apart(target, workshop, request):
    launches = launched("borders", target, workshop, request, "--acc-schedule=super")
    whole = [launches[call] for call in ("inside(N, N - 2)", "fewer(N, N)", "moved(N, N)", "narrowing(N)")]
    assert (whole, launches["apart(N, N, N)"]) == ([5, 2, 3, 3], 7)


def test_nests_with_other_borders_are_one_where_that_is_faster(workshop):
    regions = explained(workshop.sources / "borders.c", "--acc-target=native,generic-gpu")["regions"]
    words = {r["function"]: {s["word"] for s in r["order"]["steps"]} for r in regions}
    assert {name for name, of in words.items() if {"split", "fused"} <= of} == {"inside", "fewer", "moved", "narrowing"}
    inside = next(r for r in regions if r["function"] == "inside")
    (gpu,) = inside["other_orders"]
    assert gpu["targets"] == ["generic-gpu"]
    assert not gpu["steps"]  # a launch takes longer there than what it saves
    assert "neighbours have other iterations" in gpu["kept"][0]["sentence"]


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_of_nests_side_by_side_are_those_of_nests_that_are_apart(target, workshop, request):
    launches = launched("side_by_side", target, workshop, request)
    assert launches["three(N)"] == launches["turned(N)"] == launches["changed(N, N - 2)"] == 1
    assert launches["apart(N)"] == 7
