"""Loops run in another order than they are written in, with the results of the program's own."""

from __future__ import annotations

import re

import pytest
from calls import check_where, explained
from commands import accshare
from tiers import rarely, telling

#: the nests of `reordered.c` as they run, by the function they are in, and what was done
ORDERS = {
    "product": (
        "distributed interchanged fused",
        """
for (i = 0; i < m; i++)
  for (j = 0; j < n; j++)
    C[i][j] *= 0.75f
    for (l = 0; l < k; l++)
      C[i][j] += 1.5f * A[i][l] * B[l][j]""",
    ),
    "triangle": (
        "distributed interchanged fused",
        """
for (int i = 0; i < n; i++)
  for (int o = 0; o <= i; o++)
    C[i][o] *= 0.75f
    for (int l = 0; l < k; l++)
      C[i][o] += A[i][l] * A[o][l] / 3""",
    ),
    "correlated": (
        "distributed",
        """
for (int i = 0; i < m - 1; i++)
  D[i][i] = 1
for (int i = 0; i < m - 1; i++)
  for (int j = i + 1; j < m; j++)
    D[i][j] = 0
    for (int k = 0; k < n; k++)
      D[i][j] += A[k][i] * A[k][j]
for (int i = 0; i < m - 1; i++)
  for (int j = i + 1; j < m; j++)
    D[j][i] = D[i][j]""",
    ),
    "both_ways": (
        "distributed interchanged",
        """
for (int i = 0; i < m; i++)
  x[i] = 0
  for (int j = 0; j < n; j++)
    x[i] = x[i] + A[i][j] * z[j]
for (int j = 0; j < n; j++)
  for (int i = 0; i < m; i++)
    y[j] = y[j] + z[i] * A[i][j]""",
    ),
    "back_and_forth": (
        "distributed interchanged",
        """
for (int i = m - 1; i >= 0; i -= 2)
  x[i] = 0
  for (int j = 0; j < n; j++)
    x[i] += A[i][j] * z[j]
for (int j = 0; j < n; j++)
  for (int i = m - 1; i >= 0; i -= 2)
    y[j] += A[i][j] * x[i]""",
    ),
    "symmetric": (
        "distributed interchanged",
        """
for (int i = 0; i < m; i++)
  for (int j = 0; j < n; j++)
    sum = 0
    for (int k = 0; k < i; k++)
      sum += B[k][j] * A[i][k]
    C[i][j] = C[i][j] / 2 + B[i][j] * A[i][i] + sum / 7
for (int j = 0; j < n; j++)
  for (k = 0; k <= m - 2; k++)
    for (i = k + 1; i <= m - 1; i++)
      C[k][j] += B[i][j] * A[i][k] / 5""",
    ),
    "triangular_factor": (
        "blocked",
        """
for (i_begin = 0; i_begin < m; i_begin += 64)
  for (j = 0; j < n; j++)
    for (i = i_begin; i < min(m, i_begin + 64); i++)
      for (k = i + 1; k < min(m, i_begin + 64); k++)
        B[i][j] += A[k][i] * B[k][j] / 64
  for (i = i_begin; i < min(m, i_begin + 64); i++)
    for (j = 0; j < n; j++)
      for (k = i_begin + 64; k < m; k++)
        B[i][j] += A[k][i] * B[k][j] / 64
      B[i][j] /= 3""",
    ),
    "in_time": (
        "distributed interchanged fused",
        """
for (int t = 0; t < times; t++)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      p[i][j] = p[i][j] * 3 & 1023
      for (int k = 0; k < n; k++)
        p[i][j] += q[i][k] * r[k] + q[k][j]
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      q[i][j] = p[j][i] & 63""",
    ),
    "other_columns": (
        "distributed interchanged",
        """
for (int i = 0; i < m; i++)
  for (int j = 0; j < n - 1; j++)
    p[i][j] *= 3
for (int i = 0; i < m; i++)
  for (int j = 1; j < n; j++)
    for (int k = 0; k < n; k++)
      p[i][j] += q[i][k] + q[k][j]""",
    ),
    "shifted": (
        "distributed interchanged",
        """
for (int i = 0; i < m; i++)
  for (int j = 0; j < n - 1; j++)
    p[i][j] = p[i][j + 1] - p[i][j]
for (int i = 0; i < m; i++)
  for (int j = 0; j < n - 1; j++)
    for (int k = 0; k < n; k++)
      q[i][j] += p[i][k] * r[j] + q[k][n - 1]""",
    ),
    "as_they_stand": ("", ""),
    "promised": (
        "distributed interchanged fused",
        """
for (int i = 0; i < m; i++)
  for (int j = 0; j < n; j++)
    C[i][j] *= 0.75f
    for (int l = 0; l < k; l++)
      C[i][j] += 1.5f * A[i][l] * B[l][j]""",
    ),
    "counted": (
        "in place interchanged",
        """
for (int i = 0; i < m; i++)
  for (int o = 0; o < 4; o++)
    for (int j = 0; j < n; j++)
      for (int l = 0; l < k; l++)
        D[4 * i + o][j] += old * B[l][j] / 32""",
    ),
    "spoken": ("", ""),
}

