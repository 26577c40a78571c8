"""SHARE's own clause, and the integer arithmetic it has in common with ``collapse`` and ``tile``."""

from __future__ import annotations

from accshare.literals import integer_value
from accshare.pragma.ir import (
    CText,
    ShareArray,
    ShareBinary,
    ShareClause,
    ShareExpr,
    ShareInt,
    ShareParam,
    ShareVague,
)
from accshare.pragma.parse import Node, Unreadable, child, nodes, parse, span_of
from accshare.source import Span

_PARAMETERS = ("TB_X", "TB_Y", "TB_Z")


def share(argument: CText, span: Span) -> ShareClause:
    """``share(A[TB_Y][*]:coalesce, …)``. Raises `Unreadable`."""
    arrays: list[ShareArray] = []
    for node in nodes(parse("share", argument.text), "array"):
        array = _array(node, argument.span.start)
        if any(array.name == other.name for other in arrays):
            raise Unreadable(span_of(node, 0).start, len(array.name), f"{array.name} only once")
        arrays.append(array)
    return ShareClause(tuple(arrays), span)


def constant(node: Node) -> int:
    """The value of integer arithmetic, as macros leave it behind: ``(2*16)``. Raises `Unreadable` unless positive."""
    try:
        value = _value(node)
    except ZeroDivisionError:
        value = 0
    if value < 1:
        raise _wrong(node, "a positive integer constant")
    return value


def _wrong(node: Node, expected: str) -> Unreadable:
    place = span_of(node, 0)
    return Unreadable(place.start, place.end - place.start, expected)


def _value(node: Node) -> int:
    if node.data == "binary":
        lhs, rhs = _value(child(node, 0)), _value(child(node, 2))
        match str(node.children[1]):
            case "+":
                return lhs + rhs
            case "-":
                return lhs - rhs
            case "*":
                return lhs * rhs
            case _:
                return lhs // rhs
    if node.data == "parameter":
        raise _wrong(node, "a positive integer constant")
    return _integer(node)


def _integer(node: Node) -> int:
    value = integer_value(str(node.children[0]))
    if value is None:
        raise _wrong(node, "an integer")
    return value


def _array(node: Node, offset: int) -> ShareArray:
    words = [word.children[0] for word in nodes(node, "coalesce")]
    for word in words:
        if word != "coalesce":
            raise Unreadable(span_of(word, 0).start, len(str(word)), "coalesce")
    lengths = tuple(_length(length, offset) for length in nodes(node, "length", "vague"))
    return ShareArray(str(node.children[0]), lengths, bool(words), span_of(node, offset))


def _length(node: Node, offset: int) -> ShareExpr:
    return ShareVague(span_of(node, offset)) if node.data == "vague" else _expr(child(node, 0), offset)


def _expr(node: Node, offset: int) -> ShareExpr:
    span = span_of(node, offset)
    if node.data == "integer":
        return ShareInt(constant(node), span)
    if node.data == "parameter":
        if node.children[0] not in _PARAMETERS:
            raise _wrong(node, "TB_X, TB_Y, TB_Z, '*' or a number")
        return ShareParam(str(node.children[0]), span)
    return ShareBinary(str(node.children[1]), _expr(child(node, 0), offset), _expr(child(node, 2), offset), span)
