"""Random nests in tiles made by hand: the host compiler is the oracle.

A nest of two or three loops changes elements of a matrix by others, some of which it has changed before; sums are in
scalars and in small arrays of an iteration's own. Some loops are cut into tiles, whose loops stand further outside:
the points of a tile count from anywhere, and some tiles leave points out, overlap, or are asked for themselves. Other
loops are unrolled by hand, some of them with a fault.
``python tiles.py SEED [COUNT]`` prints a program.
"""

from __future__ import annotations

import sys
from random import Random

from imperfect_nests import PRELUDE

#: elements in each direction, more than the last tile of the longest loop reaches
EXTENT = 128
SIZES = "{0, 4, 3}, {1, 1, 1}, {7, 9, 13}, {31, 17, 20}, {64, 33, 40}, {90, 70, 81}"
FUNCTION = """
static void nest{seed}(int n, int m, int q, {type} C[X][X], {type} A[X][X], {type} B[X][X], {type} y[X])
{{
{region}
}}
"""
CALLS = """
  {{
    static {type} C[X][X], A[X][X], B[X][X], y[X];
    static const int of[][3] = {{{sizes}}};
    for (int t = 0; t < (int)(sizeof of / sizeof *of); t++) {{
      unsigned state = {seed} % 1000 + t;
      unsigned long long hash = t;
      for (int i = 0; i < X; i++) {{
        FILL(C[i]);
        FILL(A[i]);
        FILL(B[i]);
      }}
      FILL(y);
      nest{seed}(of[t][0], of[t][1], of[t][2], C, A, B, y);
      for (int i = 0; i < X; i++)
        HASH(C[i]);
      HASH(y);
      printf("seed {seed} size %d: %016llx\\n", t, hash);
    }}
  }}
"""


