"""Subscripts of linearised arrays: ``A[i * n + j]`` read as ``A[i][j]``.

The index is expanded to a sum of ``coefficient * iterator * (product of parameters)``. The distinct products, times
what all their coefficients are multiples of (3 in ``A[3 * (i * n + j) + c]``), are the strides. What makes the reading
right, ``0 <= j < n``, is left to the caller to prove or check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import accumulate, pairwise
from math import gcd

from accshare.frontend.ir import (
    INT,
    LONG,
    Array,
    Binary,
    Call,
    Cast,
    Conditional,
    Expr,
    IntLit,
    Member,
    Scalar,
    Subscript,
    Symbol,
    Type,
    Unary,
    Var,
    integer_range,
)
from accshare.islexpr import binary, literal
from accshare.poly.parameters import Parameters
from accshare.records import dataclass, field, replace
from accshare.reference import strip
from accshare.tree import expressions

#: (strides as a sorted tuple of parameter expressions) -> the part of the index that it multiplies
Groups = dict[tuple[Expr, ...], Expr]
#: sizes that are read as products
Factors = Mapping[Symbol, tuple[Expr, ...]]


@dataclass(frozen=True, slots=True)
class Stride:
    """How many elements places of a dimension are apart: `scale` times a product of parameters."""

    factors: tuple[Expr, ...]
    scale: int


#: of an array's dimensions, outermost first
Strides = list[Stride]


@dataclass(frozen=True, slots=True)
class Rows:
    """The strides of a linearised array, with the sizes that are read as products for them to nest."""

    strides: Strides
    factors: Factors = field(default_factory=dict)


#: how many times as far apart rows are as what lies in them, where a constant tells rows
_ROW = 16


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
        case Conditional(condition, then, other) if _is_told(condition) and not parameters.is_invariant(index):
            left, right = expand(then, parameters), expand(other, parameters)
            if left is None or right is None:
                return None
            keys = {**varying(left, parameters), **varying(right, parameters)}.keys() | {()}
            left, right = (_folded(side, sorted(keys, key=len, reverse=True), index) for side in (left, right))
            return {k: _choice(condition, left.get(k), right.get(k), index) for k in {**left, **right}}
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
        one = _number(constant, index.type)
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
    if parameter is not None:
        return [Var(parameter.symbol, expr.span)]
    quotient = parameters.of_quotient(expr) if isinstance(expr, Binary) and expr.op == "/" else None
    return None if quotient is None else [quotient]


def _order(expr: Expr) -> str:
    return expr.symbol.unique if isinstance(expr, Var) else ""


def _narrows(cast: Cast) -> bool:
    """Whether values of the operand's type may be cut off to one shorter than ``int``, as programs mean them to be."""
    types = cast.operand.type, cast.type
    sizes = [type_.bytes for type_ in types if isinstance(type_, Scalar)]
    return len(sizes) < len(types) or sizes[1] < min(sizes[0], INT.bytes)


def _number(value: int, type_: Type) -> IntLit:
    """A number of a type, or of one that has numbers below 0."""
    assert isinstance(type_, Scalar)
    return literal(value, type_ if value >= 0 or type_.signed else LONG)


def _negated(part: Expr) -> Expr:
    """The number that is as far on the other side of 0, whatever type the part has."""
    if isinstance(part, IntLit):
        return replace(_number(-part.value, part.type), span=part.span)
    if isinstance(part.type, Scalar) and not part.type.signed:
        part = _widened(part)
    return Unary("-", part, part.type, part.span)


def _combine(op: str, left: Expr | None, right: Expr | None, index: Expr) -> Expr:
    if left is None:
        assert right is not None
        return right if op == "+" else _negated(right)
    return left if right is None else _with(op, left, right, index)


def _is_told(condition: Expr) -> bool:
    """Whether iterators and parameters decide it, not what memory holds."""
    return not any(isinstance(e, Subscript | Member | Call) for e in expressions(condition))


def _folded(groups: Groups, keys: list[tuple[Expr, ...]], index: Expr) -> Groups:
    """The same sum in terms of some products, large ones first: another one counts as so many of the first it holds."""
    found: Groups = {}
    for key, part in groups.items():
        of = next(k for k in keys if not Counter(k) - Counter(key))
        value = reduce(lambda a, b: _with("*", a, b, index), _without(key, of), part)
        found[of] = _combine("+", found.get(of), value, index)
    return found


