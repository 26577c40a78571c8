"""Kernels whose small launches have another one: the host picks by how many iterations each compute unit gets."""

from __future__ import annotations

import re

import pytest
from calls import check_where, explained, simulate

from accshare.device import preset
from accshare.diagnostics import Rejected
from accshare.kernel import lower
from accshare.mapping.ir import NestPartition
from accshare.options import Options
from accshare.records import replace
from accshare.run.generate import sections
from accshare.run.interpreter import interpret
from accshare.run.sizes import cases
from accshare.run.sources import compile_file
from accshare.schedule.ir import Phase, in_order, steps
from accshare.target import adaptation

#: 16 compute units, each of which 256 iterations keep busy: with 249 for each (253 in `shrinking`), work-items share no
#: loop any more
GPU = "generic-gpu"
NAME = "small_launches"
#: the kernels with a small one that calls launch, "plain" or "small", in order
LAUNCHED = {
    "weighted(11, N)": ["small"],
    "weighted(MANY, 3)": ["plain"],
    "weighted(3800, 3)": ["small"],
    "weighted(4000, 0)": ["plain"],
    "weighted(4, 0)": ["small"],
    "shrinking(MANY, 5)": ["plain", "small", "small"],
    "shrinking(500, N)": ["small", "small", "small"],
}


@pytest.mark.thorough
def test_both_kernels_give_what_the_loops_do(workshop, opencl):
    calls = workshop.calls(NAME, GPU)
    assert [(c.text, c.result) for c in calls] == workshop.host_results(NAME)
    check_where(calls)
    found = {call.text: list(_launched(call.notices)) for call in calls}
    assert {text: found[text] for text in LAUNCHED} == LAUNCHED


def _launched(notices):
    """Which of the two kernels each launch of those runs that have two."""
    for notice in notices:
        kernel = re.search(r"kernel=(?:weighted|shrinking)_l\d+_0(_small)? ", notice)
        if kernel:
            yield "small" if kernel[1] else "plain"


@pytest.mark.slow
def test_both_run_in_a_simulator_without_a_race(workshop, tmp_path):
    printed, log = simulate(workshop.program(NAME, GPU), tmp_path)
    results = [line.rsplit(" ", 1)[1] for line in printed.splitlines()]
    assert results == [result for _, result in workshop.host_results(NAME)]
    assert not log


def test_the_report_says_when(workshop):
    report = explained(workshop.sources / f"{NAME}.c", f"--acc-target={GPU}")
    for region in report["regions"]:
        if region["function"] == "weighted":
            first, small = region["kernels"][0]["sizes"]
            assert (first["below"], first["phases"], small["work_group"]) == (0, [], [32, 8])
            assert small["below"] == 249
            assert "work-items over j" in "".join(small["phases"])


def test_python_picks_as_the_program_does(workshop):
    unit = compile_file(str(workshop.sources / f"{NAME}.c"), [f"--acc-target={GPU}"])
    region = next(r for r in unit.result.output.regions if r.offload.region.function == "weighted")
    for m, suffix in (12, "_small"), (3985, ""):
        (case, *_) = cases(region.offload.plan, 1, {"m": m, "n": 2})
        run = interpret(region.variants[0].variant, sections(region, case.values, 1), case.values)
        assert run.faults == ()
        assert {count.kernel.removeprefix(f"{region.offload.region.name}_0") for count in run.counts} == {suffix}


def test_the_small_kernel_is_proved_too(workshop):
    """One that leaves out a barrier is refused, though no large launch would run it."""
    unit = compile_file(str(workshop.sources / f"{NAME}.c"), [f"--acc-target={GPU}"])
    outcome = next(o for o in unit.result.outcomes if o.region.function == "weighted")
    (plan,) = outcome.plans
    first = plan.nests[0]
    assert lower(plan, Options(), adaptation(preset(GPU))).kernels
    placement = first.small.plan.placement
    kernel = placement.partition.nest
    merged = Phase(in_order(tuple(step for phase in steps(kernel.inside) for step in steps(phase.child))))
    wrong = NestPartition(replace(kernel, child=replace(kernel.child, child=merged)))
    small = replace(first.small, plan=replace(first.small.plan, placement=replace(placement, partition=wrong)))
    spoiled = replace(plan, nests=(replace(first, small=small), *plan.nests[1:]))
    with pytest.raises(Rejected) as caught:
        lower(spoiled, Options(), adaptation(preset(GPU)))
    assert caught.value.diagnostic.code == "ACC902"
