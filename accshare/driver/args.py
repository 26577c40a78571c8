"""A command line of ours as one frozen value: what is asked for, of which sources, and the words for each step."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable

from accshare.driver import words as w
from accshare.records import dataclass


class Mode(enum.Enum):
    """How far the compiler is asked to go; the value is the option."""

    PREPROCESS = "-E"
    DEPENDENCIES = "-M"
    SYNTAX = "-fsyntax-only"
    RUN = "-run"
    ASSEMBLY = "-S"
    OBJECT = "-c"
    LINK = ""

    @property
    def compiles(self) -> bool:
        """Whether machine code comes out, and is kept."""
        return self in (Mode.ASSEMBLY, Mode.OBJECT, Mode.LINK)


@dataclass(frozen=True, slots=True)
class Source:
    """A C input. `word` is its index in `Invocation.words`, `language` is ``c`` or ``cpp-output``."""

    path: str
    language: str
    word: int

    @property
    def stem(self) -> str:
        """The name without folder and ending, from which gcc makes the names of what it writes."""
        return os.path.splitext(os.path.basename(self.path))[0]


@dataclass(frozen=True, slots=True)
class Invocation:
    """A parsed argument list. `words` holds everything, `sources` the C inputs, `inputs` the number of all inputs."""

    words: tuple[w.Word, ...]
    mode: Mode
    sources: tuple[Source, ...]
    inputs: int
    output: str | None

    def of(self, *roles: str) -> list[str]:
        """The arguments whose role is one of `roles`, in order."""
        return w.texts([word for word in self.words if word[0] in roles])

    def has(self, *prefixes: str) -> bool:
        """Whether an option starts with one of `prefixes`."""
        return any(word[1][0].startswith(prefixes) for word in self.words if word[0] != w.INPUT)


def parse(args: Iterable[str]) -> Invocation:
    """The invocation of an argument list without ``@file`` arguments; `response.expand` resolves those."""
    return interpret(w.split(list(args)))


def interpret(words: list[w.Word]) -> Invocation:
    """The invocation of an argument list that is cut into words."""
    found = w.inputs(words)
    sources = tuple(Source(name, language, at) for at, name, language in found if language in w.C_LANGUAGES)
    outputs = [w.value(word, "-o") for word in words if word[0] == w.OUTPUT]
    return Invocation(tuple(words), _mode(words), sources, len(found), outputs[-1] if outputs else None)


def _mode(words: list[w.Word]) -> Mode:
    given = {word[1][0] for word in words if word[0] == w.MODE}
    if given & {"-M", "-MM"}:
        return Mode.DEPENDENCIES
    for mode in (Mode.PREPROCESS, Mode.SYNTAX, Mode.RUN, Mode.ASSEMBLY, Mode.OBJECT):
        if mode.value in given:
            return mode
    return Mode.LINK
