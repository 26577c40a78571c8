"""However a pragma is mistaken, the compiler ends soon, breaks nowhere and says what is wrong."""

from __future__ import annotations

import time

import pytest
from mutated_pragmas import program

from accshare.device import PRESETS
from accshare.diagnostics import CATALOGUE, Kind, render
from accshare.options import Options
from accshare.pipeline import compile_unit
from accshare.source import SourceFile

CPU = (PRESETS["generic-cpu"],)
#: what no pragma may take
_SECONDS = 5


def check(number):
    """Compile one program; a wrong message or an exception names it."""
    source = SourceFile.of("f.c", program(number))
    try:
        result = compile_unit(source, CPU, Options(), "")
        for diagnostic in result.diagnostics:
            kind, _ = CATALOGUE[diagnostic.code]
            assert kind is not Kind.BUG, diagnostic.message
            assert diagnostic.span is not None
            assert 0 <= diagnostic.span.start < diagnostic.span.end <= len(source.text) + 1
            assert diagnostic.hint or kind is Kind.NOTE
            assert render(diagnostic, source)
    except Exception as error:
        raise AssertionError(f"program({number}):\n{source.text[:2000]}") from error


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_mutated_pragmas(first):
    for number in range(first, first + 50):
        check(number)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 500))
def test_many_mutated_pragmas(first):
    for number in range(first, first + 500):
        start = time.process_time()
        check(number)
        assert time.process_time() - start < _SECONDS, program(number)
