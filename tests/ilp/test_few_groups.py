"""Launches of so few work-groups that compute units would be idle have kernels of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "interpreter")]

from interpreting import compiled  # noqa: E402

GEMM = HERE.parents[1] / "samples" / "gemm.c"
DEFAULT = ["--acc-target=h100", "--acc-share=auto"]


def nest_of(*flags):
    (region,) = compiled(GEMM, *DEFAULT, *flags)
    (nest,) = region.plan.nests
    return nest


@pytest.mark.parametrize(
    ("sizes", "small"), [((61, 75, 40), True), ((33, 1, 1), True), ((0, 5, 5), True), ((1200, 1100, 2), False)]
)
def test_each_size_has_its_kernel_and_gives_what_the_loops_do(sizes, small, tmp_path):
    (region,) = compiled(GEMM, *DEFAULT)
    case = region.case(**dict(zip("mnk", sizes, strict=True)))
    run = region.run(case)
    assert run.faults == ()
    assert {count.kernel.endswith("_small") for count in run.counts} <= {small}
    difference = region.difference(case, run, tmp_path)
    assert difference.error <= difference.allowed


def test_its_groups_are_smaller_and_more():
    nest = nest_of()
    own, small = nest.placement.partition.nest.grid, nest.small.plan.placement.partition.nest.grid
    assert sum(m.size for m in small) < sum(m.size for m in own)
    assert all(a.size <= b.size for a, b in zip(small, own, strict=True))


@pytest.mark.parametrize(
    "flags",
    [
        ["--acc-target=generic-gpu"],
        ["--acc-share=on"],
        ["--acc-ilp=Y:4"],
        ["--acc-choose=gemm_l12_0:TB_X=32,TB_Y=16"],
    ],
)
def test_what_is_asked_for_and_devices_that_nobody_knows_have_one_size(flags):
    assert nest_of(*flags).small is None
