"""Where a region runs is learned from clocks: a wrong estimate costs one execution, not every one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from runtime_programs import Program, clean_environment

#: operations that the host is expected to need 10 ms for, native kernels with two threads 2.5 ms
OPERATIONS = "3e7"
#: kernels that are far slower than expected, host loops that are not
SLOW_KERNELS = (8, OPERATIONS, 60, 1)


def ways(run: Program, *arguments: object, learn: str = "on", **variables: str) -> str:
    result = run("learning", *arguments, ACCSHARE_LEARN=learn, ACCSHARE_THREADS="2", **variables)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.strip()


def test_a_wrong_estimate_costs_one_execution(run_without_device: Program) -> None:
    assert ways(run_without_device, *SLOW_KERNELS) == "KHHHHHHH"
    assert ways(run_without_device, *SLOW_KERNELS) == "HHHHHHHH"


def test_what_the_host_is_expected_to_do_better_is_tried_too(run_without_device: Program) -> None:
    """With little work that takes long, whatever the estimates say."""
    found = ways(run_without_device, 8, "1000", 1, 60)
    assert re.fullmatch("HK+", found)


def test_the_host_is_not_measured_in_vain(run_without_device: Program) -> None:
    """It is expected to be a thousand times slower, and would be."""
    assert ways(run_without_device, 8, "3e10", 2, 10000) == "K" * 8


def test_an_estimate_that_is_far_off_keeps_nobody_from_trying(run_without_device: Program) -> None:
    """Host loops that are expected to take 50 ms take 1, and kernels 10: not all that was counted is done."""
    found = ways(run_without_device, 100, "1.5e8", 10, 1)
    assert re.fullmatch("K{50,70}H+", found)


def test_the_host_is_measured_when_that_is_worth_it(run_without_device: Program) -> None:
    """It is expected to be a little slower than what was measured, and is much slower."""
    found = ways(run_without_device, 12, OPERATIONS, 8, 150)
    assert found.count("H") == 1
    assert found.endswith("KKKK")


def test_a_first_time_that_was_cold_is_no_verdict(run_without_device: Program) -> None:
    """The kernel takes as long as it should from its second time on."""
    found = ways(run_without_device, 80, OPERATIONS, 1, 8, 1, 29)
    assert found.startswith("KHH")
    assert found.endswith("K" * 20)


#: milliseconds of kernels and host loops, and how much longer the first execution and the first one by each way take
SITUATIONS = [
    *((0.6, 1.2, 14, 0), (1.2, 0.6, 14, 0), (0.7, 1, 8, 0), (1, 0.3, 3, 0)),  # pages are touched for the first time
    *((0.5, 0.1, 0.5, 0.3), (0.1, 0.5, 0.3, 0.3), (1, 4, 10, 5), (4, 1, 10, 5)),  # and each way has a start of its own
    *((20, 1, 0, 0), (1, 20, 0, 0), (20, 1, 5, 0)),  # an estimate is far from the truth
]


@pytest.mark.parametrize(("kernel", "host", "cold", "cold_way"), SITUATIONS)
def test_little_time_is_lost(
    run_without_device: Program, kernel: float, host: float, cold: float, cold_way: float
) -> None:
    """Four runs take no longer than by the better way alone, but for a tenth and two bad executions."""
    for times in (2, 5, 20, 80):
        shutil.rmtree(run_without_device.cache, ignore_errors=True)
        runs = [ways(run_without_device, times, "3e6", kernel, host, 1, cold, cold_way) for _ in range(4)]
        taken = sum(run.count("K") * kernel + run.count("H") * host + cold + len(set(run)) * cold_way for run in runs)
        best = 4 * (times * min(kernel, host) + cold + cold_way)
        assert taken <= 1.1 * best + 2 * (max(kernel, host) + cold + cold_way), runs


@pytest.mark.parametrize(("kernel", "host"), [(0.6, 1.2), (1.2, 0.6)])
def test_short_programs_find_the_best_way(run_without_device: Program, kernel: float, host: float) -> None:
    """What is cold the first time, whichever way it goes, misleads them for two runs at most."""
    for _ in range(2):
        ways(run_without_device, 5, "3e6", kernel, host, 1, 14)
    found = ways(run_without_device, 5, "3e6", kernel, host, 1, 14)[1:]
    assert found.count("K" if kernel < host else "H") >= 3, found


def test_what_touches_new_pages_is_no_measurement(run_without_device: Program) -> None:
    """Two arrays are written in turn, so that the second execution finds new pages too."""
    runs = [ways(run_without_device, 6, "3e6", 0.6, 1.2, 1, 5, 0, 2) for _ in range(3)]
    assert runs[-1].endswith("KKKK")


def test_what_was_slow_once_is_measured_again(run_without_device: Program) -> None:
    """Another program had the processor when the kernel was measured, for two runs."""
    for _ in range(2):
        ways(run_without_device, 20, "3e6", 3, 1)
    later = [ways(run_without_device, 80, "3e6", 0.5, 1) for _ in range(3)]
    assert later[-1][1:].count("K") >= 77


#: of 0.3 ms by kernels, 0.6 by host loops, where nothing is cold and nothing changes
QUIET = ("3e6", 0.3, 0.6, 1, 0, 0, 1, 100_000, 0)


@pytest.mark.parametrize("kernel_first", [True, False])
def test_an_execution_that_was_stopped_is_charged_no_more_than_it_ran(
    run_without_device: Program, kernel_first: bool
) -> None:
    """Another program has the processor for 40 ms while a region is first measured."""
    operations, better, worse, *rest = QUIET
    times = (better, worse) if kernel_first else (worse, better)
    found = ways(run_without_device, 100, operations, *times, *rest, 1000, 40)
    assert found.count("K" if kernel_first else "H") >= 95, found


@pytest.mark.parametrize("every", [2, 3, 7])
def test_a_busy_machine_misleads_nobody(run_without_device: Program, every: int) -> None:
    """Each second, third or seventh execution is stopped for 10 ms."""
    found = [ways(run_without_device, 50, *QUIET, every, 10) for _ in range(4)]
    assert min(run.count("K") for run in found) >= 46, found


def test_making_pages_is_not_charged_to_who_came_first(run_without_device: Program) -> None:
    """The first execution takes 2 ms longer, in which it makes 95000 pages."""
    operations, kernel, host, regions, *rest = QUIET
    found = ways(run_without_device, 12, operations, 2 * kernel, 2 * host, regions, 2, *rest[1:], 1000, 0, 95_000)
    assert re.fullmatch("K{1,2}H?K{9,}", found)


def test_what_makes_pages_first_of_all_tells_nothing_of_later_executions(run_without_device: Program) -> None:
    """The first one takes 20 ms longer, most of which threads waited for each other's pages."""
    operations, kernel, host, regions, *rest = QUIET
    found = ways(run_without_device, 20, operations, kernel, host, regions, 20, *rest[1:], 1000, 0, 5_000)
    assert found.count("K") >= 18, found


