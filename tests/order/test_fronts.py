"""Two loops neither of which is parallel run as fronts of iterations that need nothing of one another."""

from __future__ import annotations

import pytest
from calls import check_where, explained
from tiers import telling


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_are_those_of_the_order_in_the_source(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("fronts", target, "--acc-schedule=isl", ACCSHARE_ZERO_COPY="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("fronts")
    check_where(calls)
    launches = {call.text: len(call.notices) for call in calls}
    assert launches["swept(3, N, N)"] == 2 * (3 - 1) + 71 - 2  # of rows at different steps
    tiled = {"edits(N, 33)": 70 + 32 - 1, "relaxed(150, 1700)": 2 * (150 - 1) + 1698}  # with a launch for each front
    assert target == "generic-gpu" or all(launches[call] * 9 < fronts for call, fronts in tiled.items())


def test_fronts_are_taken_where_they_gain(workshop):
    regions = explained(workshop.sources / "fronts.c", "--acc-target=native")["regions"]
    found = {region["function"]: region["order"] for region in regions}
    (step,) = found["swept"]["steps"]
    assert (step["word"], step["sentence"].split(" around")[0]) == ("skewed", "loops k, i")
    (verdict,) = found["swept"]["verdicts"]
    assert (verdict["winner"]["origin"], verdict["runner_up"]["origin"]) == ("isl", "source")
    assert verdict["runner_up"]["launches"] == 0
    words = {name: [step["word"] for step in found[name]["steps"]] for name in ("edits", "relaxed", "upwards")}
    assert set(map(tuple, words.values())) == {("skewed", "tiled")}  # an edit takes less time than its part of a launch


def test_what_stands_beside_loops_in_fronts_is_in_none_of_their_tiles(workshop):
    calls = workshop.calls("beside_fronts", "native", ACCSHARE_ZERO_COPY="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("beside_fronts")
    check_where(calls)
    assert {call.text: len(call.notices) for call in calls}["passed_on(3, N, N - 2)"] == 3 * (2 + 1)


def test_no_dependence_takes_the_scheduler_long(tmp_path):
    """Elements of a triangle go to their mirror images: isl took minutes to say how near to each other these can be
    where numbers may be as large as a parameter's type."""
    source = tmp_path / "mirrored.c"
    source.write_text("""
void mirrored(int n, int m, float C[restrict m][m], float B[restrict m][m])
{
#pragma acc kernels
  for (int i = 0; i < 9; i++)
    for (int j = 2; j < n; j++)
      for (int k = 0; k < n; k++) {
        C[k][j] += B[j][i] * C[j][k];
        B[j][k] = B[j][k] / 2 + 1;
      }
}
""")
    (region,) = explained(source, "--acc-target=native", "--acc-schedule=isl")["regions"]
    assert "ACC901" not in {message["code"] for message in region["messages"]}