#: half a matrix by blocks: what one work-item does, what launches do for all rows behind the block, and a product
BLOCKS = """
for (i_begin = 0; i_begin < n; i_begin += 64)
  for (i = i_begin; i < min(n, i_begin + 64); i++)
    for (j = i_begin; j < i; j++)
      for (k = i_begin; k < j; k++)
        p[i][j] -= p[i][k] * p[j][k]
      p[i][j] ^= p[j][j]
    for (k = i_begin; k < i; k++)
      p[i][i] -= p[i][k] * p[i][k]
    p[i][i] |= 1
  for (i = i_begin + 64; i < n; i++)
    for (j = i_begin; j < i_begin + 64; j++)
      for (k = i_begin; k < j; k++)
        p[i][j] -= p[i][k] * p[j][k]
      p[i][j] ^= p[j][j]
    for (k = i_begin; k < i_begin + 64; k++)
      p[i][i] -= p[i][k] * p[i][k]
  for (i = i_begin + 64; i < n; i++)
    for (j = i_begin + 64; j < i; j++)
      for (k = i_begin; k < i_begin + 64; k++)
        p[i][j] -= p[i][k] * p[j][k]
"""
PRODUCT = """
void product(int n, float A[n][n], float B[n][n], float C[n][n])
{
  int i, j, k;
#pragma acc kernels
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) C[i][j] *= 3;
    for (k = 0; k < n; k++)
      for (j = 0; j < n; j++) C[i][j] += A[i][k] * B[k][j];
  }
}
"""
REPORTED = """
distributed: loops of their own for C[i][j] *= 3 (line 7) and for C[i][j] += A[i][k] * B[k][j] (line 9)
interchanged: loops i, k, j around C[i][j] += A[i][k] * B[k][j] (line 9) run as i, j, k
fused: loops i, j around C[i][j] *= 3 (line 7) and i, j around C[i][j] += A[i][k] * B[k][j] (line 9) are one
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        C[i][j] *= 3
        for (k = 0; k < n; k++)
          C[i][j] += A[i][k] * B[k][j]
"""
CYCLE = """
void cycle(int n, float A[n][n], float B[n][n])
{
#pragma acc kernels
  for (int i = 1; i < n; i++) {
    for (int j = 0; j < n; j++) A[i][j] = B[i - 1][j] + 1;
    for (int j = 0; j < n; j++) B[i][j] = A[i][n - j - 1] * 3;
  }
}
"""
FORBIDDEN = (
    "B[i][j] = A[i][n - j - 1] * 3 (line 7) writes an element of B that A[i][j] = B[i - 1][j] + 1 (line 6) reads in a "
    "later iteration of loop i"
)
SUMS = """
void sums(int n, float A[n][n], float y[n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[j] += A[i][j];
}
"""
#: a nest with two orders, and one with a single one
WHICH = """
void which(int n, float A[n][n], float B[n][n], float C[n][n], float y[n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        C[i][j] += A[i][k] * B[k][j];
#pragma acc kernels
  for (int i = 0; i < n; i++)
    y[i] = A[i][0];
}
"""

