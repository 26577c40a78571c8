"""The compiler in a process of its own, which a build survives whatever becomes of it.

The compiler calls native libraries that end their process when an invariant of theirs breaks. A build must survive
that, so a child compiles and the parent only reads what it left. Loading these libraries takes longer than most
sources take, so the child may begin with it while nobody knows yet what there is to compile: this module itself needs
next to nothing.
"""

from __future__ import annotations

import importlib
import os
import sys
import types
from contextlib import suppress


class _NoVersion(types.ModuleType):
    """Stands for the module by which islpy finds its own version when it is loaded: it reads the metadata of what is
    installed, with a parser for e-mail, for a tenth of the time that it takes to load all we need."""

    def __getattr__(self, name: str) -> str:
        return ""


class Compiler:
    """The compiler of one source, in a process of its own."""

    def __init__(self, *, early: bool) -> None:
        """An `early` one starts now; else it does so once there is work."""
        self._process = self._ask = self._answers = 0
        if early:
            self._start()

    def _start(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        asked, self._ask = os.pipe()
        self._answers, answers = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._ask)
            os.close(self._answers)
            os._exit(_child(asked, answers))
        os.close(asked)
        os.close(answers)

    def answer(self, job: bytes) -> bytes:
        """What `worker.work` makes of a job, behind a plus; behind a minus, a line about what broke. Not all of that
        where the process ends before."""
        if not self._process:
            self._start()
        with suppress(OSError), os.fdopen(self._ask, "wb") as asked:
            asked.write(job)
        with os.fdopen(self._answers, "rb") as answers:
            return answers.read()

    def status(self) -> int:
        """How the process has ended, as `os.wait` has it."""
        _, status = os.waitpid(self._process, 0)
        self._process = 0
        return status

    def close(self) -> None:
        """Ends the process, whether there was work for it or not."""
        if self._process:
            os.kill(self._process, 9)
            os.waitpid(self._process, 0)


def _child(asked: int, answers: int) -> int:
    """Loads the compiler, compiles what is asked, and answers; the exit code."""
    try:
        # Loaded by name here only: a hit in the cache must not pay for libclang and isl.
        sys.modules.setdefault("islpy.version", _NoVersion("islpy.version"))
        worker = importlib.import_module("accshare.driver.worker")
        with os.fdopen(asked, "rb") as job:
            answer = b"+" + worker.work(job.read())
    except Exception as error:  # the one place where whatever breaks in us becomes a warning
        if os.environ.get("ACCSHARE_DEBUG"):
            sys.excepthook(type(error), error, error.__traceback__)
        said = " ".join(f"{type(error).__name__}: {error}".split())
        answer = b"-" + said.encode("utf-8", "backslashreplace")
    sys.stdout.flush()
    sys.stderr.flush()
    with os.fdopen(answers, "wb") as channel:
        channel.write(answer)
    return 0
