"""Values for what a region takes from outside: sizes that are small, unlike one another and satisfy its guards."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from accshare.data.ir import DataPlan
from accshare.frontend.ir import Expr, Member, Scalar, Subscript, Type, Var
from accshare.run.evaluate import Number, Unknown, Values, converted, describe
from accshare.tree import operands

#: one of each kind: least, odd, one more than a warp, one that is no multiple of a tile
SIZES = (1, 7, 33, 100)
_ATTEMPTS = 300
#: elements of all arrays together
_MOST_ELEMENTS = 1 << 24


@dataclass(frozen=True, slots=True)
class Case:
    """One set of inputs: what the region's parameters are, `named` by what the user calls them."""

    values: Values
    named: Mapping[str, Number]

    def __str__(self) -> str:
        return " ".join(f"{name}={value:g}" for name, value in self.named.items() if isinstance(value, int))


class NoCase(Exception):  # noqa: N818 - says what was not found
    """No values satisfy the region's guards; the message says which one fails."""


def inputs(plan: DataPlan) -> tuple[Expr, ...]:
    """The variables and other places that a region's parameters, sections and guards are computed from, each once."""
    known = {p.symbol.unique for p in plan.parameters}
    found: dict[str, Expr] = {}
    for parameter in plan.parameters:
        for leaf in _leaves(parameter.value):
            found.setdefault(describe(leaf), leaf)
    beside = [e for d in plan.data for e in (d.lower, d.length)] + [g.condition for g in plan.guards]
    for expr in beside:
        for leaf in _leaves(expr):
            if not (isinstance(leaf, Var) and leaf.symbol.unique in known):
                found.setdefault(describe(leaf), leaf)
    return tuple(found.values())


def case(plan: DataPlan, size: int, fixed: Mapping[str, int]) -> Case:
    """Inputs around `size` that satisfy the guards. Raises `NoCase`.

    `fixed` gives values by name (``--size n=1000``).
    """
    leaves = inputs(plan)
    integers = [describe(leaf) for leaf in leaves if _is_integer(leaf.type)]
    free = [name for name in integers if name not in fixed]
    reason = ""
    for numbers in _assignments(size, len(free)):
        chosen = {**fixed, **dict(zip(free, numbers, strict=True))}
        try:
            return _checked(plan, leaves, chosen)
        except (NoCase, Unknown) as failed:
            reason = reason or str(failed)
        if not free:
            break
    raise NoCase(reason)


def _checked(plan: DataPlan, leaves: tuple[Expr, ...], chosen: Mapping[str, int]) -> Case:
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
    if sum(values.integer(datum.length) for datum in plan.data) > _MOST_ELEMENTS:
        raise NoCase("its arrays would be too large")
    return Case(values, named)


def _assignments(size: int, count: int) -> Iterator[tuple[int, ...]]:
    """Ways to choose `count` sizes: growing, shrinking, all alike, then anything small."""
    growing = tuple(size + 2 * k for k in range(count))
    yield growing
    yield growing[::-1]
    yield (size,) * count
    generator = random.Random(size)
    for _ in range(_ATTEMPTS):
        yield tuple(generator.choice((0, 1, 2, 3, 5, size, size + 1, 2 * size + 1)) for _ in range(count))


def _leaves(expr: Expr) -> Iterator[Expr]:
    """The outermost sub-expressions that read the program's memory."""
    if isinstance(expr, (Var, Member, Subscript)):
        yield expr
        return
    for part in operands(expr):
        yield from _leaves(part)


def _is_integer(type_: Type) -> bool:
    return isinstance(type_, Scalar) and not type_.floating
