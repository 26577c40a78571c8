"""Pragmas as the host preprocessor leaves them: continuation lines, `_Pragma`, macros, conditions, headers."""

from __future__ import annotations

import re
import shutil

import pytest
from pragma_text import pragma

from accshare.diagnostics import render
from accshare.driver.args import parse
from accshare.driver.preprocess import preprocess
from accshare.pragma import read
from accshare.source import shown

pytestmark = pytest.mark.parametrize("compiler", ["gcc", "clang"])


@pytest.fixture
def preprocessed(tmp_path, monkeypatch, compiler):
    """Reads the pragmas of ``f.c`` as ``accshare-cc`` would."""
    monkeypatch.chdir(tmp_path)

    def run(text, *flags, **headers):
        for name, content in {"f.c": text, **{f"{key}.h": value for key, value in headers.items()}}.items():
            (tmp_path / name).write_text(content)
        invocation = parse([*flags, "-c", "f.c"])
        done = preprocess([shutil.which(compiler)], invocation, invocation.sources[0])
        assert done is not None
        return read(done.source), done.source

    return run


def test_continuation_lines(preprocessed):
    found, source = preprocessed("#pragma acc parallel \\\n  loop gang, \\\n  copyin(a[0: \\\n n])\nint x;\n")
    assert [pragma(d) for d in found.directives] == ["parallel loop gang copyin(a[0:n])"]
    assert source.locate(found.directives[0].span.start).line == 1


def test_pragma_operator(preprocessed):
    found, source = preprocessed('int y;\n_Pragma("acc loop seq") int x;\n')
    assert [pragma(d) for d in found.directives] == ["loop seq"]
    assert source.locate(found.directives[0].span.start).line == 2


def test_pragma_operator_in_a_macro(preprocessed):
    text = "#define TEXT(x) _Pragma(#x)\n#define LOOP(n) TEXT(acc loop collapse(n))\nLOOP(2)\nint x;\n"
    found, source = preprocessed(text)
    assert [pragma(d) for d in found.directives] == ["loop collapse(2)"]
    assert source.locate(found.directives[0].span.start).line == 3


def test_macros_in_clauses(preprocessed):
    text = """\
#define N 100
#define SECTION(x) x[0:N]
#define BOTH SECTION(a), SECTION(b)
#define DEEP (1 + 1)
#pragma acc kernels loop copyin(BOTH) collapse(DEEP) num_gangs(WIDTH)
#pragma acc share(a[2*TILE][*])
#undef N
#define N 7
#pragma acc update self(SECTION(a))
int x;
"""
    found, _ = preprocessed(text, "-DWIDTH=4", "-DTILE=TB_X")
    assert [pragma(d) for d in found.directives] == [
        "kernels loop copyin(a[0:100], b[0:100]) collapse(2) num_gangs(4)",
        "share(a[(2 * TB_X)][*])",
        "update self(a[0:7])",
    ]


def test_names_beyond_ascii(preprocessed):
    found, _ = preprocessed("int größe, voilà, $n;\n#pragma acc kernels copy(größe, voilà[0:$n])\nint x;\n")
    (directive,) = found.directives
    (clause,) = directive.clauses
    assert [as_typed(var.base.text) for var in clause.vars] == ["größe", "voilà"]


def as_typed(name):
    """A name without the ``\\U…`` that gcc prints."""
    return re.sub(r"\\U([0-9a-f]{8})", lambda match: chr(int(match[1], 16)), shown(name))


def test_conditions(preprocessed):
    text = (
        "#if 0\n#pragma acc loop seq\n#endif\n#ifdef _OPENACC\n#pragma acc loop gang\n#endif\n/*\n#pragma acc bad\n*/\n"
    )
    found, _ = preprocessed(text)
    assert [pragma(d) for d in found.directives] == ["loop gang"]
    assert len(found.spans) == 1


def test_headers(preprocessed):
    head = "#pragma once\nstatic inline int f(int x)\n{\n  #pragma acc loop worker\n  return x;\n}\n"
    found, source = preprocessed('#include "loops.h"\n#pragma acc loop vector\nint x;\n', loops=head)
    assert [pragma(d) for d in found.directives] == ["loop worker", "loop vector"]
    places = [source.locate(d.span.start) for d in found.directives]
    assert [(place.file.removeprefix("./"), place.line) for place in places] == [("loops.h", 4), ("f.c", 2)]


def test_a_header_is_quoted_in_messages(preprocessed):
    found, source = preprocessed('#include "loops.h"\n', loops="int x;\n\t#pragma acc loop gong\n")
    (diagnostic,) = found.diagnostics
    assert render(diagnostic, source).removeprefix("./").splitlines()[:3] == [
        "loops.h:2:19: error: unknown clause gong [ACC103]",
        "    \t#pragma acc loop gong",
        "    \t                 ^~~~",
    ]


#: a source whose one pragma is wrong, and what the message points at
CARETS = {
    "indented": (
        "{\n\t  #pragma   acc  loop   gang  gang\n}\n",
        "f.c:2:32: error: gang stands twice [ACC104]",
        "    \t  #pragma   acc  loop   gang  gang",
        "    \t                              ^~~~",
    ),
    "continued": (
        "#pragma acc kernels \\\n   copy(a[0:n]) \\\n   wait(",
        "f.c:3:9: error: expected ')' [ACC101]",
        "       wait(",
        "            ^",
    ),
    "behind a macro": (
        "#define LIST a[0:n], b[0:n]\n  #pragma acc kernels copyin(LIST) bad(LIST)\n",
        "f.c:2:36: error: unknown clause bad [ACC103]",
        "      #pragma acc kernels copyin(LIST) bad(LIST)",
        "                                       ^~~",
    ),
    "behind a comment": (
        "  #pragma acc /* naïve */ loop gangs\n",
        "f.c:1:33: error: unknown clause gangs [ACC103]",
        "      #pragma acc /* naïve */ loop gangs",
        "                                   ^~~~~",
    ),
    "in _Pragma": (
        '  _Pragma("acc loop gangs") int x;\n',
        "f.c:1:21: error: unknown clause gangs [ACC103]",
        '      _Pragma("acc loop gangs") int x;',
        "                        ^~~~~",
    ),
    "made by a macro": (
        '#define LOOP _Pragma("acc loop gangs")\nint y;\n  LOOP int x;\n',
        "f.c:3:3: error: unknown clause gangs [ACC103]",
        "      LOOP int x;",
        "      ^",
    ),
}


@pytest.mark.parametrize("case", CARETS)
def test_a_caret_stands_in_the_line_that_was_typed(preprocessed, case):
    text, *expected = CARETS[case]
    found, source = preprocessed(text)
    (diagnostic,) = found.diagnostics
    assert render(diagnostic, source).splitlines()[:3] == expected
