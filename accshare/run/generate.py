"""Data for a region's arrays: distinct, small, and never a subscript out of bounds or a division by zero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from accshare.emit.ir import RegionText
from accshare.frontend.ir import (
    Assign,
    Binary,
    Block,
    Declare,
    Expr,
    FloatLit,
    For,
    IntLit,
    Scalar,
    Subscript,
    Symbol,
    Unary,
    Var,
)
from accshare.run.dtypes import AnyArray, leaves
from accshare.run.evaluate import Values
from accshare.run.memory import Section, section
from accshare.tree import expressions, named, own_expressions, statements

_SMALL = 9


def sections(region: RegionText, values: Values, seed: int) -> dict[str, Section]:
    """Filled memory for each of the region's data. Raises `Unknown` and `TypeError`."""
    plan, body = region.offload.plan, region.offload.region.body
    made = {datum.name: section(datum, values) for datum in plan.data}
    generator = np.random.default_rng(seed)
    indices, bounds = _indexsymbols(body), _boundsymbols(body)
    lowest = 1 if _divides(body) else -_SMALL
    limit = _smallest_extent(made, values)
    for datum in plan.data:
        elements = made[datum.name].elements
        root = _root(datum.origin)
        if root is not None and root.values:
            _fill_table(made[datum.name], root.values)
        elif datum.scalar or root not in indices | bounds:
            _fill(elements, generator, lowest)
        else:
            _fill_indices(elements, generator, limit, ordered=root in bounds)
    return made


def _fill(array: AnyArray, generator: np.random.Generator, lowest: int) -> None:
    for _, part in leaves(array):
        if part.dtype.kind == "f":
            part[...] = generator.uniform(-1, 1, part.shape)
        elif part.dtype.kind == "b":
            part[...] = generator.integers(0, 2, part.shape)
        else:
            part[...] = generator.integers(lowest if part.dtype.kind == "i" else max(lowest, 0), _SMALL + 1, part.shape)


def _fill_table(table: Section, values: tuple[Expr, ...]) -> None:
    """What the program says is in an array of constants."""
    numbers = [_number(value) for value in values]
    table.elements[...] = numbers[table.lower : table.lower + len(table.elements)]


def _number(expr: Expr) -> float:
    """The value of a literal, negative or not."""
    match expr:
        case IntLit(value):
            return value
        case FloatLit(text):
            return float(text.rstrip("fF"))
        case Unary("-", operand):
            return -_number(operand)
    raise TypeError(f"{expr} is no number")


def _fill_indices(array: AnyArray, generator: np.random.Generator, limit: int, *, ordered: bool) -> None:
    """Subscripts below `limit`: rising where loops run from one to the next, else as different as they can be."""
    for _, part in leaves(array):
        if part.dtype.kind == "f":
            part[...] = generator.uniform(-1, 1, part.shape)
            continue
        numbers = np.arange(part.size) % max(1, limit)
        numbers = np.sort(numbers) if ordered else generator.permutation(numbers)
        part[...] = numbers.reshape(part.shape)


def _smallest_extent(made: Mapping[str, Section], values: Values) -> int:
    """A bound that no dimension of any array falls below."""
    extents = [len(s.elements) for s in made.values() if len(s.elements) > 1]
    extents += [value for value in values.names.values() if isinstance(value, int) and value > 0]
    return min(extents, default=1)


def _indexsymbols(body: Block) -> set[Symbol]:
    """Variables whose values decide a subscript, directly or through others."""
    return _sources(body, {v for e in _expressions(body) if isinstance(e, Subscript) for v in named(e.index)})


def _boundsymbols(body: Block) -> set[Symbol]:
    """Variables whose values decide where a loop begins or ends."""
    loops = [stmt for stmt in statements(body) if isinstance(stmt, For)]
    return _sources(body, {v for loop in loops for end in (loop.first, loop.bound) for v in named(end)})


def _sources(body: Block, found: set[Symbol]) -> set[Symbol]:
    """`found` with every variable whose value flows into one of them."""
    flows: list[tuple[Symbol | None, set[Symbol]]] = []
    for stmt in statements(body):
        match stmt:
            case Assign(target, _, value):
                flows.append((_root(target), named(value)))
            case Declare(symbol, init) if init is not None:
                flows.append((symbol, named(init)))
            case _:
                continue
    while more := {v for target, values in flows if target in found for v in values} - found:
        found = found | more
    return found


def _divides(body: Block) -> bool:
    """Whether an integer division could meet a zero."""
    return any(
        isinstance(e, Binary) and e.op in {"/", "%"} and isinstance(e.type, Scalar) and not e.type.floating
        for e in _expressions(body)
    )


def _expressions(body: Block) -> Iterator[Expr]:
    for stmt in statements(body):
        for own in own_expressions(stmt):
            yield from expressions(own)


def _root(place: Expr) -> Symbol | None:
    """The variable that a place belongs to."""
    return next((e.symbol for e in expressions(place) if isinstance(e, Var)), None)
