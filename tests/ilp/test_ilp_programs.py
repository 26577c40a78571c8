"""Kernels with several iterations a work-item give what the host compiler's loops give, along every axis."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "interpreter")]

from calls import Workshop, check_where  # noqa: E402
from commands import accshare_cc  # noqa: E402
from interpreting import compiled  # noqa: E402
from tiers import every  # noqa: E402

from accshare.kernel.ir import Buffer, Guarded, Loop, parts  # noqa: E402
from accshare.run.sizes import integers  # noqa: E402

PROGRAM = HERE / "programs" / "iterations.c"
SETTINGS = ["auto", "X:2,Y:4", *(f"{axis}:{n}" for axis in "XYZ" for n in (2, 4, 8, 16))]
#: axes whose iterations don't run side by side: those of a loop that steps by 3
ALONE = {("lines_l151", "X")}
SIZES = {"l": 15, "m": 17, "n": 37}


@pytest.mark.parametrize("share", ["force", "off"])
@pytest.mark.parametrize("setting", every(5, SETTINGS, 3))
def test_interpreted_kernels_are_right(setting, share, tmp_path):
    for region in compiled(PROGRAM, f"--acc-ilp={setting}", f"--acc-share={share}"):
        case = region.case(**{n: SIZES[n] for n in integers(region.text.offload.plan)})
        run = region.run(case)
        assert run.faults == ()
        difference = region.difference(case, run, tmp_path)
        assert difference.error <= difference.allowed, (region.name, difference)


@pytest.mark.parametrize(("axis", "several"), [("X", 2), ("Y", 2), ("Y", 16), ("Z", 4)])
def test_what_is_asked_for_is_done_where_there_is_such_an_axis(axis, several):
    number = "XYZ".index(axis)
    for region in compiled(PROGRAM, f"--acc-ilp={axis}:{several}"):
        (nest,) = region.plan.nests
        axes = {d.axis for d in nest.placement.partition.nest.grid}
        if number in axes:
            assert nest.coarsening.factors[number] == (1 if (region.name, axis) in ALONE else several), region.name


def test_what_does_not_fit_is_told():
    product, *_ = compiled(PROGRAM, "--acc-ilp=X:16")
    nest = product.plan.nests[0].coarsening
    assert nest.factors == (1, 1, 1)
    assert nest.why == "what was asked for does not fit the device"


@pytest.mark.parametrize("share", ["force", "off"])
def test_weights_of_a_filter_are_no_memory(share):
    *_, filtered, looked_up = compiled(PROGRAM, f"--acc-share={share}")
    (filter_,), (look_up,) = filtered.variant.variant.kernels, looked_up.variant.variant.kernels
    assert "weight" not in {p.name for p in filter_.params if isinstance(p, Buffer)}
    assert "curve" in {p.name for p in look_up.params if isinstance(p, Buffer)}


def test_iterations_of_a_tile_that_is_cut_off_are_tested_once():
    """Not again in each step of a short loop."""
    *_, filtered, _ = compiled(PROGRAM, "--acc-share=off", "--acc-ilp=X:4")
    (kernel,) = filtered.variant.variant.kernels
    loops = [s for stmt in kernel.body for s in parts(stmt) if isinstance(s, Loop) and s.iterator.name in ("v", "u")]
    assert loops
    assert not any(isinstance(s, Guarded) for loop in loops for s in parts(loop))


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    """Builds the program, where there is a device to run it."""
    if "Device" not in subprocess.run(["clinfo", "-l"], capture_output=True, text=True).stdout:
        pytest.skip("no OpenCL device")
    return Workshop(PROGRAM.parent, tmp_path_factory.mktemp("ilp"))


SLOW = [pytest.param(setting, marks=pytest.mark.slow) for setting in ("auto", "4", "X:2", "Z:4", "X:2,Y:8")]


@pytest.mark.parametrize("setting", [pytest.param("X:2,Y:2", marks=pytest.mark.thorough), *SLOW])
def test_compiled_programs_are_right(workshop, setting):
    calls = workshop.calls("iterations", "generic-gpu", f"--acc-ilp={setting}")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("iterations")
    check_where(calls)


@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize("options", [["--acc-target=h200", "--acc-share=off"], ["--acc-target=generic-gpu"]])
@pytest.mark.parametrize("ilp", ["off", "auto", "X:2"])
def test_iterations_that_do_not_exist_store_nothing(options, ilp, tmp_path):
    """A call of a function with a value that is not there would tell compilers that its condition always holds."""
    program, flags = HERE / "programs" / "absent.c", ["-O2", "-lm"]
    subprocess.run(["gcc", program, "-o", tmp_path / "plain", *flags], check=True)
    done = accshare_cc(*options, f"--acc-ilp={ilp}", program, "-o", tmp_path / "offloaded", *flags)
    assert done.returncode == 0, done.stderr
    environment = {**os.environ, "ACCSHARE_OFFLOAD": "mandatory"}
    plain, offloaded = (
        subprocess.run([tmp_path / name], env=environment, capture_output=True, text=True, check=True)
        for name in ("plain", "offloaded")
    )
    assert offloaded.stdout == plain.stdout
