"""``memset``, ``memcpy`` and ``memmove`` of numbers, as the loops that they are."""

from __future__ import annotations

from accshare.diagnostics import rejected
from accshare.frontend.clang import Node
from accshare.frontend.constants import converted, element_of, widened
from accshare.frontend.converter import Converter
from accshare.frontend.inlining import Address
from accshare.frontend.ir import (
    LONG,
    Assign,
    Binary,
    Block,
    Cast,
    Expr,
    FloatLit,
    For,
    IntLit,
    Scalar,
    Stmt,
    Var,
)
from accshare.frontend.mathlib import plain
from accshare.frontend.refusals import stripped
from accshare.source import Span

_COPIES = frozenset({"memcpy", "memmove", "__memcpy_chk", "__memmove_chk"})
_FILLS = frozenset({"memset", "__memset_chk"})
_HINT = "write the loop over its elements"


def as_loop(converter: Converter, node: Node, span: Span) -> tuple[Stmt, ...] | None:
    """A call of one of these functions as a loop over elements; None for any other call. Raises `Rejected` (ACC204)
    where bytes don't tell how many elements of one type of number there are."""
    name = plain(node.spelling)
    if name not in _COPIES | _FILLS or len(node.children) < 4:
        return None
    target = _numbers(converter, node.children[1], span)
    type_ = element_of(target.base.type)
    count = None if not isinstance(type_, Scalar) else _quotient(converter.value(node.children[3]), type_.bytes, span)
    if not isinstance(type_, Scalar) or count is None:
        message = f"the call of {name} doesn't tell how many elements it means"
        raise rejected("ACC204", message, span, "multiply their number by sizeof, as in n * sizeof *p")
    at = Var(converter.hoisted.names.temporary("at", LONG), span)
    value = _value(converter, node, name, target, type_, at, span)
    store = Assign(target.element(at, type_, span), "=", value, span)
    return (For(at.symbol, IntLit(0, LONG, span), "<", count, 1, Block((store,), span), None, span, span),)


def _value(converter: Converter, node: Node, name: str, target: Address, type_: Scalar, at: Var, span: Span) -> Expr:
    """What the element `at` some place gets."""
    if name in _COPIES:
        source = _numbers(converter, node.children[2], span)
        if element_of(source.base.type) != type_:
            raise rejected("ACC204", f"{name} copies numbers of another type than it stores", span, _HINT)
        if source.base == target.base and "move" in name:
            raise rejected("ACC204", f"{name} may copy elements onto one another", span, _HINT)
        return source.element(at, type_, span)
    byte = converter.value(node.children[2])
    if type_.bytes == 1:
        return converted(byte, type_, True, span)
    if not isinstance(byte, IntLit) or byte.value != 0:
        raise rejected("ACC204", f"{name} gives bytes of numbers a value other than 0", span, _HINT)
    return FloatLit("0.0" + "f" * (type_.bytes == 4), type_, span) if type_.floating else IntLit(0, type_, span)


def _numbers(converter: Converter, node: Node, span: Span) -> Address:
    """Where the elements begin that a pointer to bytes stands for."""
    address = converter.address(stripped(node))
    if address.single:
        raise rejected("ACC204", "the address of a variable is used as bytes", span, "assign to the variable")
    return address


def _quotient(amount: Expr, size: int, span: Span) -> Expr | None:
    """How many elements of some size there are in an amount of bytes, which is not negative; None where that isn't a
    factor of it."""
    if size == 1:
        return _signed(amount, span)
    match amount:
        case IntLit(value):
            return IntLit(value // size, LONG, span) if value % size == 0 else None
        case Cast(operand):
            return _quotient(operand, size, span)
        case Binary("*", lhs, rhs):
            for one, other in ((lhs, rhs), (rhs, lhs)):
                part = _quotient(one, size, span)
                if part is not None:
                    rest = _signed(other, span)
                    return rest if part == IntLit(1, LONG, span) else Binary("*", part, rest, LONG, span)
        case Binary("+" | "-" as op, lhs, rhs):
            first, second = _quotient(lhs, size, span), _quotient(rhs, size, span)
            return None if first is None or second is None else Binary(op, first, second, LONG, span)
    return None


def _signed(amount: Expr, span: Span) -> Expr:
    """An amount as a ``long``, which has room for it, as its parts are."""
    match amount:
        case Cast(operand) if isinstance(operand.type, Scalar) and not operand.type.floating:
            return _signed(operand, span)
        case Binary("+" | "-" | "*" as op, lhs, rhs):
            return Binary(op, _signed(lhs, span), _signed(rhs, span), LONG, span)
    return widened(amount, span)
