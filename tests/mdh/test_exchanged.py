"""Loops that combine stand inside of parallel ones, however the program nests them."""

import re

import pytest
from calls import check_where, explained
from tiers import telling


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
@pytest.mark.usefixtures("opencl")
def test_results_are_those_of_the_order_in_the_source(target, workshop):
    calls = workshop.calls("exchanged", target, ACCSHARE_OFFLOAD="mandatory")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("exchanged")
    check_where(calls)
    assert {len(c.notices) for c in calls if c.text.startswith(("columns(N", "rows", "outer", "greatest"))} == {1}


def test_the_report_says_how_loops_run(workshop):
    source = workshop.sources / "exchanged.c"
    report = explained(source)
    loops = [loop for region in report["regions"] for loop in region["loops"]]
    runs = {loop["place"]["line"]: f"{loop['runs']} {loop['axis'] or ''}".strip() for loop in loops}
    lines = enumerate(source.read_text().splitlines(), 1)
    assert runs == {k: m[1] for k, line in lines if (m := re.search(r"// (grid [xyz]|host|work-item)$", line))}