class Nest:
    """A nest as it is drawn: `at` says what an iterator of the plain nest is in the loops that there are."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.type = self.random.choice(("float", "double", "int", "int", "unsigned", "short"))
        self.iterator = self.random.choice(("int", "int", "int", "long"))
        self.at: dict[str, str] = {}
        self.tiles: list[str] = []
        self.seed = seed

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def rarely(self, times: int) -> bool:
        return self.random.randrange(times) == 0

    def loops(self, names: str) -> tuple[list[str], list[str]]:
        """The loops over tiles, and the others: points of tiles, or whole."""
        tiles, others = [], []
        for name, end in zip(names, "nmq", strict=False):
            low = self.one("0", "0", "1", "2")
            if self.rarely(4):
                self.at[name] = name
                others.append(f"for ({self.iterator} {name} = {low}; {name} < {end}; {name}++)")
                continue
            step, tile = self.random.choice((2, 4, 8, 8, 16, 17)), f"{name}{name}"
            self.tiles.append(tile)
            size = step if not self.rarely(8) else step + self.random.choice((-1, 1))
            tiles.append(f"for ({self.iterator} {tile} = {low}; {tile} < {end}; {tile} += {step})")
            last = f"{tile} + {size}"
            ends = (
                f"{name} < ({last} < {end} ? {last} : {end})",
                f"{name} < {last} && {name} < {end}",
                f"{name} <= {last} - 1 && {end} > {name}",
                f"{name} < {last}",
            )
            if self.rarely(3):
                self.at[name] = f"({tile} + {name})"
                others.append(f"for ({self.iterator} {name} = 0; {name} < {size}; {name}++)")
            else:
                self.at[name] = name
                others.append(f"for ({self.iterator} {name} = {tile}; {self.one(*ends)}; {name}++)")
        return tiles, others

    def place(self, names: str) -> str:
        name = self.one(*names)
        return self.at[name] + self.one("", "", "", "", "", " + 1", " + 2")

    def value(self, names: str) -> str:
        one, other = (f"{self.one('A', 'B', 'C')}[{self.place(names)}][{self.place(names)}]" for _ in range(2))
        more = self.one(other, f"y[{self.place(names)}]", "3", self.at[self.one(*names)])
        if self.tiles and self.rarely(12):
            more = self.one(*self.tiles)
        return f"{one} {self.one('+', '-', '*')} {more}"

    def body(self, names: str) -> str:
        to = f"C[{self.at[names[0]]}][{self.at[self.one(*names[1:])]}]"
        value = self.value(names)
        return self.one(f"{to} += {value};", f"{to} = {to} / 2 + {value};", f"{to} = {value};", f"{to} += {value};")

    def summed(self, inner: str, names: str) -> str:
        """A sum along the last loop, which is not in tiles then or is so inside of all others."""
        to = f"C[{self.at[names[0]]}][{self.at[names[1]]}]"
        first = self.one("0", to, f"y[{self.at[names[1]]}]")
        value = self.value(names)
        return f"{{ {self.type} s = {first}; {inner} s += {value}; {to} = s; }}"

    def rows(self) -> str:
        """A tile of rows with a sum for each."""
        step = self.random.choice((2, 4, 8))
        each = f"for (int r = 0; r < {step}; r++)"
        first = self.one("0", "y[j]", "C[i + r][j]")
        column = f"{self.type} b = B[k][j];" if self.rarely(2) else ""
        value = f"A[i + r][k] * {'b' if column else 'B[k][j]'}"
        if self.rarely(4):
            value = f"C[i + r][{self.one('k', 'j')}] + {value}"
        return (
            f"for (int i = {self.one('0', '1')}; i < n; i += {step})\n  for (int j = 0; j < m; j++) {{\n"
            f"    {self.type} s[{step}];\n    {each}\n      s[r] = {first};\n    for (int k = 0; k < q; k++) {{\n"
            f"      {column}\n      {each}\n        s[r] += {value};\n    }}\n"
            f"    {each}\n      C[i + r][j] = s[r];\n  }}"
        )

    def unrolled(self) -> str:
        """Statements that are repeated for each iteration of a step."""
        step = self.random.choice((2, 3, 4, 8))
        names = [f"s{k}" for k in range(step)]
        kind, fault = self.random.randrange(4), self.rarely(6)

        def at(k: int) -> str:
            return f"i + {k}" if k else "i"

        def all_of(text: str) -> str:
            """A text with I for the row and S for its sum, for all rows; once in a while one is another's."""
            rows = [text.replace("I", at(k)).replace("S", names[k]) for k in range(step)]
            if fault and self.rarely(2):
                k = self.random.randrange(step)
                rows[k] = text.replace("I", at((k + 1) % step)).replace("S", names[k])
            return " ".join(rows)

        head = f"for ({self.iterator} i = {self.one('0', '0', '1')}; i < n; i += {step})"
        if kind == 0:
            value = self.one("A[I][j] + B[j][I]", "C[I][j + 1] - A[I][j]", "A[j][I] * y[j]", "C[I + 1][j] + 3")
            return f"{head} for (int j = 0; j < m; j++) {{ {all_of(f'C[I][j] = {value};')} }}"
        if kind == 1:
            value = self.one("A[I][j]", "C[I][j] * 3", "y[I] - A[j][I]", "y[I + 1] + j")
            return f"{head} {{ {all_of(f'y[I] += {value};'.replace('j', self.one('2', '5')))} }}"
        declared = self.one(
            " ".join(f"{self.type} {name} = 0;" for name in names),
            f"{self.type} {', '.join(f'{name} = 1' for name in names)};",
        )
        inner = self.one("A[I][k] * B[k][j]", "A[I][k] * b + C[k][j]", "B[k][I] - A[I][j]")
        shared = f"{self.type} b = B[k][j];" if " b " in inner else ""
        body = f"for (int k = 0; k < q; k++) {{ {shared} {all_of(f'S += {inner};')} }} {all_of('C[I][j] = S;')}"
        loops = (f"{head} for (int j = 0; j < m; j++)", f"for (int j = 0; j < m; j++) {head}")
        return f"{self.one(*loops)} {{ {declared} {body} }}"

    def text(self) -> str:
        if self.rarely(4):
            return f"#pragma acc kernels\n{self.unrolled()}"
        if self.rarely(4):
            return f"#pragma acc kernels\n{self.rows()}"
        names = self.one("ij", "ijk", "ijk", "ijk")
        tiles, others = self.loops(names)
        self.random.shuffle(tiles)
        body = self.summed(others.pop(), names) if len(names) == 3 and self.rarely(3) else self.body(names)
        if self.rarely(3):
            last = tiles.pop() if tiles and self.rarely(2) else None
            inside = self.random.sample(others, len(others))
            loops = [*tiles, *inside[:1], *([last] if last else []), *inside[1:]]
            if last and last.split()[2][:1] == inside[0].split()[2][:1]:
                loops = [*tiles, last, *inside]
        else:
            loops = [*tiles, *self.random.sample(others, len(others))]
        nest = "\n".join(f"{'  ' * k}{loop}" for k, loop in enumerate(loops))
        return f"#pragma acc kernels\n{nest}\n{'  ' * len(loops)}{body}"


def program(seeds: range) -> str:
    """A program that runs the nests of all `seeds`."""
    drawn = [Nest(seed) for seed in seeds]
    functions = "".join(FUNCTION.format(seed=n.seed, type=n.type, region=n.text()) for n in drawn)
    calls = "".join(CALLS.format(seed=n.seed, type=n.type, sizes=SIZES) for n in drawn)
    return f"{PRELUDE}#define UNIT 1\n#define X {EXTENT}\n{functions}\nint main(void)\n{{{calls}}}\n"


if __name__ == "__main__":
    begin = int(sys.argv[1])
    print(program(range(begin, begin + int(sys.argv[2]) if len(sys.argv) > 2 else begin + 1)))
