"""Random loops along which pointers and numbers move, and in which scalars keep what the iteration before had: the host
compiler is the oracle.

Pointers are parameters, variables of the function or of the region; they move by one amount in each iteration, behind
loops inside of one, under conditions, or up to an end. All that moved is looked at behind the region.
``python walks.py SEED [COUNT]`` prints a program.
"""

from __future__ import annotations

import re
import sys
from random import Random

from imperfect_nests import PRELUDE

#: elements before and behind those where walks begin
ROOM = 3000
SIZES = "{0, 5}, {1, 1}, {2, 3}, {3, 2}, {4, 7}, {40, 13}, {29, 20}"
FUNCTION = """
static double walk{seed}(int n, int m, {parameters})
{{
{before}
{region}
return {moved};
}}
"""
CALLS = """
  {{
    static {type} X[2 * ROOM], Y[2 * ROOM], Z[2 * ROOM];
    static const int of[][2] = {{{sizes}}};
    for (int t = 0; t < (int)(sizeof of / sizeof *of); t++) {{
      unsigned state = {seed} % 1000 + t;
      unsigned long long hash = t;
      FILL(X);
      FILL(Y);
      FILL(Z);
      const double moved = walk{seed}(of[t][0], of[t][1], {arguments});
      HASH(X);
      HASH(Y);
      HASH(Z);
      printf("seed {seed} size %d: %016llx %g\\n", t, hash, moved);
    }}
  }}
"""


