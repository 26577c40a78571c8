"""Random sweeps in place, over and over: the host compiler is the oracle.

Each iteration reads neighbours that others have changed already, and some that they have not. Each sweep is a function
with a region of its own, called at several sizes; what it leaves in its arrays is printed as a hash.
``python sweeps.py SEED [COUNT]`` prints a program.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from random import Random

from imperfect_nests import PRELUDE

#: elements in each direction of arrays with so many dimensions, and how far iterations stay from the ends
EXTENTS, EDGE = {1: 200, 2: 72, 3: 28}, 3
#: steps, and elements in each direction: none, fewer than a vector, as many, more than several, what doesn't divide
SIZES = {
    1: "{0, 9}, {1, 7}, {3, 8}, {9, 41}, {40, 187}",
    2: "{0, 9, 9}, {1, 7, 30}, {5, 22, 23}, {3, 71, 24}, {37, 40, 39}",
    3: "{0, 9, 9, 9}, {1, 9, 27, 26}, {5, 8, 9, 24}, {19, 25, 22, 27}",
}
ITERATORS, LENGTHS = "ijk", "nmq"

ALL = """#define ALL(type, array) for (type *at = (type *)array; at < (type *)array + sizeof array / sizeof(type); at++)
#define FILL_ALL(type, array, unit) ALL(type, array) *at = value(&state) * unit
#define HASH_ALL(type, array) ALL(type, array) hash = mixed(hash, (double)*at)
"""


class Sweep:
    """A function that sweeps over arrays."""

    def __init__(self, number: int, seed: int) -> None:
        self.number = number
        self.random = Random(seed)
        self.rank = self.random.choice((1, 2, 2, 2, 2, 3))
        self.type = self.random.choice(("float", "float", "double", "int", "unsigned", "short"))
        self.real = self.type in ("float", "double")
        self.moving = self.random.choice(("all", "all", "all", "last", "first"))
        self.far = self.random.choice((1, 1, 2, EDGE))
        self.arrays = "ab" if self.random.random() < 0.3 else "a"
        self.ahead = Random(f"ahead {seed}").random() < 0.4  # nothing is read that has changed, where loops count up
        self.rows = "E" if self.random.random() < 0.6 else "rows"

    def element(self, name: str) -> str:
        offsets = [self.random.randint(-self.far, self.far) for _ in range(self.rank)]
        for k in range(self.rank):
            last = k == self.rank - 1
            if (self.moving == "last" and not last) or (self.moving == "first" and k) or self.random.random() < 0.3:
                offsets[k] = 0
        offsets = [abs(offset) for offset in offsets] if self.ahead else offsets
        places = (f"[{i}{o:+d}]" if o else f"[{i}]" for i, o in zip(ITERATORS, offsets, strict=False))
        return name + "".join(places)

    def statement(self) -> str:
        target = self.random.choice(self.arrays)
        here = target + "".join(f"[{i}]" for i in ITERATORS[: self.rank])
        read = [self.element(self.random.choice(self.arrays + target + "r")) for _ in range(self.random.randint(1, 6))]
        if self.random.random() < 0.5:
            read.append(here)
        if self.real:
            parts = [f"{one} * {self.random.choice((0.25, 0.5, 1.0))}" for one in read]
            value = f"({' + '.join(parts)}) / {len(read)}"
            value = value.replace("5 ", "5f ") if self.type == "float" and self.random.random() < 0.5 else value
        else:
            value = f"(({' + '.join(f'{one} * {self.random.randint(1, 3)}' for one in read)}) & 127) - 60"
        if self.random.random() < 0.2:
            value = f"(i & 1 ? {value} : {read[0]})"
        op = self.random.choice(("=", "=", "=", "+=")) if not self.real else "="
        return f"{here} {op} {value};"

    def loops(self) -> list[str]:
        found = []
        for iterator, length in zip(ITERATORS, LENGTHS[: self.rank], strict=False):
            type_ = self.random.choice(("int", "int", "int", "long"))
            if self.random.random() < 0.15:
                found.append(f"for ({type_} {iterator} = {length} - {EDGE + 1}; {iterator} >= {EDGE}; {iterator}--)")
            else:
                found.append(f"for ({type_} {iterator} = {EDGE}; {iterator} < {length} - {EDGE}; {iterator}++)")
        return found

    def text(self) -> str:
        """The function, and one that calls it at several sizes."""
        extent, number = EXTENTS[self.rank], self.number
        given = f"[{extent}]" * self.rank
        rows = (f"[{self.rows}]" * (self.rank - 1)).replace("E", str(extent))
        lengths = ", ".join(f"int {length}" for length in LENGTHS[: self.rank])
        parameters = ", ".join(f"{self.type} {name}[{extent}]{rows}" for name in "abr")
        call = ", ".join(f"size[k][{k}]" for k in range(self.rank + 1))
        arrays = [f"{name}{number}" for name in "abr"]
        scaled = ", 0.37" if self.real else ", 1"
        return "\n".join(
            [
                f"static {self.type} {', '.join(name + given for name in arrays)};",
                f"static void sweep{number}(int rows, int steps, {lengths}, {parameters})",
                "{",
                "#pragma acc kernels",
                *self.region(),
                "}",
                f"static void run{number}(void)",
                "{",
                f"  static const int size[][{self.rank + 1}] = {{{SIZES[self.rank]}}};",
                "  for (int k = 0; k < (int)(sizeof size / sizeof *size); k++) {",
                "    unsigned state = 1 + k;",
                "    unsigned long long hash = 14695981039346656037ull;",
                *(f"    FILL_ALL({self.type}, {name}{scaled});" for name in arrays),
                f"    sweep{number}({extent}, {call}, {', '.join(arrays)});",
                *(f"    HASH_ALL({self.type}, {name});" for name in arrays[:2]),
                f'    printf("sweep {number} size %d: %016llx\\n", k, hash);',
                "  }",
                "}",
            ]
        )

    def region(self) -> list[str]:
        steps = ["for (int t = 0; t < steps; t++)"] if self.random.random() < 0.85 else []
        loops = self.loops()
        return [*steps, *loops, "{", *(self.statement() for _ in range(self.random.choice((1, 1, 1, 2)))), "}"]


def program(seeds: Iterable[int]) -> str:
    """A program that runs a sweep for each seed."""
    every = [Sweep(seed, seed) for seed in seeds]
    main = "\n".join(f"  run{sweep.number}();" for sweep in every)
    return "\n".join(
        [PRELUDE, ALL, *(sweep.text() for sweep in every), f"int main(void)\n{{\n{main}\n  return 0;\n}}\n"]
    )


if __name__ == "__main__":
    start, count = (int(word) for word in (*sys.argv[1:], "1")[:2])
    print(program(range(start, start + count)))