def _choice(condition: Expr, left: Expr | None, right: Expr | None, index: Expr) -> Expr:
    """One of two parts of `index`, nothing where there is none."""
    if left == right and left is not None:
        return left
    type_ = index.type
    assert isinstance(type_, Scalar)
    none = literal(0, type_)
    sides = (none if side is None else side for side in (left, right))
    then, other = (side if side.type == type_ else Cast(side, type_, True, index.span) for side in sides)
    return Conditional(condition, then, other, type_, index.span)


def _with(op: str, left: Expr, right: Expr, index: Expr) -> Expr:
    """``left op right`` as a part of `index`, in its type: conversions inside were left out. A part may be less than 0
    that is taken from others, where an unsigned `index` is not."""
    type_ = index.type
    assert isinstance(type_, Scalar)
    if not type_.signed and (op == "-" or LONG in (left.type, right.type)):
        type_ = LONG
        left, right = (side if isinstance(side, IntLit) else _widened(side) for side in (left, right))
    found = binary(op, left, right, type_)
    if isinstance(found, IntLit) and found is not left and found is not right:
        return _number(found.value, found.type)
    if not isinstance(found, Binary) or found is left or found is right:
        return found
    if _short(found.lhs, type_) and _short(found.rhs, type_):
        found = replace(found, lhs=Cast(found.lhs, type_, False, index.span))
    return replace(found, span=index.span)


def _widened(part: Expr) -> Expr:
    """A part as a number that may be less than 0; one of 64 bits comes to the same places as it is."""
    short = isinstance(part.type, Scalar) and part.type.bytes < LONG.bytes
    return Cast(part, LONG, False, part.span) if short else part


def _short(expr: Expr, type_: Scalar) -> bool:
    return isinstance(expr.type, Scalar) and INT.bytes <= expr.type.bytes < type_.bytes


def in_factors(groups: Groups, factors: Factors) -> Groups:
    """The same sum where some sizes are read as products."""
    found: Groups = {}
    for key, part in groups.items():
        names = list(key)
        for whole, product in factors.items():
            names = [new for old in names for new in (product if _is(old, whole) else (old,))]
        same = tuple(sorted(names, key=_order))
        found[same] = _combine("+", found.get(same), part, part)
    return found


def _is(factor: Expr, symbol: Symbol) -> bool:
    return isinstance(factor, Var) and factor.symbol == symbol


def varying(groups: Groups, parameters: Parameters) -> Groups:
    """The groups that change inside the region: only they tell rows from columns; ``A[2 * n + i]`` needs no rows."""
    return {key: part for key, part in groups.items() if not parameters.is_invariant(part)}


def by_stride(index: Expr, rows: Rows, parameters: Parameters) -> tuple[Expr, ...] | None:
    """The part of `index` that each of the strides multiplies; what carries further parameters counts as so many of
    the largest stride it holds. None when it isn't a sum of products."""
    groups = expand(index, parameters)
    if groups is None:
        return None
    strides_, found = rows.strides, dict[Stride, Expr]()
    for key, part in in_factors(groups, rows.factors).items():
        fitting = [s for s in strides_ if not Counter(s.factors) - Counter(key)]
        levels = [s for s in fitting if s.factors == fitting[0].factors]
        value = reduce(lambda a, b: _with("*", a, b, index), _without(key, levels[0].factors), part)
        if len(levels) > 1:
            parts = _by_level(value, levels, index)
        elif _content(value) % levels[0].scale:
            return None
        else:
            parts = [(levels[0], _divided(value, levels[0].scale, index))]
        for stride, own in parts:
            found[stride] = _combine("+", found.get(stride), own, index)
    outermost, *others = (found.get(stride, literal(0, INT)) for stride in strides_)
    return _in_type(outermost, index), *others


def _in_type(part: Expr, index: Expr) -> Expr:
    """The outermost part of an unsigned index as a number of its type, which is not less than 0."""
    type_ = index.type
    assert isinstance(type_, Scalar)
    below = not type_.signed and part.type == LONG and not isinstance(part, IntLit)
    return Cast(part, type_, False, index.span) if below else part


