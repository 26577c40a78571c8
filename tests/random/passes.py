"""Random passes over a matrix one after the other: the host compiler is the oracle.

Each function has a region of two or three nests that go over the same matrix along rows or down columns, sum it up or
change it, and read and write vectors that the others may need. The matrix is large enough for blocks of its rows.
``python passes.py SEED [COUNT]`` prints a program.
"""

from __future__ import annotations

import sys
from random import Random

PRELUDE = """#include <stdio.h>
enum { M = 700, N = 910 };
static unsigned hash(const void *p, unsigned long n)
{
  unsigned h = 2166136261u;
  for (const unsigned char *c = p; n-- > 0; c++)
    h = (h ^ *c) * 16777619u;
  return h;
}
"""
VECTORS = "pqsuvx"
#: rows and columns: many blocks, one that is not full, fewer rows than a block, one, none
SIZES = ((698, 900), (600, 899), (130, 900), (5, 60), (1, 1), (0, 9), (33, 0))
FUNCTION = """
static void pass{seed}(int m, int n, {type} A[M][N], {vectors})
{{
#pragma acc kernels
  {{
    {nests}
  }}
}}
"""
CALLS = """
  for (int t = 0; t < {times}; t++) {{
    static {type} A[M][N], w[6][N];
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = (i * 7 + j * 5 + t) % 19 - 9;
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < N; j++)
        w[i][j] = (i * 3 + j * 11) % 17 - 8;
    int sizes[][2] = {{{sizes}}};
    pass{seed}(sizes[t][0], sizes[t][1], A, w[0], w[1], w[2], w[3], w[4], w[5]);
    printf("{seed} %d %08x %08x\\n", t, hash(A, sizeof A), hash(w, sizeof w));
  }}
"""


def value(random: Random, place: str) -> str:
    return random.choice([f"{random.choice(VECTORS)}[{place}]", f"v[{place} + 1]", "2"])


def nest(random: Random, type_: str) -> str:
    """One of the passes."""
    half, eighth = ("3", "5") if type_ == "int" else (".5f", ".125f")
    own = type_ if type_ == "int" else random.choice(["float", "double"])
    first, last = random.choice("0012"), random.choice(["m", "m", "m - 1"])
    rows = f"for (int i = {first}; i < {last}; i++)"
    columns = f"for (int j = 0; j < {random.choice(['n', 'n - 1'])}; j++)"
    element = random.choice(["A[i][j]"] * 5 + ["A[i + 1][j]", "A[i][j + 1]"])
    left, along, down = random.choice(VECTORS), value(random, "j"), value(random, "i")
    return random.choice(
        [
            f"{rows} {{ {left}[i] = {down}; {columns} {left}[i] += {element} * {along}; }}",
            f"{rows} {columns} {left}[i] += {element} * {along};",
            f"{columns} {rows} {left}[j] += {element} * {down};",
            f"{rows} {columns} {element} = {element} * {half} + {down} * {along};",
            f"{rows} {{ {own} z = {down}; {columns} z += {element} * {along}; {left}[i] = z * {eighth}; }}",
            f"{rows} {{ {own} z = 0; {columns} z += {element} * {along}; {own} w = z - {down};"
            f" {columns} {left}[j] += w * {element}; }}",
        ]
    )


def program(seeds: range) -> str:
    functions, calls = "", ""
    for seed in seeds:
        random = Random(seed)
        type_ = random.choice(["float", "float", "double", "int"])
        nests = "\n    ".join(nest(random, type_) for _ in range(random.choice([2, 2, 3])))
        vectors = ", ".join(f"{type_} {name}[N]" for name in VECTORS)
        functions += FUNCTION.format(seed=seed, type=type_, vectors=vectors, nests=nests)
        sizes = ", ".join(f"{{{m}, {n}}}" for m, n in SIZES)
        calls += CALLS.format(seed=seed, type=type_, times=len(SIZES), sizes=sizes)
    return f"{PRELUDE}{functions}\nint main(void)\n{{{calls}}}\n"


if __name__ == "__main__":
    begin = int(sys.argv[1])
    print(program(range(begin, begin + int(sys.argv[2]) if len(sys.argv) > 2 else begin + 1)))
