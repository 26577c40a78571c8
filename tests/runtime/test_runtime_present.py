"""The present table: reference counts, sections, updates, and what the host may take over.

With memory of its own the device's copy and the host's differ until something copies; with shared memory there is one.
"""

from __future__ import annotations

import pytest
from runtime_programs import Program

pytestmark = pytest.mark.quick

OWN = {"ACCSHARE_ZERO_COPY": "0"}


@pytest.mark.parametrize(
    ("scenario", "printed"),
    [
        ("structured", "1 3 1 3 5 0"),
        ("dynamic", "3 1 4 0"),
        ("finalize", "1 0"),
        ("section", "1 23 25 28 19 21 30 30"),
        ("update", "1001 7"),
        ("partial", "0 1 2 19 33"),
        ("guard", "6"),
        ("no_create", "1 0 1"),
        ("twice", "1 9 0"),
        ("nested", "30 1 0"),
        ("never_used", "3"),
        ("odd_address", "1 1 4"),
    ],
)
def test_data_on_a_device_with_memory_of_its_own(run: Program, scenario: str, printed: str) -> None:
    result = run("present", scenario, **OWN)
    assert (result.returncode, result.stdout) == (0, printed + "\n")


@pytest.mark.parametrize(
    ("scenario", "printed"),
    [
        ("structured", "1 4 1 5 5 0"),
        ("dynamic", "4 1 4 0"),
        ("section", "1 24 25 29 19 21 30 30"),
        ("update", "1001 1001"),
        ("partial", "0 1 2 19 33"),
        ("guard", "6"),
        ("twice", "1 9 0"),
        ("nested", "30 1 0"),
        ("never_used", "3"),
        ("odd_address", "1 1 4"),
    ],
)
def test_data_on_a_device_that_shares_the_hosts_memory(run: Program, scenario: str, printed: str) -> None:
    if not run.runtime.devices()[0]["unified"]:
        pytest.skip("the device has memory of its own")
    result = run("present", scenario)
    assert (result.returncode, result.stdout) == (0, printed + "\n")


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ("missing", "axpy.c:7: x is not present on the device"),
        ("update_missing", "data.c:5: update of array, which is not present on the device"),
        ("overlapping", "data.c:5: array is only partly present on the device (bytes 0 to 256 are asked for)"),
    ],
)
def test_errors_in_the_programs_data_clauses_end_it(
    run: Program, memory: dict[str, str], scenario: str, message: str
) -> None:
    result = run("present", scenario, **memory)
    assert (result.returncode, result.stdout, result.stderr) == (3, "", f"accshare: {message}\n")


@pytest.mark.parametrize("scenario", ["missing", "update_missing", "overlapping"])
def test_without_a_device_everything_is_present(run_without_device: Program, scenario: str) -> None:
    result = run_without_device("present", scenario, ACCSHARE_OPENCL="none")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_partly_present_array_sends_the_region_to_the_host_and_says_so(run: Program) -> None:
    result = run("present", "partial", **OWN)
    assert result.stderr == (
        "accshare: axpy.c:7: y is only partly present on the device (bytes 64 to 192 are asked for); "
        "running the host loops\n"
    )
    mandatory = run("present", "partial", ACCSHARE_OFFLOAD="mandatory", **OWN)
    assert mandatory.returncode == 3


def test_a_section_that_does_not_start_at_an_element_runs_on_the_host(run: Program, memory: dict[str, str]) -> None:
    result = run("present", "odd_origin", **memory)
    assert result.stdout == "0\n"
    assert "inside does not start at a whole element" in result.stderr


def test_openacc_routines(run: Program) -> None:
    printed = run("routines", **OWN).stdout.splitlines()
    assert printed == [
        "devices 1",
        "named 1",
        "on host 1",
        "update 4 31",
        "copyout 5 51 present 0",
        "deviceptr 1 8 8",
        "hostptr 1",
        "deleted 1",
        "host 1 1 4",
        "device 1 1 5",
    ]


def test_openacc_routines_without_a_device(run_without_device: Program) -> None:
    printed = run_without_device("routines", ACCSHARE_OPENCL="none").stdout.splitlines()
    assert printed[0] == "devices 0"
    assert "copyout 5 51 present 1" in printed
    assert "host 1 1 4" in printed
