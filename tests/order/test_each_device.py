"""Devices of each kind have the order of loops that suits them, whichever of them is named first."""

from __future__ import annotations

import json
import re

import pytest
from calls import explained
from commands import accshare, accshare_cc
from tiers import telling

#: a matrix that changes and whose columns are added up: one pass for a processor, two for a GPU
PASSES = """
void passes(int n, float A[restrict n][n], const float *restrict c, const float *restrict d, float *restrict x)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += c[i] * d[j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        x[i] += A[j][i] * c[j];
  }
}
"""
#: by fronts on a processor; launches for so few iterations are worth nothing on a GPU
IN_PLACE = """
void sweep(int n, float A[restrict n][n])
{
#pragma acc kernels
  for (int t = 0; t < 20; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) * 0.2f;
}
"""
ORDERS = ("native,generic-gpu", "generic-gpu,native", "generic-gpu,generic-cpu")


@pytest.fixture
def source(tmp_path):
    def written(text):
        (tmp_path / "loops.c").write_text(text)
        return tmp_path / "loops.c"

    return written


def region_of(source, targets):
    (region,) = explained(source, f"--acc-target={targets}", "-march=native")["regions"]
    return region


@pytest.mark.parametrize("targets", ORDERS)
def test_each_kind_of_device_has_an_order_of_its_own(targets, source):
    region = region_of(source(PASSES), targets)
    orders = [order for order in (region["order"], *region["other_orders"]) if order is not None]
    words = {target: {s["word"] for s in order["steps"]} for order in orders for target in order["targets"]}
    assert "fused" in words[targets.replace("generic-gpu", "").strip(",")]
    assert "fused" not in words.get("generic-gpu", ())
    alone = region_of(source(PASSES), "generic-gpu")
    assert words.get("generic-gpu", set()) == {s["word"] for s in (alone["order"] or {"steps": []})["steps"]}


def test_kernels_of_one_order_are_not_those_of_another(source):
    """Each target of a kernel is told once, and no name is there twice."""
    region = region_of(source(PASSES), ORDERS[0])
    names = [kernel["name"] for kernel in region["kernels"]]
    assert len(names) == len(set(names)) == 3
    on = [{size["target"] for size in kernel["sizes"]} for kernel in region["kernels"]]
    assert sorted(map(sorted, on)) == [["generic-gpu"], ["generic-gpu"], ["native"]]
    told = accshare("explain", f"--acc-target={ORDERS[0]}", "-march=native", source(PASSES)).stdout
    assert "1 kernel, target native" in told
    every = accshare("explain", "-v", f"--acc-target={ORDERS[0]}", "-march=native", source(PASSES)).stdout
    assert "on generic-gpu, loops run as they are written" in every


@pytest.mark.parametrize("targets", telling({ORDERS[0]}, [ORDERS[0], ORDERS[2]]))
def test_all_give_the_host_s_results(targets, source):
    done = accshare("verify", f"--acc-target={targets}", "-march=native", source(PASSES))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("targets", ORDERS[:2])
def test_devices_whose_order_has_no_kernels_leave_the_others_alone(targets, source, tmp_path):
    region = region_of(source(IN_PLACE), targets)
    assert region["offloaded"]
    assert region["targets"] == ["native"]
    assert {step["word"] for step in region["order"]["steps"]} == {"skewed"}
    assert "there are no kernels for generic-gpu" in json.dumps(region["messages"])
    built = accshare_cc(f"--acc-target={targets}", "-march=native", "-c", source(IN_PLACE), "-o", tmp_path / "loops.o")
    assert built.returncode == 0
    assert not re.search("warning|error", built.stderr)


#: an array of each iteration's own, as long as the program wants it to be
LENGTHS = """
void sort(int n, int m, float A[restrict n][m], float *restrict b)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    float row[m];
    for (int j = 0; j < m; j++)
      row[j] = A[i][m - 1 - j];
    for (int j = 1; j < m; j++)
      row[j] += row[j - 1];
    b[i] = row[m / 2];
  }
}
"""


@pytest.mark.parametrize("targets", ORDERS[:2])
def test_what_one_kind_of_device_can_t_have_leaves_the_others_alone(targets, source):
    region = region_of(source(LENGTHS), targets)
    assert region["targets"] == ["native"]
    assert "there are no kernels for generic-gpu: row is private" in json.dumps(region["messages"])
    alone = region_of(source(LENGTHS), "generic-gpu")
    assert not alone["offloaded"]
    assert alone["messages"][0]["code"] == "ACC203"
    assert accshare("verify", f"--acc-target={targets}", "-march=native", source(LENGTHS)).returncode == 0