def test_loops_of_another_form_are_apart(run_without_device: Program) -> None:
    """As stages of a Fourier transform, which are as many operations each, but in longer and shorter loops."""
    found = ways(run_without_device, 400, *QUIET, 1000, 0, 0, 4096)
    assert found[::2].count("K") >= 190, found
    assert found[1::2].count("H") >= 190, found


def test_a_verdict_of_long_standing_is_examined_anew(run_without_device: Program) -> None:
    """Host loops take twice as long for a time; when they are as fast as before, that is found out."""
    times = ("9e6", 1.5, 1, 1, 0, 0, 1, 300)
    assert ways(run_without_device, 700, *times, 3).endswith("K" * 50)
    later = [ways(run_without_device, 300, *times, 1) for _ in range(3)]
    assert later[-1].count("H") > 280, later


def test_what_is_slower_is_measured_ever_more_seldom(run_without_device: Program) -> None:
    found = ways(run_without_device, 20_000, "9e6", 1, 2)
    assert 2 <= found[10_000:].count("H") <= 40


def test_a_region_that_runs_once_a_run(run_without_device: Program) -> None:
    found = [ways(run_without_device, 1, *SLOW_KERNELS[1:]) for _ in range(4)]
    assert found == ["K", "H", "H", "H"]


def test_nothing_is_learned_where_runs_are_to_be_alike(run_without_device: Program) -> None:
    for _ in range(2):
        assert ways(run_without_device, *SLOW_KERNELS, learn="off") == "K" * 8
    assert not run_without_device.cache.exists()


def test_sizes_are_apart(run_without_device: Program) -> None:
    assert ways(run_without_device, *SLOW_KERNELS).endswith("HH")
    assert ways(run_without_device, 3, "9e7", 60, 1).startswith("K")


#: operations that the host is expected to need 3 µs for, which is as long as its loops take; kernels take twice as long
SHORT = ("9e3", 0.006, 0.003)


def test_what_is_short_and_known_is_seldom_measured(run_without_device: Program) -> None:
    found = ways(run_without_device, 2000, *SHORT)
    assert found.endswith("h")
    assert found.count("h") > 0.9 * len(found)
    assert ways(run_without_device, 2000, "9e5", 0.6, 0.3).count("h") == 0


def test_what_begins_to_take_longer_is_noticed_where_it_is_seldom_measured(run_without_device: Program) -> None:
    found = ways(run_without_device, 1000, *SHORT, 1, 0, 0, 1, 500, 10)
    assert "h" in found[:500]
    assert "K" in found[500:535]
    assert found[600:].count("K") > 300


