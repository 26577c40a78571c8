"""Affine expressions and conditions over the loops around a statement.

A domain is an unnamed isl set ``[params] -> { [i0, i1, …] }`` whose dimensions are the surrounding loops' iterators.
"""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from accshare.cprint import SourcePrinter
from accshare.frontend.ir import Binary, Cast, Conditional, Expr, IntLit, Scalar, Unary, Var, integer_range
from accshare.islbuild import COMPARISONS, Points, points
from accshare.poly.parameters import Parameters
from accshare.records import dataclass, field
from accshare.source import Span

#: how often a remainder's dividend may hold its divisor: `(x + n - 1) % n` has it once
_LAPS = 4
#: bits that a number of any type may be shifted by
_BITS = 31


class NotAffine(Exception):  # noqa: N818 - an answer, not a failure
    """An expression that isn't affine; `reason` is in the user's words."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


@dataclass(slots=True)
class Assumptions:
    """What C arithmetic must not do for the affine reading to be right: parameter sets where it would.

    Unsigned subtraction must not wrap, conversions must keep the value.
    """

    bad: list[tuple[isl.Set, str, Span]] = field(default_factory=list)

    def forbid(self, where: isl.Set, reason: str, span: Span) -> None:
        """Note that the model is wrong for the points of `where`."""
        if not where.is_empty():
            self.bad.append((where.params(), reason, span))


@dataclass(frozen=True, slots=True)
class Frame:
    """The surroundings an expression is read in: the domain, each iterator's dimension, the parameters."""

    domain: isl.Set
    iterators: Mapping[str, int]
    parameters: Parameters
    assumptions: Assumptions

    def constant(self, value: int) -> isl.PwAff:
        """The same value for each point of the domain."""
        return self._points().function(value).to_pw_aff()

    def iterator(self, depth: int) -> isl.PwAff:
        """The iterator of the loop at a depth."""
        return self._points().coordinates[depth].to_pw_aff()

    def parameter(self, name: str) -> isl.PwAff:
        """The value of a parameter."""
        (value,) = self._points(name).parameters
        return value.to_pw_aff()

    def _points(self, *parameters: str) -> Points:
        return points(self.domain.dim(isl.dim_type.set), "", parameters)


def affine(expr: Expr, frame: Frame) -> isl.PwAff:
    """`expr` as a function of iterators and parameters. Raises `NotAffine`."""
    match expr:
        case IntLit(value):
            return frame.constant(value)
        case Var(symbol) if symbol.unique in frame.iterators:
            return frame.iterator(frame.iterators[symbol.unique])
        case Cast(operand, type_):
            return _in_range(affine(operand, frame), expr.operand.type, type_, expr, frame)
        case Unary("+", operand):
            return affine(operand, frame)
        case Unary("-", operand):
            return _unwrapped(affine(operand, frame).neg(), expr, frame)
        case Binary() if expr.op in {"+", "-", "*", "/", "%", "<<"}:
            try:
                return _arithmetic(expr, frame)
            except NotAffine as why:
                return _parameter(expr, frame, why)
        case Binary("&" | ">>" | "^", lhs, IntLit(number)):
            try:
                return _parameter(expr, frame)
            except NotAffine as why:
                return _of_bits(expr.op, affine(lhs, frame), number, frame, why)
        case Conditional(condition, then, other):
            try:
                where = affine_condition(condition, frame)
                yes, no = affine(then, frame), affine(other, frame)
                return yes.intersect_domain(where).union_add(no.subtract_domain(where))
            except NotAffine as why:
                return _parameter(expr, frame, why)
        case _:
            return _parameter(expr, frame)


def affine_condition(expr: Expr, frame: Frame) -> isl.Set:
    """The points of the domain where `expr` is true. Raises `NotAffine`."""
    match expr:
        case Cast(operand, _, _):
            return affine_condition(operand, frame)
        case Unary("!", operand):
            return frame.domain.subtract(affine_condition(operand, frame))
        case Binary("&&", lhs, rhs):
            return affine_condition(lhs, frame).intersect(affine_condition(rhs, frame))
        case Binary("||", lhs, rhs):
            return affine_condition(lhs, frame).union(affine_condition(rhs, frame))
        case Binary(op, lhs, rhs) if op in COMPARISONS and integer_range(lhs.type) and integer_range(rhs.type):
            return COMPARISONS[op](affine(lhs, frame), affine(rhs, frame)).intersect(frame.domain)
        case _ if integer_range(expr.type):
            value = affine(expr, frame)
            return value.ne_set(frame.constant(0)).intersect(frame.domain)
        case _:
            raise NotAffine("the condition compares floating-point values", expr.span)


