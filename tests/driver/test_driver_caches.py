"""What is kept of earlier translations: whatever is wrong with it costs one more, and others have no part in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def cache(tmp_path) -> Path:
    """Nothing is known."""
    return tmp_path / "cache"


def kept(acc) -> list[Path]:
    """The files that the compiler keeps: translations, and what it knows of this machine's devices."""
    cache = Path(acc.environment["ACCSHARE_CACHE_DIR"])
    return sorted(path for part in ("units", "devices") for path in (cache / part).rglob("*.json"))


#: devices of this machine are not asked for
REGION = ("--acc-target=generic-cpu", "-c", "region.c")


def compiles(acc, expected: bytes, *words: str) -> None:
    done = acc.run(*(words or REGION))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert acc.files()["region.o"] == expected


DAMAGES = {
    "deep": lambda path: path.write_bytes(b"[" * 1_000_000),
    "other types": lambda path: path.write_text('{"host": 5, "report": [], "diagnostics": 7}'),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "huge": lambda path: os.truncate(path, 1 << 40),
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "another user's": lambda path: os.chown(path, 65534, 65534),
    "folder": lambda path: (path.unlink(), path.mkdir()),  # stays, and nothing is kept
}


def test_a_broken_translation_costs_another(acc):
    acc.ok(*REGION)
    expected = acc.files()["region.o"]
    for name, damage in DAMAGES.items():
        (path,) = kept(acc)
        if name == "another user's" and os.geteuid() != 0:
            continue
        damage(path)
        compiles(acc, expected)
        compiles(acc, expected)


def test_what_is_known_of_devices_is_asked_for_again(acc):
    acc.ok("-c", "region.c")
    expected = acc.files()["region.o"]
    assert len(kept(acc)) == 2
    for path in kept(acc):
        DAMAGES["deep"](path)
    compiles(acc, expected, "-c", "region.c")


def test_broken_tables_of_the_compiler_itself_are_made_anew(acc):
    cache = Path(acc.environment["ACCSHARE_CACHE_DIR"])
    command = (acc.program, "--acc-no-cache", *REGION)
    acc.must(*command)
    expected = acc.files()["region.o"]
    tables = [path for part in ("grammar", "templates") for path in (cache / part).iterdir()]
    assert {path.parent.name for path in tables} == {"grammar", "templates"}
    for path in tables:
        DAMAGES["cut off"](path)
    damaged = {path: path.read_bytes() for path in tables}
    acc.must(*command)
    assert acc.files()["region.o"] == expected
    assert not any(path.read_bytes() == content for path, content in damaged.items())


def test_nothing_is_written_through_a_link(acc):
    acc.ok(*REGION)
    expected, victim = acc.files()["region.o"], acc.write("victim", "precious")
    for path in kept(acc):
        path.unlink()
        path.symlink_to(victim)
    compiles(acc, expected)
    assert victim.read_text() == "precious"


def test_modes_are_fixed(acc):
    acc.must("sh", "-c", 'umask 0; exec "$@"', "sh", acc.program, *REGION)
    cache = Path(acc.environment["ACCSHARE_CACHE_DIR"])
    assert {oct(path.stat().st_mode & 0o777) for path in kept(acc)} == {"0o600"}
    assert {oct(p.stat().st_mode & 0o777) for p in (cache, *cache.rglob("*")) if p.is_dir()} == {"0o700"}


@pytest.mark.parametrize("how", ["group", "link"])
def test_a_folder_that_is_not_the_users_alone_is_not_used(acc, how):
    cache = Path(acc.environment["ACCSHARE_CACHE_DIR"])
    real = cache.with_name("real")
    real.mkdir(mode=0o700)
    if how == "link":
        cache.symlink_to(real)
    else:
        cache.mkdir()
        cache.chmod(0o770)
    acc.ok(*REGION)
    assert not kept(acc)
