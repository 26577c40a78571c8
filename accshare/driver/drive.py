"""A command line with acc pragmas: translate each source, have the host compiler compile the result, link."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import closing

from accshare.diagnostics import Diagnostic, Kind, render
from accshare.driver import words as w
from accshare.driver.args import Invocation, Mode, Source, interpret
from accshare.driver.compiler import Compiler
from accshare.driver.cores import idle_cores
from accshare.driver.guard import writing
from accshare.driver.host import capture, colour, on, run, with_openacc, with_runtime
from accshare.driver.names import Names, is_clang, plan
from accshare.driver.outputs import (
    Dependencies,
    dependencies,
    keeps_temporaries,
    linked_object,
    naming,
    object_path,
    translated_path,
)
from accshare.driver.own import options_of
from accshare.driver.prebuild import prebuild
from accshare.driver.preprocess import Preprocessed, calls_routine, has_pragma, preprocess
from accshare.driver.scan import calls_runtime
from accshare.driver.stepping import steppable
from accshare.driver.translate import Failure, translate
from accshare.options import Options
from accshare.records import dataclass, replace
from accshare.source import SourceFile

#: clang warns of its own line markers under ``-pedantic``; old ones know no such warning
_MARKERS = (
    '#pragma clang diagnostic ignored "-Wunknown-warning-option"\n'
    '#pragma clang diagnostic ignored "-Wgnu-line-marker"\n'
)
#: a loop that crosses lines of the instruction cache may take twice as long as one that does not; with 16 bytes, gcc's
#: own choice, it depends on the code before it, some of which is ours
_ALIGNED = ("-falign-loops=64",)
_UNREAD = "the preprocessor refuses the file, or a macro inside an acc pragma; its regions run on the host"
_UNREAD_HINT = "it gets -E -dD; macros in pragmas need as many arguments as they were defined with"
_BUG_HINT = "nothing is lost but speed; please report it with what ACCSHARE_DEBUG=1 prints"


@dataclass(frozen=True, slots=True)
class _Job:
    """What every step needs: the host compiler, the command line, our options, a private folder, and by word of each
    source what the host compiler calls its further files."""

    host: list[str]
    invocation: Invocation
    options: Options
    folder: str
    names: dict[int, Names]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """`source` became `target`; `messages` are to be printed."""

    source: Source
    target: str
    messages: bytes
    dependencies: Dependencies


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


def driven(host: list[str], words: list[w.Word], folder: str, compiler: Compiler) -> int:
    """Runs a command line with `host` as host compiler, and `compiler` for the first source; the exit code. `folder` is
    private."""
    options, problems = options_of(words, host[0])
    if problems:
        _print(_rendered(problems, SourceFile.of("accshare-cc", "")))
        return 1
    invocation = interpret(words)
    outputs = len([word for word in words if word[0] == w.OUTPUT])
    several_to_one = outputs > 0 and invocation.mode is not Mode.LINK and invocation.inputs > 1
    one_to_several = outputs > 1 and (invocation.mode is Mode.ASSEMBLY or bool(invocation.of(w.DEPEND)))
    if not invocation.mode.compiles or several_to_one or one_to_several:
        return run(host + on(invocation))
    planned = plan(host, invocation)
    if planned.refused:
        return run(host + on(invocation))
    names = dict(zip((source.word for source in invocation.sources), planned.names, strict=False))
    return _build(_Job(host, invocation, options, folder, names), compiler)


def _build(job: _Job, compiler: Compiler) -> int:
    """Every source, the first one by `compiler`, then what is left for the host compiler: sources that are not ours,
    and linking."""
    outcomes = [_compile(job, source, None if k else compiler) for k, source in enumerate(job.invocation.sources)]
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
    if compiled and job.invocation.sources[-1].word in compiled:
        compiled[job.invocation.sources[-1].word].dependencies.deliver()  # where all share a file, the last one counts
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
    words = _named(job, compiled, _with_objects(job.invocation, compiled))
    sources_left = len(compiled) < len(job.invocation.sources)
    objects = [word[1][0] for word in words if word[0] == w.INPUT]
    arguments = with_openacc(words, further) if sources_left else w.texts(words)
    static = w.is_static(list(job.invocation.words))
    needed = calls or calls_runtime(objects, static=static)
    needs_runtime = linking and "-r" not in job.invocation.of(w.LINK) and needed
    with writing(job.folder, *([job.invocation.output or "a.out"] if linking else [])):
        code = run([*job.host, *arguments, *(with_runtime(job.host, objects, static=static) if needs_runtime else [])])
    if linking and not keeps_temporaries(job.invocation):
        for done in compiled.values():
            _remove(done.target)
    return code


def _with_objects(invocation: Invocation, compiled: dict[int, _Compiled]) -> list[w.Word]:
    """The words of a command line with the objects of `compiled` sources in place of these, or nothing where it does
    not link; each input that is left keeps its language."""
    words: list[w.Word] = []
    given = now = "none"
    all_compiled = len(compiled) == len(invocation.sources)
    for index, word in enumerate(invocation.words):
        if word[0] == w.LANGUAGE:
            given = w.value(word, "-x") or "none"
            continue
        if word[0] == w.OWN or (word[0] == w.DEPEND and all_compiled):
            continue
        if index in compiled and invocation.mode is not Mode.LINK:
            continue
        if word[0] == w.INPUT:
            language = "none" if index in compiled else given
            if language != now:
                words.append((w.LANGUAGE, ("-x", language)))
                now = language
        words.append((w.INPUT, (compiled[index].target,)) if index in compiled else word)
    return words


def _named(job: _Job, compiled: dict[int, _Compiled], words: list[w.Word]) -> list[w.Word]:
    """`words` with the names that the host compiler would give to what it writes beside its last source, had it got all
    of them: where ``-dumpbase`` is for several, it is a part of each name."""
    left = [source.word for source in job.invocation.sources if source.word not in compiled]
    names = job.names.get(left[0]) if len(left) == 1 else None
    if names is None or job.invocation.mode is Mode.LINK or job.invocation.inputs - len(compiled) != 1:
        return words
    own = [(w.NAMING, (text,)) for text in naming(job.invocation, names)]
    return [*own, *(word for word in words if word[0] != w.NAMING)]


def _compile(job: _Job, source: Source, compiler: Compiler | None) -> _Compiled | _ForHost | _Refused:
    """Translates one source and compiles the translation, by a compiler of its own if there is no `compiler`; where a
    core is idle, that is loaded meanwhile."""
    if compiler is not None:
        return _compile_with(compiler, job, source)
    with closing(Compiler(early=idle_cores() > 1)) as own:
        return _compile_with(own, job, source)


def _compile_with(compiler: Compiler, job: _Job, source: Source) -> _Compiled | _ForHost | _Refused:
    """Translates one source by `compiler`, and compiles the translation."""
    wanted = dependencies(job.invocation, source, job.names.get(source.word), job.folder, is_clang(job.host))
    read = preprocess(job.host, job.invocation, source, wanted.flags)
    if read is None:
        unread = Diagnostic("ACC707", _UNREAD, hint=_UNREAD_HINT)
        return _ForHost(source, _rendered([unread], SourceFile.of(source.path, "")), pragmas=True, calls=False)
    if not wanted.has_place:
        return _ForHost(source, b"", pragmas=True, calls=False)
    if not has_pragma(read.source):
        return _ForHost(source, b"", pragmas=False, calls=calls_routine(read.source))
    if read.unfit:
        return _on_host(job, read.source, source, read.unfit)
    made = translate(read.source, replace(job.options, machine=read.machine), compiler)
    if isinstance(made, Failure):
        return _broken(job, read.source, source, made.reason)
    shown = [d for d in made.diagnostics if d.kind is not Kind.NOTE]
    messages = _rendered(shown, read.source) + (made.report.encode() if job.options.report else b"")
    if job.options.strict and shown:
        return _Refused(messages)
    try:
        outcome = _assemble(job, source, read, made.host, wanted, messages)
    except OSError:  # what can't be written for us can't be for the host compiler, which finds the words
        return _ForHost(source, b"", pragmas=True, calls=False)
    if job.options.prebuild and isinstance(outcome, _Compiled):
        built = _rendered(prebuild(made.kernels), read.source)
        return replace(outcome, messages=outcome.messages + built)
    return outcome


def _assemble(
    job: _Job, source: Source, read: Preprocessed, host: str, wanted: Dependencies, messages: bytes
) -> _Compiled | _ForHost | _Refused:
    """Has the host compiler compile the translation `host`, with the user's flags."""
    invocation, names = job.invocation, job.names.get(source.word)
    linking = invocation.mode is Mode.LINK
    target = linked_object(invocation, source, job.folder, names) if linking else object_path(invocation, source)
    text = translated_path(invocation, source, job.folder, names)
    clang = is_clang(job.host)
    with open(text, "w", encoding="latin-1", newline="") as file:
        file.write(_MARKERS if clang else "")
        file.write(steppable(host, clang=clang) if _is_debugged(invocation) else host)
    given = invocation.of(w.OTHER) if linking else invocation.of(w.OTHER, w.LINK)
    aligned = _ALIGNED if read.machine.may_align and not any("align-loops" in text for text in given) else ()
    flags = [*aligned, *given, *naming(invocation, names, clang=clang)]
    step = "-c" if linking else invocation.mode.value
    language = "c" if read.machine.plain else "cpp-output"  # others need not know that there is nothing left to expand
    with writing(job.folder, target):
        done = capture([*job.host, *flags, *colour(invocation), step, "-x", language, text, "-o", target])
    sys.stdout.buffer.write(done.stdout)
    sys.stdout.flush()
    if done.code != 0:
        if os.environ.get("ACCSHARE_DEBUG"):
            _print(done.stderr)
        return _broken(job, read.source, source, "the host compiler refuses the generated code")
    wanted.deliver()
    return _Compiled(source, target, messages + read.messages + done.stderr, wanted)


def _is_debugged(invocation: Invocation) -> bool:
    given = [text for text in invocation.of(w.OTHER) if text.startswith(("-g", "--debug"))]
    return any(text not in ("-g0", "-ggdb0") for text in given)


def _broken(job: _Job, text: SourceFile, source: Source, reason: str) -> _ForHost | _Refused:
    """Our own failure."""
    return _on_host(job, text, source, Diagnostic("ACC901", f"{reason}; its regions run on the host", hint=_BUG_HINT))


def _on_host(job: _Job, text: SourceFile, source: Source, why: Diagnostic) -> _ForHost | _Refused:
    """The original source is compiled as it stands, or nothing at all under ``--acc-strict``."""
    message = _rendered([why], text)
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
