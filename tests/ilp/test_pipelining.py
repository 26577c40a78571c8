"""Strips that are fetched while a work-group runs another one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "interpreter")]

from interpreting import compiled  # noqa: E402

PROGRAM = HERE / "programs" / "strips.c"
GPU = "h200"
SIZES = [(1, 1), (33, 1), (33, 63), (65, 64), (65, 65), (67, 128), (5, 131)]


@pytest.fixture(scope="module")
def regions():
    found = list(compiled(PROGRAM, f"--acc-target={GPU}", "--acc-share=force", "-O2"))
    return {region.name.rpartition("_")[0]: region for region in found}


@pytest.mark.parametrize("name", ["product", "backwards", "changing", "symmetric"])
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_strips_are_those_that_exist(regions, name, n, m, tmp_path):
    region = regions[name]
    case = region.case(n=n, m=m, **({"from": min(3, m)} if name == "backwards" else {}))
    run = region.run(case)
    assert run.faults == ()
    difference = region.difference(case, run, tmp_path)
    assert difference.error <= difference.allowed


def test_no_strip_is_asked_for_where_there_is_none(regions, tmp_path):
    case = regions["product"].case(n=33, m=0)
    run = regions["product"].run(case)
    assert run.faults == ()
    assert regions["product"].difference(case, run, tmp_path).error == 0


def _code(region):
    """The kernels' text."""
    return region.variant.opencl


def test_what_a_kernel_changes_is_not_fetched_early(regions):
    assert re.search(r"\bA_local_ahead\[", _code(regions["product"]))
    assert "A_local" in _code(regions["changing"])
    assert "A_local_ahead" not in _code(regions["changing"])


def test_an_element_and_its_copy_elsewhere_are_one_register(regions):
    assert re.search(r"\bC_own\[.*\+= A_local", _code(regions["symmetric"]))


def test_without_iterations_side_by_side_nothing_is_fetched_early():
    for region in compiled(PROGRAM, f"--acc-target={GPU}", "--acc-share=force", "--acc-ilp=off"):
        assert "_ahead" not in _code(region)
