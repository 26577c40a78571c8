"""Tables over intervals run in squares: what other squares hold is combined first."""

from __future__ import annotations

import pytest
from calls import check_where, explained
from tiers import telling


@pytest.mark.parametrize("target", telling({"native"}, ["native", "generic-gpu", "generic-cpu"]))
def test_results_are_those_of_the_order_in_the_source(target, workshop, request):
    if target != "native":
        request.getfixturevalue("opencl")
    calls = workshop.calls("squares", target, "--acc-schedule=blocks", ACCSHARE_ZERO_COPY="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("squares")
    check_where(calls)
    launches = {call.text: len(call.notices) for call in calls}
    assert launches["folded(65)"] == 2  # two fronts, of two squares and of one, that need nothing of others
    assert launches["folded(N)"] == 4 + 2


def test_what_combines_in_any_order_runs_in_squares(workshop):
    regions = explained(workshop.sources / "squares.c", "--acc-target=native")["regions"]
    words = {region["function"]: [step["word"] for step in region["order"]["steps"]] for region in regions}
    assert words.pop("summed") == ["skewed"]
    assert words == {name: ["blocked"] for name in ("folded", "searched", "counted", "rated")}
    (folded,) = [region for region in regions if region["function"] == "folded"]
    (verdict,) = folded["order"]["verdicts"]
    assert (verdict["winner"]["origin"], verdict["runner_up"]["origin"]) == ("blocks", "source")


def test_an_order_that_nobody_asks_for_is_none(workshop):
    """What floating-point numbers are combined to with -ffast-math is a product, too; without, greatest numbers are one
    where the region looks at what it begins with."""
    source = workshop.sources / "any_order.c"
    for flags, words in (((), ["blocked", "skewed"]), (("-ffast-math",), ["blocked"] * 2)):
        regions = explained(source, "--acc-target=native", *flags)["regions"]
        assert [[step["word"] for step in region["order"]["steps"]] for region in regions] == [[word] for word in words]
    calls = workshop.calls("any_order", "native", "-ffast-math", ACCSHARE_ZERO_COPY="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("any_order")
    check_where(calls)


def test_numbers_that_a_table_begins_with_are_looked_at(workshop):
    """Greatest numbers have no order where none is NaN and no zero has a minus sign; elsewhere the host's loops run."""
    calls = workshop.calls("closed", "native", "--acc-schedule=blocks")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("closed")
    check_where(calls)
    (notice,) = next(call for call in calls if call.text == "folded(N, 5, 90, NAN)").notices
    assert "f has NaN, -0 or -INFINITY" in notice
