"""What generated code computes beside what C has operators for: for each `Builtin`, the function that makes its node.

What a node means, and how its type follows from its operands, is said here. Each printer of kernels says how its
language writes it, `run.interpreter.expressions` what it comes to, `cprint` how the host writes those that it can meet.
"""

from __future__ import annotations

from collections.abc import Sequence

from accshare.frontend.ir import INT, LONG, ULONG, Builtin, Expr, IntLit, Intrinsic, Scalar
from accshare.records import replace
from accshare.source import Span

#: of the numbers that work-items and work-groups have
SIZE = ULONG

_NOWHERE = Span(0, 0)


def minimum(one: Expr, other: Expr, type_: Scalar) -> Intrinsic:
    """The smaller one of two integers, after their conversion to `type_`."""
    return Intrinsic(Builtin.MIN, (one, other), type_, _NOWHERE)


def maximum(one: Expr, other: Expr, type_: Scalar) -> Intrinsic:
    """The larger one of two integers, after their conversion to `type_`."""
    return Intrinsic(Builtin.MAX, (one, other), type_, _NOWHERE)


def floor_div(dividend: Expr, divisor: Expr, type_: Scalar) -> Intrinsic:
    """The quotient of two integers in `type_`, rounded down; the divisor is positive."""
    return Intrinsic(Builtin.FLOOR_DIV, (dividend, divisor), type_, _NOWHERE)


def vector(lanes: Sequence[Expr], span: Span = _NOWHERE) -> Intrinsic:
    """A vector of numbers of one type, lane 0 first."""
    return Intrinsic(Builtin.VECTOR, tuple(lanes), _with_lanes(lanes[0], len(lanes)), span)


def lane(whole: Expr, number: int, span: Span = _NOWHERE) -> Intrinsic:
    """One lane of a vector, a number."""
    return Intrinsic(Builtin.LANE, (whole, _constant(number)), _with_lanes(whole, 1), span)


def half(whole: Expr, number: int) -> Intrinsic:
    """The lower (0) or the upper (1) lanes of a vector; of one that has two, a number."""
    return Intrinsic(Builtin.HALF, (whole, _constant(number)), _with_lanes(whole, lanes_of(whole) // 2), _NOWHERE)


def shuffle(one: Expr, other: Expr, numbers: Sequence[int]) -> Intrinsic:
    """A vector of lanes of two variables, which are vectors of the same type; those of `other` are numbered on behind
    those of `one`."""
    return Intrinsic(Builtin.SHUFFLE, (one, other, *map(_constant, numbers)), _with_lanes(one, len(numbers)), _NOWHERE)


def select(no: Expr, yes: Expr, mask: Expr, span: Span = _NOWHERE) -> Intrinsic:
    """Lane by lane, `yes` where `mask` has all bits set and `no` where it has none: three vectors whose elements have
    the same size, the mask's signed integers."""
    return Intrinsic(Builtin.SELECT, (no, yes, mask), yes.type, span)


def any_lane(mask: Expr, span: Span = _NOWHERE) -> Intrinsic:
    """Whether a mask has all bits set in any lane, 0 or 1: a vector of signed integers each of which is 0 or -1."""
    return Intrinsic(Builtin.ANY_LANE, (mask,), INT, span)


def bits(value: Expr, type_: Scalar) -> Intrinsic:
    """The bits of a value as one of another type of the same size."""
    return Intrinsic(Builtin.BITS, (value,), type_, _NOWHERE)


def is_aligned(buffer: Expr, size: int) -> Intrinsic:
    """Whether the address of element 0 of a buffer is a multiple of `size`: 0 or 1."""
    return Intrinsic(Builtin.IS_ALIGNED, (buffer, _constant(size)), INT, _NOWHERE)


def past(buffer: Expr, size: int, count: int) -> Intrinsic:
    """The address of element 0 of a buffer in units of `size`, modulo `count`."""
    return Intrinsic(Builtin.PAST, (buffer, _constant(size), _constant(count)), LONG, _NOWHERE)


def group_id(axis: int) -> Intrinsic:
    """The work-group's number along an axis of the launch, 0 is x."""
    return Intrinsic(Builtin.GROUP_ID, (_constant(axis),), SIZE, _NOWHERE)


def local_id(axis: int) -> Intrinsic:
    """The work-item's number in its group along an axis."""
    return Intrinsic(Builtin.LOCAL_ID, (_constant(axis),), SIZE, _NOWHERE)


def groups(axis: int) -> Intrinsic:
    """How many work-groups the launch has along an axis."""
    return Intrinsic(Builtin.GROUPS, (_constant(axis),), SIZE, _NOWHERE)


def constants(call: Intrinsic) -> tuple[int, ...]:
    """The operands of a builtin that are numbers known here: of a lane, a half or a shuffle, those that pick lanes."""
    return tuple(arg.value for arg in call.args if isinstance(arg, IntLit))


def lanes_of(whole: Expr) -> int:
    """How many numbers a value is."""
    assert isinstance(whole.type, Scalar)
    return whole.type.lanes


def _constant(value: int) -> IntLit:
    return IntLit(value, INT, _NOWHERE)


def _with_lanes(expr: Expr, lanes: int) -> Scalar:
    assert isinstance(expr.type, Scalar)
    return replace(expr.type, lanes=lanes)
