"""Random loop nests with statements anywhere between their loops: the host compiler is the oracle.

Statements share arrays and scalars, so that many can be apart or in another order, and many can't. Each nest is a
function with a region of its own, called at several sizes; what it leaves in its arrays is printed as a hash. Most
floats are fractions that sums and products don't make much larger, so that a wrong element stays seen.
``python imperfect_nests.py SEED [COUNT]`` prints a program.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from random import Random

#: elements of an array in each direction: more than the longest loop and the farthest neighbour need
EXTENT = 104
ITERATORS = "ijkl"
FAMILIES = (("int", "int", "short", "signed char", "unsigned", "long long"), ("float", "float", "double"))
#: lengths n, m and q of loops: none, one, fewer than a vector, more than a tile; less of the last for four loops
SIZES = "{0, 4, 3}, {5, 1, 0}, {1, 1, 1}, {7, 9, 13}, {17, 31, 20}"
LARGE = ", {100, 67, 35}"

PRELUDE = f"""#include <stdio.h>
#include <string.h>
#define E {EXTENT}
#define EACH(a) for (int at = 0; at < (int)(sizeof(a) / sizeof(*a)); at++)
#define FILL(a) EACH(a) a[at] = value(&state) * UNIT
#define HASH(a) EACH(a) hash = mixed(hash, (double)a[at])
static int value(unsigned *state)
{{
  *state = *state * 1664525u + 1013904223u;
  return (int)(*state >> 16) % 7 - 3;
}}
static unsigned long long mixed(unsigned long long hash, double x)
{{
  unsigned long long bits = 0;
  if (x == x)
    memcpy(&bits, &x, sizeof x);
  return (hash ^ (bits >> 32) ^ bits) * 1099511628211ull;
}}
"""


@dataclass
class Nest:
    """A nest as it is drawn; `lows` are the least values of iterators, `ends` the bounds that they stay below."""

    random: Random
    #: of what loops are asked before them
    asked: Random
    real: bool
    statements: int
    lows: dict[str, int] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    scalars: list[str] = field(default_factory=list)
    #: subscripts of the elements that belong to an iteration of parallel loops; empty in a kernels region
    own: str = ""
    #: the types of arrays, and whether these are rows of a length that only the caller knows
    types: dict[str, str] = field(default_factory=dict)
    rows: str = "E"

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def rarely(self, times: int) -> bool:
        return self.random.randrange(times) == 0

    def place(self, loops: str) -> str:
        """A subscript that stays inside of every array."""
        if not loops or self.rarely(12):
            return self.one("0", "2", "5")
        v = self.one(*loops, loops[-1])
        if self.ends.get(v, "") in ("n", "m", "q") and self.rarely(12):
            return f"{self.ends[v]} - 1 - {v}"
        near = ["", "", "", "", "", " + 1", " + 2"] + [f" - {d}" for d in (1, 2) if d <= self.lows[v]]
        return v + self.one(*near)

    def element(self, loops: str, arrays: str) -> str:
        name = self.one(*arrays)
        if self.own and name in "CDyL":
            return self.own_element(name, loops)
        if name in "xy":
            two = name == "x" and len(loops) > 1 and self.rarely(6)
            return f"x[{loops[0]} + {loops[-1]}]" if two else f"{name}[{self.place(loops)}]"
        first, second = self.place(loops), self.place(loops)
        if self.rarely(2):  # as products and sweeps mostly have them
            first, second = self.one(*loops), self.one(*loops)
        return f"L[({first}) * w + {second}]" if name == "L" else f"{name}[{first}][{second}]"

    def own_element(self, name: str, loops: str) -> str:
        first, second = self.own[0], self.own[1:] or self.place(loops)
        if name == "y":
            return f"y[{first}]" if len(self.own) == 1 else f"C[{first}][{second}]"
        return f"L[{first} * w + {second}]" if name == "L" else f"{name}[{first}][{second}]"

    def operand(self, loops: str) -> str:
        if self.scalars and self.rarely(4):
            return self.one(*self.scalars)
        if self.rarely(8):
            return self.one(*loops, "2", "3", "n")
        return self.element(loops, "AABBxxCDyL")

    def value(self, loops: str) -> str:
        one, other, third = (self.operand(loops) for _ in range(3))
        kind = self.one("load", "product", "product", "product", "sum", "sums", "choice", "scaled")
        if kind == "product":
            return f"{self.element(loops, 'AABx')} * {self.element(loops, 'ABBxC')}"
        if kind == "choice":
            return f"({self.condition(loops)} ? {one} : {other})"
        ways = {"load": one, "sum": f"{one} - {other}", "sums": f"{one} + {other} * {third}", "scaled": f"{one} * HALF"}
        return ways[kind]

    def condition(self, loops: str) -> str:
        v, w = self.one(*loops), self.one(*loops)
        data = f"{self.element(loops, 'ABx')} {self.one('<', '>', '!=')} {self.element(loops, 'ABxy')}"
        index = self.one(f"{v} < {w}", f"{v} != {w}", f"{v} <= {w} + 1", f"{v} > 3", f"({v} + {w}) % 2 == 0")
        return self.one(index, index, data, "n > 6", f"{v} < m - 1")

    def statement(self, loops: str) -> str:
        """Sets, changes or adds to an element or a scalar."""
        self.statements -= 1
        to = self.element(loops, "CCCCDDyyLA" if not self.own else "CCDyL")
        value = self.value(loops)
        kind = self.one(*["add"] * 4, "set", "change", "scale", "scalar")
        if kind == "scalar" and self.scalars:
            s = self.one(*self.scalars)
            text = self.one(f"{s} = {value};", f"{s} += {value};", f"{s} += {value};", f"{to} += {s};")
        else:
            text = {
                "set": f"{to} = {self.one('0', value)};",
                "change": f"{to} = {to} * HALF + {value};",
                "scale": f"{to} {self.one('*=', '-=')} HALF;",
            }.get(kind, f"{to} += {value};")
        if self.rarely(5):
            text = f"if ({self.condition(loops)}) {text}"
            if self.rarely(3):
                text += f" else {self.element(loops, 'CDL')} = {self.operand(loops)};"
        return text

    def header(self, outer: str) -> str:
        """Of a loop over the next iterator."""
        v, near = ITERATORS[len(outer)], [f"{o}{self.one('', ' + 1')}" for o in outer[-2:]]
        low, least = "0", 0
        if self.rarely(3):
            low = self.one("1", "2", *near)
            least = int(low) if low.isdigit() else self.lows[low[0]] + ("1" in low)
        end = self.one(*"nnmmq9", *(near or ["3"]))
        self.lows[v], self.ends[v] = least, end
        upwards = f"{v} = {low}; {v} < {end}; {v}++"
        others = (
            f"{v} = {end} - 1; {v} >= {low}; {v}--",
            f"{v} = {end}; {v}-- > {low};",
            f"{v} = {low}; {v} < {end}; {v} += 2",
            f"{v} = {low}; {v} <= {end} - 1; {v}++",
        )
        return f"for (int {self.one(*[upwards] * 8, *others)})"

    def loop(self, outer: str, deepest: int, header: str = "") -> str:
        """A loop with loops and statements inside, as many as are left at most."""
        header = header or self.header(outer)
        inside = outer + ITERATORS[len(outer)]
        known, body, after = list(self.scalars), [], []
        if self.rarely(5):
            s = self.one("s", "r")
            self.scalars = [other for other in known if other != s]  # which the new one hides
            body.append(f"T {s} = {self.one('0', self.value(inside))};")
            self.scalars.append(s)
            after.append(f"{self.element(inside, 'CyDL')} = {s};")
        for place in range(self.random.randint(1, 3)):
            if len(inside) < deepest and self.statements > 0 and (place or not self.rarely(3)):
                body.append(self.if_asked(inside, self.loop(inside, deepest)))
            elif self.statements > 0:
                body.append(self.statement(inside))
        text = "\n".join(body + after) or self.statement(inside)
        self.scalars = known
        return f"{header} {{\n{text}\n}}"

    def if_asked(self, outer: str, loop: str) -> str:
        """A loop in only some iterations of those outside of it, perhaps."""
        draw = self.asked
        if draw.randrange(5):
            return loop
        v, w = draw.choice(outer), draw.choice(outer)
        ways = (f"{v} % 2 == 0", f"{v} % 3", f"({v} + {w}) % 2", f"{v} > 3", f"{v} != {w} + 1", f"{v} < m - 1", "n > 6")
        return f"if ({draw.choice(ways)}) {{\n{loop}\n}}"

    def neighbours(self) -> str:
        """A loop with others inside that count alike but for where they begin and which way, and elements at their ends
        that have something to do with all others."""
        end, body = self.one(*"nm"), []
        for _ in range(self.random.randint(1, 3)):
            by = self.one("0", "0", "0", "1", "2")
            up = f"for (int j = {by}; j < {end} + {by}; j++)"
            at = "j" if by == "0" else f"j - {by}"
            ends = ("0", f"{end} - 1", "i")
            away = (at, at, at, at, self.one(*ends, f"{at} + 1", f"{end} - 1 - ({at})"))
            header = self.one(up, up, f"for (int j = {end} + {by} - 1; j >= {by}; j--)")
            to, other, more = (self.one(*"CDAy"), self.one(*"CDAy"), self.one(*"xB"))

            def element(name: str, place: str) -> str:
                return f"{name}[{place}]" if name in "xy" else f"{name}[{place}][k]"

            value = f"{element(other, self.one(*away))} {self.one('+', '-', '*')} {element(more, self.one(*away))}"
            text = f"{element(to, at)} {self.one('=', '=', '+=')} {value};"
            if self.rarely(4):
                text = f"if (j {self.one('==', '!=', '>')} {self.one(by, 'i')}) {text}"
            columns = f"for (int k = 0; k < {self.one('m', 'q')}; k++) " if "[k]" in text else ""
            body.append(f"{header} {columns}{{\n{text}\n}}")
        text = "\n".join(body)
        return f"for (int i = 0; i < {self.one('3', end)}; i++) {{\n{text}\n}}"

    def kernels(self, deepest: int, data: str) -> str:
        if self.rarely(6):
            return f"#pragma acc kernels{data}\n{{\n{self.neighbours()}\n}}"
        self.scalars = [] if self.rarely(2) else ["t"]
        body = [self.loop("", deepest) for _ in range(self.random.choice((1, 1, 1, 2, 3)))]
        while self.statements > 0:
            body.append(self.loop("", deepest))
        text = "\n".join(body)
        return f"#pragma acc kernels{data}\n{{\n{text}\n}}"

    def parallel(self, deepest: int, data: str) -> str:
        """Loops whose iterations change elements of their own."""
        high = self.one("n", "m", "q")
        self.lows["i"], self.ends["i"], self.own = 0, high, "i"
        outer = f"for (int i = 0; i < {high}; i++)"
        if self.rarely(2):
            inside = self.loop("", deepest, outer)
            return f"#pragma acc parallel loop{self.one('', ' gang', ' gang vector')}{data}\n{inside}"
        inner = self.one("n", "m", "i + 1", "9")
        self.lows["j"], self.ends["j"], self.own = 0, inner, "ij"
        columns = f"for (int j = 0; j < {inner}; j++)"
        inside = self.loop("i", deepest, columns)
        if inner != "i + 1" and self.rarely(2):
            return f"#pragma acc parallel loop collapse(2){data}\n{outer}\n{inside}"
        inside = f"#pragma acc loop{self.one('', ' vector', ' independent')}\n{inside}"
        if not self.real and self.rarely(2):
            counted = f"#pragma acc loop reduction(+:c)\n{columns} c += {self.element('ij', 'ABx')};"
            inside = f"{{\nint c = 1;\n{counted}\n{inside}\ny[i] += c;\n}}"
        return f"#pragma acc parallel loop{data}\n{outer}\n{inside}"


def nest(seed: int, number: int) -> str:
    """The nest of a seed, as functions ``nestNUMBER`` and ``runNUMBER``."""
    random = Random(seed)
    real = random.random() < 0.5
    drawn = Nest(random, Random(f"asked {seed}"), real, random.randint(1, 5), rows=random.choice(("E", "E", "w")))
    drawn.types = {name: random.choice(FAMILIES[real]) for name in "ABCDLxy"}
    if random.random() < 0.6:
        drawn.types = dict.fromkeys("ABCDLxy", drawn.types["C"])
    deepest = random.choice((2, 3, 3, 3, 4, 4))
    clauses = f" copy({', '.join(f'{a}[0:w]' for a in 'ABCD')}, x[0:2*w], y[0:w], L[0:w*w])"
    data = random.choice((clauses, ""))
    region = drawn.parallel(deepest, data) if random.random() < 0.25 else drawn.kernels(deepest, data)
    qualifier = random.choice(("restrict ", "restrict ", "")) if data == "" else ""
    parameters = [f"{drawn.types[a]} {a}[{qualifier}{drawn.rows}][{drawn.rows}]" for a in "ABCD"]
    parameters += [f"{drawn.types[a]} *{qualifier}{a}" for a in "xyL"]
    arrays = "\n".join(
        f"static {drawn.types[a]} {a}_{number}[{'2' if a in 'xy' else 'E'} * E];" for a in sorted(drawn.types)
    )
    passed = ", ".join(f"(void *){a}_{number}" for a in "ABCDxyL")
    return f"""
