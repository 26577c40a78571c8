"""Tiles made by hand are whole loops again where dependences allow."""

from __future__ import annotations

import pytest
from calls import check_where, explained

#: the loops over tiles that are gone, by function
GONE = {
    "product": ["ii", "jj"],
    "turned": ["ii"],
    "relative": ["ii", "jj", "kk"],
    "sums": ["i"],
    "twice": ["jj", "ii", "iii"],
    "before": [],
    "numbered": [],
    "apart": [],
    "promised": [],
    "several": ["ii"],
    "unlike": [],
}


@pytest.mark.parametrize("target", ["native", "generic-gpu"])
def test_results_are_those_of_the_tiles(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("untiled", target)
    assert [(c.text, c.result) for c in calls] == workshop.host_results("untiled")
    check_where(calls)


def test_tiles_are_gone_where_nothing_asks_for_their_order(workshop):
    report = explained(workshop.sources / "untiled.c", "--acc-target=native")
    found: dict[str, list[str]] = {}
    for region in report["regions"]:
        steps = [step for step in (region["order"] or {"steps": []})["steps"] if step["word"] == "untiled"]
        gone = [step["sentence"].split()[1] for step in steps]
        found[region["function"]] = [*found.get(region["function"], []), *gone]
    assert found == GONE


def test_a_product_in_tiles_is_the_kernel_of_one_without(workshop):
    report = explained(workshop.sources / "untiled.c", "--acc-target=native")
    for name in ("product", "relative", "sums"):
        (kernel,) = next(region for region in report["regions"] if region["function"] == name)["kernels"]
        packed = {one["name"] for staging in kernel["staging"] for one in staging["arrays"] if one["staged"]}
        assert "B" in packed, name
