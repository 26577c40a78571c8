"""Subscripts of linearised arrays: ``A[i * n + j]`` read as ``A[i][j]``.

The index is expanded to a sum of ``coefficient * iterator * (product of parameters)``; the distinct products are the
strides. What makes the reading right, ``0 <= j < n``, is left to the caller to prove or check.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from itertools import pairwise

from accshare.frontend.ir import Binary, Cast, Expr, IntLit, Unary, Var, integer_range
from accshare.islexpr import binary, literal
from accshare.poly.parameters import Parameters

#: (strides as a sorted tuple of parameter expressions) -> the part of the index that it multiplies
Groups = dict[tuple[Expr, ...], Expr]


def expand(index: Expr, parameters: Parameters) -> Groups | None:
    """Group the terms of `index` by the product of parameters they carry; None when it isn't such a sum."""
    match index:
        case Cast(operand) if integer_range(operand.type):
            return expand(operand, parameters)
        case Unary("+", operand):
            return expand(operand, parameters)
        case Unary("-", operand):
            inner = expand(operand, parameters)
            return inner and {k: Unary("-", v, v.type, v.span) for k, v in inner.items()}
        case Binary("+" | "-" as op, lhs, rhs):
            left, right = expand(lhs, parameters), expand(rhs, parameters)
            if left is None or right is None:
                return None
            return {k: _combine(op, left.get(k), right.get(k), index) for k in {**left, **right}}
        case Binary("*", lhs, rhs):
            return _product(lhs, rhs, index, parameters)
        case Var():
            parameter = parameters.of(index)
            one = literal(1, index.type)  # type: ignore[arg-type]
            return {(): index} if parameter is None else {(Var(parameter.symbol, index.span),): one}
        case _:
            return {(): index}


def _product(lhs: Expr, rhs: Expr, index: Binary, parameters: Parameters) -> Groups | None:
    for scale, rest in ((rhs, lhs), (lhs, rhs)):
        factors = _factors(scale, parameters)
        if factors is None:
            continue
        inner = expand(rest, parameters)
        if inner is None:
            return None
        constant = reduce(lambda a, f: a * f.value if isinstance(f, IntLit) else a, factors, 1)
        names = tuple(f for f in factors if not isinstance(f, IntLit))
        one = literal(constant, index.type)  # type: ignore[arg-type]
        return {
            tuple(sorted((*key, *names), key=_order)): binary("*", part, one, index.type)  # type: ignore[arg-type]
            for key, part in inner.items()
        }
    return None


def _factors(expr: Expr, parameters: Parameters) -> list[Expr] | None:
    """`expr` as a product of constants and parameters, or None when it holds an iterator or is no parameter."""
    while isinstance(expr, Cast) and integer_range(expr.operand.type):
        expr = expr.operand
    if isinstance(expr, IntLit):
        return [expr]
    if isinstance(expr, Binary) and expr.op == "*":
        left, right = _factors(expr.lhs, parameters), _factors(expr.rhs, parameters)
        return None if left is None or right is None else left + right
    parameter = parameters.of(expr)
    return None if parameter is None else [Var(parameter.symbol, expr.span)]


def _order(expr: Expr) -> str:
    return expr.symbol.unique if isinstance(expr, Var) else ""


def _combine(op: str, left: Expr | None, right: Expr | None, index: Expr) -> Expr:
    type_ = index.type
    if left is None:
        assert right is not None
        return right if op == "+" else Unary("-", right, type_, index.span)
    return left if right is None else Binary(op, left, right, type_, index.span)


def varying(groups: Groups, parameters: Parameters) -> Groups:
    """The groups that change inside the region: only they tell rows from columns; ``A[2 * n + i]`` needs no rows."""
    return {key: part for key, part in groups.items() if not parameters.is_invariant(part)}


def by_stride(index: Expr, keys: list[tuple[Expr, ...]], parameters: Parameters) -> Groups | None:
    """Split `index` over the strides `keys`; what carries further parameters counts as so many of the largest
    stride it holds. None when it isn't a sum of products."""
    groups = expand(index, parameters)
    if groups is None:
        return None
    found: Groups = {}
    for key, part in groups.items():
        stride = next(k for k in keys if not Counter(k) - Counter(key))
        value = reduce(lambda a, b: Binary("*", a, b, a.type, index.span), quotient(key, stride), part)
        found[stride] = _combine("+", found.get(stride), value, value)
    return found


def strides(groups: Groups) -> list[tuple[Expr, ...]] | None:
    """The strides of `groups`, largest first, each a multiple of the next; None when they don't nest."""
    keys = sorted(set(groups) | {()}, key=len, reverse=True)
    for outer, inner in pairwise(keys):
        if len(outer) == len(inner) or Counter(inner) - Counter(outer):
            return None
    return keys


def quotient(outer: tuple[Expr, ...], inner: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The factors of `outer` that `inner` does not have: the extent of the dimension between the two strides."""
    return tuple((Counter(outer) - Counter(inner)).elements())
