"""Random loops that take numbers into variables and memory: the host compiler is the oracle.

Extremes in all ways of writing them, of numbers among which are NaN and infinities, counts and sums of integers in
variables, structs, through pointers and in elements that the data choose, beside stores to what is taken.
``python taken.py SEED [COUNT]`` prints a program.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from random import Random

SIZE = 60
HEAD = """#include <math.h>
#include <stdio.h>
enum { N = 60, ROOM = N + 8 };
#define MOST(x, y) ((x) > (y) ? (x) : (y))
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
static double a[ROOM][ROOM], c[ROOM];
static float b[ROOM];
static int which[ROOM], counts[16], few[4], *reached = few + 2;
static struct { int n, parts[3]; double most; struct { float least; long sum; } inner; } here, there, *at = &there;

static double plain(double x) { return x != x ? 12345 : x; }

static void begin(int k)
{
  for (int i = 0; i < ROOM * ROOM; i++)
    a[0][i] = (i * 7919 % 1009 - 300) * 0.25;
  for (int i = 0; i < ROOM; i++) {
    b[i] = (i * 31 % 97 - 20) * 0.5f;
    c[i] = (i * 17 % 53 - 9) * 0.125;
    which[i] = i * 29 % 37;
  }
  if (k & 1) a[0][k * 977 % (N * N)] = NAN;
  if (k & 2) b[k * 7 % N] = NAN;
  if (k & 4) c[k * 5 % N] = NAN;
  if (k & 8) a[0][k * 331 % (N * N)] = -INFINITY;
  here.n = there.n = 3, here.most = there.most = k, here.inner.least = there.inner.least = -k, few[2] = k;
}

static double hash(void)
{
  double sum = here.n + plain(here.most) * 3 + here.parts[1] * 5.0 + plain(here.inner.least) * 7 + here.inner.sum;
  sum += there.n * 2.0 + plain(there.most) * 5 + there.parts[1] * 7.0 + plain(there.inner.least) + there.inner.sum;
  for (int i = 0; i < 16; i++)
    sum += counts[i] * (i + 2.0) + few[i % 4] * (i + 5.0);
  for (int i = 0; i < ROOM; i++) {
    sum += plain(b[i]) * i + plain(c[i]) * 2;
    for (int j = 0; j < ROOM; j++)
      sum += plain(a[i][j]) * (i + 3 * j);
  }
  return sum;
}
"""
CALL = """
    begin(k);
    double found{seed}[2];
    f{seed}(k == 3 ? 2 : k == 5 ? 9 : N, found{seed});
    printf("seed {seed} way %d: %.17g %.17g %.17g\\n", k, plain(found{seed}[0]), plain(found{seed}[1]), hash());
