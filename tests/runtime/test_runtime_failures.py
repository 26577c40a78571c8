"""A device that fails: the host loops take over with the right answer, or the program ends; never a wrong answer."""

from __future__ import annotations

import subprocess

import pytest
from runtime_programs import Program


def run_failing(
    run: Program, call: str, after: int, *arguments: object, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs with OpenCL's `call` failing once `after` calls went well."""
    shim = run.runtime.compile("failing_opencl", "-shared", "-fPIC")
    failing = {"LD_PRELOAD": f"{shim} libOpenCL.so.1", "FAIL_CALL": call, "FAIL_AFTER": str(after)}
    return run(*arguments, **failing, **variables)


OWN = {"ACCSHARE_ZERO_COPY": "0"}


@pytest.mark.parametrize(
    ("call", "after", "reason"),
    [
        ("clCreateBuffer", 0, "allocating device memory failed for x: CL_MEM_OBJECT_ALLOCATION_FAILURE"),
        ("clCreateBuffer", 1, "allocating device memory failed for y: CL_MEM_OBJECT_ALLOCATION_FAILURE"),
        ("clBuildProgram", 0, "OpenCL build failed"),
        ("clEnqueueWriteBuffer", 1, "copying in failed for y: CL_OUT_OF_RESOURCES"),
        ("clEnqueueNDRangeKernel", 0, "launching failed for axpy: CL_OUT_OF_RESOURCES"),
        ("clEnqueueNDRangeKernel", 1, "launching failed for axpy: CL_OUT_OF_RESOURCES"),
        ("clEnqueueReadBuffer", 0, "copying out failed for y: CL_OUT_OF_RESOURCES"),
    ],
)
def test_the_host_loops_take_over(run: Program, call: str, after: int, reason: str) -> None:
    result = run_failing(run, call, after, "region", 100, 5, 3, 2, **OWN)
    assert (result.returncode, result.stdout) == (0, "device=0 host=3 wrong=0\n")
    assert f"accshare: axpy.c:7: {reason}; running the host loops\n" in result.stderr
    mandatory = run_failing(run, call, after, "region", 100, 5, 3, 2, ACCSHARE_OFFLOAD="mandatory", **OWN)
    assert (mandatory.returncode, mandatory.stdout) == (3, "")
    assert f"accshare: axpy.c:7: the region can't run on a device: {reason}\n" in mandatory.stderr


@pytest.mark.parametrize("after", [2, 4])
def test_a_device_that_fails_later_leaves_what_it_did_right(run: Program, after: int) -> None:
    result = run_failing(run, "clEnqueueNDRangeKernel", after, "region", 100, 5, 3, 2, **OWN)
    assert (result.returncode, result.stdout) == (0, f"device={after // 2} host={3 - after // 2} wrong=0\n")


def test_the_same_failure_is_told_once(run: Program) -> None:
    result = run_failing(run, "clEnqueueNDRangeKernel", 0, "region", 100, 5, 3, 2, **OWN)
    assert result.stderr.count("\n") == 1


def test_host_memory_a_kernel_has_changed_already_is_no_ground_to_go_on(run: Program) -> None:
    if not run.runtime.devices()[0]["unified"]:
        pytest.skip("the device has memory of its own")
    result = run_failing(run, "clEnqueueNDRangeKernel", 1, "region", 100, 5, 3, 2)
    assert (result.returncode, result.stdout) == (3, "")
    assert "the device had begun to change the data, so the host loops can't take over" in result.stderr


def test_shared_memory_is_untouched_when_the_first_launch_fails(run: Program) -> None:
    result = run_failing(run, "clEnqueueNDRangeKernel", 0, "region", 100, 5, 3, 2)
    assert (result.returncode, result.stdout) == (0, "device=0 host=3 wrong=0\n")


@pytest.mark.parametrize("after", [0, 1])
def test_a_data_construct_without_room_on_the_device_still_gives_the_right_answer(run: Program, after: int) -> None:
    result = run_failing(run, "clCreateBuffer", after, "present", "dynamic", **OWN)
    assert result.returncode == 0
    # the host's copy is the only one of y: counted twice, there until the second exit, and always up to date
    assert result.stdout == "4 1 4 0\n"
    assert "allocating device memory failed" in result.stderr


def test_a_failure_with_data_present_goes_on_from_the_devices_newer_copy(run: Program) -> None:
    result = run_failing(run, "clEnqueueNDRangeKernel", 1, "present", "structured", **OWN)
    assert result.returncode == 0
    assert result.stdout == "1 3 0 5 5 0\n"


def test_a_rejected_kernel_shows_the_log_with_the_users_lines(run: Program) -> None:
    result = run("broken")
    assert result.stdout == "device=0 5\n"
    assert "user.c:42" in result.stderr
    assert result.stderr.count("accshare: axpy.c:7: OpenCL build failed; running the host loops\n") == 1


@pytest.mark.parametrize("times", [3, 40])
def test_buffers_do_not_pile_up(run: Program, memory: dict[str, str], times: int) -> None:
    result = run_failing(run, "", 0, "region", 100, 5, times, 2, COUNT_BUFFERS="1", **memory)
    *_, last = result.stderr.splitlines()  # others are of programs that were run to build a kernel
    left = int(last.removeprefix("buffers left: "))
    assert left <= 2  # as many as one region needs, kept for the next


def test_quotients_and_roots_are_rounded_correctly_where_a_device_can(run: Program) -> None:
    shown = subprocess.run(["clinfo", "--raw"], capture_output=True, text=True, check=False).stdout
    if "CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT" not in shown:
        pytest.skip("the device can't, or there is no clinfo to tell")
    result = run_failing(run, "inexact build", 0, "region", 100, 5, 3, 2)
    assert (result.returncode, result.stdout) == (0, "device=3 host=0 wrong=0\n")


@pytest.mark.parametrize(("limit", "variant"), [("1", "generic-cpu"), ("16", "generic-gpu")])
def test_a_drivers_limit_counts_for_kernels_that_were_not_compiled_for_their_groups(
    run: Program, limit: str, variant: str
) -> None:
    """Of the two, only that for CPUs was."""
    result = run_failing(run, "", 0, "region", 100, 5, 1, 1, AS_GPU="1", NARROW=limit, ACCSHARE_NOTIFY="1", **OWN)
    assert (result.returncode, result.stdout) == (0, "device=1 host=0 wrong=0\n")
    assert f"variant={variant}" in result.stderr
