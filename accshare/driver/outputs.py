"""The names the host compiler gives to what it writes, for the steps in which we stand in for it.

gcc says them itself (`names`); what else is here are clang's, and gcc's rules of old for compilers like it.
"""

from __future__ import annotations

import os
import sys

from accshare.driver import words as w
from accshare.driver.args import Invocation, Mode, Source
from accshare.driver.names import Names
from accshare.records import dataclass

#: options that make the compiler write further files beside the object
_SIDE_FILES = (
    "--coverage", "-ftest-coverage", "-fprofile-arcs", "-gsplit-dwarf", "-fstack-usage", "-fdump-", "-fcallgraph-info",
    "-ftime-trace", "-fsave-optimization-record", "-save-temps", "--save-temps",
)  # fmt: skip


def object_path(invocation: Invocation, source: Source) -> str:
    """What ``-c`` or ``-S`` writes for a source."""
    return invocation.output or source.stem + (".s" if invocation.mode is Mode.ASSEMBLY else ".o")


def linked_object(invocation: Invocation, source: Source, folder: str, names: Names | None) -> str:
    """Where to put the object of a source that is compiled and linked by one command.

    It goes into `folder`, which vanishes, unless it is kept, or side files are asked for that are named after it.
    """
    own = os.path.join(folder, f"{source.stem}-{source.word}.o")
    if names is not None:
        return f"{names.stem}.o" if keeps_temporaries(invocation) else own
    named = f"{_kept_stem(invocation, source)}.o"
    if keeps_temporaries(invocation):
        return named
    return named if invocation.has(*_SIDE_FILES) and not os.path.exists(named) else own


def _kept_stem(invocation: Invocation, source: Source) -> str:
    """What clang's intermediate files are called, without ending."""
    beside = invocation.has("-save-temps=obj", "--save-temps=obj")
    return os.path.join(os.path.dirname(invocation.output or "") if beside else "", source.stem)


def translated_path(invocation: Invocation, source: Source, folder: str, names: Names | None) -> str:
    """Where to put the C text that replaces a source: a temporary file unless the user keeps such files."""
    if not keeps_temporaries(invocation) or source.language == "cpp-output":
        return os.path.join(folder, f"{source.stem}-{source.word}.i")
    return f"{names.stem if names is not None else _kept_stem(invocation, source)}.i"


def keeps_temporaries(invocation: Invocation) -> bool:
    """Whether ``-save-temps`` is given."""
    return invocation.has("-save-temps", "--save-temps")


def naming(invocation: Invocation, names: Names | None, *, clang: bool = False) -> list[str]:
    """Options that call side files of a translation as those of its source would be."""
    if names is None:
        return [*invocation.of(w.NAMING), *(_stack_usage(invocation) if clang else ())]
    return [*(["-save-temps"] if keeps_temporaries(invocation) else []), *names.flags]


def _stack_usage(invocation: Invocation) -> tuple[str, ...]:
    """clang's only side file that is called as what it links, whatever the objects for that are called."""
    if invocation.mode is not Mode.LINK or not invocation.output or not invocation.has("-fstack-usage"):
        return ()
    return "-Xclang", "-stack-usage-file", "-Xclang", f"{os.path.splitext(invocation.output)[0]}.su"


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The dependency options for a preprocessor run that writes to `written`, what belongs in `path` once the source is
    compiled; both are empty where no such file is asked for."""

    flags: tuple[str, ...] = ()
    written: str = ""
    path: str = ""

    @property
    def has_place(self) -> bool:
        """Whether the file can be delivered, as far as can be told."""
        return os.path.isdir(os.path.dirname(self.path) or ".")

    def deliver(self) -> None:
        """Puts the file in its place; on standard output once. Raises `OSError`."""
        if not os.path.isfile(self.written):
            return
        with open(self.written, "rb") as file:
            text = file.read()
        if self.path == "-":
            os.unlink(self.written)
            sys.stdout.buffer.write(text)
        else:
            with open(self.path, "wb") as file:
                file.write(text)


def dependencies(invocation: Invocation, source: Source, names: Names | None, folder: str, clang: bool) -> Dependencies:
    """File and target of dependencies as the host compiler would choose them without our detour."""
    given = [word for word in invocation.words if word[0] == w.DEPEND]
    kinds = [word[1][0] for word in given if word[1][0] in ("-MD", "-MMD")]
    through = [word[1][0].split(",") for word in given if word[1][0].startswith("-Wp,")]
    others = [word for word in given if word[1][0] not in kinds and not word[1][0].startswith(("-Wp,", "-MF"))]
    if not kinds and not through:
        return Dependencies(tuple(w.texts(given)))
    _, kind, path, *more = through[-1] if through else ("", kinds[-1], "")
    path = _given(given, "-MF") or path or _dependency_file(invocation, source, names, clang)
    written = os.path.join(folder, f"{source.word}.d")
    flags = [*(kinds or [kind]), *w.texts(others), *more, "-MF", written]
    if not _given(others, "-MT", "-MQ") and (kinds or clang):
        flags += ["-MQ", invocation.output or ("-" if source.path == "-" else f"{source.stem}.o")]
    return Dependencies(tuple(flags), written, path)


def _dependency_file(invocation: Invocation, source: Source, names: Names | None, clang: bool) -> str:
    if names is not None:
        return names.dependencies
    prefix = "a-" if invocation.mode is Mode.LINK and not clang and not invocation.output else ""
    return (os.path.splitext(invocation.output)[0] if invocation.output else prefix + source.stem) + ".d"


def _given(words: list[w.Word], *options: str) -> str:
    """The value of the last word that is one of `options`; empty where there is none."""
    return next((v for word in reversed(words) for option in options if (v := w.value(word, option))), "")