"""
NUMBERS = ("here.most", "at->most", "here.inner.least", "at->inner.least")
INTEGERS = ("here.n", "at->n", "here.parts[1]", "at->parts[1]", "here.inner.sum", "few[0]", "few[1]", "(*reached)")


class Loops:
    """The function of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(f"taken {seed}")
        self._made = 0
        self._seed = seed
        self._taken = [("m0", self._one("MOST", "LEAST")), ("m1", self._one("MOST", "LEAST"))]

    def text(self) -> str:
        """Its C."""
        first = self._one("0", "-1e30", "NAN", "a[0][3]")
        declared = f"  {self._one('float', 'double')} m0 = {first};\n  {self._one('float', 'double')} m1 = b[5];\n"
        loops = "".join(f"    for (int i = 2; i < n; i++) {{\n{self._body()}    }}\n" for _ in self._few(1, 2))
        stored = "  found[0] = m0;\n  found[1] = m1;\n"
        head = f"\nstatic void f{self._seed}(int n, double *found)\n{{\n"
        return f"{head}{declared}#pragma acc kernels\n  {{\n{loops}  }}\n{stored}}}\n"

    def _one(self, *ways: str) -> str:
        return self._random.choice(ways)

    def _few(self, least: int, most: int) -> range:
        return range(self._random.randint(least, most))

    def _chance(self, percent: int) -> bool:
        return self._random.randrange(100) < percent

    def _element(self, around: str) -> str:
        def index() -> str:
            i = self._random.choice(around)
            beside = f"{i} {self._one('+', '-')} {self._random.randrange(3)}"
            return self._one(
                i, i, i, beside, f"({i} + {self._random.randrange(9)}) % {SIZE}", str(self._random.randrange(SIZE))
            )

        array = self._one("a", "b", "c")
        return f"a[{index()}][{index()}]" if array == "a" else f"{array}[{index()}]"

    def _value(self, around: str, own: tuple[str, ...], depth: int = 0) -> str:
        kind = self._random.randrange(100)
        if depth > 2 or kind < 15:
            return self._one("1.5", "0.25", "-2", "3")
        if kind < 50:
            return self._element(around)
        if kind < 65 and own:
            return self._one(*own)
        if kind < 70:
            return self._one(*around)
        if kind < 80:
            return f"fabs({self._value(around, own, depth + 1)})"
        return f"({self._value(around, own, depth + 1)} {self._one(*'+-*')} {self._value(around, own, depth + 1)})"

    def _takes(self, around: str, own: tuple[str, ...]) -> str:
        """A statement that takes a number into something."""
        if self._chance(60):
            place, word = self._random.choice(self._taken)
            if self._chance(40):
                place, word = self._one(*NUMBERS), self._one("MOST", "LEAST")
            value, sign, other = self._value(around, own), ">" if word == "MOST" else "<", self._one("fmax", "fmin")
            ways = (f"{place} = {word}({place}, {value});", f"if ({value} {sign} {place}) {place} = {value};")
            return self._one(
                *ways, ways[0], f"{place} = {other}({place}, {value});", f"{place} = {word}({value}, {place});"
            )
        step = self._one("i", "(i & 7)", "which[i]")
        if self._chance(30):
            chosen = self._one("which[i] & 15", "(which[i] + i) & 7", f"which[{around[-1]}] % 16", "i & 3")
            return f"counts[{chosen}] {self._one('+=', '-=', '^=')} {step};"
        place = self._one(*INTEGERS)
        more = (f"{place} += {step};", f"{place}++;", f"{place} -= {step};", f"{place} = MOST({place}, {step});")
        return self._one(*more, f"if ({self._value(around, own)} > 1) {place} += {step};", f"{place} ^= {step};")

    def _body(self) -> str:
        return "".join(f"      {line}\n" for line in self._statements("i", (), 1))

    def _statements(self, around: str, own: tuple[str, ...], depth: int) -> Iterable[str]:
        for _ in self._few(1, 3):
            kind = self._random.randrange(100)
            if kind < 30:
                name = f"t{self._made}"
                self._made += 1
                yield f"{self._one('float', 'double')} {name} = {self._value(around, own)};"
                own = (*own, name)
            elif kind < 45:
                yield f"{self._element(around)} = {self._value(around, own)};"
            elif kind < 55 and own:
                yield f"{self._one(*own)} += {self._value(around, own)};"
            elif kind < 65:
                yield f"if ({self._value(around, own)} {self._one('<', '>', '>=')} {self._value(around, own)}) {{"
                yield from self._statements(around, own, 9)
                yield "}"
            elif kind < 78 and depth < 3:
                i = "ijk"[depth]
                low, high = self._one("2", "3", around[-1]), self._one("n", "n - 3", str(SIZE - 3))
                yield self._one(
                    f"for (int {i} = {low}; {i} < {high}; {i}++) {{",
                    f"for (int {i} = {high} - 1; {i} >= {low}; {i}--) {{",
                    f"for (unsigned {i} = {low}; {i} < {high}; {i} += 2) {{",
                )
                yield from self._statements(around + i, own, depth + 1)
                yield "}"
            else:
                yield self._takes(around, own)
        if self._chance(60):
            yield self._takes(around, own)


def program(seeds: range) -> str:
    """A program that runs the functions of all `seeds`."""
    functions = "".join(Loops(seed).text() for seed in seeds)
    calls = "".join(CALL.format(seed=seed) for seed in seeds)
    return f"{HEAD}{functions}\nint main(void)\n{{\n  for (int k = 0; k < 16; k++) {{{calls}  }}\n  return 0;\n}}\n"


if __name__ == "__main__":
    start = int(sys.argv[1])
    print(program(range(start, start + int(sys.argv[2]) if len(sys.argv) > 2 else start + 1)))
