"""Subscripts of linearised arrays: ``A[i * n + j]`` read as ``A[i][j]``.

The index is expanded to a sum of ``coefficient * iterator * (product of parameters)``. The distinct products, times
what all their coefficients are multiples of (3 in ``A[3 * (i * n + j) + c]``), are the strides. What makes the reading
right, ``0 <= j < n``, is left to the caller to prove or check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate, pairwise
from math import gcd

from accshare.frontend.ir import (
    INT,
    Array,
    Binary,
    Cast,
    Expr,
    IntLit,
    Scalar,
    Subscript,
    Unary,
    Var,
    integer_range,
)
from accshare.islexpr import binary, literal
from accshare.poly.parameters import Parameters

#: (strides as a sorted tuple of parameter expressions) -> the part of the index that it multiplies
Groups = dict[tuple[Expr, ...], Expr]


@dataclass(frozen=True, slots=True)
class Stride:
    """How many elements places of a dimension are apart: `scale` times a product of parameters."""

    factors: tuple[Expr, ...]
    scale: int


#: of an array's dimensions, outermost first
Strides = list[Stride]


def expand(index: Expr, parameters: Parameters) -> Groups | None:
    """Group the terms of `index` by the product of parameters they carry; None when it isn't such a sum."""
    match index:
        case Cast(operand) if integer_range(operand.type) and not _narrows(index):
            return expand(operand, parameters)
        case Unary("+", operand):
            return expand(operand, parameters)
        case Unary("-", operand):
            inner = expand(operand, parameters)
            return inner and {k: _negated(v) for k, v in inner.items()}
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
        return {tuple(sorted((*key, *names), key=_order)): _with("*", part, one, index) for key, part in inner.items()}
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


def _narrows(cast: Cast) -> bool:
    """Whether values of the operand's type may be cut off to one shorter than ``int``, as programs mean them to be."""
    types = cast.operand.type, cast.type
    sizes = [type_.bytes for type_ in types if isinstance(type_, Scalar)]
    return len(sizes) < len(types) or sizes[1] < min(sizes[0], INT.bytes)


def _negated(part: Expr) -> Expr:
    if isinstance(part, IntLit):
        return replace(part, value=-part.value)
    return Unary("-", part, part.type, part.span)


def _combine(op: str, left: Expr | None, right: Expr | None, index: Expr) -> Expr:
    if left is None:
        assert right is not None
        return right if op == "+" else _negated(right)
    return left if right is None else _with(op, left, right, index)


def _with(op: str, left: Expr, right: Expr, index: Expr) -> Expr:
    """``left op right`` as a part of `index`, in its type: conversions inside were left out."""
    type_ = index.type
    assert isinstance(type_, Scalar)
    found = binary(op, left, right, type_)
    if not isinstance(found, Binary) or found is left or found is right:
        return found
    if _short(found.lhs, type_) and _short(found.rhs, type_):
        found = replace(found, lhs=Cast(found.lhs, type_, False, index.span))
    return replace(found, span=index.span)


def _short(expr: Expr, type_: Scalar) -> bool:
    return isinstance(expr.type, Scalar) and INT.bytes <= expr.type.bytes < type_.bytes


def varying(groups: Groups, parameters: Parameters) -> Groups:
    """The groups that change inside the region: only they tell rows from columns; ``A[2 * n + i]`` needs no rows."""
    return {key: part for key, part in groups.items() if not parameters.is_invariant(part)}


def by_stride(index: Expr, strides_: Strides, parameters: Parameters) -> tuple[Expr, ...] | None:
    """The part of `index` that each of the strides multiplies; what carries further parameters counts as so many of
    the largest stride it holds. None when it isn't a sum of products."""
    groups = expand(index, parameters)
    if groups is None:
        return None
    found: dict[Stride, Expr] = {}
    for key, part in groups.items():
        stride = next(s for s in strides_ if not Counter(s.factors) - Counter(key))
        value = reduce(lambda a, b: _with("*", a, b, index), _without(key, stride.factors), part)
        if _content(value) % stride.scale:
            return None
        found[stride] = _combine("+", found.get(stride), _divided(value, stride.scale, index), index)
    return tuple(found.get(stride, literal(0, INT)) for stride in strides_)


def in_dimensions(flat: Subscript, places: tuple[Expr, ...], shape: tuple[Expr | None, ...]) -> Expr:
    """The element `flat` of a pointer as that of an array of some shape."""
    types = [flat.type]
    for length in reversed(shape[1:]):
        types.append(Array(types[-1], length))
    element = flat.base
    for place, type_ in zip(places, reversed(types), strict=True):
        element = Subscript(element, place, type_, flat.span)
    return element


def strides(references: Sequence[Groups], parameters: Parameters) -> Strides | None:
    """The strides of what `references` have in common, largest first, each a multiple of the next; None when they don't
    nest."""
    moving = {key for groups in references for key in varying(groups, parameters)}
    keys = sorted(moving | {()}, key=len, reverse=True)
    for outer, inner in pairwise(keys):
        if len(outer) == len(inner) or Counter(inner) - Counter(outer):
            return None
    scales = dict.fromkeys(keys, 0)
    for key, part in (item for groups in references for item in groups.items()):
        of = next(k for k in keys if not Counter(k) - Counter(key))
        scales[of] = gcd(scales[of], _content(part))
    scales[()] = 1
    common = accumulate(scales.values(), gcd)
    return [Stride(key, scale or 1) for key, scale in zip(keys, common, strict=True)]


def extent(outer: Stride, inner: Stride) -> Expr:
    """The length of the dimension between two strides."""
    own: Expr = literal(outer.scale // inner.scale, INT)
    return reduce(lambda a, b: binary("*", a, b, INT), _without(outer.factors, inner.factors), own)


def _without(outer: tuple[Expr, ...], inner: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The factors of `outer` that `inner` does not have."""
    return tuple((Counter(outer) - Counter(inner)).elements())


def _content(expr: Expr) -> int:
    """A number that `expr` is a multiple of, 0 where it is 0."""
    match expr:
        case IntLit(value):
            return abs(value)
        case Cast(operand) | Unary("+" | "-", operand):
            return _content(operand)
        case Binary("+" | "-", lhs, rhs):
            return gcd(_content(lhs), _content(rhs))
        case Binary("*", lhs, rhs):
            return _content(lhs) * _content(rhs)
    return 1


def _divided(expr: Expr, by: int, index: Expr) -> Expr:
    """`expr` divided by one of the factors of its content."""
    if by == 1:
        return expr
    match expr:
        case IntLit(value):
            return replace(expr, value=value // by)
        case Cast(operand) | Unary("+" | "-", operand):
            return replace(expr, operand=_divided(operand, by, index))
        case Binary("+" | "-" as op, lhs, rhs):
            return _with(op, _divided(lhs, by, index), _divided(rhs, by, index), index)
        case Binary("*", lhs, rhs):
            left = gcd(by, _content(lhs))
            return _with("*", _divided(lhs, left, index), _divided(rhs, by // left, index), index)
    raise AssertionError
