"""Host loops, native kernels and a device: each is tried when that is worth it, and devices are opened meanwhile."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from runtime_programs import PROGRAMS, Program, Runtime, call, clean_environment

#: native kernels that take 60 ms, where a device takes one or less
FAST_DEVICE = (100_000, "1e9", 60, 300, 10)
#: until the device has run the region eight times
UNTIL = (*FAST_DEVICE, "D")
LEARNING = {"ACCSHARE_LEARN": "on"}


def ways(run: Program, *arguments: object, **variables: str) -> str:
    """The ways that were gone, with right numbers."""
    result = run("ways", *arguments, **LEARNING, **variables)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith(" right\n")
    return result.stdout.removesuffix(" right\n")


@pytest.fixture(scope="module")
def cache(device_runtime: Runtime, pocl_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a program left that opened a device and found it faster."""
    folder = tmp_path_factory.mktemp("learned") / "cache"
    found = ways(Program(device_runtime, folder, pocl_cache), *UNTIL)
    # on a busy machine it takes so long to open a device that host loops are tried, too
    assert re.fullmatch("N{10,}(HN+)?D[ND]*D", found)
    return folder


@pytest.fixture
def learned(run: Program, cache: Path) -> Program:
    """A program that knows its device to be faster."""
    shutil.copytree(cache, run.cache)
    return run


def test_a_device_is_opened_while_the_processor_works(learned: Program, tmp_path: Path) -> None:
    """The next run knows, and has the kernels."""
    report = tmp_path / "profile.json"
    result = learned("ways", *UNTIL, **LEARNING, ACCSHARE_NOTIFY="1", ACCSHARE_PROFILE=f"json:{report}")
    told = re.findall(
        r'kernels file=ways.c line=1 way=(\w+) reason="([^"]*)" .*native_us=\S+ device_us=', result.stderr
    )
    assert ("native", "no device is ready yet") in told
    assert told[-1] == ("device", "measured to be faster")
    assert len(told) < 100
    (region,) = json.loads(report.read_text())["regions"]
    (measured,) = region["measured"]
    assert not measured["on_host"]
    assert measured["kernels"] == measured["device"] != "native"
    assert 0 < measured["device_seconds"] == measured["kernel_seconds"] < measured["native_seconds"]
    assert measured["host_seconds"] == 0


WHERE = [("data",), ("data", "turns"), ("data", "fork"), ("unload",), ("data", "unload", "turns")]


@pytest.mark.parametrize("what", WHERE)
def test_data_are_where_they_are_needed(learned: Program, memory: dict[str, str], what: tuple[str, ...]) -> None:
    if "fork" in what and memory:
        pytest.skip("what only a device holds, a child can't have")
    assert "D" in ways(learned, *UNTIL, *what, **memory)


def test_a_device_that_is_open_is_tried_sooner(learned: Program) -> None:
    """Another region, of 40 ms, had it opened: this one waits a tenth of a second for the device, not a whole one."""
    _, second = ways(learned, 100_000, "1e9", 40, 300, 10, "D", "second").split(" ")
    assert re.fullmatch("N{2,22}D", second)


def test_a_device_that_is_slow_costs_one_execution(run: Program) -> None:
    assert re.fullmatch("N+D?N*", ways(run, 1500, "1e9", 1, 100, 20_000))


def opens(run: Program, *arguments: object) -> bool:
    """Whether it looks for a device."""
    opened = run("ways", *arguments, under=("strace", "-f", "-e", "trace=openat"), **LEARNING).stderr
    assert "libaccshare" in opened
    return "OpenCL" in opened


def test_a_region_that_is_over_soon_opens_nothing(run: Program) -> None:
    assert not opens(run, 20, "1e9", 1, 1, 10)


def test_regions_pay_together_for_a_device(run: Program) -> None:
    """None of them takes a second by itself."""
    assert opens(run, 11, "1e9", 50, 300, 10, "both")


def test_sizes_alone_decide_where_runs_are_to_be_alike(run: Program) -> None:
    for _ in range(2):
        result = run("ways", 5, "1e9", 1, 1, 10)
        assert (result.stdout, result.stderr) == ("NNNNN right\n", "")


def test_a_program_that_ends_while_kernels_are_built(run: Program) -> None:
    """Whenever that is, before the device is open or behind."""
    for times in (17, 1, 2):
        assert set(ways(run, times, *FAST_DEVICE[1:])) <= {"N", "D"}
    assert "D" in ways(run, *UNTIL)


def test_a_gpu_is_looked_for_only_where_there_may_be_one(run: Program, tmp_path: Path) -> None:
    """The other device here is no GPU."""
    assert ways(run, 60, "1e9", 30, 100, 10, "gpu") == "N" * 60


def test_threads_see_each_other(learned: Program) -> None:
    """ThreadSanitizer finds nothing to report."""
    runtime = learned.runtime
    made = runtime.folder / "ways.tsan"
    flags = ("-std=gnu99", "-O1", "-g", "-fsanitize=thread", f"-I{PROGRAMS.parents[2] / 'runtime/include'}")
    own = (f"-L{runtime.folder}", "-laccshare", f"-Wl,-rpath,{runtime.folder}", "-lpthread", "-ldl")
    built = call("gcc", *flags, PROGRAMS / "ways.c", "-o", made, *own)
    if built.returncode:
        pytest.skip(f"gcc has no -fsanitize=thread here: {built.stderr}")
    environment = clean_environment() | LEARNING | {"ACCSHARE_CACHE_DIR": str(learned.cache)}
    result = call(made, *UNTIL, "data", "turns", environment=environment)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("DD right\n")
