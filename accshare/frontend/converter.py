"""What the parts of expressions' conversion ask of the whole."""

from __future__ import annotations

from typing import Protocol

from accshare.frontend.clang import Key, Node
from accshare.frontend.hoisting import Hoisted
from accshare.frontend.inlining import Address
from accshare.frontend.ir import Expr, Symbol
from accshare.frontend.unit import Unit
from accshare.source import Span


class Converter(Protocol):
    """Converts expressions from libclang's to ours; `moving` are the local pointers that move, by declaration."""

    unit: Unit
    hoisted: Hoisted
    symbols: dict[Key, Symbol]
    moving: dict[Key, Symbol]

    def symbol(self, decl: Node) -> Symbol:
        """The symbol of a variable's declaration."""

    def device_type(self, decl: Node) -> Symbol:
        """The variable that a call of the routine `decl` reads."""

    def value(self, node: Node) -> Expr:
        """The value of an expression."""

    def place(self, node: Node) -> Expr:
        """The object an expression designates."""

    def address(self, node: Node) -> Address:
        """A pointer value."""

    def call(self, node: Node, span: Span) -> Expr:
        """The value of a call."""

    def chosen(self, node: Node, span: Span) -> Expr:
        """The value of ``c ? a : b``."""
