"""Expressions with effects: what has to happen before which other part, as C's sequence points say."""

from __future__ import annotations

from accshare.frontend.clang import Node
from accshare.frontend.constants import converted
from accshare.frontend.converter import Converter
from accshare.frontend.exits import branch, denied
from accshare.frontend.inlining import Address
from accshare.frontend.ir import INT, Assign, Binary, Conditional, Declare, Expr, IntLit, Scalar, Var
from accshare.frontend.refusals import is_text, side_effect
from accshare.frontend.walks import root_symbol
from accshare.records import replace
from accshare.source import Span

_TRUTHS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||"})


class Effects:
    """Hoists the effects of an expression, and gives its value."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter
        self._hoisted = converter.hoisted

    def assigned(self, node: Node, span: Span) -> Expr:
        """The value of an assignment, which is made before."""
        left, right = node.children
        if left.type.is_pointer:
            raise side_effect(self._converter.unit, node)
        value, target = self._converter.value(right), self._converter.place(left)
        self._hoisted.add(Assign(target, node.operator, value, span))
        plain = node.operator == "=" and isinstance(value, IntLit)
        return value if plain and value.type == target.type else self._hoisted.copied(target, span)

    def stepped(self, node: Node, span: Span) -> Expr:
        """The value of ``i++`` or ``--i``."""
        if node.type.is_pointer:
            raise side_effect(self._converter.unit, node)
        place = self._converter.place(node.children[0])
        before = self._hoisted.kept(place, _stem(place), span) if node.is_postfix else None
        op = "+=" if node.operator == "++" else "-="
        self._hoisted.add(Assign(place, op, IntLit(1, INT, span), span))
        return self._hoisted.copied(place, span) if before is None else before

    def stepped_pointer(self, node: Node, pointer: Node, span: Span) -> Address:
        """The address ``p++`` or ``--p`` stands for."""
        at = None if pointer.referenced is None else self._converter.moving.get(pointer.referenced.key)
        if at is None or pointer.kind != "DECL_REF_EXPR":
            raise side_effect(self._converter.unit, node)
        address = self._converter.address(pointer)
        before = self._hoisted.kept(Var(at, span), at.name, span) if node.is_postfix else None
        op = "+=" if node.operator == "++" else "-="
        self._hoisted.add(Assign(Var(at, span), op, IntLit(1, INT, span), span))
        return replace(address, offset=self._hoisted.copied(Var(at, span), span) if before is None else before)

    def short(self, node: Node, span: Span) -> Expr:
        """``a && b``: the effects of `b` only where it is evaluated."""
        op, (left, right) = node.operator, node.children
        first = self._truth(left)
        stmts, second = self._hoisted.expression(lambda: self._truth(right))
        if not stmts:
            return Binary(op, first, second, self._converter.unit.types.scalar(node.type, span), span)
        result = self._hoisted.kept(IntLit(int(op == "||"), INT, span), "holds", span)
        found = Assign(result, "=", _truth(second), span)
        self._hoisted.add(*branch(first if op == "&&" else denied(first), (*stmts, found), (), span))
        return result

    def _truth(self, node: Node) -> Expr:
        return IntLit(1, INT, Span(node.start, node.end)) if is_text(node) else self._converter.value(node)

    def choice(self, node: Node, span: Span) -> Expr:
        """``c ? a : b``: the effects of the side that is evaluated."""
        condition = self._converter.value(node.children[0])
        before, then = self._hoisted.expression(lambda: self._converter.value(node.children[1]))
        instead, other = self._hoisted.expression(lambda: self._converter.value(node.children[2]))
        if node.type.kind == "VOID":
            self._hoisted.add(*branch(condition, before, instead, span))
            return IntLit(0, INT, span)
        type_ = self._converter.unit.types.of(node.type, span)
        if not before and not instead and isinstance(type_, Scalar):
            return Conditional(condition, then, other, type_, span)
        result = Var(self._hoisted.names.temporary("chosen", type_), span)
        yes, no = (Assign(result, "=", value, span) for value in (then, other))
        self._hoisted.add(Declare(result.symbol, None, span))
        self._hoisted.add(*branch(condition, (*before, yes), (*instead, no), span))
        return result


def _stem(place: Expr) -> str:
    symbol = root_symbol(place)
    return "value" if symbol is None else symbol.name


def _truth(expr: Expr) -> Expr:
    """Whether a value is not zero, as an ``int``."""
    if expr.type == INT and isinstance(expr, Binary) and expr.op in _TRUTHS:
        return expr
    assert isinstance(expr.type, Scalar)
    return Binary("!=", expr, converted(IntLit(0, INT, expr.span), expr.type, True, expr.span), INT, expr.span)
