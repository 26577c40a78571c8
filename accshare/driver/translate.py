"""From preprocessed C to host C: out of the cache, or from the compiler in a process of its own."""

from __future__ import annotations

import json
import os
import pickle
import signal
from contextlib import suppress

from accshare.device import Device
from accshare.driver.compiler import Compiler
from accshare.driver.paths import runtime_library
from accshare.driver.targets import devices_for
from accshare.driver.translation import Translation, key_of, load, store, unpack
from accshare.driver.tunings import with_tuned
from accshare.options import Options
from accshare.records import dataclass, replace
from accshare.source import SourceFile


@dataclass(frozen=True, slots=True)
class Failure:
    """The compiler broke; `reason` is one line."""

    reason: str


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
        return _compiled(compiler, source, devices, options, runtime)
    key = key_of(source, options, devices, runtime)
    found = load(key)
    if found is None:
        made = _compiled(compiler, source, devices, options, runtime)
        if isinstance(made, Failure):
            return made
        store(key, made)
        found = made
    return found


def _compiled(
    compiler: Compiler, source: SourceFile, devices: tuple[Device, ...], options: Options, runtime: str
) -> Translation | Failure:
    answer = compiler.answer(pickle.dumps((source, devices, options, runtime)))
    if answer.startswith(b"-"):
        return Failure(answer[1:].decode("utf-8"))
    with suppress(ValueError):
        return unpack(json.loads(answer[1:]))
    status = compiler.status()
    if os.WIFSIGNALED(status):
        return Failure(f"the compiler was ended by {signal.Signals(os.WTERMSIG(status)).name}")
    return Failure(f"the compiler ended with exit code {os.waitstatus_to_exitcode(status)} and no result")
