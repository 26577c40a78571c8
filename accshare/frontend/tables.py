"""The values of constants, and of arrays of them."""

from __future__ import annotations

from math import isfinite

from accshare.frontend.clang import Node
from accshare.frontend.constants import float_constant, wrap
from accshare.frontend.ir import Array, Expr, IntLit, Scalar, Type
from accshare.source import Span

#: tables with more elements are ordinary arrays
_LARGEST = 256


def scalar_constant(decl: Node, type_: Scalar, span: Span) -> Expr | None:
    """The value of a file-scope ``const`` variable with an initialiser."""
    definition = decl.definition
    value = None if definition is None or decl.type.is_volatile else definition.evaluate()
    if value is None:
        return None
    if isinstance(value, int) and not type_.floating:
        return IntLit(wrap(value, type_), type_, span)
    return float_constant(float(value), type_, span) if type_.floating else None


def table(decl: Node, type_: Type) -> tuple[Expr, ...]:
    """The elements of a ``const`` array, in order, where its declaration lists every one; nothing otherwise."""
    definition = decl.definition
    if not isinstance(type_, Array) or definition is None or not decl.type.is_const or decl.type.is_volatile:
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
        return (float_constant(float(value), type_, span),) if isfinite(value) else None
    return (IntLit(wrap(value, type_), type_, span),) if isinstance(value, int) else None
