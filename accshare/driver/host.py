"""Running the host compiler, and the arguments it gets beside the user's own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterable

from accshare.driver import words as w
from accshare.driver.args import Invocation
from accshare.driver.paths import include_dir, runtime_library, static_runtime
from accshare.driver.scan import machine_of
from accshare.records import dataclass


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that ended: exit code as a shell gives it, and what it printed."""

    code: int
    stdout: bytes
    stderr: bytes


def capture(command: list[str], stdin: bytes | None = None) -> Finished:
    """Runs a command on the given standard input, or on ours, and keeps what it prints."""
    if stdin is None:
        done = subprocess.run(command, stdin=_rewound(), capture_output=True, check=False)
    else:
        done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    return Finished(_shell_code(done.returncode), done.stdout, done.stderr)


def run(command: list[str]) -> int:
    """Runs a command that prints for itself; its exit code."""
    return _shell_code(subprocess.run(command, stdin=_rewound(), check=False).returncode)


def on(invocation: Invocation) -> list[str]:
    """The arguments of an invocation without our own options, with ``_OPENACC`` and openacc.h provided."""
    return with_openacc([word for word in invocation.words if word[0] != w.OWN])


def with_openacc(words: list[w.Word], further: Iterable[str] = ()) -> list[str]:
    """The arguments of `words` with ``_OPENACC`` defined and our openacc.h behind the user's own directories, unless
    they want none but these.

    `further` options come last, but for what a program gets that the compiler runs.
    """
    dashes = next((k for k, word in enumerate(words) if word[0] == w.DASHES or word[1][0] == "-run"), len(words))
    folder = "" if any(word[1][0] == "-nostdinc" for word in words) else include_dir()
    include = ["-isystem", folder] if folder else []
    return [*w.openacc(words), *w.texts(words[:dashes]), *include, *further, *w.texts(words[dashes:])]


def with_runtime(host: list[str], objects: list[str], *, static: bool) -> list[str]:
    """Linker arguments of the compiler `host` for a program that calls routines of openacc.h, and for every `static`
    one with regions, which finds no library when it runs; none where the program is for another kind of machine than
    this one, and the runtime from wherever it is built for that."""
    if _is_for_others(host, objects):
        return []
    if static:
        archive = "" if "musl" in os.path.basename(host[0]) else static_runtime()
        # nothing but weak references may ask for it
        return [archive, "-Wl,-u,accshare_runtime", "-lpthread"] if archive else []
    library = runtime_library()
    return [library, f"-Wl,-rpath,{os.path.dirname(library)}"] if library else []


def _is_for_others(host: list[str], objects: list[str]) -> bool:
    """Whether a compiler makes programs for another kind of machine, as the first of their objects tells, or if there
    is none yet, the compiler itself."""
    known = next(filter(None, map(machine_of, objects)), b"")
    if known:
        return known != machine_of(sys.executable)
    named = capture([*host, "-dumpmachine"], b"").stdout.decode("utf-8", "replace").partition("-")[0]
    return named not in ("", os.uname().machine)


def colour(invocation: Invocation) -> list[str]:
    """Colours as the user would see them, although we stand between the compiler and the terminal."""
    wanted = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb" and os.environ.get("GCC_COLORS") != ""
    return ["-fdiagnostics-color=always"] if wanted and not invocation.has("-fdiagnostics-", "-fno-diag") else []


def standard_input() -> bytes:
    """All of standard input."""
    with open(_rewound(), "rb", closefd=False) as stream:
        return stream.read()


def _rewound() -> int:
    """Standard input from its beginning where that can be: several steps may read the same ``-``."""
    with contextlib.suppress(OSError):
        os.lseek(0, 0, os.SEEK_SET)
    return 0


def _shell_code(code: int) -> int:
    return code if code >= 0 else 128 - code
