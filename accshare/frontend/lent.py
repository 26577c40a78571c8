"""Pointers beside ``restrict`` ones that lead to the same memory since they were made of these: ``float *q = p + 3;``.

C calls what is reached through them *based on* the ``restrict`` pointer (C11 6.7.3.1), which promises nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.frontend.c_types import NUMBERS
from accshare.frontend.clang import CType, Key, Node
from accshare.frontend.effects import walk
from accshare.frontend.refusals import stripped

_PLACES = frozenset({"MEMBER_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR"})


def lent(function: Node, region: Node) -> frozenset[Key]:
    """The variables of a region that others of it may have been made of outside of it; inside, what pointers stand for
    is known."""
    used = {decl.key: decl for decl in _named(region)}
    flows = _Flows(function, region, used.values())
    pointers = [key for key, decl in used.items() if decl.type.is_pointer or _holds_pointers(decl.type)]
    return frozenset(one for one in used if any(flows.may_lead(other, one) for other in pointers if other != one))


class _Flows:
    """Where the pointers of a function come from, but for what a `region` in it does, which uses some variables."""

    def __init__(self, function: Node, region: Node, used: Iterable[Node]) -> None:
        self._made_of: dict[Key, set[Key]] = {}
        self._elsewhere: set[Key] = set()  # in memory or in another function since
        self._from_elsewhere: set[Key] = set()
        for node in _outside(function, region):
            if node.kind in {"VAR_DECL", "PARM_DECL"}:
                self._declared(node)
            elif node.kind == "BINARY_OPERATOR" and node.operator == "=":
                self._assigned(*node.children)
            elif node.kind == "CALL_EXPR":
                self._elsewhere |= {key for argument in node.children[1:] for key in _carried(argument)}
        self._from_elsewhere |= {decl.key for decl in used if decl.kind == "VAR_DECL" and decl.is_file_scope}

    def may_lead(self, other: Key, one: Key) -> bool:
        """Whether a variable may lead to the memory that another one leads to, since it was made of that."""
        found, waiting = {other}, [other]
        while waiting:
            new = self._made_of.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return one in found or (one in self._elsewhere and not self._from_elsewhere.isdisjoint(found))

    def _declared(self, node: Node) -> None:
        if _holds_pointers(node.type):
            self._from_elsewhere.add(node.key)
        if node.kind == "VAR_DECL" and node.initialiser is not None:
            self._given(node.key, node.initialiser)

    def _assigned(self, target: Node, value: Node) -> None:
        place = stripped(target)
        if place.kind == "DECL_REF_EXPR" and place.referenced is not None:
            self._given(place.referenced.key, value)
            return
        self._elsewhere |= _carried(value)

    def _given(self, variable: Key, value: Node) -> None:
        self._made_of.setdefault(variable, set()).update(_carried(value))
        if any(part.kind == "CALL_EXPR" or _is_loaded(part) for part in _pointers(value)):
            self._from_elsewhere.add(variable)


def _outside(function: Node, region: Node) -> Iterator[Node]:
    waiting = [function]
    while waiting:
        node = waiting.pop()
        if (node.start, node.end, node.kind) != (region.start, region.end, region.kind):
            yield node
            waiting += node.children


def _pointers(value: Node) -> Iterator[Node]:
    """The parts of an expression out of which a pointer may come: not numbers that it reads from memory."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        yield node
        if node.kind == "UNARY_OPERATOR" and node.operator == "&":
            waiting += stripped(node.children[0]).children
        else:
            waiting += [child for child in node.children if not (_is_loaded(child) and child.type.kind in NUMBERS)]


def _carried(value: Node) -> set[Key]:
    return {part.referenced.key for part in _pointers(value) if part.kind == "DECL_REF_EXPR" and part.referenced}


def _named(region: Node) -> Iterator[Node]:
    named = (part.referenced for part in walk(region) if part.kind == "DECL_REF_EXPR")
    return (decl for decl in named if decl is not None)


def _is_loaded(part: Node) -> bool:
    return part.kind in _PLACES or (part.kind == "UNARY_OPERATOR" and part.operator == "*")


def _holds_pointers(type_: CType) -> bool:
    """Whether a variable of this type is an aggregate, or leads to pointers or aggregates."""
    held = _element(type_)
    return _element(held.pointee).kind in {"POINTER", "RECORD"} if held.is_pointer else held.kind == "RECORD"


def _element(type_: CType) -> CType:
    while type_.is_array:
        type_ = type_.element
    return type_
