"""The thread pool of native kernels: every group runs once, whoever runs it (docs/threads.md)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from runtime_programs import PROGRAMS, SOURCE, call, clean_environment

NEEDED = ("clock", "env", "interruptions", "message", "ordering", "pool", "processors", "signals")
PARTS = tuple(SOURCE / "src" / f"{name}.c" for name in NEEDED)
COMPILE = ("-std=gnu11", "-O1", "-D_GNU_SOURCE", f"-I{SOURCE / 'src'}", f"-I{SOURCE / 'include'}")
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


@dataclass(frozen=True)
class Pool:
    """The thread pool as the runtime has it, and programs with it."""

    folder: Path

    def link(self, name: str, *flags: str, parts: tuple[Path, ...] | None = None, source: str = "pool.c") -> Path:
        """The program, made with `flags`, and the pool, made without; or its sources `parts`, made with them too."""
        made = self.folder / name
        given = parts or tuple(self.folder.glob("*.o"))
        result = call("gcc", *COMPILE, *flags, PROGRAMS / source, *given, "-o", made, "-lpthread", "-ldl")
        assert result.returncode == 0, result.stderr
        return made


def run(program: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: text for name, text in clean_environment().items() if name != "OMP_NUM_THREADS"}
    return call(program, *arguments, environment=clean | variables)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    folder = tmp_path_factory.mktemp("pool")
    for part in PARTS:
        result = call("gcc", *COMPILE, "-fPIC", "-c", part, "-o", folder / f"{part.stem}.o")
        assert result.returncode == 0, result.stderr
    return Pool(folder)


@pytest.fixture(scope="module")
def program(pool: Pool) -> Path:
    return pool.link("program")


def threads(result: subprocess.CompletedProcess[str]) -> int:
    """How many there are when all is done, and right."""
    assert result.returncode == 0, result.stderr
    found = re.fullmatch(r"wrong=0 threads=(\d+)\n", result.stdout)
    assert found, result.stdout + result.stderr
    return int(found[1])


@pytest.mark.parametrize(("case", "stolen"), [("stopped", 5), ("slept", 0), ("worked", 0)])
def test_a_worker_without_a_processor_is_told_from_one_that_works(pool: Pool, case: str, stolen: int) -> None:
    """The caller waits 5 ms for a worker that another program keeps from its processor, that sleeps, that works."""
    result = run(pool.link("interrupted", source="interrupted.c"), case, ACCSHARE_THREADS="2")
    assert (result.returncode, result.stdout) == (0, f"waited=5 stolen={stolen}\n"), result.stderr


@pytest.mark.parametrize("case", CASES)
def test_every_group_runs_once(program: Path, case: str) -> None:
    for count in ("1", "2", "5"):
        threads(run(program, case, ACCSHARE_THREADS=count))


def test_more_groups_than_32_bits_count(program: Path) -> None:
    threads(run(program, "huge", ACCSHARE_THREADS="2"))


def test_little_work_starts_no_thread(program: Path) -> None:
    assert threads(run(program, "tiny", ACCSHARE_THREADS="4")) == 1
    assert threads(run(program, "much", ACCSHARE_THREADS="4")) == 4


def test_control_groups_are_asked_where_threads_start(program: Path) -> None:
    if len(os.sched_getaffinity(0)) == 1:
        pytest.skip("there is one processor, of which no group can leave less")
    for case, asked in (("tiny", False), ("much", True)):
        traced = call("strace", "-f", "-e", "trace=openat", program, case, environment=clean_environment())
        assert ("/proc/self/cgroup" in traced.stderr) == asked


def test_what_was_little_and_is_no_more_is_shared(program: Path) -> None:
    """Though the clock sees little work only now and then."""
    assert threads(run(program, "grown", ACCSHARE_THREADS="4")) == 4


def test_the_number_of_threads_is_the_users(program: Path) -> None:
    for own, openmp, expected in (("3", "2", 3), ("", "3", 3), ("", "3,2", 3), ("1", "4", 1), ("", "1", 1)):
        result = run(program, "much", ACCSHARE_THREADS=own, OMP_NUM_THREADS=openmp)
        assert threads(result) == expected
        assert not result.stderr


@pytest.mark.parametrize("variable", ["ACCSHARE_THREADS", "OMP_NUM_THREADS"])
def test_a_number_of_threads_that_is_none_is_said_once(program: Path, variable: str) -> None:
    result = run(program, "callers", **{"OMP_NUM_THREADS": "", variable: "many"})
    threads(result)
    assert len(re.findall(f"accshare: {variable}=many is no number", result.stderr)) == 1


def test_no_more_threads_than_processors(program: Path) -> None:
    processors = len(os.sched_getaffinity(0))
    assert threads(run(program, "much", OMP_NUM_THREADS="")) <= processors
    assert threads(run(program, "bound", OMP_NUM_THREADS="")) == 1


def test_a_library_that_needs_it_is_unloaded(pool: Pool, tmp_path: Path) -> None:
    """The pool itself stays, as the runtime does."""
    plugin = pool.link("plugin.so", "-shared", "-fPIC", "-Wl,-z,nodelete")
    without = tmp_path / "program"
    result = call("gcc", "-DPLUGIN", PROGRAMS / "pool.c", "-o", without, "-ldl", "-lpthread")
    assert result.returncode == 0, result.stderr
    threads(run(without, "unloaded", plugin, ACCSHARE_THREADS="2"))


def test_threads_of_openmp_beside_it(pool: Pool) -> None:
    threads(run(pool.link("openmp", "-fopenmp"), "openmp", OMP_NUM_THREADS="3"))


def test_static_program(pool: Pool) -> None:
    program = pool.link("static", "-static")
    for case in ("callers", "fork"):
        threads(run(program, case, ACCSHARE_THREADS="3"))


@pytest.mark.parametrize("parts", [None, pytest.param(PARTS, marks=pytest.mark.thorough)], ids=["program", "all"])
def test_threads_are_seen_in_order(pool: Pool, parts: tuple[Path, ...] | None) -> None:
    """ThreadSanitizer, with the program alone compiled for it, and with all."""
    program = pool.link("sanitized", "-fsanitize=thread", parts=parts)
    for case in ("nested", "callers", "lopsided"):
        result = run(program, case, ACCSHARE_THREADS="3")
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
