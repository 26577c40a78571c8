"""accshare-cc as a program, and sources to give it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import accshare_cc
from driver_programs import REGION
from known import ask, knowing

ROOT = Path(__file__).parent.parent.parent

PLAIN = '#include "size.h"\nint plain(void) { return SIZE; }\n'


@dataclass(frozen=True)
class Compiler:
    """A compiler to run in a folder of its own."""

    program: str
    folder: Path
    environment: dict[str, str]
    ours: bool

    def run(self, *args: object, stdin: str | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
        if self.ours and stdin is None and "PYTHONPATH" not in extra:
            return accshare_cc(*args, cwd=self.folder, env={**self.environment, **extra})
        return self.execute(self.program, *args, stdin=stdin, **extra)

    def execute(self, *command: object, stdin: str | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
        """Any command, in the folder and with the environment of this compiler."""
        return subprocess.run(
            [str(word) for word in command],
            cwd=self.folder,
            env={**self.environment, **extra},
            input=stdin if stdin is not None else "",
            capture_output=True,
            text=True,
            check=False,
        )

    def ok(self, *args: object, stdin: str | None = None, **extra: str) -> str:
        """Runs the compiler, which must succeed; what it printed on standard output."""
        done = self.run(*args, stdin=stdin, **extra)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def must(self, *command: object, **extra: str) -> str:
        """Runs a command, which must succeed; what it printed on standard output."""
        done = self.execute(*command, **extra)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@pytest.fixture(scope="session")
def script(tmp_path_factory) -> Path:
    """A program ``accshare-cc`` that runs this source tree, alone in its folder."""
    path = tmp_path_factory.mktemp("bin") / "accshare-cc"
    paths = f"{ROOT}:${{PYTHONPATH:-}}"
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{paths}" exec "{sys.executable}" -m accshare.cc "$@"\n')
    path.chmod(0o755)
    return path


def _outside() -> dict[str, str]:
    """The environment without settings of ours."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("ACC", "PYTHONPATH"))}


@pytest.fixture(scope="session")
def asked(tmp_path_factory) -> Path:
    return ask(tmp_path_factory.mktemp("devices"), _outside())


@pytest.fixture
def cache(asked, tmp_path) -> Path:
    """Where the compiler keeps what it found out; it knows this machine."""
    return knowing(asked, tmp_path / "cache")


def _compiler(folder: Path, program: str, cache: Path, script: Path) -> Compiler:
    folder.mkdir()
    environment = {
        **_outside(),
        "LC_ALL": "C",
        "ACCSHARE_BREAK_EVEN": "0",
        "ACCSHARE_CACHE_DIR": str(cache),
        "PATH": f"{os.environ['PATH']}:{script.parent}",
    }
    compiler = Compiler(program, folder, environment, ours=program == str(script))
    compiler.write("region.c", REGION)
    compiler.write("plain.c", PLAIN)
    compiler.write("size.h", "#define SIZE 100\n")
    return compiler


@pytest.fixture
def acc(tmp_path, script, cache) -> Compiler:
    """accshare-cc in a folder with region.c, plain.c and size.h."""
    return _compiler(tmp_path / "acc", str(script), cache, script)


@pytest.fixture
def cc(tmp_path, script, cache) -> Compiler:
    """The host compiler in a folder with the same files."""
    return _compiler(tmp_path / "cc", shutil.which("cc") or "cc", cache, script)
