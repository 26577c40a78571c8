"""Running a region: arguments, offsets, variants, scratch memory, and what is said about it."""

from __future__ import annotations

import re
import shutil

import pytest
from runtime_programs import Program, Runtime, call

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("first", [0, 1, 37])
@pytest.mark.parametrize("n", [1, 16, 1000])
def test_sections_anywhere_in_an_array_are_computed_on_the_device(
    run: Program, memory: dict[str, str], n: int, first: int
) -> None:
    result = run("region", n, first, 2, 3, **memory)
    assert result.stdout == "device=2 host=0 wrong=0\n"
    assert result.stderr == ""


def test_a_region_with_no_iterations_is_a_success(run: Program) -> None:
    assert run("region", 0, 4, 1, 1).stdout == "device=1 host=0 wrong=0\n"


def test_scratch_local_memory_fp64_and_the_first_variant_that_fits(run: Program, memory: dict[str, str]) -> None:
    assert run("scratch", **memory).stdout == "3 1 generic-gpu 499505\n"


def test_the_variant_of_the_devices_own_kind_is_taken(run: Program) -> None:
    kind = run.runtime.devices()[0]["type"]
    assert f"variant=generic-{kind}\n" in run("region", 16, 0, 1, 1, ACCSHARE_NOTIFY="1").stderr


def test_notify_prints_one_line_a_launch_and_a_transfer(run: Program) -> None:
    said = run("region", 100, 5, 1, 1, ACCSHARE_NOTIFY="3", ACCSHARE_ZERO_COPY="0").stderr.splitlines()
    device = run.runtime.devices()[0]
    name = re.escape(f'device="{device["name"]}"')
    transfer = "accshare: transfer file=axpy.c line=7 name={} bytes=400 direction={} " + name
    expected = [
        transfer.format("x", "in"),
        transfer.format("y", "in"),
        f"accshare: launch file=axpy.c line=8 kernel=axpy {name} grid=7x1x1 block=16x1x1 "
        f"variant=generic-{device['type']}",
        transfer.format("y", "out"),
    ]
    assert len(said) == len(expected)
    for line, pattern in zip(said, expected, strict=True):
        assert re.fullmatch(pattern, line)


def test_shared_memory_is_mapped_not_copied(run: Program) -> None:
    if not run.runtime.devices()[0]["unified"]:
        pytest.skip("the device has memory of its own")
    said = run("region", 100, 5, 1, 1, ACCSHARE_NOTIFY="2").stderr.splitlines()
    assert [line.split("direction=")[1].split()[0] for line in said] == ["map", "map"]


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"ACCSHARE_OPENCL": "none"}, "no OpenCL device found"),
        ({"ACCSHARE_OFFLOAD": "disabled"}, "ACCSHARE_OFFLOAD=disabled"),
        ({"ACC_DEVICE_TYPE": "Host"}, "ACC_DEVICE_TYPE=host"),
    ],
)
def test_without_a_device_the_host_loops_run_and_say_why_when_asked(
    run_without_device: Program, variables: dict[str, str], reason: str
) -> None:
    quiet = run_without_device("region", 100, 5, 2, 1, **variables)
    assert (quiet.stdout, quiet.stderr) == ("device=0 host=2 wrong=0\n", "")
    told = run_without_device("region", 100, 5, 1, 1, ACCSHARE_NOTIFY="1", **variables)
    assert told.stderr == f'accshare: host file=axpy.c line=7 reason="{reason}"\n'
    mandatory = run_without_device("region", 100, 5, 1, 1, **({"ACCSHARE_OFFLOAD": "mandatory"} | variables))
    if variables.get("ACCSHARE_OFFLOAD") != "disabled":
        assert mandatory.returncode == 3
        assert mandatory.stderr == f"accshare: axpy.c:7: the region can't run on a device: {reason}\n"


@pytest.mark.parametrize("library", ["/nonexistent/libOpenCL.so", "libm.so.6"])
def test_an_opencl_library_that_is_none_is_named(run_without_device: Program, library: str) -> None:
    result = run_without_device("region", 100, 5, 1, 1, ACCSHARE_OPENCL=library)
    assert result.stdout == "device=0 host=1 wrong=0\n"
    assert re.fullmatch(rf"accshare: ACCSHARE_OPENCL: {library}.*; running without a device\n", result.stderr)


