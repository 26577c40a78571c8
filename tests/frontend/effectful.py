"""Random C functions full of effects inside expressions, calls, jumps and ``switch``, each with one meaning only.

What one part of an expression changes is used in no other part, unless a sequence point divides them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

FUNCTIONS = """
static int shared = 5;
static int bump(int *p) { return (*p)++ * 3; }
static int mix(int *p, int k) {
  int t = k;
  if (k & 1) { *p += k; return *p; }
  while (t-- > 0) { *p ^= t; if (*p & 8) return t; }
  return 7;
}
static int pick(int k) {
  switch (k & 7) { case 1: k = 4; case 2: return k + 1; case 5: break; default: k--; }
  return k;
}
static int across(const int *from, int *to, int k) {
  for (int j = 0; j < 4; j++) { if (from[j] == k) continue; to[j] += from[j] & 15; if (to[j] & 16) return j; }
  return shared += k & 3;
}
static void twice(int *p) { if (*p > 1000) return; *p = *p * 2 + 1; }
"""
_NAMES = ("a", "b", "c", "d")
_ARRAYS = ("I", "J")


class Writer:
    """One function's body; `avail` are always the objects that a part may touch."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._loops = 0

    def body(self) -> str:
        stmts = self._block(2, False)
        return f"int a = n, b = 3, c = I[1], d = -2; {stmts} I[0] += a; I[1] ^= b; I[2] -= c; I[3] += d;"

    def _block(self, depth: int, looped: bool) -> str:
        return " ".join(self._statement(depth, looped) for _ in range(self._random.randint(2, 4)))

    def _statement(self, depth: int, looped: bool) -> str:
        rnd = self._random
        kind = rnd.choice("eeeeiiwfsjd" if depth else "ee")
        everything = (*_NAMES, *_ARRAYS)
        value = self._expression(everything, 3)
        match kind:
            case "i":
                other = f" else {{ {self._block(depth - 1, looped)} }}" if rnd.random() < 0.5 else ""
                return f"if ({value}) {{ {self._block(depth - 1, looped)} }}{other}"
            case "w" | "d":
                self._loops += 1
                count = f"w{self._loops}"
                body = self._block(depth - 1, True)
                if kind == "d":
                    return f"{{ int {count} = 4; do {{ {body} }} while ({count}-- > 0 && ({value}) % 5); }}"
                return f"{{ int {count} = 5; while ({count}-- > 0 && ({value}) % 7) {{ {body} }} }}"
            case "f":
                self._loops += 1
                name = f"f{self._loops}"
                step = rnd.choice((f"{name}++", f"{name} += 2, a++", f"b = {name}++"))
                test = rnd.choice((f"{name} < 5", f"{name} < 6 && bump(&c) != 9", f"{name} < 4"))
                return f"for (int {name} = 0; {test}; {step}) {{ {self._block(depth - 1, True)} }}"
            case "s":
                return self._switch(value, depth, looped)
            case "j":
                word = rnd.choice(("break", "continue")) if looped else "shared++"
                return f"if ({value}) {{ {self._effect(everything)} {word}; }}"
        return self._effect(everything)

    def _switch(self, value: str, depth: int, looped: bool) -> str:
        rnd = self._random
        labels = rnd.sample(["case 0:", "case 1: case 2:", "case 3:", "case 4:", "default:"], rnd.randint(1, 5))
        ends = ("break;", "", f"if ({self._expression(_NAMES, 2)}) break;", "continue;" if looped else "break;")
        parts = (f"{label} {self._block(depth - 1, looped)} {rnd.choice(ends)}" for label in labels)
        return f"switch (({value}) % 5) {{ {' '.join(parts)} }}"

    def _effect(self, avail: Sequence[str]) -> str:
        one, two = self._split(avail)
        if self._random.random() < 0.3:
            return f"{self._expression(avail, 3)};"
        target = self._place(one) if one else "shared"
        return f"{target} {self._random.choice(('=', '+=', '^='))} {self._expression(two, 3)};"

    def _split(self, avail: Sequence[str]) -> tuple[list[str], list[str]]:
        mixed = self._random.sample(list(avail), len(avail))
        cut = self._random.randint(0, len(mixed))
        return mixed[:cut], mixed[cut:]

    def _place(self, avail: Sequence[str]) -> str:
        name = self._random.choice(list(avail))
        if name not in _ARRAYS:
            return name
        index = self._expression([other for other in avail if other != name], 1)
        return f"{name}[({index}) & 15]"

    def _expression(self, avail: Sequence[str], depth: int) -> str:
        rnd = self._random
        if not avail or depth == 0 or rnd.random() < 0.15:
            return self._place(avail) if avail and rnd.random() < 0.7 else str(rnd.randint(-3, 9))
        one, two = self._split(avail)
        kind = rnd.randrange(9)
        if kind == 0:
            return f"({self._expression(one, depth - 1)} {rnd.choice('+-*&^')} {self._expression(two, depth - 1)})"
        if kind == 1:
            first, second = self._expression(avail, depth - 1), self._expression(avail, depth - 1)
            return f"({first} {rnd.choice(('&&', '||', ','))} {second})"
        if kind == 2:
            three = (self._expression(avail, depth - 1) for _ in range(3))
            return "({} ? {} : {})".format(*three)
        if kind == 3:
            op = rnd.choice(("++", "--"))
            place = self._place(avail)
            return f"({place}{op})" if rnd.random() < 0.5 else f"({op}{place})"
        if kind == 4 and one:
            return f"({self._place(one)} {rnd.choice(('=', '+=', '-='))} {self._expression(two, depth - 1)})"
        if kind == 5 and one:
            return f"mix(&{self._place(one)}, ({self._expression(two, depth - 1)}) & 7)"
        if kind == 6:
            return rnd.choice((f"bump(&{self._place(avail)})", f"pick({self._expression(avail, depth - 1)})"))
        if kind == 7 and {"I", "J"} <= set(avail):
            return f"across(I + ({self._expression([v for v in avail if v in _NAMES], 1)} & 7), J, {rnd.randint(0, 9)})"
        return f"(twice(&{self._place(avail)}), {self._expression(avail, depth - 1)})"
