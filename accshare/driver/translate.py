"""From preprocessed C to host C: out of the cache, or from the compiler in a process of its own.

The compiler calls native libraries that end their process when an invariant of theirs breaks. A build must survive
that, so a child compiles and the parent only reads what it left.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import types
from pathlib import Path

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


def translate(source: SourceFile, options: Options, folder: str) -> Translation | Failure:
    """Compiles `source`; `folder` takes the child's result. Reads the cache unless a stage is to be watched."""
    devices, runtime = devices_for(options.targets, options.machine), runtime_library()
    options, problems = with_tuned(options, devices)
    made = _translated(source, options, devices, runtime, folder)
    return made if isinstance(made, Failure) else replace(made, diagnostics=(*problems, *made.diagnostics))


def _translated(
    source: SourceFile, options: Options, devices: tuple[Device, ...], runtime: str, folder: str
) -> Translation | Failure:
    if not options.cache or options.dump or options.time:
        return _in_child(source, options, devices, runtime, folder)
    key = key_of(source, options, devices, runtime)
    found = load(key)
    if found is None:
        made = _in_child(source, options, devices, runtime, folder)
        if isinstance(made, Failure):
            return made
        store(key, made)
        found = made
    return found


def _in_child(
    source: SourceFile, options: Options, devices: tuple[Device, ...], runtime: str, folder: str
) -> Translation | Failure:
    """Forks a child that compiles, and waits for it."""
    answer = Path(folder) / "translation.json"
    answer.unlink(missing_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os._exit(_child(source, options, devices, runtime, answer))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return Failure(f"the compiler was ended by {signal.Signals(os.WTERMSIG(status)).name}")
    try:
        value = json.loads(answer.read_bytes())
        return Failure(value) if isinstance(value, str) else unpack(value)
    except (OSError, ValueError):
        return Failure(f"the compiler ended with exit code {os.waitstatus_to_exitcode(status)} and no result")


def _child(source: SourceFile, options: Options, devices: tuple[Device, ...], runtime: str, answer: Path) -> int:
    """Compiles and writes the result, or one line about what broke; the exit code."""
    value: object
    try:
        # Loaded by name here only: a hit in the cache must not pay for libclang and isl.
        sys.modules.setdefault("islpy.version", _NoVersion("islpy.version"))
        worker = importlib.import_module("accshare.driver.worker")
        value = pack(worker.work(source, devices, options, runtime))
    except Exception as error:  # the one place where whatever breaks in us becomes a warning
        if os.environ.get("ACCSHARE_DEBUG"):
            sys.excepthook(type(error), error, error.__traceback__)
        value = " ".join(f"{type(error).__name__}: {error}".split())
    answer.write_text(json.dumps(value), encoding="ascii")
    sys.stdout.flush()
    sys.stderr.flush()
    return 0