def test_a_device_number_out_of_range_is_told(run: Program) -> None:
    result = run("region", 10, 0, 1, 1, ACC_DEVICE_NUM="77", ACCSHARE_NOTIFY="1")
    assert 'reason="there is no device number 77 of the chosen type' in result.stderr
    assert result.stdout == "device=0 host=1 wrong=0\n"


@pytest.mark.parametrize("variable", ["ACCSHARE_OFFLOAD", "ACC_DEVICE_TYPE", "ACCSHARE_NOTIFY", "ACCSHARE_PROFILE"])
def test_a_value_that_means_nothing_is_warned_about(run: Program, variable: str) -> None:
    result = run("region", 10, 0, 1, 1, **{variable: "bogus"})
    assert result.stdout == "device=1 host=0 wrong=0\n"
    assert result.stderr.startswith(f"accshare: {variable}=bogus is ")
    assert result.stderr.count("\n") == 1


def test_a_driver_no_icd_file_names_is_found(run: Program, tmp_path: object) -> None:
    found = run.runtime.devices(OCL_ICD_VENDORS=f"{tmp_path}/")
    if not found:
        pytest.skip("the OpenCL driver here is none of those known by library name")
    assert "libOpenCL" not in str(found[0]["library"])
    result = run("region", 100, 5, 2, 2, OCL_ICD_VENDORS=f"{tmp_path}/")
    assert result.stdout == "device=2 host=0 wrong=0\n"


def test_devices_are_described(device_runtime: Runtime) -> None:
    device = device_runtime.devices()[0]
    assert device["type"] in ("cpu", "gpu")
    for key in ("compute_units", "max_work_group", "local_bytes", "global_bytes"):
        assert isinstance(device[key], int)
        assert device[key] > 0
    for key in ("platform", "name", "vendor", "driver", "version", "library"):
        assert device[key]
    assert isinstance(device["fp64"], bool)


def test_no_devices_is_an_empty_list(runtime: Runtime) -> None:
    assert runtime.devices(ACCSHARE_OPENCL="none") == []


@pytest.mark.parametrize("name", ["region", "scratch", "routines"])
def test_oclgrind_sees_every_call_and_finds_nothing(run: Program, name: str) -> None:
    if not shutil.which("oclgrind"):
        pytest.skip("oclgrind is not installed")
    arguments = (50, 3, 2, 2) if name == "region" else ()
    # oclgrind 21.10 takes a buffer as uninitialised after a write of a part of it, which `routines` does
    checks = ("--data-races", "--check-api") + (() if name == "routines" else ("--uninitialized",))
    checked = run(name, *arguments, under=("oclgrind", *checks), ACCSHARE_NOTIFY="1")
    assert 'device="Oclgrind Simulator"' in checked.stderr
    assert all(line.startswith("accshare: ") for line in checked.stderr.splitlines())
    plain = run(name, *arguments, ACCSHARE_ZERO_COPY="0")
    assert checked.stdout == plain.stdout


def test_threads_may_run_regions_on_the_same_data(run: Program, memory: dict[str, str]) -> None:
    result = run("threads", 6, 20, **memory)
    assert (result.stdout, result.stderr) == ("device=360 wrong=0\n", "")


def test_a_forked_child_runs_on_the_host(run: Program, memory: dict[str, str]) -> None:
    assert run("forking", **memory).stdout == "parent=2 5 child=0\n"


def test_a_forked_child_does_not_go_on_without_data_its_parents_device_has(run: Program) -> None:
    result = run("forking", "present", ACCSHARE_ZERO_COPY="0")
    assert result.stdout == "parent=2 5 child=3\n"
    assert result.stderr == (
        "accshare: a process made by fork can't use its parent's device, "
        "and data are needed that only the device holds\n"
    )


def test_only_the_abi_and_openacc_are_exported(runtime: Runtime) -> None:
    listed = call("nm", "-D", "--defined-only", runtime.library).stdout
    names = {line.split()[-1] for line in listed.splitlines()}
    ours = {
        "accshare_runtime",
        "accshare_run_groups",
        "accshare_prebuild",
        "accshare_devices_json",
        "accshare_own_kernels",
    }
    assert {name for name in names if not name.startswith("acc_")} == ours
    assert "libaccshare.so.0" in call("readelf", "-d", runtime.library).stdout
