"""From a C file and compiler flags to the finished output, in this process."""

from __future__ import annotations

from collections.abc import Sequence

from accshare.diagnostics import render
from accshare.driver import words as w
from accshare.driver.args import interpret
from accshare.driver.host import capture
from accshare.driver.own import options_of
from accshare.driver.paths import runtime_library
from accshare.driver.preprocess import preprocess
from accshare.driver.targets import devices_for
from accshare.driver.tunings import with_tuned
from accshare.options import Options
from accshare.pipeline import Result, compile_unit
from accshare.records import dataclass, replace
from accshare.run.host import host_compiler
from accshare.source import SourceFile


class Unreadable(Exception):  # noqa: N818 - says what happened to the file
    """A file or option that can't be understood; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A compiled C file."""

    source: SourceFile
    options: Options
    result: Result


def compile_file(path: str, flags: Sequence[str]) -> Unit:
    """Preprocesses and compiles `path` as ``accshare-cc FLAGS -c path`` would.

    Raises what `read_file` does, and `StageError` for a bug of ours.
    """
    source, options = read_file(path, flags)
    devices = devices_for(options.targets, options.machine)
    options, problems = with_tuned(options, devices)
    result = compile_unit(source, devices, options, runtime_library())
    return Unit(source, options, replace(result, diagnostics=(*problems, *result.diagnostics)))


def read_file(path: str, flags: Sequence[str]) -> tuple[SourceFile, Options]:
    """`path` preprocessed as ``accshare-cc FLAGS -c path`` would, and the options it would be compiled with.

    Raises `Unreadable`, and `HostTrouble` when there is no host compiler.
    """
    host = host_compiler()
    words = [word for word in w.split([*flags, path]) if word[0] not in (w.OUTPUT, w.MODE)]
    options, problems = options_of(words, host[0])
    if problems:
        nowhere = SourceFile.of("accshare", "")
        raise Unreadable("\n".join(render(problem, nowhere) for problem in problems))
    invocation = interpret(words)
    if not invocation.sources:
        raise Unreadable(f"{path}: no C file; its name should end in .c (or give -x c)")
    read = preprocess(host, invocation, invocation.sources[-1])
    if read is None:
        kept = [text for word in words if word[0] in (w.PREPROCESS, w.OTHER) for text in word[1]]
        said = capture([*host, *kept, "-E", path]).stderr.decode("utf-8", "replace").rstrip()
        raise Unreadable(said or f"{path}: the host preprocessor refuses it")
    return read.source, replace(options, machine=read.machine)
