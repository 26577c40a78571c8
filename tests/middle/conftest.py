"""Compiles the programs of this folder for every target and reads what they and the compiler say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
PROGRAMS = Path(__file__).parent / "programs"
BIN = Path(sys.executable).parent
#: sums of whole numbers and unfused products are the same in any order
FLAGS = ("-O1", "-ffp-contract=off", "-Wno-unknown-pragmas")
RESULT = re.compile(r"(device|host|partly|empty) (.*) ([0-9a-f]{16})")


@dataclass(frozen=True)
class Call:
    """A line a program printed: what it expects, the call, its result, and what the runtime did before that line."""

    expected: str
    text: str
    result: str
    notices: tuple[str, ...]

    @property
    def where(self) -> str:
        """Where the call's regions ran; empty when none had anything to do."""
        words = {notice.split()[1] for notice in self.notices}
        return "partly" if len(words) == 2 else "host" if "host" in words else "device" if words else ""


@pytest.fixture(scope="session")
def opencl() -> None:
    listed = subprocess.run(["clinfo", "-l"], capture_output=True, text=True)
    if "Device" not in listed.stdout:
        pytest.skip("no OpenCL device")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where programs and kernel binaries are kept for the session."""
    return tmp_path_factory.mktemp("middle")


@pytest.fixture
def host_results(folder):
    """What a program prints when the host compiler alone compiles it, as (call, result) pairs."""

    def results(name):
        return [(c.text, c.result) for c in run(build(["gcc"], name, folder / f"{name}.host"), {})]

    return results


@pytest.fixture
def device_program(folder):
    """A program compiled for a target."""

    def built(name, target):
        return build([str(BIN / "accshare-cc"), f"--acc-target={target}"], name, folder / f"{name}.{target}")

    return built


@pytest.fixture
def device_calls(device_program, folder, opencl):
    """The calls of a program compiled for a target."""

    def calls(name, target):
        cache = str(folder / "cache")
        return run(device_program(name, target), {"ACCSHARE_NOTIFY": "1", "ACCSHARE_CACHE_DIR": cache})

    return calls


@pytest.fixture
def report(name):
    """What ``accshare explain`` says of a program."""
    command = [str(BIN / "accshare"), "explain", "--json", str(PROGRAMS / f"{name}.c")]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def build(compiler, name, program):
    """`program`, compiled from a source of this folder."""
    command = [*compiler, *FLAGS, str(PROGRAMS / f"{name}.c"), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def run(program, environment):
    """The calls a program reports."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC")}
    output = subprocess.run(
        [str(program)], env={**clean, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert output.returncode == 0, output.stdout
    calls, notices = [], []
    for line in output.stdout.splitlines():
        found = RESULT.fullmatch(line)
        if found:
            calls.append(Call(*found.groups(), tuple(notices)))
            notices = []
        else:
            assert re.match(r"accshare: (launch|host) ", line), line
            notices.append(line)
    return calls
