"""Whatever is wrong with what earlier runs left costs a new build and never more."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from tiers import every

OTHER_USER = 65534


def modes(folder: Path) -> set[tuple[str, str]]:
    """What is below a folder: its kind, and who may do what."""
    return {("folder" if p.is_dir() else "file", oct(p.stat().st_mode & 0o7777)) for p in (folder, *folder.rglob("*"))}


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(bytes([*content[:-9], content[-9] ^ 1, *content[-8:]]) if len(content) > 9 else b"")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def huge(path: Path) -> None:
    os.truncate(path, 1 << 40)


DAMAGES = (halve, flip, pipe, nothing, folder, huge)


@pytest.mark.parametrize("first", every(2, [0, len(DAMAGES) // 2]))
def test_every_file_is_damaged(built, fresh, first):
    """Ours, and those of OpenCL implementations that keep some in the user's home."""
    fresh.check()
    files = sorted(path for path in fresh.home.rglob("*") if path.is_file())
    assert len(files) >= len(DAMAGES) // 2
    for k, path in enumerate(files, first):
        DAMAGES[k % len(DAMAGES)](path)
    fresh.check()
    assert fresh.launches() == built.launches()


def test_a_first_run(fresh):
    """It says nothing and leaves built kernels alone, which nobody else can read whatever the umask is."""
    fresh.check(shell="umask 0")
    assert modes(fresh.cache) == {("folder", "0o700"), ("file", "0o600")}
    assert {path.suffix for path in fresh.home.rglob("*") if path.is_file()} == {".bin"}


def test_what_killed_programs_left_goes(program):
    """What is too young may belong to a program that just begins."""
    assert program.run("killed").returncode == -signal.SIGKILL
    left = program.cache / "pocl"
    assert list(left.rglob("*.so"))
    for path in left.iterdir():
        os.utime(path, (0, 0))
    program.check()
    assert not list(left.iterdir())


@pytest.mark.thorough
def test_programs_killed_while_they_build(fresh):
    for part in range(1, 3):
        environment = {"PATH": os.environ["PATH"], "HOME": str(fresh.home), "ACCSHARE_BREAK_EVEN": "0"}
        with subprocess.Popen([fresh.binary], env=environment, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and len(list(fresh.home.rglob("program.bc"))) < part:
                pass
            process.kill()
    fresh.check()


@pytest.mark.thorough
def test_programs_that_begin_at_once(fresh):
    environment = {"PATH": os.environ["PATH"], "HOME": str(fresh.home), "ACCSHARE_BREAK_EVEN": "0"}
    pipe_to = subprocess.PIPE
    several = [subprocess.Popen([fresh.binary], env=environment, stdout=pipe_to, stderr=pipe_to) for _ in range(3)]
    assert [process.communicate() for process in several] == [(b"right\n", b"")] * 3
    fresh.check()


def test_a_program_that_forks(built):
    built.check("fork")


@pytest.mark.parametrize("kind", ["file", "pipe", "link"])
def test_the_folder_is_something_else(fresh, kind):
    elsewhere = fresh.home / "elsewhere"
    elsewhere.mkdir()
    fresh.cache.parent.mkdir()
    if kind == "file":
        fresh.cache.write_text("not a folder")
    elif kind == "pipe":
        os.mkfifo(fresh.cache)
    else:
        fresh.cache.symlink_to(elsewhere)
    fresh.check()
    assert not list(elsewhere.iterdir())


def test_no_file_is_written_through_a_link(program):
    victim = program.home / "victim"
    for entry in program.entries:
        victim.write_text("precious")
        entry.unlink()
        entry.symlink_to(victim)
    program.check()
    assert victim.read_text() == "precious"
    assert not any(entry.is_symlink() for entry in program.entries)


@pytest.mark.parametrize(
    ("who", "what"),
    [("group", "folder"), ("another user", "folder"), ("everybody", "files"), ("another user", "files")],
)
def test_what_others_can_write_is_not_loaded(program, who, what):
    """Such a file is replaced, and such a folder left alone."""
    if who == "another user" and os.geteuid() != 0:
        pytest.skip("only root can give files away")
    for path in [program.cache] if what == "folder" else program.entries:
        if who == "another user":
            os.chown(path, OTHER_USER, OTHER_USER)
        else:
            path.chmod(path.stat().st_mode | (0o020 if who == "group" else 0o002))
    for entry in program.entries:
        os.utime(entry, (0, 0))
    program.check()
    replaced = {entry.stat().st_mtime > 0 for entry in program.entries}
    assert replaced == {what == "files"}
