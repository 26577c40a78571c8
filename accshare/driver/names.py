"""What gcc would call the files it writes beside its output: by ``-###`` it prints the commands it would run."""

from __future__ import annotations

import os

from accshare.driver import words as w
from accshare.driver.args import Invocation
from accshare.driver.host import capture
from accshare.driver.response import unquote
from accshare.records import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    """How further files of one source are called: gcc's ``-dumpdir``, ``-dumpbase`` and ``-dumpbase-ext``, and the
    dependency file."""

    folder: str
    base: str
    ending: str
    dependencies: str

    @property
    def stem(self) -> str:
        """What the names of intermediate files begin with."""
        base = self.base[: -len(self.ending)] if self.ending and self.base.endswith(self.ending) else self.base
        return self.folder + base

    @property
    def flags(self) -> list[str]:
        """Options that make gcc use these names for another source."""
        given = (("-dumpdir", self.folder), ("-dumpbase", self.base), ("-dumpbase-ext", self.ending))
        return [text for option, value in given if value for text in (option, value)]


@dataclass(frozen=True, slots=True)
class HostPlan:
    """What the host compiler would do: `refused` says that it ends with the command line, `names` has one element for
    each C source, or none where the compiler is no gcc."""

    refused: bool
    names: tuple[Names, ...]


def plan(host: list[str], invocation: Invocation) -> HostPlan:
    """Asks the host compiler about a command line; clang, which takes long to say little, is not asked: it does nothing
    where a file is missing. Others may not know the question."""
    if is_clang(host):
        named = (word[1][0] for word in invocation.words if word[0] == w.INPUT)
        return HostPlan(not all(name == "-" or os.path.exists(name) for name in named), ())
    words = [word for word in invocation.words if word[0] != w.OWN]
    done = capture([*host, "-###", *w.texts(words)], b"")
    lines = [unquote(line) for line in done.stderr.decode("utf-8", "surrogateescape").split("\n") if line[:1] == " "]
    compilers = [line for line in lines if line and os.path.basename(line[0]) == "cc1"]
    found = tuple(_names(line, compilers) for line in compilers if "-E" not in line)
    refused = done.code != 0 and capture([*host, "-###", "--version"], b"").code == 0
    return HostPlan(refused, found if len(found) == len(invocation.sources) else ())


def is_clang(host: list[str]) -> bool:
    """Whether a compiler command is clang."""
    return "clang" in os.path.basename(host[0])


def _names(line: list[str], compilers: list[list[str]]) -> Names:
    """The names in one compiler command; a preprocessor command in front of it has those of dependencies."""
    at = compilers.index(line)
    before = compilers[at - 1] if at and "-E" in compilers[at - 1] else []
    dependencies = next((v for one in (line, before) for o in ("-MD", "-MMD") if (v := _value(one, o))), "")
    return Names(_value(line, "-dumpdir"), _value(line, "-dumpbase"), _value(line, "-dumpbase-ext"), dependencies)


def _value(line: list[str], option: str) -> str:
    return line[line.index(option) + 1] if option in line[:-1] else ""
