"""Loops whose bounds depend on one another change places."""

from __future__ import annotations

from calls import check_where, explained

GPU = "generic-gpu"
NESTS = {
    "symmetric": """
      for (int j = 0; j < n; j++)
        for (k = 0; k <= m - 2; k++)
          for (i = k + 1; i <= m - 1; i++)
            C[k][j] += B[i][j] * A[i][k] / 5""",
    "below": """
      for (j = 0; j <= n - 1; j++)
        for (int k = 0; k < n; k++)
          for (i = 0; i <= j; i++)
            p[j][k] = (p[j][k] * 3 + q[i][k] + i) & 65535""",
}


def test_results_are_those_of_the_loops_as_they_stand(workshop, opencl):
    calls = workshop.calls("turned", GPU)
    assert [(c.text, c.result) for c in calls] == workshop.host_results("turned")
    check_where(calls)
    launches = {call.text: len(call.notices) for call in calls}
    assert launches["symmetric(41, N)"] == 2
    assert launches["below(N)"] == launches["band(50, 20, N)"] == 1


def test_the_report_shows_the_new_bounds(workshop):
    regions = explained(workshop.sources / "turned.c", f"--acc-target={GPU}")["regions"]
    found = {region["function"]: region["order"] for region in regions}
    for name, nest in NESTS.items():
        lines = [line.strip() for line in nest.strip().splitlines()]
        assert [line.strip() for line in found[name]["nests"]][-len(lines) :] == lines, name
