"""The names gcc gives to what it writes, for the steps in which we stand in for it."""

from __future__ import annotations

import os

from accshare.driver import words as w
from accshare.driver.args import Invocation, Mode, Source

#: options that make the compiler write further files beside the object
_SIDE_FILES = (
    "--coverage", "-ftest-coverage", "-fprofile-arcs", "-gsplit-dwarf", "-fstack-usage", "-fdump-", "-fcallgraph-info",
    "-save-temps", "--save-temps",
)  # fmt: skip


def object_path(invocation: Invocation, source: Source) -> str:
    """What ``-c`` or ``-S`` writes for a source."""
    return invocation.output or source.stem + (".s" if invocation.mode is Mode.ASSEMBLY else ".o")


def linked_object(invocation: Invocation, source: Source, folder: str) -> str:
    """Where to put the object of a source that is compiled and linked by one command.

    It goes into `folder`, which vanishes, unless side files are asked for: those are named after the object.
    """
    if not invocation.has(*_SIDE_FILES):
        return os.path.join(folder, f"{source.stem}-{source.word}.o")
    prefix = os.path.splitext(invocation.output)[0] if invocation.output else "a"
    return f"{prefix}-{source.stem}.o"


def translated_path(invocation: Invocation, source: Source, target: str, folder: str) -> str:
    """Where to put the C text that replaces a source: a temporary file unless the user keeps such files."""
    if not keeps_temporaries(invocation) or source.language == "cpp-output":
        return os.path.join(folder, f"{source.stem}-{source.word}.i")
    return os.path.splitext(target)[0] + ".i"


def keeps_temporaries(invocation: Invocation) -> bool:
    """Whether ``-save-temps`` is given."""
    return invocation.has("-save-temps", "--save-temps")


def dependency_flags(invocation: Invocation, source: Source, clang: bool) -> list[str]:
    """The dependency options with file and target as the host compiler would choose them without our detour."""
    given = [word for word in invocation.words if word[0] == w.DEPEND]
    clang_style = clang and invocation.has("-Wp,-MD", "-Wp,-MMD")
    if not clang_style and not any(word[1][0] in ("-MD", "-MMD") for word in given):
        return []
    linked = invocation.mode is Mode.LINK
    flags = w.texts(given)
    if not clang_style and not any(word[1][0].startswith("-MF") for word in given):
        prefix = "a-" if linked and not clang and not invocation.output else ""
        stem = os.path.splitext(invocation.output)[0] if invocation.output else prefix + source.stem
        flags += ["-MF", f"{stem}.d"]
    if not any(word[1][0].startswith(("-MT", "-MQ")) for word in given):
        flags += ["-MQ", invocation.output or f"{source.stem}.o"]
    return flags
