"""The thread pool of native kernels: every group runs once, whoever runs it (docs/threads.md)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from runtime_programs import PROGRAMS, SOURCE, Program, Runtime, call, clean_environment

PARTS = [SOURCE / "src" / f"{name}.c" for name in ("env", "message", "pool", "processors", "signals")]
CASES = ["sizes", "lopsided", "nested", "callers", "fork", "busy fork", "signals"]
#: files of control groups, and what they leave of eight processors
GROUPS = {
    "none": ({}, 8),
    "unlimited": ({"proc": "0::/a\n", "a/cpu.max": "max 100000\n"}, 8),
    "own": ({"proc": "0::/a\n", "a/cpu.max": "250000 100000\n"}, 3),
    "of a group above": ({"proc": "0::/a/b/c\n", "a/cpu.max": "200000 100000\n", "a/b/c/cpu.max": "max 100000\n"}, 2),
    "the least": ({"proc": "0::/a/b\n", "a/cpu.max": "200000 100000\n", "a/b/cpu.max": "400000 100000\n"}, 2),
    "less than one": ({"proc": "0::/a\n", "a/cpu.max": "1000 100000\n"}, 1),
    "more than there are": ({"proc": "0::/a\n", "a/cpu.max": "9900000 100000\n"}, 8),
    "in a container": ({"proc": "0::/docker/1234\n", "cpu.max": "400000 100000\n"}, 4),
    "version 1": (
        {
            "proc": "5:cpuset:/x\n4:cpu,cpuacct:/a\n",
            "cpu/a/cpu.cfs_quota_us": "150000",
            "cpu/a/cpu.cfs_period_us": "50000",
        },
        3,
    ),
    "version 1 without a limit": (
        {"proc": "4:cpu:/a\n0::/\n", "cpu/a/cpu.cfs_quota_us": "-1", "cpu/a/cpu.cfs_period_us": "50000"},
        8,
    ),
    "no numbers": ({"proc": "0::/a\nnonsense\n", "a/cpu.max": "many\n"}, 8),
}


def environment(**variables: str) -> dict[str, str]:
    return {name: text for name, text in clean_environment().items() if name != "OMP_NUM_THREADS"} | variables


def build(made: Path, *flags: str) -> Path:
    """The program with the pool in it, without the runtime library."""
    parts = ("-D_GNU_SOURCE", f"-I{SOURCE / 'src'}", f"-I{SOURCE / 'include'}", *PARTS)
    result = call("gcc", "-std=gnu11", "-O1", PROGRAMS / "pool.c", *parts, *flags, "-o", made, "-lpthread")
    assert result.returncode == 0, result.stderr
    return made


def threads(result: subprocess.CompletedProcess[str]) -> int:
    """How many there are when all is done, and right."""
    assert result.returncode == 0, result.stderr
    found = re.fullmatch(r"wrong=0 threads=(\d+)\n", result.stdout)
    assert found, result.stdout + result.stderr
    return int(found[1])


@pytest.mark.parametrize("case", CASES)
def test_every_group_runs_once(run_without_device: Program, case: str) -> None:
    for count in ("1", "2", "5"):
        threads(run_without_device("pool", case, ACCSHARE_THREADS=count))


def test_more_groups_than_32_bits_count(run_without_device: Program) -> None:
    threads(run_without_device("pool", "huge", ACCSHARE_THREADS="2"))


def test_little_work_starts_no_thread(run_without_device: Program) -> None:
    assert threads(run_without_device("pool", "tiny", ACCSHARE_THREADS="4")) == 1
    assert threads(run_without_device("pool", "much", ACCSHARE_THREADS="4")) == 4


def test_the_number_of_threads_is_the_users(run_without_device: Program) -> None:
    for own, openmp, expected in (("3", "2", 3), ("", "3", 3), ("", "3,2", 3), ("1", "4", 1), ("", "1", 1)):
        result = run_without_device("pool", "much", ACCSHARE_THREADS=own, OMP_NUM_THREADS=openmp)
        assert threads(result) == expected
        assert not result.stderr


@pytest.mark.parametrize("variable", ["ACCSHARE_THREADS", "OMP_NUM_THREADS"])
def test_a_number_of_threads_that_is_none_is_said_once(run_without_device: Program, variable: str) -> None:
    result = run_without_device("pool", "callers", **{"OMP_NUM_THREADS": "", variable: "many"})
    threads(result)
    assert len(re.findall(f"accshare: {variable}=many is no number", result.stderr)) == 1


def test_no_more_threads_than_processors(run_without_device: Program) -> None:
    processors = len(os.sched_getaffinity(0))
    assert threads(run_without_device("pool", "much", OMP_NUM_THREADS="")) <= processors
    assert threads(run_without_device("pool", "bound", OMP_NUM_THREADS="")) == 1


def test_a_library_that_needs_it_is_unloaded(runtime: Runtime, tmp_path: Path) -> None:
    plugin = runtime.compile("pool", "-shared", "-fPIC")
    program = tmp_path / "program"
    result = call("gcc", "-DPLUGIN", PROGRAMS / "pool.c", "-o", program, "-ldl", "-lpthread")
    assert result.returncode == 0, result.stderr
    threads(call(program, "unloaded", plugin, environment=environment(ACCSHARE_THREADS="2")))


def test_threads_of_openmp_beside_it(runtime: Runtime, run_without_device: Program) -> None:
    program = runtime.compile("pool", "-fopenmp")
    threads(call(program, "openmp", environment=environment(OMP_NUM_THREADS="3")))


def test_static_program(tmp_path: Path) -> None:
    program = build(tmp_path / "static", "-static")
    for case in ("callers", "fork"):
        threads(call(program, case, environment=environment(ACCSHARE_THREADS="3")))


@pytest.mark.parametrize("whole", [True, False])
def test_threads_are_seen_in_order(runtime: Runtime, tmp_path: Path, whole: bool) -> None:
    """ThreadSanitizer, with all compiled for it and with the program alone."""
    program = (
        build(tmp_path / "sanitized", "-fsanitize=thread") if whole else runtime.compile("pool", "-fsanitize=thread")
    )
    for case in ("nested", "callers", "lopsided"):
        result = call(program, case, environment=environment(ACCSHARE_THREADS="3"))
        if "unexpected memory mapping" in result.stderr:
            pytest.skip("ThreadSanitizer does not run on this kernel")
        threads(result)
        assert not result.stderr


def test_limits_of_control_groups(tmp_path: Path) -> None:
    program = tmp_path / "processors"
    flags = ("-D_GNU_SOURCE", f"-I{SOURCE / 'src'}", SOURCE / "src/processors.c")
    result = call("gcc", PROGRAMS / "processors.c", *flags, "-o", program)
    assert result.returncode == 0, result.stderr
    for name, (files, expected) in GROUPS.items():
        root = tmp_path / name
        for path, text in files.items():
            file = root / ("proc/self/cgroup" if path == "proc" else f"sys/fs/cgroup/{path}")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        assert call(program, root, 8).stdout == f"{expected}\n", name
        shutil.rmtree(root, ignore_errors=True)
