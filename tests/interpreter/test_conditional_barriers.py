"""Kernels for a vendor's GPU: barriers only where tiles ask for them, under conditions that hold for a group."""

import pytest
from interpreting import ROOT, compiled

PROGRAM = ROOT / "tests" / "target" / "barriers.c"
SIZES = [(1, 1), (37, 5), (40, 75), (3, 0), (0, 4)]


@pytest.fixture(scope="module")
def regions():
    return {r.name.partition("_")[0]: r for r in compiled(PROGRAM, "--acc-target=h100", "--acc-share=force")}


@pytest.mark.parametrize("name", ["ends", "triangle", "behind", "again"])
def test_nothing_is_missing_without_what_pocl_needs(regions, name, tmp_path):
    for n, m in SIZES:
        case = regions[name].case(n=n, m=m)
        run = regions[name].run(case)
        assert run.faults == ()
        assert regions[name].difference(case, run, tmp_path).ok
