"""Host expressions mean in Python what they mean in C."""

from __future__ import annotations

import subprocess

import pytest

from accshare.driver.args import parse
from accshare.driver.preprocess import preprocess
from accshare.frontend.ir import INT, Assign, For, Storage, Symbol, Var
from accshare.frontend.parse import parse as parse_c
from accshare.pragma import read
from accshare.run.evaluate import Unknown, Values
from accshare.source import Span

NAMES = {"n": 37, "k": -5, "u": 3000000000, "c": 200, "x": 0.1}
DECLARATIONS = "int n = 37, k = -5; unsigned u = 3000000000u; unsigned char c = 200; float x = 0.1f;"
EXPRESSIONS = [
    "k / 2",
    "k % 3",
    "-k / -3",
    "u + u",
    "k < u",
    "(char)c",
    "c + c",
    "c << 2",
    "k >> 1",
    "~n & 0xf0",
    "n ^ k | 1",
    "!n || k",
    "n > 3 && k > 3",
    "k > 0 ? k : (long)n * 100000000000",
    "(int)(x * 1000)",
    "(int)-2.9",
    "(unsigned short)k",
    "(_Bool)u",
    "1 - u",
    "n * n * n * n",
    "x * 3 > 0.3f",
    "n / 2 * 2 == n",
    "(int)(n * 0x1.8p3)",
    "x < 0X1Fp-4f",
]


def test_expressions_evaluate_as_compiled(tmp_path):
    statements = "\n".join(f"    r[{i}] = {text};" for i, text in enumerate(EXPRESSIONS))
    text = f"""#include <stdio.h>
long long r[{len(EXPRESSIONS)}];
int main(void) {{
  {DECLARATIONS}
#pragma acc kernels loop
  for (int i = 0; i < 1; i++) {{
{statements}
  }}
  for (int i = 0; i < {len(EXPRESSIONS)}; i++) printf("%lld\\n", r[i]);
}}
"""
    path = tmp_path / "e.c"
    path.write_text(text)
    subprocess.run(["gcc", "-w", "-fwrapv", str(path), "-o", str(tmp_path / "e")], check=True)
    compiled = [int(word) for word in subprocess.check_output([str(tmp_path / "e")]).split()]
    invocation = parse([str(path)])
    source = preprocess(["gcc"], invocation, invocation.sources[0]).source
    (region,) = parse_c(source, read(source).directives).regions
    (loop,) = region.body.statements
    assert isinstance(loop, For)
    values = Values({**NAMES, "x": 0.10000000149011612})
    found = [values.integer(s.value) for s in loop.body.statements if isinstance(s, Assign)]
    assert dict(zip(EXPRESSIONS, found, strict=True)) == dict(zip(EXPRESSIONS, compiled, strict=True))


def test_what_is_not_known_is_named():
    place = Var(Symbol("n", "n", INT, Storage.PARAMETER), Span(0, 0))
    with pytest.raises(Unknown, match="n has no value"):
        Values({"m": 1}).of(place)
