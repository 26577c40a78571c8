"""The start of a command line with acc pragmas: what waits for it longest comes first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial

from accshare.driver import words as w
from accshare.driver.compiler import Compiler
from accshare.driver.cores import idle_cores
from accshare.driver.guard import guarded

#: these compile nothing
_LESS = frozenset({"-E", "-M", "-MM", "-fsyntax-only"})


def drive(host: Sequence[str], words: Sequence[w.Word]) -> int:
    """Runs a command line for which `accshare.cc` found work, with `host` as host compiler; the exit code."""
    return guarded(partial(_driven, list(host), list(words)))


def _driven(host: list[str], words: list[w.Word], folder: str) -> int:
    """The compiler is loaded while all else is, and the preprocessor runs, where a core is idle."""
    compiles = _LESS.isdisjoint(word[1][0] for word in words if word[0] == w.MODE)
    source = any(language in w.C_LANGUAGES for _, _, language in w.inputs(words))
    with closing(Compiler(early=compiles and source and idle_cores() > 1)) as compiler:
        from accshare.driver.drive import driven  # noqa: PLC0415 - while the compiler is loaded

        return driven(host, words, folder, compiler)
