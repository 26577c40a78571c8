"""From preprocessed C to host C: out of the cache, or from the compiler in a process of its own.

The compiler calls native libraries that end their process when an invariant of theirs breaks. A build must survive
that, so a child compiles and the parent only reads what it left. Loading these libraries takes longer than most
sources take, so the child may begin with it while nobody knows yet what there is to compile.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import signal
import sys
import types
from contextlib import suppress

from accshare.device import Device
from accshare.driver.paths import runtime_library
from accshare.driver.targets import devices_for
from accshare.driver.translation import Translation, key_of, load, pack, store, unpack
from accshare.driver.tunings import with_tuned
from accshare.options import Options
from accshare.records import dataclass, replace
from accshare.source import SourceFile


@dataclass(frozen=True, slots=True)
class Failure:
    """The compiler broke; `reason` is one line."""

    reason: str


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

    def compiled(
        self, source: SourceFile, devices: tuple[Device, ...], options: Options, runtime: str
    ) -> Translation | Failure:
        """What becomes of `source`."""
        if not self._process:
            self._start()
        with suppress(OSError), os.fdopen(self._ask, "wb") as asked:
            asked.write(pickle.dumps((source, devices, options, runtime)))
        with os.fdopen(self._answers, "rb") as answers:
            answer = answers.read()
        with suppress(ValueError):
            value = json.loads(answer)
            return Failure(value) if isinstance(value, str) else unpack(value)
        _, status = os.waitpid(self._process, 0)
        self._process = 0
        if os.WIFSIGNALED(status):
            return Failure(f"the compiler was ended by {signal.Signals(os.WTERMSIG(status)).name}")
        return Failure(f"the compiler ended with exit code {os.waitstatus_to_exitcode(status)} and no result")

    def close(self) -> None:
        """Ends the process, whether there was work for it or not."""
        if self._process:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)


def translate(source: SourceFile, options: Options, compiler: Compiler) -> Translation | Failure:
    """Compiles `source`. Reads the cache unless a stage is to be watched."""
    devices, runtime = devices_for(options.targets, options.machine), runtime_library()
    options, problems = with_tuned(options, devices)
    made = _translated(source, options, devices, runtime, compiler)
    return made if isinstance(made, Failure) else replace(made, diagnostics=(*problems, *made.diagnostics))


def _translated(
    source: SourceFile, options: Options, devices: tuple[Device, ...], runtime: str, compiler: Compiler
) -> Translation | Failure:
    if not options.cache or options.dump or options.time:
        return compiler.compiled(source, devices, options, runtime)
    key = key_of(source, options, devices, runtime)
    found = load(key)
    if found is None:
        made = compiler.compiled(source, devices, options, runtime)
        if isinstance(made, Failure):
            return made
        store(key, made)
        found = made
    return found


def _child(asked: int, answers: int) -> int:
    """Loads the compiler, compiles what is asked, and answers with the result, or one line about what broke; the exit
    code."""
    value: object
    try:
        # Loaded by name here only: a hit in the cache must not pay for libclang and isl.
        sys.modules.setdefault("islpy.version", _NoVersion("islpy.version"))
        worker = importlib.import_module("accshare.driver.worker")
        with os.fdopen(asked, "rb") as job:
            value = pack(worker.work(*pickle.load(job)))  # of our own making
    except Exception as error:  # the one place where whatever breaks in us becomes a warning
        if os.environ.get("ACCSHARE_DEBUG"):
            sys.excepthook(type(error), error, error.__traceback__)
        value = " ".join(f"{type(error).__name__}: {error}".split())
    sys.stdout.flush()
    sys.stderr.flush()
    with os.fdopen(answers, "wb") as answer:
        answer.write(json.dumps(value).encode("ascii"))
    return 0
