"""Random loops over time around sweeps over grids of one to three dimensions.

Most are stencils as programs have them: each sweep sets an array from neighbours in others, near or far, in whatever
direction; there are copies, rows at an edge that are set apart, several statements in a loop, and temporaries. Some
sweeps read what they write, here or ahead, so that not all are parallel, and some arrays change places after each step.
`python stencils.py SEED` prints one of them.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import prod

#: elements that a sweep has at least, so that no cache holds them
POINTS = 300_000
_TYPES = ("float", "double", "int")
_ITERATORS = "ijk"


def program(seeds: Iterable[int]) -> str:
    """A program that runs the stencils of some seeds, and prints a sum of what each leaves."""
    chosen = [_Stencil(seed) for seed in seeds]
    functions = "\n".join(one.function() for one in chosen)
    calls = "\n".join(one.call() for one in chosen)
    return (
        f"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n{functions}\nint main(void)\n{{\n{calls}\n}}\n"
    )


class _Stencil:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._random = draw = random.Random(seed)
        self._ahead = random.Random(f"ahead {seed}")
        self._places = random.Random(f"places {seed}")
        self._type = draw.choice(_TYPES)
        self._rank = draw.choice((1, 2, 2, 2, 3))
        self._arrays = "ABCD"[: draw.randint(2, 4)]
        self._reach = draw.choice((1, 1, 1, 1, 2, 3))
        self._extents = self._sizes()
        self._steps = draw.choice((0, 1, 2, 3, 5, 7, 8, 9, 12, 17, 20))
        self._first = draw.choice((0, 0, 0, 1, 5))

    def _sizes(self) -> list[int]:
        draw = self._random
        if draw.random() < 0.1:  # fewer rows than a band has, or none
            return [draw.randint(2 * self._reach, 40) for _ in range(self._rank)]
        if self._rank == 1:
            return [POINTS + draw.randint(0, 9999)]
        rows = draw.randint(70, 700 if self._rank == 2 else 90)
        rest = POINTS // rows + 1
        if self._rank == 2:
            return [rows, rest]
        width = draw.randint(20, 80)
        return [rows, rest // width + 2 * self._reach + 2, width]

    def function(self) -> str:
        """The loops."""
        names = "nml"[: self._rank]
        shape = "".join(f"[{name}]" for name in names)
        self._turns = len(self._arrays) == 2 and self._random.random() < 0.3
        whole = f"{self._type} A[restrict 2]{shape}"
        swapped = self._swapped()
        word = "" if swapped else "restrict "
        own = (f"{self._type} {a}[{word}{names[0]}]{shape[3:]}" for a in self._arrays)
        arrays = whole if self._turns else ", ".join(own)
        sizes = ", ".join(f"int {name}" for name in names)
        relation = self._random.choice(("<", "<="))
        count = self._random.choice(("t++", "t++", "t++", "t += 2", "t += 3"))
        body = "\n".join([*self._sweeps(names), *self._swaps(swapped, shape[3:])])
        return f"""
