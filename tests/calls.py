"""Builds C programs that say of each call what they expect, and reads what the calls gave.

A program is compiled by gcc, whose results are the right ones, and by accshare-cc. `middle/programs/middle.h` prints
the lines that are read here.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from commands import accshare, accshare_cc

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


@dataclass(frozen=True)
class Workshop:
    """Builds the programs of `sources` in `folder`, where kernel binaries are kept too."""

    sources: Path
    folder: Path

    def host_results(self, name):
        """What a program prints when the host compiler alone compiles it, as (call, result) pairs."""
        return [(c.text, c.result) for c in _host_calls(self.sources / f"{name}.c", self.folder / f"{name}.host")]

    def program(self, name, target, *options):
        """A program compiled for a target."""
        binary = self.folder / "-".join((name, target, *(o.strip("-") for o in options)))
        own = ["-march=native"] if target == "native" else []  # versions for processors: `native/`
        words = (f"--acc-target={target}", *own, *options, *FLAGS, self.sources / f"{name}.c", "-o", binary, "-lm")
        return _built(accshare_cc(*words), binary)

    def calls(self, name, target, *options, **environment):
        """The calls of a program compiled for a target."""
        own = {"ACCSHARE_NOTIFY": "1", "ACCSHARE_BREAK_EVEN": "0", "ACCSHARE_CACHE_DIR": str(self.folder / "cache")}
        return run(self.program(name, target, *options), {**own, **environment})


@functools.cache
def _host_calls(source, program):
    command = ["gcc", *FLAGS, str(source), "-o", str(program), "-lm"]
    return run(_built(subprocess.run(command, capture_output=True, text=True), program), {})


def explained(source, *flags):
    """The report of a source in JSON."""
    done = accshare("explain", "--json", *flags, source)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _built(done, program):
    assert done.returncode == 0, done.stderr
    assert "ACC9" not in done.stderr, done.stderr
    return program


def run(program, environment):
    """The calls a program reports."""
    output = subprocess.run(
        [str(program)], env={**_clean(), **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
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


def check_where(calls):
    """Every call ran where it says."""
    sure = [c for c in calls if c.expected != "empty"]
    assert [(c.text, c.where) for c in sure] == [(c.text, c.expected) for c in sure]


def oclgrind(log, *, lanes=False):
    """The command that runs a program in a simulator, which writes every race and every read of nothing to `log`. Where
    kernels choose between `lanes` of vectors, it takes those that are not chosen for read, and isn't asked for reads.

    Kernels are not optimised: oclgrind 21.10 doesn't know the instruction `freeze` that clang makes of `x / 5` and
    `x % 5`.
    """
    checks = ("--data-races", *(() if lanes else ("--uninitialized",)), "--max-errors", "5", "--log", str(log))
    return ("oclgrind", *checks, "--build-options", "-cl-opt-disable", "--local-mem-size", "49152")


def simulate(program, folder):
    """What a program prints under oclgrind, and oclgrind's complaints; its regions must run on the device."""
    log = folder / "log"
    own = {"ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [*oclgrind(log), str(program)], env={**_clean(), **own}, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, log.read_text()


def _clean():
    """The environment without settings of ours."""
    return {k: v for k, v in os.environ.items() if not k.startswith("ACC")}
