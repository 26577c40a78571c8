"""C expressions evaluated in Python, with C's conversions: what the host does between launches."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from accshare.frontend.ir import (
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Expr,
    FloatLit,
    IntLit,
    Intrinsic,
    Member,
    Scalar,
    Subscript,
    Type,
    Unary,
    Var,
    integer_range,
)
from accshare.inputs import describe
from accshare.records import dataclass, field

Number = int | float
_Key = TypeVar("_Key")

_ARITHMETIC: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_BITS: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


class Unknown(Exception):  # noqa: N818 - says what is missing
    """An expression's value depends on something that has none here; the message names it."""


@dataclass(frozen=True, slots=True)
class Values:
    """What is known: variables by `Symbol.unique`, and other places of the program (``grid->width``) by expression."""

    names: Mapping[str, Number]
    places: Mapping[Expr, Number] = field(default_factory=dict)

    def having(self, name: str, value: Number) -> Values:
        """The same with one more variable."""
        return Values({**self.names, name: value}, self.places)

    def integer(self, expr: Expr) -> int:
        """The value of an integer expression. Raises `Unknown`."""
        return int(self.of(expr))

    def of(self, expr: Expr) -> Number:
        """The value of an expression. Raises `Unknown`."""
        match expr:
            case IntLit(value):
                return value
            case FloatLit(text, type_):
                return converted(_floating(text.rstrip("fFlL")), type_)
            case Var(symbol):
                return _known(self.names, symbol.unique, symbol.name)
            case Subscript() | Member():
                return _known(self.places, expr, describe(expr))
            case Unary(op, operand, type_):
                return converted(_unary(op, self.of(operand)), type_)
            case Cast(operand, type_):
                return converted(self.of(operand), type_)
            case Conditional(condition, then, other, type_):
                return converted(self.of(then if self.of(condition) else other), type_)
            case Call(callee):
                raise Unknown(f"the host can't call {callee} here")
            case Intrinsic(function, args, type_):
                return converted(_intrinsic(function, [self.of(arg) for arg in args]), type_)
            case Binary(op, lhs, rhs, type_):
                return self._binary(op, lhs, rhs, type_)

    def _binary(self, op: str, lhs: Expr, rhs: Expr, type_: Type) -> Number:
        left = self.of(lhs)
        if op == "&&":
            return int(bool(left) and bool(self.of(rhs)))
        if op == "||":
            return int(bool(left) or bool(self.of(rhs)))
        right = self.of(rhs)
        if op in _ARITHMETIC:
            return converted(_ARITHMETIC[op](left, right), type_)
        if op in _BITS:
            return converted(_BITS[op](int(left), int(right)), type_)
        if not right:
            raise Unknown(f"a division by zero: {describe(rhs)}")
        if isinstance(left, float) or isinstance(right, float):
            return converted(left / right, type_)
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return converted(quotient if op == "/" else left - quotient * right, type_)


def converted(value: Number, type_: Type) -> Number:
    """`value` as C would convert it to an arithmetic type; integers wrap."""
    if isinstance(type_, Scalar) and type_.floating:
        return float(np.float32(value)) if type_.bytes == 4 else float(value)
    if isinstance(type_, Scalar) and type_.name == "_Bool":
        return int(value != 0)
    limits = integer_range(type_)
    if limits is None:
        return value
    low, high = limits
    return (int(value) - low) % (high - low + 1) + low


def _known(values: Mapping[_Key, Number], key: _Key, name: str) -> Number:
    if key not in values:
        raise Unknown(f"{name} has no value here")
    return values[key]


def _floating(text: str) -> float:
    return float.fromhex(text) if text[:2] in {"0x", "0X"} else float(text)


def _unary(op: str, value: Number) -> Number:
    if op == "!":
        return int(not value)
    if op == "~":
        return ~int(value)
    return -value if op == "-" else value


def _intrinsic(function: Builtin, args: list[Number]) -> Number:
    match function:
        case Builtin.MIN:
            return min(args)
        case Builtin.MAX:
            return max(args)
        case Builtin.FLOOR_DIV:
            return int(args[0]) // int(args[1])
    raise Unknown(f"the host can't compute {function.name} here")
