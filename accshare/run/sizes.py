"""Values for what a region takes from outside: sizes that are small, unlike one another and satisfy its guards."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping

from accshare.data.ir import DataPlan
from accshare.frontend.ir import Expr, Var
from accshare.inputs import describe, inputs
from accshare.inputs import integers as integer_inputs
from accshare.records import dataclass
from accshare.run.evaluate import Number, Unknown, Values, converted
from accshare.run.memory import known_length

#: one of each kind: least, odd, one more than a warp, one that is no multiple of a tile
SMALL = (1, 7, 33, 100)
#: several work-groups: rows nearly a power of two apart, which compete for a cache's sets, and
#: others; the second has a full tile off the edge, of which the widest are 4096
LARGE = (2044, 5000)
#: for a loop by itself: more work-groups than a work-group has work-items, 256 of which run 16 iterations each
LONG = 1_100_000
_ATTEMPTS = 300
#: elements of all arrays together
_MOST_ELEMENTS = 1 << 24
#: innermost iterations at large sizes: a check takes a second, not a minute
_MOST_STEPS = 1 << 27


@dataclass(frozen=True, slots=True)
class Case:
    """One set of inputs: what the region's parameters are, `named` by what the user calls them."""

    values: Values
    named: Mapping[str, Number]

    def __str__(self) -> str:
        return " ".join(f"{name}={value:g}" for name, value in self.named.items() if isinstance(value, int))


class NoCase(Exception):  # noqa: N818 - says what was not found
    """No values satisfy the region's guards; the message says which one fails."""


def integers(plan: DataPlan) -> tuple[str, ...]:
    """The names under which `fixed` may give a region's inputs."""
    return tuple(map(describe, integer_inputs(plan)))


def cases(plan: DataPlan, depth: int, fixed: Mapping[str, int]) -> tuple[Case, ...]:
    """Inputs of all sizes that satisfy the guards, each once. Raises `NoCase` when there are none.

    `fixed` gives values by name (``--size n=1000``); `depth` is how many loops stand in one another.
    """
    search = _Search(plan, fixed)
    sizes = (*SMALL, *LARGE, *((LONG,) if depth == 1 else ()))
    found = {str(case): case for size in sizes for case in search.around(size, depth)}
    if not found:
        raise NoCase(search.reason)
    return tuple(found.values())


def case_near(plan: DataPlan, size: int, fixed: Mapping[str, int], most: int = _MOST_ELEMENTS) -> Case:
    """Inputs of about that size, those in `fixed` as they are; all arrays together have at most `most` elements. Raises
    `NoCase`."""
    free = [name for name in integers(plan) if name not in fixed]
    alike = ((size,) * len(free), *_ladders(size, len(free)))
    why: Exception | None = None
    for numbers in dict.fromkeys(alike):
        try:
            return _checked(plan, inputs(plan), {**fixed, **dict(zip(free, numbers, strict=True))}, most)
        except (NoCase, Unknown) as failed:
            why = why or failed
    raise NoCase(str(why))


class _Search:
    """Looks for inputs that satisfy a region's guards; `reason` is why the first ones tried don't."""

    def __init__(self, plan: DataPlan, fixed: Mapping[str, int]) -> None:
        self.reason = ""
        self._plan, self._fixed, self._leaves = plan, fixed, inputs(plan)
        self._free = [name for name in integers(plan) if name not in fixed]

    def around(self, size: int, depth: int) -> list[Case]:
        """Inputs of that size; where that is too much for all at once, of each in turn."""
        count = len(self._free)
        alike = (*_ladders(size, count), (size,) * count)
        if size in SMALL:
            return self._first((*alike, *_anything(size, count)))
        found = self._first(alike) if size**depth <= _MOST_STEPS else []
        rest = [SMALL[-2] + 2 * k for k in range(count)]
        alone = [(*rest[:k], size, *rest[k + 1 :]) for k in range(count)]
        found = found or [case for numbers in alone for case in self._first((numbers,))]
        return found or self._first(numbers for numbers in _anything(size, count) if max(numbers, default=0) >= size)

    def _first(self, candidates: Iterable[tuple[int, ...]]) -> list[Case]:
        """The first candidate that passes; an empty list if none does."""
        for numbers in dict.fromkeys(candidates):
            chosen = {**self._fixed, **dict(zip(self._free, numbers, strict=True))}
            try:
                return [_checked(self._plan, self._leaves, chosen)]
            except (NoCase, Unknown) as failed:
                self.reason = self.reason or str(failed)
        return []


def _checked(plan: DataPlan, leaves: tuple[Expr, ...], chosen: Mapping[str, int], most: int = _MOST_ELEMENTS) -> Case:
    generator = random.Random(1)
    named: dict[str, Number] = {}
    for leaf in leaves:
        name = describe(leaf)
        value: Number = chosen[name] if name in chosen else generator.uniform(-1, 1)
        named[name] = converted(value, leaf.type)
    places = {leaf: named[describe(leaf)] for leaf in leaves}
    names = {leaf.symbol.unique: value for leaf, value in places.items() if isinstance(leaf, Var)}
    outside = Values(names, places)
    own = {p.symbol.unique: converted(outside.of(p.value), p.symbol.type) for p in plan.parameters}
    values = Values({**names, **own}, {**places, **{p.value: own[p.symbol.unique] for p in plan.parameters}})
    for guard in plan.guards:
        if not values.of(guard.condition):
            raise NoCase(guard.reason)
    if sum(values.integer(known_length(datum)) for datum in plan.data) > most:
        raise NoCase("its arrays would be too large")
    return Case(values, named)


def _ladders(size: int, count: int) -> tuple[tuple[int, ...], ...]:
    """As many numbers from `size` on, each larger than the one before, and the other way round."""
    growing = tuple(size + 2 * k for k in range(count))
    return growing, growing[::-1]


def _anything(size: int, count: int) -> Iterator[tuple[int, ...]]:
    """Ways to choose `count` numbers up to about twice `size`, little ones among them."""
    generator = random.Random(size)
    for _ in range(_ATTEMPTS):
        yield tuple(generator.choice((0, 1, 2, 3, 5, size, size + 1, 2 * size + 1)) for _ in range(count))