void stencil_{self.seed}(int steps, {sizes}, {arrays})
{{
#pragma acc kernels
  for (int t = {self._first}; t {relation} steps; {count}) {{
{body}
  }}
{self._marks(swapped)}}}"""

    def _swapped(self) -> str:
        """Arrays that change places after each step, if any."""
        if self._turns or self._places.random() < 0.6:
            return ""
        return "".join(self._places.sample(self._arrays, self._places.randint(2, min(3, len(self._arrays)))))

    def _swaps(self, swapped: str, rest: str) -> Iterator[str]:
        if swapped:
            kept = f"(*kept){rest}" if rest else "*kept"
            moves = [f"{one} = {other};" for one, other in pairwise(swapped)]
            yield f"    {self._type} {kept} = {swapped[0]}; {' '.join(moves)} {swapped[-1]} = kept;"

    def _marks(self, swapped: str) -> str:
        """What tells behind the loop which array has become which."""
        return "".join(f"  {'*' * self._rank}{one} += {number + 1};\n" for number, one in enumerate(swapped))

    def _sweeps(self, names: str) -> Iterator[str]:
        draw = self._random
        kept = self._arrays[-1] if len(self._arrays) > 2 and draw.random() < 0.4 else ""
        written = [a for a in self._arrays if a != kept]
        for number in range(draw.randint(max(1, len(written) - 1), len(written) + 1)):
            target = written[number % len(written)]
            if draw.random() < 0.12 and self._rank > 1 and not self._turns:
                yield self._edge(target, names)
            yield self._sweep(target, names)

    def _sweep(self, target: str, names: str) -> str:
        draw, reach = self._random, self._reach
        others = [a for a in self._arrays if a != target]
        own = draw.random() < 0.25
        lines, indent = [], "    "
        for iterator, name in zip(_ITERATORS, names, strict=False):
            low, high = reach + draw.choice((0, 0, 0, 1, -1)), reach + draw.choice((0, 0, 0, 1, -1))
            low, high = max(low, reach), max(high, reach)
            end = f"< {name} - {high}" if draw.random() < 0.8 else f"<= {name} - {high + 1}"
            lines.append(f"{indent}for (int {iterator} = {low}; {iterator} {end}; {iterator}++)")
            indent += "  "
        value = self._value(others if draw.random() < 0.8 else others[:1])
        here = self._at(target, [0] * self._rank)
        if own:
            value = f"{self._half(here)} + {self._half(f'({value})')}"
        if draw.random() < 0.06:
            value = f"{self._half(self._at(target, self._offsets()))} + {self._half(f'({value})')}"
        if self._ahead.random() < 0.15:  # elements that change later: only a copy makes such a sweep parallel
            ahead = [self._ahead.choice((0, 0, 1, reach)) for _ in range(self._rank)]
            value = f"{self._half(self._at(target, ahead))} + {self._half(f'({value})')}"
        if draw.random() < 0.15:
            lines[-1] += " {"
            lines.append(f"{indent}{self._type} value = {value};")
            lines.append(f"{indent}{here} = value - {self._scaled('value', 3)};")
            lines.append(f"{indent[2:]}}}")
        else:
            lines.append(f"{indent}{here} = {value};")
        return "\n".join(lines)

    def _edge(self, target: str, names: str) -> str:
        draw = self._random
        which = draw.randrange(self._rank)
        place = draw.choice(("0", f"{names[which]} - 1", str(self._reach)))
        own = [k for k in range(self._rank) if k != which]
        loops = " ".join(
            f"for (int {_ITERATORS[k]} = {draw.choice((0, 1))}; {_ITERATORS[k]} < {names[k]}; {_ITERATORS[k]}++)"
            for k in own
        )
        subscripts = "".join(f"[{place if k == which else _ITERATORS[k]}]" for k in range(self._rank))
        return f"    {loops}\n      {target}{subscripts} = {draw.choice(('t', '1', 't * 3'))};"

    def _value(self, others: list[str]) -> str:
        draw = self._random
        if draw.random() < 0.15:
            return self._at(draw.choice(others), [0] * self._rank)  # a copy
        terms = [self._at(draw.choice(others), self._offsets()) for _ in range(draw.randint(2, 6))]
        return self._scaled(f"({' + '.join(terms)})", len(terms))

    def _offsets(self) -> list[int]:
        draw, reach = self._random, self._reach
        if draw.random() < 0.5:  # along one dimension
            which = draw.randrange(self._rank)
            return [draw.randint(-reach, reach) if k == which else 0 for k in range(self._rank)]
        return [draw.randint(-reach, reach) for _ in range(self._rank)]

    def _at(self, array: str, offsets: list[int]) -> str:
        pairs = zip(_ITERATORS, offsets, strict=False)
        array = {"A": "A[t % 2]", "B": "A[(t + 1) % 2]"}[array] if self._turns else array
        return array + "".join(
            f"[{name} {'-' if by < 0 else '+'} {abs(by)}]" if by else f"[{name}]" for name, by in pairs
        )

    def _scaled(self, value: str, by: int) -> str:
        return f"{value} * 3 / {by}" if self._type == "int" else f"{value} * {0.99 / by:.3f}{self._suffix}"

    def _half(self, value: str) -> str:
        return f"{value} / 2" if self._type == "int" else f"{value} * 0.5{self._suffix}"

    @property
    def _suffix(self) -> str:
        return "f" if self._type == "float" else ""

    def call(self) -> str:
        """What runs it on arrays of its own, and prints what became of them."""
        sizes = ", ".join(map(str, self._extents))
        count = prod(self._extents)
        lines = [f"  {{ long count = {count}; unsigned long sum = 0;"]
        length = "2 * count" if self._turns else "count"
        for number, array in enumerate(self._arrays):
            value = f"(k * {7 + number} + k / 13) % 101 - {number}"
            lines.append(f"    {self._type} *{array} = malloc(2 * count * sizeof *{array});")
            lines.append(f"    for (long k = 0; k < {length}; k++) {array}[k] = {value};")
        passed = "A" if self._turns else self._arrays
        arrays = ", ".join(f"(void *){a}" for a in passed)
        lines.append(f"    stencil_{self.seed}({self._first + self._steps}, {sizes}, {arrays});")
        for array in self._arrays:
            bits = f"unsigned long bits = 0; memcpy(&bits, {array} + k, sizeof *{array});"
            lines.append(f"    for (long k = 0; k < {length}; k++) {{ {bits} sum = sum * 31 + bits; }}")
            lines.append(f"    free({array});")
        lines.append(f'    printf("{self.seed} %lx\\n", sum); fflush(stdout); }}')
        return "\n".join(lines)


if __name__ == "__main__":
    print(program([int(sys.argv[1])]))