class Walk:
    """A region as it is drawn. Arrays begin in the middle: `sources` are the pointers that it reads by, `targets` those
    that it writes by, `begun` those that get their places in it, and `numbers` what counts along with them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.type = self.random.choice(("float", "double", "int", "unsigned", "short", "unsigned char"))
        self.seed = seed
        self.before: list[str] = []
        self.inside: list[str] = []
        self.moved: list[str] = []
        self.sources: list[str] = []
        self.targets: list[str] = []
        self.numbers: list[str] = []
        self.kept: list[str] = []
        self.begun: dict[str, str] = {}
        self.rows: tuple[str, ...] = ()
        self.declare()

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def rarely(self, times: int) -> bool:
        return self.random.randrange(times) == 0

    def declare(self) -> None:
        for name, array, constant in (("p", "x", "const "), ("r", "z", "const "), ("q", "y", "")):
            way = self.one("parameter", "outside", "inside", "inside", "begun")
            if name == "r" and self.rarely(2):
                continue
            if way == "parameter":
                name = array
            elif way == "begun":
                self.before.append(f"{constant}{self.type} *{name};")
                self.begun[name] = array
            else:
                text = f"{constant}{self.type} *{name} = {array}{self.one('', ' + 3', ' - n')};"
                (self.before if way == "outside" else self.inside).append(text)
            (self.targets if array == "y" else self.sources).append(name)
            if way == "outside":
                self.moved.append(f"({name} - {array})")
            elif way == "parameter":
                self.moved.append(f"({name} - {array}0)")
                self.before.append(f"const {self.type} *const {array}0 = {array};")
        if self.rarely(3):
            self.before.append(f"const {self.type} *const rows[3] = {{x, z + 1, x + 5}};")
            self.rows = ("rows[0]", "rows[1]", "rows[2]")
        for name in "kl"[: self.random.randint(0, 2)]:
            text = f"{self.one('int', 'int', 'long')} {name} = {self.one('0', '2', 'm')};"
            outside = self.rarely(2)
            (self.before if outside else self.inside).append(text)
            self.numbers.append(name)
            if outside and not self.rarely(3):
                self.moved.append(name)
        for name in "st"[: self.random.choice((0, 0, 1, 1, 2))]:
            text = f"{self.type} {name} = {self.one('0', '3', 'x[0]', 'x[n]')};"
            outside = not self.rarely(3)
            (self.before if outside else self.inside).append(text)
            self.kept.append(name)
            if outside and self.rarely(5):
                self.moved.append(f"(double){name}")

    def read(self, i: str) -> str:
        """An element that a pointer leads to, of the iteration counted by `i`."""
        if self.rows and self.rarely(3):
            return f"{self.one(*self.rows)}[{i}{self.one('', ' + 1')}]"
        name = self.one(*self.sources)
        places = [f"{name}[{self.one('0', '1', '2', '-1')}]", f"{name}[{i}]", f"*{name}"]
        places += [f"x[{self.one(*self.numbers)} + 1]"] if self.numbers else []
        return self.one(*places, f"*{name}++" if self.rarely(2) else f"*({name} + 1)")

    def statement(self, i: str) -> str:
        name, value = self.one(*self.targets), self.read(i)
        more = self.one("1", i, self.read(i), *self.kept, *self.kept, *self.kept)
        to = self.one(f"*{name}++", f"*{name}++", f"*{name}", f"{name}[{i}]", f"*--{name}")
        if self.numbers and self.rarely(3):
            to = f"y[{self.one(*self.numbers)}{self.one('', '++')}]"
        text = f"{to} {self.one('=', '=', '=', '+=')} {value} {self.one('+', '-', '*')} {more};"
        for name in (*self.sources, *self.targets, *self.numbers):
            if len(re.findall(rf"\b{name}\b", text)) > 1:  # C leaves open when it moves
                text = text.replace(f"{name}++", name).replace(f"--{name}", name)
        return text

    def move(self, i: str) -> str:
        name = self.one(*self.sources, *self.targets, *self.numbers)
        by = self.one("1", "1", "2", "3", "-1")
        text = self.one(f"{name}++;", f"{name} += {by};", f"{name} -= 1;", f"{name} = {name} + 2;")
        if name in self.sources + self.targets:
            text = self.one(f"{name}++;", f"{name} += {by};", f"++{name};")
        if self.rarely(8):
            text = f"if ({self.one(f'{i} > 2', f'{i} % 2', self.read(i) + ' > 0').replace('++', '')}) {text}"
        return text

    def keep(self, i: str) -> list[str]:
        """What is kept for the next iteration."""
        text = []
        for k, name in enumerate(self.kept):
            value = self.one(
                f"x[{i}]", f"x[{i} + 2] - {i}", i, "here", *self.kept[k + 1 :], *self.kept[k + 1 :], "y[3]"
            )
            text.append(f"{name} = {value};")
            if self.rarely(10):
                text[-1] = f"if ({i} != 3) {text[-1]}"
        if any("here" in line for line in text):
            text.insert(0, f"{self.type} here = {self.one(f'x[{i}]', f'x[{i}] + 1', 'x[m] - x[' + i + ']')};")
        return text

    def loop(self, i: str, end: str, body: list[str]) -> str:
        header = self.one(
            *[f"for (int {i} = 0; {i} < {end}; {i}++)"] * 3,
            f"for (int {i} = 1; {i} <= {end}; {i}++)",
            f"for (int {i} = {end} - 1; {i} >= 0; {i}--)",
            f"for (int {i} = 0; {i} < {end}; {i} += 2)",
        )
        return f"{header} {{\n" + "\n".join(body) + "\n}"

    def body(self, i: str) -> list[str]:
        body = [self.statement(i) for _ in range(self.random.randint(1, 2))]
        body += [self.move(i) for _ in range(self.random.randint(0, 2))]
        if self.rarely(3):
            self.random.shuffle(body)
        return [*body, *self.keep(i)]

    def region(self) -> str:
        at_once = [
            f"{name} = {array} + {self.one('0', '2', 'm')};" for name, array in self.begun.items() if self.rarely(3)
        ]
        heads = [
            f"{name} = {array}{self.one('', ' + i', ' + i * m', ' - 2 * i')};"
            for name, array in self.begun.items()
            if not any(text.startswith(f"{name} =") for text in at_once)
        ]
        self.inside += at_once
        if self.rarely(5) and not heads:
            name = self.one(*self.sources)
            declared = self.inside if any(f"{name} =" in text for text in self.inside) else self.before
            declared.append(f"const {self.type} *const end = {name} + 2 * n;")
            loops = [f"while ({name} < end) {{ {self.statement('m').replace(f'{name}++', name)} {name}++; }}"]
        elif self.rarely(2):
            loops = [self.loop("i", "n", [*heads, *self.body("i")])]
        else:
            inner = self.loop("j", "m", self.body("j"))
            loops = [self.loop("i", "n", [*heads, inner, *(self.move("i") for _ in range(self.random.randint(0, 2)))])]
        if self.rarely(3) and not heads:
            loops.append(self.move("n"))
            loops.append(self.loop("i", "n", self.body("i")))
        whole = "\n".join([*self.inside, *loops])
        return f"#pragma acc kernels\n{{\n{whole}\n}}"

    def texts(self) -> tuple[str, str]:
        """The function, and what calls it."""
        region, restrict = self.region(), self.one("", "restrict ")
        parameters = ", ".join(
            f"{c}{self.type} *{restrict}{name}" for c, name in (("const ", "x"), ("const ", "z"), ("", "y"))
        )
        moved = " + ".join(["0.0", *(f"{k + 2}.0 * {text}" for k, text in enumerate(self.moved))])
        function = FUNCTION.format(
            seed=self.seed, parameters=parameters, before="\n".join(self.before), region=region, moved=moved
        )
        arguments = "X + ROOM, Z + ROOM, Y + ROOM"
        return function, CALLS.format(seed=self.seed, type=self.type, sizes=SIZES, arguments=arguments)


def program(seeds: range) -> str:
    """A program that runs the walks of all `seeds`."""
    texts = [Walk(seed).texts() for seed in seeds]
    functions = "".join(function for function, _ in texts)
    calls = "".join(call for _, call in texts)
    return f"{PRELUDE}#define UNIT 1\n#define ROOM {ROOM}\n{functions}\nint main(void)\n{{\n{calls}  return 0;\n}}\n"


if __name__ == "__main__":
    start = int(sys.argv[1])
    print(program(range(start, start + int(sys.argv[2]) if len(sys.argv) > 2 else start + 1)))
