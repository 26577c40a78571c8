"""Comparisons of sizes that come out the same whatever the sizes are: ``64 * n <= n * 64``, ``n + 1 <= n``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from accshare.conversions import preserves
from accshare.frontend.ir import Binary, Cast, Expr, IntLit, Scalar, Symbol, Type, Unary, Var
from accshare.islbuild import at_least, points
from accshare.poly.ir import Parameter

#: how often each factor is in a product
_Product: TypeAlias = frozenset[tuple[Expr, int]]


def possible(facts: Iterable[tuple[Expr, Expr]], parameters: tuple[Parameter, ...]) -> bool:
    """Whether there are sizes for which the first of each pair is at least the second. Products of sizes count as sizes
    of their own, so a yes may be wrong."""
    meanings = {p.symbol: p.value for p in parameters if _is_signed(p.symbol.type) and not isinstance(p.value, Var)}
    differences = []
    for one, other in facts:
        terms = _terms(one, meanings)
        terms.subtract(_terms(other, meanings))
        differences.append(terms)
    constant: _Product = frozenset()
    products = dict.fromkeys(product for terms in differences for product in terms if product != constant)
    values = points(len(products))
    of = dict(zip(products, values.coordinates, strict=True)) | {constant: values.function(1)}
    sums = (sum((n * of[product] for product, n in terms.items()), values.function(0)) for terms in differences)
    return not values.where(*(at_least(each, 0) for each in sums)).is_empty()


def _terms(expr: Expr, meanings: Mapping[Symbol, Expr]) -> Counter[_Product]:
    """A sum of products, each with its factor; what is no integer arithmetic counts as a variable."""
    match expr:
        case IntLit(value):
            return Counter({frozenset(): value})
        case Var(symbol) if symbol in meanings:
            return _terms(meanings[symbol], meanings)
        case Cast(operand, type_) if preserves(operand.type, type_):
            return _terms(operand, meanings)
        case Unary("-", operand):
            return Counter({product: -factor for product, factor in _terms(operand, meanings).items()})
        case Binary("+" | "-" as op, lhs, rhs):
            sum_, second = _terms(lhs, meanings), _terms(rhs, meanings)
            sum_.update(second) if op == "+" else sum_.subtract(second)
            return sum_
        case Binary("*", lhs, rhs):
            product: Counter[_Product] = Counter()
            for one, factor in _terms(lhs, meanings).items():
                for other, more in _terms(rhs, meanings).items():
                    product[_times(one, other)] += factor * more
            return product
    return Counter({frozenset({(expr, 1)}): 1})


def _is_signed(type_: Type) -> bool:
    """Whether arithmetic in it never wraps, in a correct program."""
    return isinstance(type_, Scalar) and not type_.floating and type_.signed


def _times(one: _Product, other: _Product) -> _Product:
    powers = Counter(dict(one))
    powers.update(dict(other))
    return frozenset(powers.items())
