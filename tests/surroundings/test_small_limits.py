"""Little stack, little room, no home, a full disk: the right numbers, on the device or on the host, and not a word."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from accshare.driver.paths import runtime_library


@pytest.mark.parametrize("settings", [{}, {"ACCSHARE_ZERO_COPY": "0"}], ids=str)
def test_threads_with_small_stacks(built, settings):
    for kib in (16, 64, 256):
        assert built.launches(kib, **settings) == built.launches(**settings)


def test_kernels_are_built_in_a_thread_with_a_small_stack(fresh):
    fresh.check(16)


def test_a_small_stack(program):
    program.check(shell="ulimit -s 64")
    assert program.launches(shell="ulimit -s 64") == program.launches()


def test_small_files(program, tmp_path):
    own = {"ACCSHARE_RECORD": str(tmp_path / "record"), "ACCSHARE_PROFILE": f"json:{tmp_path / 'profile'}"}
    program.check(shell="ulimit -f 1")
    done = program.run(shell="ulimit -f 1", **own)
    assert (done.returncode, done.stdout) == (0, "right\n")


def test_few_processes(built):
    """PoCL wants a thread for each processor, and then a process to build kernels: none of both, or only the first."""
    if os.geteuid() != 0 or not runtime_library():
        pytest.skip("only root can become a user who has no other processes")
    for most in (1, os.sysconf("SC_NPROCESSORS_ONLN") + 1):
        other = f"setpriv --reuid 64321 --regid 64321 --clear-groups prlimit --nproc={most}"
        done = subprocess.run(
            ["sh", "-c", f'exec 9<"$0" 8<"$1"; exec {other} /proc/self/fd/9', built.binary, runtime_library()],
            env={"PATH": os.environ["PATH"], "ACCSHARE_BREAK_EVEN": "0", "ACCSHARE_RUNTIME": "/proc/self/fd/8"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "right\n", "")
    shutil.rmtree("/tmp/accshare-64321", ignore_errors=True)


def test_no_linker(fresh):
    done = fresh.run(shell="PATH=/nonexistent")
    assert (done.returncode, done.stdout) == (0, "right\n")
    assert "PoCL builds kernels with ld, which is not on the PATH" in done.stderr


@pytest.mark.parametrize("home", ["/nonexistent", "relative"])
def test_no_home(fresh, home, monkeypatch):
    monkeypatch.chdir(fresh.home)
    fresh.check(HOME=home)


def test_a_home_that_cannot_be_written(program):
    if os.geteuid() == 0:
        pytest.skip("root can write everywhere")
    program.home.chmod(0o555)
    program.check()


#: full: the cache; the cache and what stands in for it
FOLDERS = ["$HOME/.cache", "$HOME/.cache /dev/shm /tmp"]


@pytest.mark.parametrize("folders", FOLDERS)
@pytest.mark.parametrize("kind", ["size=64k", "noexec"])
def test_a_full_disk(program, kind, folders):
    mounts = f'for folder in {folders}; do mount -t tmpfs -o {kind} tmpfs "$folder" || exit 77; done'
    inside = f'exec 9<"$0"; {mounts}; exec /proc/self/fd/9'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", inside, str(program.binary)],
        env={"PATH": os.environ["PATH"], "HOME": str(program.home), "ACCSHARE_BREAK_EVEN": "0"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode in (1, 77):
        pytest.skip(f"only root can mount file systems: {done.stderr}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "right\n", "")