/* seed {seed} */
#define T {drawn.types["C"]}
#define UNIT {"0.0625f" if real else "1"}
#define HALF {"0.5f" if real else "3"}
{arrays}
static T nest{number}(int w, int n, int m, int q, {", ".join(parameters)})
{{
T t = 1;
{region}
return t;
}}
static void run{number}(void)
{{
static const int sizes[][3] = {{{SIZES}{LARGE if deepest < 4 else ""}}};
for (int size = 0; size < (int)(sizeof sizes / sizeof *sizes); size++) {{
unsigned state = {seed % 1000}u + size;
unsigned long long hash = size;
{" ".join(f"FILL({a}_{number});" for a in drawn.types)}
const int *of = sizes[size];
hash = mixed(hash, (double)nest{number}(E, of[0], of[1], of[2], {passed}));
{" ".join(f"HASH({a}_{number});" for a in drawn.types)}
printf("seed {seed} size %d: %016llx\\n", size, hash);
}}
}}
#undef T
#undef UNIT
#undef HALF
"""


def program(seeds: range) -> str:
    """A program that runs the nests of all `seeds`."""
    body = "".join(nest(seed, number) for number, seed in enumerate(seeds))
    calls = " ".join(f"run{number}();" for number in range(len(seeds)))
    return f"{PRELUDE}{body}\nint main(void)\n{{\n{calls}\nreturn 0;\n}}\n"


if __name__ == "__main__":
    first, count = (*map(int, sys.argv[1:]), 1)[:2]
    print(program(range(first, first + count)))
