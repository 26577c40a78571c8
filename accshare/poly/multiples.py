"""Strides that nest where one is a multiple of another: ``x[t * c + h * d + i]`` is ``x[t][h][i]`` if d divides c.

A size that is taken for a multiple is read as a product, of the other one and of their quotient, which is a parameter
then: the strides nest as those of any linearised array do. Which size divides the others is told by the loops: rows of
d elements are what a loop up to d runs over, or where no loop runs up to a size, what the loops inside of others do.
That it divides them is looked at when the region begins.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import permutations

from accshare.frontend.ir import INT, LONG, Binary, Expr, For, Scalar, Storage, Symbol, Var
from accshare.islexpr import literal, variable
from accshare.poly.delinearize import Factors, Groups, in_factors, strides, varying
from accshare.poly.ir import Guard
from accshare.poly.parameters import Parameters
from accshare.source import Span
from accshare.tree import expressions, named, operands

#: how many sizes of an array may be taken for multiples
_MOST = 3
#: how many ways with the same number of them are looked at
_TRIED = 16
#: a size that is a multiple of another one
Pair = tuple[Symbol, Symbol]
_Key = tuple[Expr, ...]


def as_multiples(
    references: Sequence[Groups], loops: Sequence[For], parameters: Parameters, pairs: Container[Pair] | None
) -> Factors:
    """The sizes in the subscripts of an array to be read as products, so that its strides nest; none where they do
    already, or the loops don't tell how. Which loop is inside of which tells it of some `pairs` alone, or of any."""
    if strides(references, parameters, False) is not None:
        return {}
    bounds = {loop.iterator: _sizes(loop.bound, parameters) for loop in loops}
    found = _nesting(references, bounds, parameters, pairs)
    read = [in_factors(groups, found) for groups in references]
    row: _Key = next((key for groups in read for key in varying(groups, parameters) if len(key) == 1), ())
    for key in dict.fromkeys(key for groups in read for key in groups):
        if found and len(key) == len(row) and key != row:  # an offset that goes over whole rows
            found = {**found, _symbol(key[0]): _product(key[0], row[0])}
    return _with_quotients(found, parameters)


def _with_quotients(found: Factors, parameters: Parameters) -> Factors:
    """The same with the region's parameters in the places of what stood for quotients."""
    known: dict[Symbol, Var] = {}
    result: dict[Symbol, _Key] = {}
    for whole, product_ in found.items():
        stands_for, part = (known.get(_symbol(factor), factor) for factor in product_)
        size = known.get(whole, variable(whole))
        assert isinstance(part, Var)
        quotient = parameters.quotient(size, part, _type(size.symbol, part.symbol))
        known[_symbol(stands_for)] = quotient
        result[size.symbol] = quotient, part
    return result


def divisible(whole: Symbol, part: Symbol, span: Span) -> Guard:
    """The condition under which a size is a multiple of another, which is positive."""
    remainder = Binary("%", variable(whole), variable(part), _type(whole, part), span)
    condition = Binary("==", remainder, literal(0, INT), INT, span)
    return Guard(condition, f"takes {whole.name} for a multiple of {part.name}", span)


def _nesting(
    references: Sequence[Groups],
    bounds: Mapping[Symbol, frozenset[Symbol]],
    parameters: Parameters,
    pairs: Container[Pair] | None,
) -> Factors:
    """As few sizes as make the strides nest; none where they don't. `bounds` has the loops' in their order."""
    tried: list[Factors] = [{}]
    for _ in range(_MOST):
        tried = [more for read in tried for more in _with_one_more(references, read, bounds, parameters, pairs)]
        tried = tried[:_TRIED]
        for read in tried:
            if strides([in_factors(groups, read) for groups in references], parameters, False) is not None:
                return read
    return {}


def _with_one_more(
    references: Sequence[Groups],
    read: Factors,
    bounds: Mapping[Symbol, frozenset[Symbol]],
    parameters: Parameters,
    pairs: Container[Pair] | None,
) -> Iterator[Factors]:
    """`read` with each size that may be a multiple of another."""
    groups = [in_factors(one, read) for one in references]
    sizes = dict.fromkeys(factor for one in groups for key in varying(one, parameters) for factor in key)
    said = not frozenset[Symbol]().union(*bounds.values()).isdisjoint(map(_symbol, sizes))
    depths = {iterator: depth for depth, iterator in enumerate(bounds)}
    for part, whole in permutations(sizes, 2):
        if said:
            nests = _is_row(_symbol(part), groups, bounds, parameters)
        else:
            known = pairs is None or (_symbol(whole), _symbol(part)) in pairs
            nests = known and _is_inside(part, whole, groups, depths)
        if nests:
            yield {**read, _symbol(whole): _product(whole, part)}


def _is_inside(part: Expr, whole: Expr, references: Sequence[Groups], depths: Mapping[Symbol, int]) -> bool:
    """Whether loops that count `part` are inside of all that count `whole`, wherever both are counted."""
    both = [(groups[whole,], groups[part,]) for groups in references if (whole,) in groups and (part,) in groups]
    found = [tuple([depths[s] for s in named(index) if s in depths] for index in indices) for indices in both]
    counted = [(outer, inner) for outer, inner in found if outer and inner]
    return bool(counted) and all(max(outer) < min(inner) for outer, inner in counted)


def _is_row(
    size: Symbol, references: Sequence[Groups], bounds: Mapping[Symbol, frozenset[Symbol]], parameters: Parameters
) -> bool:
    """Whether loops up to `size` run over rows of that many elements, and no loop up to another size does."""
    keys = {key for groups in references for key in varying(groups, parameters)}
    rows = {key for key in keys if any(_without_one(other, size) == key for other in keys)}
    limits = [
        bounds[part.symbol]
        for groups in references
        for key, index in groups.items()
        if key in rows
        for part in expressions(index)
        if isinstance(part, Var) and part.symbol in bounds
    ]
    told = [limit for limit in limits if limit]
    return bool(told) and all(size in limit for limit in told)


def _without_one(key: _Key, size: Symbol) -> _Key | None:
    """A product without one of its factors; None where it doesn't have that."""
    at = next((k for k, factor in enumerate(key) if _symbol(factor) == size), None)
    return None if at is None else key[:at] + key[at + 1 :]


def _sizes(bound: Expr, parameters: Parameters) -> frozenset[Symbol]:
    """The parameters that a loop's bound is made of, of which a quotient is one."""
    if isinstance(bound, Binary) and bound.op == "/":
        quotient = parameters.of_quotient(bound)
        if quotient is not None:
            return frozenset({quotient.symbol})
    parameter = parameters.of(bound) if isinstance(bound, Var) else None
    inside = (_sizes(part, parameters) for part in operands(bound))
    return frozenset[Symbol]().union({parameter.symbol} if parameter is not None else (), *inside)


def _product(whole: Expr, part: Expr) -> _Key:
    """A size as a product with what stands for the quotient, which is no parameter before it is needed."""
    name = f"{_symbol(whole).unique}/{_symbol(part).unique}"
    return variable(Symbol(name, name, LONG, Storage.LOCAL)), part


def _type(whole: Symbol, part: Symbol) -> Scalar:
    return INT if whole.type == part.type == INT else LONG


def _symbol(factor: Expr) -> Symbol:
    assert isinstance(factor, Var)
    return factor.symbol
