"""Random loops whose iterations have variables of their own: the host compiler is the oracle.

Scalars and arrays are declared in the loop or made private by a clause, have a constant length or one that the caller
gives, are set in short and long loops, under conditions, in steps until something holds, and are read in others; sums,
maxima and bits are combined over iterations. All numbers are small multiples of 1/16, or integers that wrap around, so
that every order of combining gives the same.
``python own_variables.py SEED [COUNT]`` prints a program.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from random import Random

MOST, WIDE = 203, 24
SIZES = "{0, 5}, {1, 1}, {3, 24}, {17, 2}, {64, 13}, {203, 7}, {130, 24}"
TYPES = ("float", "double", "int", "unsigned", "short", "unsigned char", "long long")

PRELUDE = f"""#include <stdio.h>
#include <string.h>
enum {{ MOST = {MOST}, WIDE = {WIDE} }};
static unsigned long long mixed(unsigned long long hash, double x)
{{
  unsigned long long bits;
  x += 0.0;
  memcpy(&bits, &x, sizeof x);
  return (hash ^ (bits >> 32) ^ bits) * 1099511628211ull;
}}
static int next(unsigned *state)
{{
  *state = *state * 1664525u + 1013904223u;
  return (int)(*state >> 16) % 9 - 3;
}}
"""


@dataclass
class Loop:
    """A loop over ``i`` as it is drawn: its own scalars and arrays, each with the length that it has by name."""

    random: Random
    type: str
    scalars: list[str] = field(default_factory=list)
    arrays: dict[str, str] = field(default_factory=dict)
    private: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    combined: list[tuple[str, str]] = field(default_factory=list)

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def rarely(self, times: int) -> bool:
        return self.random.randrange(times) == 0

    @property
    def real(self) -> bool:
        return self.type in ("float", "double")

    def declared(self) -> list[str]:
        """Declares what iterations have, here or outside, and sets all of it."""
        text = []
        for name in "stu"[: self.random.randint(1, 3)]:
            where = self.one("inside", "inside", "clause")
            if where == "clause":
                self.outside.append(f"{self.type} {name} = 7;")
                self.private.append(name)
            text.append(f"{self.type + ' ' if where == 'inside' else ''}{name} = {self.loaded('')};")
            self.scalars.append(name)
        for name in "vw"[: self.random.randint(0, 2)]:
            length = self.one("3", "4", "8", "WIDE", "m", "m + 1")
            where = self.one("inside", "inside", "clause")
            if where == "clause":
                self.outside.append(f"{self.type} {name}[{length}];")
                self.private.append(name)
            else:
                text.append(f"{self.type} {name}[{length}];")
            filled = self.one("0", self.loaded("k"), self.scalars[0])
            text.append(f"for (int k = 0; k < {length}; k++) {name}[k] = {filled};")
            self.arrays[name] = length
        return text

    def loaded(self, inner: str) -> str:
        """Something that was there before, of any iteration."""
        choices = ["x[i]", "a[i][0]", "i % 5", "y[n - 1 - i]", "x[p[i]]"]
        if inner:
            choices += [f"a[i][{inner}]", f"a[i][{inner}]", f"x[(i + {inner}) % n]", inner]
        return self.one(*choices)

    def place(self, name: str, inner: str) -> str:
        length = self.arrays[name]
        if inner and length == "m":
            return self.one(inner, inner, f"m - 1 - {inner}")
        return f"(unsigned)({self.one(inner or 'i', 'p[i]', 'i')}) % ({length})"

    def own(self, inner: str) -> str:
        """A place that an iteration may change."""
        if self.arrays and self.rarely(2):
            name = self.one(*self.arrays)
            return f"{name}[{self.place(name, inner)}]"
        return self.one(*self.scalars)

    def operand(self, inner: str) -> str:
        return self.one(self.loaded(inner), self.own(inner), self.own(inner), self.one("1", "2", "3"))

    def condition(self, inner: str) -> str:
        index = [f"{inner} % 3 == 1", f"{inner} > 2"] if inner else ["i % 3 != 1", "i > 4"]
        return self.one(f"{self.operand(inner)} {self.one('<', '>', '!=')} {self.operand(inner)}", *index)

    def statement(self, inner: str) -> str:
        one, other = self.operand(inner), self.operand(inner)
        to = self.own(inner)
        text = self.one(
            f"{to} = {one} - {other};",
            f"{to} += {one};",
            f"{to} = {one} < {other} ? {one} : {other};",
            f"{to} = {self.condition(inner)} ? {one} : {to};",
        )
        if not self.real and self.rarely(3):
            text = self.one(f"{to} ^= {one};", f"{to} = {one} * 3 + {other};", f"{to} >>= 1;")
        if self.rarely(4):
            text = f"if ({self.condition(inner)}) {{ {text} }}"
            text += f" else {self.statement(inner)}" if self.rarely(3) else ""
        return text

    def inside(self) -> str:
        """A loop inside of an iteration."""
        body = "\n".join(self.statement("j") for _ in range(self.random.randint(1, 2)))
        if self.rarely(5):
            body = f"if ({self.condition('j')}) {self.one('continue', 'break')};\n{body}"
        header = self.one(*["for (int j = 0; j < m; j++)"] * 3, "for (int j = m - 1; j >= 0; j--)")
        if "m" not in self.arrays.values() and self.rarely(3):
            header = self.one("for (int j = 0; j < 3; j++)", "for (int j = 0; j < p[i] % 6; j++)")
        text = f"{header} {{\n{body}\n}}"
        if self.rarely(8):
            to = self.scalars[0]
            text = f"for (int steps = 0; steps < 9 && {to} < 5; steps++) {to} += {self.one('1', '2', 'i % 2 + 1')};"
        return text

    def results(self) -> list[str]:
        text = [f"z[i] = {self.one(*self.scalars)};"]
        if self.arrays:
            name = self.one(*self.arrays)
            length = self.arrays[name]
            text.append(f"for (int k = 0; k < ({length}); k++) {self.one('b[i][k]', 'b[i][WIDE - k]')} += {name}[k];")
        for name, op in self.combined:
            value = self.own("")
            text.append(
                {
                    "+": f"{name} += {value};",
                    "max": f"{name} = {name} > {value} ? {name} : {value};",
                    "min": f"if ({value} < {name}) {name} = {value};",
                    "^": f"{name} ^= {value};",
                    "|": f"{name} |= {value};",
                }[op]
            )
        return text


def loop(seed: int, number: int) -> str:
    """The loop of a seed, as functions ``loopNUMBER`` and ``runNUMBER``."""
    random = Random(seed)
    drawn = Loop(random, random.choice(TYPES))
    ops = ("+", "max", "min") if drawn.real else ("+", "max", "min", "^", "|")
    for name in ("g", "h")[: random.choice((0, 1, 1, 2))]:
        drawn.combined.append((name, random.choice(ops)))
    body = drawn.declared()
    for _ in range(random.randint(1, 4)):
        body.append(drawn.statement("") if drawn.rarely(3) else drawn.inside())
    if drawn.rarely(6):
        body.append(f"if ({drawn.condition('')}) continue;")
    body += drawn.results()
    clauses = [f"private({', '.join(drawn.private)})"] if drawn.private else []
    clauses += [f"reduction({op}: {name})" for name, op in drawn.combined]
    kind = drawn.one("parallel loop", "parallel loop", "kernels loop independent", "parallel loop gang vector")
    text, lines = "\n".join(body), "\n".join(drawn.outside)
    wide = "long long" if drawn.type in ("short", "unsigned char") else drawn.type
    own = "\n".join(f"{wide} {name} = {drawn.one('0', '3')};" for name, _ in drawn.combined)
    total = " + ".join(["(double)0", *(f"(double){name}" for name, _ in drawn.combined)])
    t = drawn.type
    return f"""
