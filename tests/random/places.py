"""Random places in linearised arrays, from sizes and iterators that are signed or not: the host compiler is the oracle.

Rows and columns count from either end, begin one further or one before, and lie a size apart, more than one, or a
constant. ``python places.py SEED [COUNT]`` prints a program.
"""

from __future__ import annotations

import sys
from random import Random

TYPES = ("unsigned", "unsigned", "unsigned long", "unsigned long", "int", "long")
ROWS = ("i", "h - 1 - i", "i - 1", "h - i", "i + 1", "h - i - 1", "i - 1 + 1")
COLUMNS = ("k", "w - 1 - k", "k - 1", "k + 1", "w - k", "(w - k) - 1")
STRIDES = ("w", "w", "d", "64", "(w + 3)")
TARGETS = ("(i) * {} + k", "(h - 1 - i) * {} + (w - 1 - k)", "(i - 1) * {} + k", "i * {} + (w - k)")
HEAD = """#include <stdio.h>
#include <string.h>
enum { MOST = 80 * 80, ROOM = 500 };
static int x[MOST + 2 * ROOM], y[MOST + 2 * ROOM];
static const int sizes[][3] = {{5, 7, 9}, {33, 40, 41}, {60, 50, 64}, {1, 3, 4}};
"""
FUNCTION = """
static void f{seed}({size} h, {size} w, {size} d, const int *x, int *y)
{{
#pragma acc kernels
  for ({type} i = 1; i < ({type})h; i++)
    for ({type} k = 1; k < ({type})w; k++)
      y[{target}] = {value};
}}
"""
CALL = """
  for (int t = 0; t < 4; t++) {{
    unsigned hash = 1;
    memset(y, 0, sizeof y);
    f{seed}(sizes[t][0], sizes[t][1], sizes[t][2], x + ROOM, y + ROOM);
    for (int i = 0; i < MOST + 2 * ROOM; i++)
      hash = hash * 31 + y[i];
    printf("seed {seed} size %d: %08x\\n", t, hash);
  }}
"""


def function(seed: int) -> str:
    """The function of a seed."""
    random = Random(seed)
    type_, stride = random.choice(TYPES), random.choice(STRIDES)
    size = random.choice((type_, type_, "unsigned", "int"))

    def element() -> str:
        row, column = f"({random.choice(ROWS)}) * {stride}", random.choice(COLUMNS)
        return f"x[{row} + {column}]" if random.randrange(5) else f"x[{column} + {row}]"

    value = " - ".join(element() for _ in range(random.randint(1, 2)))
    target = random.choice(TARGETS).format(stride)
    return FUNCTION.format(seed=seed, size=size, type=type_, target=target, value=value)


def program(seeds: range) -> str:
    """A program that runs the functions of all `seeds`."""
    functions = "".join(map(function, seeds))
    calls = "".join(CALL.format(seed=seed) for seed in seeds)
    fill = "  for (int i = 0; i < MOST + 2 * ROOM; i++)\n    x[i] = i * 7919 % 1013;\n"
    return f"{HEAD}{functions}\nint main(void)\n{{\n{fill}{calls}  return 0;\n}}\n"


if __name__ == "__main__":
    start = int(sys.argv[1])
    print(program(range(start, start + int(sys.argv[2]) if len(sys.argv) > 2 else start + 1)))
