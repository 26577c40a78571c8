"""Constants, the values of constant variables and arrays, and folding of integer expressions with C's meaning."""

from __future__ import annotations

import math

from accshare.frontend.clang import Node
from accshare.frontend.ir import LONG, Array, Binary, Cast, Expr, FloatLit, IntLit, Pointer, Scalar, Struct, Type, Unary
from accshare.source import Span

#: tables with more elements are ordinary arrays
_LARGEST = 256


def wrap(value: int, type_: Scalar) -> int:
    """`value` as an object of an integer type holds it."""
    if type_.name == "_Bool":
        return int(value != 0)
    value &= (1 << 8 * type_.bytes) - 1
    return value - (1 << 8 * type_.bytes) if type_.signed and value >> (8 * type_.bytes - 1) else value


def float_constant(value: float, type_: Scalar, span: Span) -> Expr:
    """An expression with exactly this value: a literal, or a quotient for infinity and NaN."""
    suffix = "f" if type_.name == "float" else ""
    if math.isfinite(value):
        literal = FloatLit(repr(abs(value)) + suffix, type_, span)
        return Unary("-", literal, type_, span) if math.copysign(1.0, value) < 0 else literal
    top = FloatLit(("0.0" if math.isnan(value) else "1.0") + suffix, type_, span)
    quotient = Binary("/", top, FloatLit("0.0" + suffix, type_, span), type_, span)
    return Unary("-", quotient, type_, span) if value < 0 else quotient


def converted(operand: Expr, type_: Scalar, implicit: bool, span: Span) -> Expr:
    """`operand` converted to an arithmetic type; nothing when it has that type, a literal when it is one."""
    if operand.type == type_:
        return operand
    if isinstance(operand, IntLit) and not type_.floating:
        return IntLit(wrap(operand.value, type_), type_, span)
    return Cast(operand, type_, implicit, span)


def negated(operand: Expr, type_: Type, span: Span) -> Expr:
    """``-operand``, folded for integer literals."""
    if isinstance(operand, IntLit) and isinstance(type_, Scalar):
        return IntLit(wrap(-operand.value, type_), type_, span)
    return Unary("-", operand, type_, span)


def binary(op: str, lhs: Expr, rhs: Expr, type_: Type, span: Span) -> Expr:
    """``lhs op rhs``, folded when both are integer literals and C defines the result."""
    if isinstance(lhs, IntLit) and isinstance(rhs, IntLit) and isinstance(type_, Scalar):
        value = _fold(op, lhs.value, rhs.value)
        if value is not None and (not type_.signed or wrap(value, type_) == value):
            return IntLit(wrap(value, type_), type_, span)
    return Binary(op, lhs, rhs, type_, span)


def _fold(op: str, a: int, b: int) -> int | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" if b:
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case "%" if b:
            return math.fmod(a, b).__trunc__() if abs(a) < 2**53 > abs(b) else None
        case "<<" if a >= 0 and 0 <= b < 64:
            return a << b
        case ">>" if a >= 0 and 0 <= b < 64:
            return a >> b
        case "&" if a >= 0 <= b:
            return a & b
        case "|" if a >= 0 <= b:
            return a | b
        case _:
            return None


def offset_sum(first: Expr | None, second: Expr | None, span: Span) -> Expr | None:
    """The sum of two pointer offsets, computed in ``long`` as pointer arithmetic is; None stands for zero."""
    if second is None or _is_zero(second):
        return first
    if first is None or _is_zero(first):
        return second
    return binary("+", widened(first, span), widened(second, span), LONG, span)


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, IntLit) and expr.value == 0


def widened(index: Expr, span: Span) -> Expr:
    """An integer as ``long``; the cast is explicit, so that printing keeps it."""
    return converted(index, LONG, False, span)


def element_of(type_: Type) -> Type:
    """What subscripting a value of an array or pointer type gives."""
    match type_:
        case Pointer(target):
            return target
        case Array(element):
            return element
        case _:
            raise TypeError(f"{type_} has no elements")


def name_of(type_: Type) -> str:
    """The scalar or struct at the bottom of a type, by name."""
    while isinstance(type_, Pointer | Array):
        type_ = element_of(type_)
    return type_.name if isinstance(type_, Scalar | Struct) else "void"


# --- variables that are constant ----------------------------------------------------------------------------------


def scalar_constant(decl: Node, type_: Scalar, span: Span) -> Expr | None:
    """The value of a ``const`` variable whose initialiser is constant."""
    definition = decl.definition
    value = None if definition is None or decl.type.is_volatile else definition.evaluate()
    if value is None:
        return None
    if isinstance(value, int) and not type_.floating:
        return IntLit(wrap(value, type_), type_, span)
    return float_constant(float(value), type_, span) if type_.floating else None


def table(decl: Node, type_: Type, stays: bool = False) -> tuple[Expr, ...]:
    """The elements of an array that is ``const`` or `stays` as it is, in order, where its declaration lists every one;
    nothing otherwise."""
    definition = decl.definition
    if not isinstance(type_, Array) or definition is None or decl.type.is_volatile:
        return ()
    if not (decl.type.is_const or stays):
        return ()
    if decl.kind != "VAR_DECL" or not definition.children:
        return ()
    values = _elements(definition.children[-1], type_)
    return () if values is None or len(values) > _LARGEST else values


def _elements(node: Node, type_: Type) -> tuple[Expr, ...] | None:
    """What an initialiser gives an object of some type; None where that is not plain to see."""
    if isinstance(type_, Array):
        lengths = type_.length.value if isinstance(type_.length, IntLit) else None
        if node.kind != "INIT_LIST_EXPR" or len(node.children) != lengths:
            return None
        parts = [_elements(child, type_.element) for child in node.children]
        known = [part for part in parts if part is not None]
        return tuple(value for part in known for value in part) if len(known) == len(parts) else None
    value = node.evaluate() if isinstance(type_, Scalar) and node.kind != "INIT_LIST_EXPR" else None
    if value is None or not isinstance(type_, Scalar):
        return None
    span = Span(node.start, node.end)
    if type_.floating:
        return (float_constant(float(value), type_, span),) if math.isfinite(value) else None
    return (IntLit(wrap(value, type_), type_, span),) if isinstance(value, int) else None
