"""Pragmas as nobody meant to write them: those of samples and tests, with seeded mistakes, in small functions."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_PRAGMA = re.compile(r"#pragma acc ([^\"'\\{}\n]+)")
_TOKEN = re.compile(r"\w+|->|&&|\|\||\s+|.", re.DOTALL)
#: a name in a clause's argument, and not a call or a label
_NAME = re.compile(r"(?<=[(,*&|+:\s])[A-Za-z_]\w*(?=\s*[\[,)])")

#: where the pragma goes is @; each declares or has in view what `_OURS` names
_SKELETONS = {
    "loop": """
{@
    for (int i = 0; i < n; i++)
        a[i] = b[i] * s + i;
}
""",
    "sum": """
{@
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    c[0][0] = s;
}
""",
    "nest": """
{@
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < n; j++)
            c[i][j] = c[i][j] + b[j];
}
""",
    "inner loop": """
{
#pragma acc parallel loop
    for (int i = 0; i < 32; i++) {@
        for (int j = 0; j < m; j++)
            c[i][j] = s * i;
    }
}
""",
    "data": """
{@
    {
#pragma acc parallel loop
        for (int i = 0; i < n; i++)
            a[i] = b[i] + 1;
    }
}
""",
    "region in data": """
{
#pragma acc data copy(a[0:n]) copyin(b[0:n])
    {@
        for (int i = 0; i < n; i++)
            a[i] += b[i];
    }
}
""",
    "atomic": """
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {@
        count[i % 8] += 1;
    }
}
""",
    "captured": """
{
    int old;
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {@
        { old = count[0]; count[0]++; }
        a[i] = old;
    }
}
""",
    "block": """
{@
    {
#pragma acc loop
        for (int i = 0; i < n; i++)
            a[i] = 0;
        s = 1;
    }
    a[0] = s;
}
""",
    "while": """
{@
    while (n-- > 0)
        a[n] = b[n];
}
""",
    "assignment": """
{@
    a[0] = s;
}
""",
    "alone": """
{
    if (n)@
        ;
    for (int i = 0; i < n; i++)
        a[i] = 0;
@
}
""",
}
#: before the function, where ``declare`` and ``routine`` stand
_OUTSIDE = "outside"
_HEAD = """\
float table[64], grid[16][16];
int count[8];
struct Point { int k; float *x; } *p;@
static float f(float v);
static float f(float v) { return v + 1; }
void g(int n, int m, float s, float *restrict a, const float *restrict b, float c[32][32])"""
_LOOP = """
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = f(table[i % 64]);
}
"""

_OURS = ("a", "b", "c", "s", "n", "m", "i", "j", "table", "grid", "count", "f", "p", "p->x", "*p", "old")
_DIRECTIVES = (
    *("parallel", "kernels", "serial", "parallel loop", "kernels loop", "serial loop", "loop", "data", "enter data"),
    *("exit data", "update", "wait", "atomic", "routine", "host_data", "cache", "declare", "init", "shutdown", "set"),
    *("share", "end", "paralel", "region"),
)
_CLAUSES = (
    *(
        "copy(a)",
        "copyin(b[0:n])",
        "copyout(a[n:])",
        "create(c[:4][0:m])",
        "present(a, b)",
        "delete(a)",
        "attach(p->x)",
    ),
    *(
        "deviceptr(a)",
        "use_device(a)",
        "device_resident(table)",
        "link(grid)",
        "no_create(b)",
        "private(s)",
        "private(c)",
    ),
    *(
        "firstprivate(n)",
        "reduction(+:s)",
        "reduction(max:a)",
        "reduction(*:c[0:3])",
        "gang",
        "gang(num: 4, static: *)",
    ),
    *("worker(4)", "vector(128)", "seq", "auto", "independent", "collapse(2)", "collapse(force: 3)", "tile(32, *)"),
    *("if(n > 0)", "self(n)", "self", "async", "async(n)", "wait", "wait(1, n)", "default(none)", "default(present)"),
    *("num_gangs(n)", "num_workers(m)", "vector_length(128)", "device_type(*)", "device_type(nvidia)", "bind(g)"),
    *("nohost", "finalize", "if_present", "read", "write", "update", "capture", "host(a[0:n])", "device(b[0:n])"),
    *("share(a[TB_X])", "cache(a[i:3])", "device_num(0)", "default_async(1)", "frob(a)", "copy"),
)
_NUMBERS = (
    *("0", "-1", "1", "2147483648", "18446744073709551616", "9" * 400, "9" * 5000, "0x" + "f" * 4000, "1e999", "08"),
    *("1.5", "1u", "0b2", "1/0", "(1-1)", "0x", "3'000"),
)
_UNICODE = ("é", "名前", "\u2028", "\ufeff")
_ODD = (
    *(text.encode().decode("latin-1") for text in _UNICODE),
    *("\0", "\xa0", "\x85", "\xff", "\x1c", "\r", "\f", "\v", "\\", "\\\n", "\\\r\n", "\\u00e9"),
    *('"', "'", '"a', "//", "/*", "*/", "#", "@", "`", "$", "?", ";", "{", "}", "(", ")", "[", "]", ",", ":", "::"),
    *("->", "...", "%:", "??/", "sizeof", "+", "++", "=", "&&", "_Pragma"),
)


@cache
def pragmas() -> tuple[str, ...]:
    """The words of every pragma in samples and tests."""
    files = sorted(path for folder in ("samples", "tests") for path in (_ROOT / folder).rglob("*.[cp]*"))
    texts = (path.read_text(encoding="latin-1") for path in files if path.suffix in {".c", ".py"})
    return tuple(sorted({match[1].strip() for text in texts for match in _PRAGMA.finditer(text)}))


def program(number: int) -> str:
    """The preprocessed C, held as latin-1, whose pragma is the mutated one of this number."""
    draw = random.Random(number)
    words = draw.choice(pragmas())
    if draw.random() < 0.7:
        words = _NAME.sub(lambda _: draw.choice(_OURS), words)
    tokens = _TOKEN.findall(words)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 6))):
        mutated = draw.choice(_MUTATIONS)(draw, tokens)
        tokens = [token for token in mutated if token] or [" "]
    lead = draw.choice(("#pragma acc ", "#pragma acc ", "#pragma acc ", "  # pragma\tacc ", "#pragma acc"))
    where = draw.choice((_OUTSIDE, *_SKELETONS))
    pragma = f"\n{lead}{''.join(tokens)}"
    if where == _OUTSIDE:
        return _HEAD.replace("@", pragma) + _LOOP
    return _HEAD.replace("@", "") + _SKELETONS[where].replace("@", pragma)


def _at(draw: random.Random, tokens: list[str]) -> int:
    return draw.randrange(len(tokens))


def _drop(draw: random.Random, tokens: list[str]) -> list[str]:
    first = _at(draw, tokens)
    return tokens[:first] + tokens[first + draw.choice((1, 1, 2, 5)) :]


def _duplicate(draw: random.Random, tokens: list[str]) -> list[str]:
    first, last = sorted((_at(draw, tokens), _at(draw, tokens)))
    return tokens[: last + 1] + tokens[first : last + 1] + tokens[last + 1 :]


def _swap(draw: random.Random, tokens: list[str]) -> list[str]:
    first, second = _at(draw, tokens), _at(draw, tokens)
    swapped = list(tokens)
    swapped[first], swapped[second] = tokens[second], tokens[first]
    return swapped


def _cut(draw: random.Random, tokens: list[str]) -> list[str]:
    return tokens[: _at(draw, tokens)]


def _insert(draw: random.Random, tokens: list[str]) -> list[str]:
    place = _at(draw, tokens)
    return [*tokens[:place], draw.choice(_ODD), *tokens[place:]]


def _number(draw: random.Random, tokens: list[str]) -> list[str]:
    numbers = [k for k, token in enumerate(tokens) if token[0].isdigit() or token in _OURS]
    place = draw.choice(numbers) if numbers else _at(draw, tokens)
    return [*tokens[:place], draw.choice(_NUMBERS), *tokens[place + 1 :]]


def _rename(draw: random.Random, tokens: list[str]) -> list[str]:
    words = [k for k, token in enumerate(tokens) if token[0].isalpha()]
    place = draw.choice(words) if words else _at(draw, tokens)
    new = draw.choice((*_OURS, "nowhere", "int", "restrict", "TB_X", tokens[place][:-1], tokens[place].upper()))
    return [*tokens[:place], new, *tokens[place + 1 :]]


def _clause(draw: random.Random, tokens: list[str]) -> list[str]:
    return [*tokens, " ", draw.choice(_CLAUSES)]


def _directive(draw: random.Random, tokens: list[str]) -> list[str]:
    clauses = "".join(tokens[1:]) if draw.random() < 0.5 else " ".join(draw.sample(_CLAUSES, draw.randrange(5)))
    return [draw.choice(_DIRECTIVES), " ", *_TOKEN.findall(clauses)]


def _deep(draw: random.Random, tokens: list[str]) -> list[str]:
    left, right = draw.choice(("()", "[]", "{}", ("a[", "]"), ("(int)(", ")"), ("-", ""), ("n ? ", " : 1"), ("*", "")))
    times = draw.choice((3, 60, 700, 5000))
    place = _at(draw, tokens)
    return [*tokens[:place], left * times, tokens[place], right * times, *tokens[place + 1 :]]


def _long(draw: random.Random, tokens: list[str]) -> list[str]:
    piece = draw.choice((" ", "x", ", a", " + n", ", b[0:n]", "[0:n]", " wait(1)", " gang", "->x", " copy(a)", "\\\n"))
    place = _at(draw, tokens)
    return [*tokens[: place + 1], piece * draw.choice((2, 50, 2000)), *tokens[place + 1 :]]


_MUTATIONS: tuple[Callable[[random.Random, list[str]], list[str]], ...] = (
    *(_drop, _duplicate, _swap, _cut, _insert, _insert, _number, _number, _rename, _clause, _clause, _directive),
    *(_deep, _long),
)
