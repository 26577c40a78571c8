"""Argument lists are cut as gcc cuts them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accshare.driver import words as w
from accshare.driver.args import Mode, parse
from accshare.driver.long import short
from accshare.driver.response import expand, unquote

pytestmark = pytest.mark.quick

ANY = st.lists(
    st.sampled_from(
        [
            *("-c", "-S", "-o", "a.o", "-ofoo", "-D", "X", "-DX=1", "-I", "dir", "-Idir", "-x", "c", "-xc", "none"),
            *("foo.c", "bar.o", "-", "--", "-Wl,-z,now", "-MF", "d", "-MD", "-L.", "-lm", "@x", "-include", "cfg.h"),
            *("-fopenacc", "-acc", "--acc-strict", "-O2", "-Wp,-MD,x.d", "-Xlinker", "-z", ""),
        ]
    )
)


@given(ANY)
def test_no_argument_is_lost_or_moved(args):
    assert w.texts(w.split(args)) == args


@pytest.mark.parametrize(
    ("args", "mode", "sources", "output"),
    [
        ("-c foo.c -o x.o", Mode.OBJECT, [("foo.c", "c")], "x.o"),
        ("foo.c -ox -lm", Mode.LINK, [("foo.c", "c")], "x"),
        ("-S -x c foo.txt -x none bar.c main.o", Mode.ASSEMBLY, [("foo.txt", "c"), ("bar.c", "c")], None),
        ("-xc - -c", Mode.OBJECT, [("-", "c")], None),
        ("-x c++ foo.c", Mode.LINK, [], None),
        ("-c foo.i", Mode.OBJECT, [("foo.i", "cpp-output")], None),
        ("-I foo.c -D bar.c -MF baz.c -include qux.c -Xlinker quux.c real.c", Mode.LINK, [("real.c", "c")], None),
        ("-MM foo.c", Mode.DEPENDENCIES, [("foo.c", "c")], None),
        ("-c -E foo.c", Mode.PREPROCESS, [("foo.c", "c")], None),
        ("-c -- -odd.c", Mode.OBJECT, [("-odd.c", "c")], None),
    ],
)
def test_what_is_asked_for(args, mode, sources, output):
    found = parse(args.split())
    assert (found.mode, [(s.path, s.language) for s in found.sources], found.output) == (mode, sources, output)


def test_response_files_nest_and_quote(tmp_path):
    (tmp_path / "inner").write_text("-DC='a b' ")
    (tmp_path / "outer").write_text(f'-DA="x y"\\ z\n\n-DB=\\"q\\" @{tmp_path}/inner "" tail')
    assert expand(["first", f"@{tmp_path}/outer", "@missing"]) == [
        "first", "-DA=x y z", '-DB="q"', "-DC=a b", "", "tail", "@missing",
    ]  # fmt: skip


def test_a_response_file_that_names_itself_ends(tmp_path):
    (tmp_path / "loop").write_text(f"-c @{tmp_path}/loop")
    assert expand([f"@{tmp_path}/loop"]).count("-c") == 100


@given(st.lists(st.text(st.characters(codec="ascii"), min_size=0, max_size=8), max_size=5))
def test_quoted_words_come_back(words):
    quoted = " ".join("".join("\\" + c for c in word) if word else "''" for word in words)
    assert unquote(quoted) == words


def test_long_names_are_short_ones():
    assert short(
        ["--compile", "a.c", "--output=x", "--define-macro", "X", "--include=y.h", "--std", "c99", "--optimize=fast"]
    ) == [
        "-c", "a.c", "-o", "x", "-D", "X", "-include", "y.h", "-std=c99", "-Ofast",
    ]  # fmt: skip
    assert short(["--output", "--compile", "--", "--assemble"]) == ["-o", "--compile", "--", "--assemble"]
    assert short(["--output"]) == ["-o"]