def test_who_listens_hears_of_every_execution(run_without_device: Program, tmp_path: Path) -> None:
    report = tmp_path / "profile.json"
    found = ways(run_without_device, 500, *SHORT, ACCSHARE_PROFILE=f"json:{report}")
    assert "h" not in found
    (region,) = json.loads(report.read_text())["regions"]
    assert region["host_runs"] + region["runs"] == 500


def test_what_was_learned_is_told(run_without_device: Program, tmp_path: Path) -> None:
    report = tmp_path / "profile.json"
    variables = {"ACCSHARE_LEARN": "on", "ACCSHARE_THREADS": "2", "ACCSHARE_NOTIFY": "1"}
    result = run_without_device("learning", *SLOW_KERNELS, ACCSHARE_PROFILE=f"json:{report}", **variables)
    told = re.findall(
        r'host file=learning.c line=1 reason="([^"]*)" host_us=([\d.e+]+) native_us=([\d.e+]+)\n', result.stderr
    )
    assert [reason for reason, *_ in told] == ["to be measured", *["measured to be faster"] * 6]
    assert {(float(host), float(native)) for _, host, native in told[1:]} == {(1e3, 6e4)}
    (region,) = json.loads(report.read_text())["regions"]
    (measured,) = region["measured"]
    assert measured["on_host"]
    assert measured["kernels"] == "native"
    assert measured["host_seconds"] < measured["kernel_seconds"]
    table = run_without_device("learning", *SLOW_KERNELS, ACCSHARE_PROFILE="1", **variables).stderr
    assert re.search(
        r"measured at 3e\+07 operations: 0\.\d+ seconds on the host, 0\.\d+ native, goes to the host", table
    )


@pytest.mark.parametrize("damage", [b"", b"nonsense" * 100, None])
def test_a_damaged_file_is_none(run_without_device: Program, damage: bytes | None) -> None:
    assert ways(run_without_device, *SLOW_KERNELS).endswith("HH")
    (file,) = run_without_device.cache.iterdir()
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if damage is None else damage)
    assert ways(run_without_device, *SLOW_KERNELS) == "KHHHHHHH"
    assert ways(run_without_device, *SLOW_KERNELS) == "HHHHHHHH"


def test_what_is_learned_is_written_in_place(run_without_device: Program) -> None:
    """To make the file anew takes file systems as long as a small program."""
    ways(run_without_device, *SLOW_KERNELS)
    (file,) = run_without_device.cache.iterdir()
    with file.open("rb") as before:
        assert ways(run_without_device, 8, "9e7", 60, 1).endswith("HH")
        assert file.stat().st_ino == os.fstat(before.fileno()).st_ino
    assert ways(run_without_device, *SLOW_KERNELS) == ways(run_without_device, 8, "9e7", 60, 1) == "HHHHHHHH"


@pytest.mark.parametrize(("operations", "milliseconds"), [("9e3", 0.003), ("3e7", 8)])
def test_who_starts_no_threads_does_not_ask_for_control_groups(
    run_without_device: Program, operations: str, milliseconds: float
) -> None:
    tracing = ("strace", "-f", "-e", "trace=openat")
    command = ("learning", 3, operations, milliseconds, milliseconds)
    assert "/proc/self/cgroup" not in run_without_device(*command, under=tracing, ACCSHARE_LEARN="on").stderr


def test_no_place_for_the_file(run_without_device: Program, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for places in (
        {"ACCSHARE_CACHE_DIR": str(tmp_path / "file" / "below")},
        {"ACCSHARE_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": ""},
    ):
        assert ways(run_without_device, *SLOW_KERNELS, **places) == "KHHHHHHH"


def test_a_program_that_was_built_again_learns_again(run_without_device: Program) -> None:
    assert ways(run_without_device, *SLOW_KERNELS).endswith("HH")
    program = run_without_device.runtime.compile("learning")
    os.utime(program, ns=(0, program.stat().st_mtime_ns + 10**9))
    assert ways(run_without_device, *SLOW_KERNELS).startswith("K")


def test_programs_at_the_same_time(run_without_device: Program) -> None:
    """The file is always a whole one, and holds what at least one of them learned."""
    program = run_without_device.runtime.compile("learning")
    own = {"ACCSHARE_CACHE_DIR": str(run_without_device.cache), "ACCSHARE_LEARN": "on", "ACCSHARE_THREADS": "2"}
    command = [str(program), *map(str, SLOW_KERNELS)]
    started = [subprocess.Popen(command, env=clean_environment() | own, stdout=subprocess.DEVNULL) for _ in range(6)]
    assert [each.wait(timeout=120) for each in started] == [0] * 6
    assert len(list(run_without_device.cache.iterdir())) == 1
    assert ways(run_without_device, *SLOW_KERNELS) == "HHHHHHHH"


def test_the_file_stays_small(run_without_device: Program) -> None:
    for regions in (1500, 2000):
        ways(run_without_device, 1, "1e6", 0, 0, regions)
        (file,) = run_without_device.cache.iterdir()
        assert file.stat().st_size < 110_000