SKEWED = """
void skewed(int n, float A[n][n])
{
#pragma acc kernels
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      A[i][n - j] = A[i - 1][j] + 1;
}
"""
ACROSS = (
    "A[i][n - j] = A[i - 1][j] + 1 (line 7) writes an element of A that A[i][n - j] = A[i - 1][j] + 1 (line 7) reads "
    "in a later iteration of loop i, and in another one of loop j"
)


#: what a CPU's OpenCL makes of the largest programs takes longest to build, and is what native kernels are
_ALL = [*telling({"native"}, ["native", "generic-gpu"]), pytest.param("generic-cpu", marks=pytest.mark.slow)]


@pytest.mark.parametrize("target", _ALL)
def test_results_are_those_of_the_order_in_the_source(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("reordered", target)
    assert [(c.text, c.result) for c in calls] == workshop.host_results("reordered")
    check_where(calls)
    launches: dict[str, int] = {}
    for call in (c for c in calls if c.expected == "device"):
        name = call.text.split("(")[0]
        launches[name] = max(launches.get(name, 0), len(call.notices))
    assert {launches[name] for name in ("product", "triangle", "some", "promised", "counted")} == {1}
    assert {launches[name] for name in ("both_ways", "back_and_forth", "symmetric")} == {2}


@pytest.mark.parametrize("order", telling({"distributed"}, ["distributed", "isl"]))
def test_results_are_the_same_without_fusion_and_as_isl_has_it(order, workshop):
    calls = workshop.calls("reordered", "native", f"--acc-schedule={order}")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("reordered")


@pytest.mark.parametrize("target", rarely(3, ["native", "generic-gpu", "generic-cpu"]))
def test_matrices_are_factored_in_place(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("in_place", target)
    assert [(c.text, c.result) for c in calls] == workshop.host_results("in_place")
    on_host = (
        ("around(N)", "around(65)") if target == "generic-gpu" else ()
    )  # paths under a condition, without blocks there
    check_where([c for c in calls if c.text not in on_host])
    assert {c.where for c in calls if c.text in on_host} <= {"host"}


def test_factorisations_run_by_blocks_and_pack_what_a_launch_only_reads(workshop):
    report = explained(workshop.sources / "in_place.c", "--acc-target=native")
    found = {region["function"]: region["order"] for region in report["regions"]}
    assert [found[name]["steps"][0]["word"] for name in ("backward", "forward", "half")] == ["blocked"] * 3
    assert found["half"]["nests"] == BLOCKS.strip().splitlines()
    scalars = [[step["word"] for step in found[name]["steps"]] for name in ("summed", "from_nothing")]
    assert scalars == [["in place", "blocked"]] * 2
    solved = [[step["word"] for step in found[name]["steps"]] for name in ("through", "one_side")]
    assert solved == [["in place"] * 2 + ["blocked"] * 2, ["in place"] + ["blocked"] * 3]
    assert found["through"]["steps"][0]["sentence"] == "w is A[i][j] itself"
    for name, array in (("everywhere", "A"), ("around", "lower")):
        (step,) = found[name]["steps"]
        assert (step["word"], f"which read copies of {array}" in step["sentence"]) == ("blocked", True)
    assert not any(step["word"] == "in place" for step in (found["not_in_place"] or {"steps": []})["steps"])
    update = next(r for r in report["regions"] if r["function"] == "backward")["kernels"][-1]
    packed = [(one["name"], one["references"]) for one in update["staging"][0]["arrays"] if one["staged"]]
    assert packed == [("A", ["A[k][j]"])]


@pytest.mark.thorough
def test_every_nest_has_the_order_that_suits_it(workshop):
    report = explained(workshop.sources / "reordered.c", "--acc-target=native")
    found = {region["function"]: region["order"] for region in report["regions"]}
    for name, (words, nests) in ORDERS.items():
        order = found[name] or {"steps": [], "nests": []}
        assert " ".join(step["word"] for step in order["steps"]) == words, name
        assert "\n".join(order["nests"]) == nests.strip(), name


def test_the_report_tells_of_each_step_and_shows_the_new_order(tmp_path):
    source = tmp_path / "product.c"
    source.write_text(PRODUCT)
    done = accshare("explain", "--acc-target=native", source)
    assert REPORTED.strip() in re.sub("^ {8}|^ +6, ", "", done.stdout, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [(CYCLE, "not distributed", FORBIDDEN), (SKEWED, "not interchanged", ACROSS)],
    ids=["parts", "loops"],
)
def test_the_report_names_the_dependence_that_keeps_the_order(text, word, sentence, tmp_path):
    source = tmp_path / "kept.c"
    source.write_text(text)
    (region,) = explained(source, "--acc-target=native")["regions"]
    assert (word, sentence) == tuple(region["order"]["kept"][0][key] for key in ("word", "sentence"))
    assert f"{word}: {sentence}" in accshare("explain", "--acc-target=native", source).stdout


def test_the_report_shows_what_was_chosen_from_and_why(tmp_path):
    source = tmp_path / "which.c"
    source.write_text(WHICH)
    product, plain = explained(source, "--acc-target=native")["regions"]
    assert plain["order"] is None
    (verdict,) = product["order"]["verdicts"]
    winner, second = verdict["winner"], verdict["runner_up"]
    assert [winner["origin"], second["origin"]] == ["super", "source"]
    assert [winner["launches"], second["launches"]] == [1, 1]
    assert [winner["parallel"], second["parallel"]] == [1024 * 1024, 1024]
    assert winner["cycles"] < second["cycles"]
    text = accshare("explain", "--acc-target=native", source).stdout
    assert re.search(r"super order on native\S*: 1 launch of 1.0 M iterations, \S+ [kM] lines, \S+ [kM] cycles", text)
    assert "next best, source: 1 launch of 1024 iterations, " in text


def test_an_order_can_be_asked_for(tmp_path):
    source = tmp_path / "which.c"
    source.write_text(WHICH)
    words = {}
    for name in ("source", "super", "auto"):
        order = explained(source, f"--acc-schedule={name}")["regions"][0]["order"]
        words[name] = [step["word"] for step in order["steps"]] if order else []
    assert words == {"source": [], "super": ["interchanged"], "auto": ["interchanged"]}


FUSED = """
void fused(int n, float A[n][n], float B[n][n], float C[n][n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      C[i][j] *= 3;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        C[i][j] += A[i][k] * B[k][j];
  }
#pragma acc kernels
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++)
      for (int j = 0; j < k; j++)
        A[i][j] -= A[i][k] * A[k][j];
}
"""


def test_the_model_chooses_fusion_and_blocks_which_can_be_refused(tmp_path):
    source = tmp_path / "fused.c"
    source.write_text(FUSED)
    words, origins = {}, {}
    for name in ("auto", "distributed", "super", "blocks", "isl"):
        orders = [r["order"] for r in explained(source, "--acc-target=native", f"--acc-schedule={name}")["regions"]]
        words[name] = [{step["word"] for step in order["steps"]} if order else set() for order in orders]
        origins[name] = [
            [(v["winner"]["origin"], v["runner_up"]["origin"]) for v in o["verdicts"]] for o in orders if o
        ]
    assert words["auto"] == [{"distributed", "interchanged", "fused"}, {"blocked"}]
    assert words["distributed"][0] == words["isl"][0] == {"distributed", "interchanged"}
    assert "blocked" not in words["super"][1]
    assert words["blocks"] == [set(), {"blocked"}]
    assert origins["auto"] == [[("super", "distributed")], [("blocks", "source")]]


def test_loops_run_as_written_where_that_is_asked_for(tmp_path):
    source = tmp_path / "sums.c"
    source.write_text(SUMS)
    left, reordered = (explained(source, "--acc-target=native", *flags) for flags in (["--acc-schedule=source"], []))
    runs = [[(loop["iterator"], loop["runs"]) for loop in r["regions"][0]["loops"]] for r in (left, reordered)]
    assert runs == [[("i", "host"), ("j", "grid")], [("j", "grid"), ("i", "work-item")]]
    assert left["regions"][0]["order"] is None


def test_loops_that_never_run_have_an_order_too(tmp_path):
    source = tmp_path / "never.c"
    source.write_text(SUMS.replace("int j = 0; j < n", "int j = i; j < i"))
    (region,) = explained(source, "--acc-target=native")["regions"]
    assert region["order"] is None
    assert "ACC901" not in {message["code"] for message in region["messages"]}
