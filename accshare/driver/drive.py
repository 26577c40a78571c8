"""A command line with acc pragmas: translate each source, have the host compiler compile the result, link."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import FrameType
from typing import NoReturn

from accshare.diagnostics import Diagnostic, Kind, render
from accshare.driver import words as w
from accshare.driver.args import Invocation, Mode, Source, interpret
from accshare.driver.host import capture, colour, on, run, with_openacc, with_runtime
from accshare.driver.outputs import linked_object, object_path, translated_path
from accshare.driver.own import options_of
from accshare.driver.preprocess import Preprocessed, calls_routine, has_pragma, preprocess
from accshare.driver.scan import calls_runtime
from accshare.driver.translate import Failure, translate
from accshare.driver.translation import Translation
from accshare.options import Options
from accshare.source import SourceFile

_BUG_HINT = "nothing is lost but speed; please report it with what ACCSHARE_DEBUG=1 prints"


@dataclass(frozen=True, slots=True)
class _Job:
    """What every step needs: the host compiler, the command line, our options, a private folder."""

    host: list[str]
    invocation: Invocation
    options: Options
    folder: str


@dataclass(frozen=True, slots=True)
class _Compiled:
    """`source` became `target`; `messages` are to be printed."""

    source: Source
    target: str
    messages: bytes


@dataclass(frozen=True, slots=True)
class _ForHost:
    """The host compiler gets `source` as it is; `messages` are to be printed if it then succeeds.

    `pragmas` says that it may meet acc pragmas, about which it must not warn: they are known to us; `calls` that the
    source may call routines of openacc.h.
    """

    source: Source
    messages: bytes
    pragmas: bool
    calls: bool


@dataclass(frozen=True, slots=True)
class _Refused:
    """``--acc-strict`` ends the compilation of this source."""

    messages: bytes


def drive(host: list[str], words: list[w.Word]) -> int:
    """Runs a command line for which `accshare.cc` found work, with `host` as host compiler; the exit code."""
    signal.signal(signal.SIGTERM, _end)
    options, problems = options_of(words, host[0])
    if problems:
        nowhere = SourceFile.of("accshare-cc", "")
        _print(_rendered(problems, nowhere))
        return 1
    invocation = interpret(words)
    several_to_one = invocation.output is not None and invocation.mode is not Mode.LINK and invocation.inputs > 1
    if not invocation.mode.compiles or several_to_one:
        return run(host + on(invocation))
    try:
        with tempfile.TemporaryDirectory(prefix="accshare-") as folder:
            return _build(_Job(host, invocation, options, folder))
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _build(job: _Job) -> int:
    """Every source, then what is left for the host compiler: sources that are not ours, and linking."""
    outcomes = [_compile(job, source) for source in job.invocation.sources]
    for outcome in outcomes:
        if not isinstance(outcome, _ForHost):
            _print(outcome.messages)
    if any(isinstance(outcome, _Refused) for outcome in outcomes):
        for outcome in outcomes:
            if isinstance(outcome, _Compiled):
                _remove(outcome.target)
        return 1
    compiled = {outcome.source.word: outcome for outcome in outcomes if isinstance(outcome, _Compiled)}
    quiet = any(isinstance(outcome, _ForHost) and outcome.pragmas for outcome in outcomes)
    calls = any(isinstance(outcome, _ForHost) and outcome.calls for outcome in outcomes)
    code = _finish(job, compiled, ["-Wno-unknown-pragmas"] if quiet else [], calls)
    if code == 0:
        for outcome in outcomes:
            if isinstance(outcome, _ForHost):
                _print(outcome.messages)
    return code


def _finish(job: _Job, compiled: dict[int, _Compiled], further: list[str], calls: bool) -> int:
    """Runs the host compiler over the command line with `compiled` sources taken out, or replaced by their objects.

    `further` are arguments for it; `calls` says that a source left to it calls the runtime.
    """
    linking = job.invocation.mode is Mode.LINK
    if not linking and len(compiled) == job.invocation.inputs:
        return 0
    words: list[w.Word] = []
    language: w.Word | None = None
    for index, word in enumerate(job.invocation.words):
        if word[0] == w.OWN or (word[0] == w.DEPEND and len(compiled) == len(job.invocation.sources)):
            continue
        if word[0] == w.LANGUAGE:
            language = word
        if index not in compiled:
            words.append(word)
        elif linking:
            around = ((w.LANGUAGE, ("-x", "none")), language) if language else (None, None)
            words += [part for part in (around[0], (w.INPUT, (compiled[index].target,)), around[1]) if part]
    sources_left = len(compiled) < len(job.invocation.sources)
    objects = [word[1][0] for word in words if word[0] == w.INPUT]
    arguments = with_openacc(words, further) if sources_left else w.texts(words)
    needs_runtime = linking and "-r" not in job.invocation.of(w.LINK) and (calls or calls_runtime(objects))
    code = run([*job.host, *arguments, *(with_runtime() if needs_runtime else [])])
    if linking and not job.invocation.has("-save-temps", "--save-temps"):
        for done in compiled.values():
            _remove(done.target)
    return code


def _compile(job: _Job, source: Source) -> _Compiled | _ForHost | _Refused:
    """Translates one source and compiles the translation."""
    read = preprocess(job.host, job.invocation, source)
    if read is None:
        return _ForHost(source, b"", pragmas=True, calls=False)
    if not has_pragma(read.source):
        return _ForHost(source, b"", pragmas=False, calls=calls_routine(read.source))
    made = translate(read.source, replace(job.options, vector=read.vector), job.folder)
    if isinstance(made, Failure):
        return _broken(job, read.source, source, made.reason)
    shown = [d for d in made.diagnostics if d.kind is not Kind.NOTE]
    messages = _rendered(shown, read.source) + (made.report.encode() if job.options.report else b"")
    if job.options.strict and shown:
        return _Refused(messages)
    return _assemble(job, source, read, made, messages)


def _assemble(
    job: _Job, source: Source, read: Preprocessed, made: Translation, messages: bytes
) -> _Compiled | _ForHost | _Refused:
    """Has the host compiler compile a translation, with the user's flags."""
    invocation = job.invocation
    linking = invocation.mode is Mode.LINK
    target = linked_object(invocation, source, job.folder) if linking else object_path(invocation, source)
    text = translated_path(invocation, source, target, job.folder)
    with open(text, "w", encoding="latin-1", newline="") as file:
        file.write(made.host)
    flags = invocation.of(w.OTHER) if linking else invocation.of(w.OTHER, w.LINK)
    step = "-c" if linking else invocation.mode.value
    done = capture([*job.host, *flags, *colour(invocation), step, "-x", "cpp-output", text, "-o", target])
    sys.stdout.buffer.write(done.stdout)
    sys.stdout.flush()
    if done.code != 0:
        if os.environ.get("ACCSHARE_DEBUG"):
            _print(done.stderr)
        return _broken(job, read.source, source, "the host compiler refuses the generated code")
    return _Compiled(source, target, messages + read.messages + done.stderr)


def _broken(job: _Job, text: SourceFile, source: Source, reason: str) -> _ForHost | _Refused:
    """Our own failure: the original source is compiled as it stands, or nothing at all under ``--acc-strict``."""
    message = _rendered([Diagnostic("ACC901", f"{reason}; its regions run on the host", hint=_BUG_HINT)], text)
    if not job.options.strict:
        return _ForHost(source, message, pragmas=True, calls=calls_routine(text))
    return _Refused(message)


def _rendered(diagnostics: Iterable[Diagnostic], source: SourceFile) -> bytes:
    return "".join(f"{render(diagnostic, source)}\n" for diagnostic in diagnostics).encode("utf-8", "surrogateescape")


def _print(messages: bytes) -> None:
    sys.stderr.flush()
    sys.stderr.buffer.write(messages)
    sys.stderr.flush()


def _remove(path: str) -> None:
    if os.path.isfile(path):
        os.unlink(path)


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Leaves by an exception, so that temporary files are removed."""
    raise SystemExit(128 + signal.SIGTERM)