/* seed {seed} */
static double loop{number}(int n, int m, {t} a[restrict MOST][WIDE + 1], {t} b[restrict MOST][WIDE + 1],
                           const {t} *restrict x, const {t} *restrict y, {t} *restrict z, const int *restrict p)
{{
{own}
{lines}
#pragma acc {kind} {" ".join(clauses)}
for (int i = 0; i < n; i++) {{
{text}
}}
return {total};
}}
static void run{number}(void)
{{
static {t} a[MOST][WIDE + 1], b[MOST][WIDE + 1], x[MOST], y[MOST], z[MOST];
static int p[MOST];
static const int sizes[][2] = {{{SIZES}}};
for (int size = 0; size < (int)(sizeof sizes / sizeof *sizes); size++) {{
unsigned state = {seed % 1000}u + size;
int n = sizes[size][0], m = sizes[size][1];
for (int i = 0; i < MOST; i++) {{
x[i] = next(&state){" * 0.0625f" if drawn.real else ""};
y[i] = next(&state);
z[i] = 0;
p[i] = n ? (next(&state) + 3) * 5 % n : 0;
for (int j = 0; j <= WIDE; j++) {{ a[i][j] = next(&state){" * 0.25f" if drawn.real else ""}; b[i][j] = 1; }}
}}
unsigned long long hash = mixed(size, loop{number}(n, m, a, b, x, y, z, p));
for (int i = 0; i < MOST; i++) {{
hash = mixed(hash, z[i]);
for (int j = 0; j <= WIDE; j++) hash = mixed(hash, b[i][j]);
}}
printf("seed {seed} size %d: %016llx\\n", size, hash);
}}
}}
"""


def program(seeds: range) -> str:
    """A program that runs the loops of all `seeds`."""
    body = "".join(loop(seed, number) for number, seed in enumerate(seeds))
    calls = " ".join(f"run{number}();" for number in range(len(seeds)))
    return f"{PRELUDE}{body}\nint main(void)\n{{\n{calls}\nreturn 0;\n}}\n"


if __name__ == "__main__":
    first, count = (*map(int, sys.argv[1:]), 1)[:2]
    print(program(range(first, first + count)))
