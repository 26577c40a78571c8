"""C's conversions and operators on numpy values: an array with an entry a lane, or a numpy scalar alike in all."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from accshare.conversions import common, promoted
from accshare.frontend.ir import Type
from accshare.run.dtypes import AnyArray, dtype_of

#: a value of one C type; numpy's scalars pass for arrays without dimensions
Value: TypeAlias = AnyArray

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def converted(value: Value, type_: Type) -> Value:
    """`value` as C converts it to a type; structs stay as they are."""
    kind = dtype_of(type_)
    if value.dtype == kind or kind.names is not None:
        return value
    if kind == np.bool_:
        return np.not_equal(value, 0)
    made: Value = value.astype(kind)
    return made


def is_comparison(op: str) -> bool:
    """Whether an operator compares."""
    return op in _COMPARISONS


def compared(op: str, left: Value, right: Value, types: tuple[Type, Type]) -> Value:
    """The truth of ``left op right``."""
    left, right = _balanced(left, right, types)
    result: Value = _COMPARISONS[op](left, right)
    return result


def computed(op: str, left: Value, right: Value, types: tuple[Type, Type]) -> Value:
    """``left op right`` in the type that C gives it."""
    if op in {"<<", ">>"}:
        left = converted(left, promoted(types[0]))
        amount = right.astype(left.dtype) & left.dtype.type(8 * left.dtype.itemsize - 1)
        shifted: Value = np.left_shift(left, amount) if op == "<<" else np.right_shift(left, amount)
        return shifted
    left, right = _balanced(left, right, types)
    if op in _PLAIN:
        result: Value = _PLAIN[op](left, right)
        return result
    if left.dtype.kind == "f":
        return np.asarray(left / right)[()]
    remainder = np.fmod(left, right)
    if op == "%":
        return np.asarray(remainder)[()]
    return np.asarray((left - remainder) // right)[()]


def _balanced(left: Value, right: Value, types: tuple[Type, Type]) -> tuple[Value, Value]:
    """Both in their common type."""
    if left.dtype == right.dtype and left.dtype.itemsize >= 4:
        return left, right
    type_ = common(*types)
    assert type_ is not None, "operands are arithmetic"
    return converted(left, type_), converted(right, type_)