def _by_level(value: Expr, levels: Strides, index: Expr) -> list[tuple[Stride, Expr]]:
    """A sum in parts for the strides that a constant tells apart, each its term; a constant goes to the next row."""
    result: list[tuple[Stride, Expr]] = []
    for by, term in _terms(value):
        for stride in levels:
            whole = (by + stride.scale // 2) // stride.scale if term is None else by // stride.scale
            if term is not None and by % stride.scale:
                continue
            count = _number(whole, index.type)
            result.append((stride, count if term is None else _with("*", term, count, index)))
            by -= whole * stride.scale
            if by == 0:
                break
    return result


def _terms(expr: Expr) -> list[tuple[int, Expr | None]]:
    """`expr` as a sum of constants times terms without any; None stands for 1."""
    match expr:
        case IntLit(value):
            return [(value, None)]
        case Cast(operand) if integer_range(operand.type) and not _narrows(expr):
            return _terms(operand)
        case Unary("+" | "-" as op, operand):
            return [(by if op == "+" else -by, term) for by, term in _terms(operand)]
        case Binary("+" | "-" as op, lhs, rhs):
            return _terms(lhs) + [(by if op == "+" else -by, term) for by, term in _terms(rhs)]
        case Binary("*" | "<<" as op, lhs, rhs):
            for side, other in ((lhs, strip(rhs)), (rhs, strip(lhs)))[: 2 if op == "*" else 1]:
                if isinstance(other, IntLit):
                    times = other.value if op == "*" else 1 << other.value
                    return [(by * times, term) for by, term in _terms(side)]
    return [(1, expr)]


def in_dimensions(flat: Subscript, places: tuple[Expr, ...], shape: tuple[Expr | None, ...]) -> Expr:
    """The element `flat` of a pointer as that of an array of some shape."""
    types = [flat.type]
    for length in reversed(shape[1:]):
        types.append(Array(types[-1], length))
    element = flat.base
    for place, type_ in zip(places, reversed(types), strict=True):
        element = Subscript(element, place, type_, flat.span)
    return element


def strides(references: Sequence[Groups], parameters: Parameters, constant: bool) -> Strides | None:
    """The strides of what `references` have in common, largest first, each a multiple of the next; None when they don't
    nest. A large `constant` may be one, as in ``A[1000 * i + j]``."""
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
    found = [Stride(key, scale or 1) for key, scale in zip(keys, common, strict=True)]
    rows = _rows([groups[()] for groups in references if () in groups], parameters) if constant else []
    offsets = (item for groups in references for item in groups.items() if not _multiple(item[0], keys))
    fits = rows and not any(stride.scale % rows[0] for stride in found[:-1])
    fits = fits and not any(_content(part) % rows[0] for _, part in offsets)
    return [*found[:-1], *(Stride((), row) for row in rows if fits), found[-1]]


def _multiple(key: tuple[Expr, ...], keys: Sequence[tuple[Expr, ...]]) -> bool:
    """Whether a product is none, or one of those in `keys` and perhaps more."""
    return not key or any(other and not Counter(other) - Counter(key) for other in keys)


def _rows(parts: Sequence[Expr], parameters: Parameters) -> list[int]:
    """How far rows lie apart that constants tell, the longest first."""
    terms = [(abs(by), term) for part in parts for by, term in _terms(part) if term is not None]
    factors = sorted({by for by, term in terms if by and not parameters.is_invariant(term)})
    found: list[int] = []
    for k, (inner, outer) in enumerate(pairwise(factors)):
        row = gcd(*factors[k + 1 :])
        if row >= _ROW * inner and row >= outer:
            found.insert(0, row)
    offsets = [by for by, term in terms if parameters.is_invariant(term)]
    return [] if any(by % row for by in offsets for row in found) else found


def by_constant(strides_: Strides) -> bool:
    """Whether it is a constant that tells some dimensions."""
    return len({stride.factors for stride in strides_}) < len(strides_)


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
        case Binary("+" | "-", lhs, rhs) | Conditional(_, lhs, rhs):
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
        case Conditional(condition, then, other):
            return _choice(condition, _divided(then, by, index), _divided(other, by, index), index)
        case Binary("*", lhs, rhs):
            left = gcd(by, _content(lhs))
            return _with("*", _divided(lhs, left, index), _divided(rhs, by // left, index), index)
    raise AssertionError
