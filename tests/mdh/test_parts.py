"""Kernels in parts: few results, each of many values (MDH)."""

import pytest
from calls import RESULT, check_where, simulate
from tiers import rarely

#: a GPU, and a CPU with more cores than there are results
TARGETS = ("generic-gpu", "xeon-8480")


@pytest.mark.thorough
@pytest.mark.parametrize("target", rarely(2, TARGETS))
@pytest.mark.usefixtures("opencl")
def test_loops_that_combine_run_in_parts_where_the_others_are_short(target, workshop):
    calls = workshop.calls("in_parts", target, ACCSHARE_OFFLOAD="mandatory")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("in_parts")
    check_where(calls)
    assert [(c.text, in_parts(c)) for c in calls] == [(c.text, c.text.startswith("in parts")) for c in calls]


@pytest.mark.thorough
@pytest.mark.usefixtures("opencl")
def test_few_cores_have_enough_to_do_with_some_results(workshop):
    calls = workshop.calls("in_parts", "generic-cpu", ACCSHARE_OFFLOAD="mandatory")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("in_parts")
    assert {c.text for c in calls if in_parts(c)} < {c.text for c in calls if c.text.startswith("in parts")}


def in_parts(call):
    """Whether a kernel for parts ran, and the one that combines them behind it."""
    kernels = [word for notice in call.notices for word in notice.split() if word.startswith("kernel=")]
    parts = [k for k, name in enumerate(kernels) if name.endswith("_split")]
    assert all(kernels[k + 1] == kernels[k].replace("_split", "_finalize") for k in parts)
    return bool(parts)


@pytest.mark.usefixtures("opencl")
def test_a_program_for_any_device_asks_how_many_compute_units_there_are(workshop):
    calls = workshop.calls("small_parts", "opencl", ACCSHARE_OFFLOAD="mandatory")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("small_parts")
    check_where(calls)


@pytest.mark.thorough
def test_parts_are_free_of_races(workshop, tmp_path):
    program = workshop.program("small_parts", "generic-gpu")
    printed, complaints = simulate(program, tmp_path)
    found = [RESULT.fullmatch(line) for line in printed.splitlines()]
    assert [(match[2], match[3]) for match in found] == workshop.host_results("small_parts")
    assert complaints == ""
