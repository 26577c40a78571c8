"""Whole numbers that nobody reads may be more than fits their type: such statements compute without signs, which wraps
around and has the same bits."""

from __future__ import annotations

from accshare.conversions import common
from accshare.frontend.ir import INT, LONG, UINT, ULONG, Assign, Binary, Cast, Declare, Expr, Scalar, Type, Unary
from accshare.kernel.ir import Define, Guarded, Loop, Stmt
from accshare.records import replace

_UNSIGNED = {
    INT.bytes: UINT,
    LONG.bytes: ULONG,
}


def wrapping(stmt: Stmt) -> Stmt:
    """A statement with its operations on whole numbers wrapping around."""
    match stmt:
        case Assign(target, "+=" | "-=" | "*=" as op, value):
            whole = common(target.type, value.type)
            if whole is None or not _overflows(whole):
                return replace(stmt, value=_wrapped(value))
            return replace(stmt, op="=", value=_wrapped(Binary(op[0], target, value, whole, stmt.span)))
        case Assign(value=value) | Define(value=value):
            return replace(stmt, value=_wrapped(value))
        case Declare(init=init) if init is not None:
            return replace(stmt, init=_wrapped(init))
        case Loop(body=body):
            return replace(stmt, body=tuple(map(wrapping, body)))
        case Guarded(then=then, other=other):
            return replace(stmt, then=tuple(map(wrapping, then)), other=tuple(map(wrapping, other)))
    return stmt


def _wrapped(value: Expr) -> Expr:
    match value:
        case Binary("+" | "-" | "*", lhs, rhs, type_) if isinstance(type_, Scalar) and _overflows(type_):
            plain = _UNSIGNED[type_.bytes]
            sides = [_as(_wrapped(side), plain) for side in (lhs, rhs)]
            return Cast(replace(value, lhs=sides[0], rhs=sides[1], type=plain), type_, False, value.span)
        case Binary(lhs=lhs, rhs=rhs):
            return replace(value, lhs=_wrapped(lhs), rhs=_wrapped(rhs))
        case Unary("-", operand, type_) if isinstance(type_, Scalar) and _overflows(type_):
            plain = _UNSIGNED[type_.bytes]
            negative = Unary("-", _as(_wrapped(operand), plain), plain, value.span)
            return Cast(negative, type_, False, value.span)
        case Cast(operand) | Unary(operand=operand):
            return replace(value, operand=_wrapped(operand))
    return value


def _as(value: Expr, plain: Scalar) -> Expr:
    """A value in a type without sign; back and forth is nothing."""
    if isinstance(value, Cast) and value.operand.type == plain:
        return value.operand
    return value if value.type == plain else Cast(value, plain, False, value.span)


def _overflows(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.signed and not type_.floating and type_.bytes in _UNSIGNED
