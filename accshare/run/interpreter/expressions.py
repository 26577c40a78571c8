"""Expressions of a kernel, for all lanes at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import gcd

import numpy as np

from accshare.builtins import constants
from accshare.conversions import size as bytes_of
from accshare.frontend.ir import (
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Expr,
    FloatLit,
    Function,
    IntLit,
    Intrinsic,
    Member,
    Scalar,
    Struct,
    Subscript,
    Type,
    Unary,
    Var,
)
from accshare.records import replace
from accshare.reference import in_memory
from accshare.run.dtypes import AnyArray, dtype_of
from accshare.run.interpreter.arithmetic import Value, compared, computed, converted, is_comparison
from accshare.run.interpreter.mathlib import PREDICATES, named
from accshare.run.interpreter.memory import Accesses, Memory, Spot
from accshare.run.interpreter.vectors import any_lane, gathered, half, lane, lanes_of, selected, shuffled, unpacked
from accshare.source import Span

_INT = np.dtype(np.int32)
_FLOAT = Scalar("float", 4, True, True)
_DOUBLE = Scalar("double", 8, True, True)
_LOGICAL = {"&&", "||"}
_OF_ADDRESSES = {Builtin.IS_ALIGNED, Builtin.PAST}
_INTEGER = {Builtin.MIN: np.minimum, Builtin.MAX: np.maximum, Builtin.FLOOR_DIV: np.floor_divide}


class Uninterpretable(Exception):  # noqa: N818 - says what was met
    """A kernel holds something the interpreter does not know; the message names it."""


class Evaluator(ABC):
    """Evaluates expressions. `values` holds variables by `Symbol.unique`, `memory` what subscripts start from."""

    def __init__(self, accesses: Accesses, functions: dict[str, Function], span: Span) -> None:
        self.accesses = accesses
        self.functions = functions
        self.span = span
        self.values: dict[str, Value] = {}
        self.memory: dict[str, Memory] = {}

    @abstractmethod
    def function(self, function: Function, args: list[Value], mask: AnyArray) -> Value:
        """Calls a user's function."""

    def value(self, expr: Expr, mask: AnyArray) -> Value:
        """The value of an expression, of its C type; what it is in lanes that are not in `mask` means nothing."""
        match expr:
            case IntLit(value, type_):
                return np.asarray(value).astype(dtype_of(type_))[()]
            case FloatLit(text, type_):
                return np.asarray(_floating(text), dtype=dtype_of(type_))[()]
            case Var(symbol) if symbol.unique in self.values:
                return self.values[symbol.unique]
            case Var() | Subscript() | Member():
                return self.load(self.spot(expr, mask), mask, self._at(expr.span))
            case Unary(op, operand, type_):
                return self._unary(op, operand, type_, mask)
            case Cast(operand, type_):
                return converted(self.value(operand, mask), type_)
            case Conditional():
                return self._conditional(expr, mask)
            case Call():
                return self._call(expr, mask)
            case Intrinsic():
                return self._intrinsic(expr, mask)
            case Binary(op, lhs, rhs, type_):
                if op in _LOGICAL or is_comparison(op):
                    truth = converted(self.truth(expr, mask), type_)
                    return -truth if lanes_of(type_) > 1 else truth  # vectors tell truth by all bits
                left, right = self.value(lhs, mask), self.value(rhs, mask)
                return converted(computed(op, left, right, (lhs.type, rhs.type)), type_)

    def load(self, spot: Spot, mask: AnyArray, span: Span) -> Value:
        """What a place holds."""
        found = self.accesses.load(spot, mask, span, lanes_of(spot.type))
        return found if lanes_of(spot.type) == 1 else unpacked(found, spot.type)

    def truth(self, expr: Expr, mask: AnyArray) -> Value:
        """Whether an expression is not 0."""
        match expr:
            case Binary("&&" | "||" as op, lhs, rhs):
                left = self.truth(lhs, mask)
                rest = mask & left if op == "&&" else mask & ~left
                if not rest.any():
                    return left
                right = self.truth(rhs, rest)
                return left & right if op == "&&" else left | right
            case Binary(op, lhs, rhs) if is_comparison(op):
                return compared(op, self.value(lhs, mask), self.value(rhs, mask), (lhs.type, rhs.type))
            case Unary("!", operand):
                return np.logical_not(self.truth(operand, mask))
            case _:
                return np.not_equal(self.value(expr, mask), 0)

    def spot(self, expr: Expr, mask: AnyArray) -> Spot:
        """Where an lvalue lies."""
        match expr:
            case Var(symbol):
                if symbol.unique not in self.memory:
                    raise Uninterpretable(f"{symbol.name} is not known here")
                memory = self.memory[symbol.unique]
                return Spot(memory, np.zeros((), np.int64), symbol.type, bytes_of(memory.element))
            case Subscript(base, index, type_):
                start = self.spot(base, mask)
                step = bytes_of(type_) * (1 if in_memory(expr) else lanes_of(type_))
                move = self.value(index, mask).astype(np.int64) * np.int64(step)
                return Spot(start.memory, start.offset + move, type_, gcd(start.align, step))
            case Member(base, name, type_):
                start = self.spot(base, mask)
                owner = base.type
                if not isinstance(owner, Struct):
                    raise Uninterpretable(f"a member {name} of something that is no struct")
                offset = next(f.offset for f in owner.fields if f.name == name)
                return Spot(start.memory, start.offset + np.int64(offset), type_, gcd(start.align, offset))
            case Cast(operand):
                return self.spot(operand, mask)
            case _:
                raise Uninterpretable(f"{type(expr).__name__} as a place in memory")

    def _at(self, span: Span) -> Span:
        """A span to report: code generation makes references that stand nowhere in the source."""
        return span if span.end > span.start else self.span

    def _unary(self, op: str, operand: Expr, type_: Type, mask: AnyArray) -> Value:
        if op == "!":
            return converted(np.logical_not(self.truth(operand, mask)), type_)
        value = converted(self.value(operand, mask), type_)
        result: Value = -value if op == "-" else ~value if op == "~" else value
        return result

    def _conditional(self, expr: Conditional, mask: AnyArray) -> Value:
        chosen = self.truth(expr.condition, mask)
        yes, no = mask & chosen, mask & ~chosen
        if not no.any():
            return converted(self.value(expr.then, mask), expr.type)
        if not yes.any():
            return converted(self.value(expr.other, mask), expr.type)
        then, other = self.value(expr.then, yes), self.value(expr.other, no)
        if dtype_of(expr.type).names is not None:
            result = np.array(np.broadcast_to(other, mask.shape))
            result[yes] = np.broadcast_to(then, mask.shape)[yes]
            return result
        return np.where(chosen, converted(then, expr.type), converted(other, expr.type))

    def _call(self, call: Call, mask: AnyArray) -> Value:
        args = [self.value(arg, mask) for arg in call.args]
        if call.callee in self.functions:
            function = self.functions[call.callee]
            given = [converted(a, p.type) for a, p in zip(args, function.parameters, strict=True)]
            return self.function(function, given, mask)
        if call.callee in PREDICATES:
            return converted(np.asarray(PREDICATES[call.callee](*args))[()], call.type)
        if call.callee in {"abs", "labs", "llabs"}:
            return np.asarray(np.abs(converted(args[0], call.type)))[()]
        return _floating_call(call, args)

    def _address(self, buffer: Expr, mask: AnyArray) -> Value:
        """An address that element 0 of a buffer might have."""
        return np.asarray(self.spot(buffer, mask).memory.alignment)[()]

    def _selected(self, call: Intrinsic, mask: AnyArray) -> Value:
        """A choice of lanes, of which what memory has there is looked at alone."""
        other, then, chosen = *call.args[:2], self.value(call.args[2], mask)
        return selected(self._in_lanes(other, chosen >= 0, mask), self._in_lanes(then, chosen < 0, mask), chosen)

    def _in_lanes(self, expr: Expr, wanted: AnyArray, mask: AnyArray) -> Value:
        type_ = expr.type
        if not (isinstance(expr, Subscript) and isinstance(type_, Scalar) and type_.lanes > 1):
            return self.value(expr, mask)
        first, single = self.spot(expr, mask), replace(type_, lanes=1)
        every = np.broadcast_to(wanted if wanted.ndim > 1 else wanted[None], (type_.lanes, len(mask)))
        places = (
            replace(first, offset=first.offset + np.int64(k * single.bytes), type=single) for k in range(type_.lanes)
        )
        found = [self.load(at, mask & here, self._at(expr.span)) for at, here in zip(places, every, strict=True)]
        return gathered(found, len(mask), dtype_of(type_))

    def _intrinsic(self, call: Intrinsic, mask: AnyArray) -> Value:
        if call.function is Builtin.SELECT:
            return self._selected(call, mask)
        of_place = call.function in _OF_ADDRESSES
        first = self._address(call.args[0], mask) if of_place else self.value(call.args[0], mask)
        rest = [self.value(arg, mask) for arg in call.args[1:]]
        match call.function:
            case Builtin.MIN | Builtin.MAX | Builtin.FLOOR_DIV:
                function = _INTEGER[call.function]
                return np.asarray(function(converted(first, call.type), converted(rest[0], call.type)))[()]
            case Builtin.VECTOR:
                return gathered((first, *rest), len(mask), dtype_of(call.type))
            case Builtin.LANE:
                return lane(first, int(rest[0]))
            case Builtin.HALF:
                return half(first, int(rest[0]))
            case Builtin.SHUFFLE:
                picked = shuffled(first, rest[0], lanes_of(call.args[0].type), constants(call))
                return gathered(picked, len(mask), dtype_of(call.type))
            case Builtin.ANY_LANE:
                return any_lane(first).astype(dtype_of(call.type))[()]
            case Builtin.BITS:
                return np.asarray(first).view(dtype_of(call.type))[()]
            case Builtin.IS_ALIGNED:
                return np.asarray(first % int(rest[0]) == 0).astype(dtype_of(call.type))[()]
            case Builtin.PAST:
                return np.asarray(first // int(rest[0]) % int(rest[1])).astype(dtype_of(call.type))[()]
            case Builtin.GROUP_ID:
                return self.accesses.lanes.group_id(int(first))
            case Builtin.LOCAL_ID:
                return self.accesses.lanes.local_id(int(first))
            case Builtin.GROUPS:
                return np.asarray(self.accesses.lanes.groups[int(first)]).astype(dtype_of(call.type))[()]


def _floating_call(call: Call, args: list[Value]) -> Value:
    """A function of <math.h>, in the type that its name tells; in float too where <tgmath.h> gives a plain name a float
    result."""
    known = named(call.callee)
    if known is None:
        raise Uninterpretable(f"a call of {call.callee}")
    function, single = known
    own = isinstance(call.type, Scalar) and call.type.floating and call.type.bytes == _FLOAT.bytes
    type_ = _FLOAT if single or own else _DOUBLE
    if call.callee.removesuffix("f") in {"ldexp", "scalbn"}:
        return np.asarray(np.ldexp(converted(args[0], type_), args[1].astype(_INT)))[()]
    return converted(np.asarray(function(*(converted(a, type_) for a in args)))[()], call.type)


def _floating(text: str) -> float:
    text = text.rstrip("lL")
    if "INFINITY" in text:
        return -np.inf if text.startswith("-") else np.inf
    if text == "NAN":
        return np.nan
    if text.lstrip("-")[:2].lower() == "0x":
        return float.fromhex(text.rstrip("fF") if "p" in text.lower() and text[-1] in "fF" else text)
    return float(text.rstrip("fF"))