def _arithmetic(expr: Binary, frame: Frame) -> isl.PwAff:
    if integer_range(expr.type) is None:
        raise NotAffine("floating-point arithmetic in a subscript or bound", expr.span)
    lhs, rhs = affine(expr.lhs, frame), affine(expr.rhs, frame)
    op = expr.op
    if op == "+":
        return _unwrapped(lhs.add(rhs), expr, frame)
    if op == "-":
        return _unwrapped(lhs.sub(rhs), expr, frame)
    if op == "*":
        if not (_is_constant(lhs) or _is_constant(rhs)):
            raise NotAffine("a product of two variables", expr.span)
        return _unwrapped(lhs.mul(rhs), expr, frame)
    divisor = _constant(rhs)
    if divisor is None and op == "%":
        return _remainder(lhs, rhs, expr, frame)
    if divisor is None and op == "/":
        return _quotient(expr, frame)
    if divisor is None or divisor <= 0:
        raise NotAffine("a division by something other than a positive constant", expr.span)
    if op == "<<":
        return _unwrapped(lhs.scale_val(isl.Val(1 << divisor)), expr, frame)
    return lhs.tdiv_q(rhs) if op == "/" else lhs.tdiv_r(rhs)


def _of_bits(op: str, value: isl.PwAff, number: int, frame: Frame, why: NotAffine) -> isl.PwAff:
    """The lowest bits of a number (``i & 7``), all others (``i >> 3``), or it with the lowest one changed (``i ^ 1``):
    the numbers of all types have their bits as remainders and quotients of powers of 2 have them."""
    if op == "&" and number >= 0 and number & (number + 1) == 0:
        return value.mod_val(isl.Val(number + 1))
    if op == ">>" and 0 <= number < _BITS:
        return value.scale_down_val(isl.Val(1 << number)).floor()
    if op == "^" and number == 1:
        return value.add(frame.constant(1)).sub(value.mod_val(isl.Val(2)).scale_val(isl.Val(2)))
    raise why


def _quotient(expr: Binary, frame: Frame) -> isl.PwAff:
    """``lhs / rhs`` as one value, where both are fixed in the region."""
    value = frame.parameters.of_quotient(expr)
    if value is None:
        raise NotAffine("a division by something other than a positive constant", expr.span)
    return frame.parameter(value.symbol.unique)


def _remainder(lhs: isl.PwAff, rhs: isl.PwAff, expr: Binary, frame: Frame) -> isl.PwAff:
    """``lhs % rhs`` where the dividend is not negative and holds the divisor a few times at most, as indices do that go
    around the end of an array."""
    left = frame.domain.intersect_params(frame.parameters.context())
    result: isl.PwAff | None = None
    for _ in range(_LAPS):
        lap = lhs.lt_set(rhs).intersect(lhs.ge_set(frame.constant(0))).intersect(frame.domain)
        part = lhs.intersect_domain(lap)
        result = part if result is None else result.union_add(part)
        left = left.subtract(lap)
        if left.is_empty():
            return result
        lhs = lhs.sub(rhs)
    raise NotAffine("a remainder of a division by something other than a positive constant", expr.span)


def _parameter(expr: Expr, frame: Frame, why: NotAffine | None = None) -> isl.PwAff:
    """`expr` as one value that is fixed in the region; else `why` it isn't affine, where its parts have told."""
    if integer_range(expr.type) is None:
        raise NotAffine("a value that is not an integer", expr.span)
    parameter = frame.parameters.of(expr)
    if parameter is None:
        raise why or NotAffine(_changing(expr), expr.span)
    return frame.parameter(parameter.symbol.unique)


def _changing(expr: Expr) -> str:
    text = SourcePrinter().text(expr)
    return f"{text} changes inside the region" if isinstance(expr, Var) else f"{text} is known only inside the region"


def _in_range(value: isl.PwAff, source: object, target: object, expr: Expr, frame: Frame) -> isl.PwAff:
    """`value` after a conversion that must keep it."""
    have, want = (integer_range(t) if isinstance(t, Scalar) else None for t in (source, target))
    if have is None or want is None:
        raise NotAffine("a conversion between integer and floating point", expr.span)
    if have[0] < want[0]:
        _forbid(value.lt_set(frame.constant(want[0])), "is converted to an unsigned or narrower type", expr, frame)
    if have[1] > want[1]:
        _forbid(value.gt_set(frame.constant(want[1])), "is converted to a narrower type", expr, frame)
    return value


def _unwrapped(value: isl.PwAff, expr: Expr, frame: Frame) -> isl.PwAff:
    """`value` of an unsigned operation that must not wrap (signed ones can't in a correct program)."""
    limits = integer_range(expr.type)
    if limits is not None and limits[0] == 0:
        _forbid(value.lt_set(frame.constant(0)), "would wrap below zero", expr, frame)
        _forbid(value.gt_set(frame.constant(limits[1])), "would wrap", expr, frame)
    return value


def _forbid(where: isl.Set, reason: str, expr: Expr, frame: Frame) -> None:
    facts = frame.domain.intersect_params(frame.parameters.context())
    frame.assumptions.forbid(where.intersect(facts), reason, expr.span)


def _is_constant(value: isl.PwAff) -> bool:
    return _constant(value) is not None


def _constant(value: isl.PwAff) -> int | None:
    if not value.is_cst():
        return None
    pieces = value.get_pieces()
    return pieces[0][1].get_constant_val().to_python() if len(pieces) == 1 else None
