"""Initialiser lists, as assignments of the elements and members of an object."""

from __future__ import annotations

import re
from collections.abc import Iterator

from accshare.diagnostics import rejected
from accshare.frontend.c_types import whole
from accshare.frontend.clang import Node
from accshare.frontend.constants import converted
from accshare.frontend.converter import Converter
from accshare.frontend.ir import (
    INT,
    Array,
    Assign,
    Block,
    Declare,
    Expr,
    For,
    IntLit,
    Member,
    Scalar,
    Stmt,
    Struct,
    Subscript,
    Type,
    Var,
)
from accshare.records import dataclass
from accshare.source import Span

_DESIGNATOR = re.compile(r"\[|\.\s*[A-Za-z_]")
_HINT = "assign the elements one by one"
#: so many elements without a value of their own are set one by one, more by a loop
_FEW = 4


@dataclass(frozen=True, slots=True)
class Initialiser:
    """Converts lists."""

    converter: Converter

    def made(self, node: Node, span: Span) -> Var:
        """The object that ``(type){…}`` makes."""
        hoisted = self.converter.hoisted
        made = Var(hoisted.names.temporary("made", self.converter.unit.types.of(node.type, span)), span)
        hoisted.add(Declare(made.symbol, None, span), *self.statements(made, node.children[-1]))
        return made

    def statements(self, place: Expr, node: Node) -> Iterator[Stmt]:
        """What gives an object the values of a list. Raises `Rejected` (ACC202) for lists with designators, or without
        the braces of what is inside."""
        span = Span(node.start, node.end)
        type_ = place.type
        values = [child for child in node.children if child.is_expression]
        text = self.converter.unit.source.text
        if any(_DESIGNATOR.match(text, child.start) for child in values):
            raise rejected("ACC202", "an initialiser list with designators can't run on a device", span, _HINT)
        if isinstance(type_, Scalar):
            yield from self._scalar(place, type_, values, span)
        elif isinstance(type_, Array) and isinstance(type_.length, IntLit):
            for k, child in enumerate(values):
                yield from self._part(Subscript(place, IntLit(k, INT, span), type_.element, span), child)
            yield from self._cleared(place, type_, len(values), span)
        elif isinstance(type_, Struct) and not type_.union:
            whole(type_, span)
            for k, member in enumerate(type_.fields):
                part = Member(place, member.name, member.type, span)
                yield from self._part(part, values[k]) if k < len(values) else self._zero(part, span)
        else:
            raise rejected("ACC202", "this initialiser list can't run on a device", span, _HINT)

    def _part(self, place: Expr, node: Node) -> Iterator[Stmt]:
        span = Span(node.start, node.end)
        if node.kind == "INIT_LIST_EXPR":
            yield from self.statements(place, node)
        elif isinstance(place.type, Scalar):
            yield Assign(place, "=", converted(self.converter.value(node), place.type, True, span), span)
        elif node.type.kind == "RECORD":
            yield Assign(place, "=", self.converter.value(node), span)
        else:
            raise rejected("ACC202", "an initialiser list leaves braces out", span, _HINT)

    def _scalar(self, place: Expr, type_: Scalar, values: list[Node], span: Span) -> Iterator[Stmt]:
        value = self.converter.value(values[0]) if values else IntLit(0, INT, span)
        yield Assign(place, "=", converted(value, type_, True, span), span)

    def _cleared(self, place: Expr, type_: Array, first: int, span: Span) -> Iterator[Stmt]:
        """The elements from `first` on, which have no value of their own."""
        assert isinstance(type_.length, IntLit)
        length = type_.length.value
        if length - first <= _FEW:
            for k in range(first, length):
                yield from self._zero(Subscript(place, IntLit(k, INT, span), type_.element, span), span)
            return
        counter = self.converter.hoisted.names.temporary("k", INT)
        body = tuple(self._zero(Subscript(place, Var(counter, span), type_.element, span), span))
        start, end = (IntLit(bound, INT, span) for bound in (first, length))
        yield For(counter, start, "<", end, 1, Block(body, span), None, span, span)

    def _zero(self, place: Expr, span: Span) -> Iterator[Stmt]:
        type_: Type = place.type
        if isinstance(type_, Scalar):
            yield Assign(place, "=", converted(IntLit(0, INT, span), type_, True, span), span)
        elif isinstance(type_, Array):
            yield from self._cleared(place, type_, 0, span)
        elif isinstance(type_, Struct) and not type_.union:
            whole(type_, span)
            for member in type_.fields:
                yield from self._zero(Member(place, member.name, member.type, span), span)
        else:
            raise rejected("ACC202", "this initialiser list can't run on a device", span, _HINT)
