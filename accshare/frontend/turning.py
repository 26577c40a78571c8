"""Which pointers a region turns around, ``w = u; u = v; v = w;``: each gets what another one of them has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from accshare.frontend.clang import CType, Key, Node
from accshare.frontend.effects import assigned, walk
from accshare.frontend.refusals import stripped, unqualified

#: a variable, or a member of what it is or points to
Place: TypeAlias = tuple[Key, tuple[str, ...]]


def turning(statement: Node) -> frozenset[Place]:
    """The pointers that a statement sets to nothing but pointers, and by way of these to one another."""
    plain = {place: found for place, found in _sources(statement).items() if None not in found}
    return frozenset(place for place in plain if place in _reached(place, plain))


def pointer_place(value: Node) -> Place | None:
    """Where the pointer lies that an expression is; a parameter that is declared as an array is one, too."""
    plain = stripped(value)
    while plain.kind == "UNEXPOSED_EXPR" and len(plain.children) == 1:
        inside = stripped(plain.children[0])
        if _target(inside.type) != _target(plain.type):
            return None
        plain = inside
    parameter = plain.kind == "DECL_REF_EXPR" and plain.referenced is not None and plain.referenced.kind == "PARM_DECL"
    return _place(plain) if plain.type.is_pointer or (parameter and plain.type.is_array) else None


def _place(node: Node) -> Place | None:
    node = stripped(node)
    if node.kind == "UNEXPOSED_EXPR" and len(node.children) == 1:
        return _place(node.children[0])
    if node.kind == "MEMBER_REF_EXPR" and node.children:
        owner = _place(node.children[0])
        return None if owner is None else (owner[0], (*owner[1], node.spelling))
    decl = node.referenced if node.kind == "DECL_REF_EXPR" else None
    return None if decl is None or decl.kind not in {"VAR_DECL", "PARM_DECL"} else (decl.key, ())


def _target(type_: CType) -> str:
    """What a pointer points to, or an array is made of; the type of anything else."""
    return unqualified(type_.element if type_.is_array else type_.pointee if type_.is_pointer else type_)


def _sources(statement: Node) -> dict[Place, set[Place | None]]:
    """The pointers that each pointer is set to, None for anything else."""
    found: dict[Place, set[Place | None]] = {}
    for place, value in _settings(statement):
        found.setdefault(place, set()).add(None if value is None else pointer_place(value))
    return found


def _settings(statement: Node) -> Iterator[tuple[Place, Node | None]]:
    """The pointers that are set, each with the value where there is one."""
    for part in walk(statement):
        if part.kind == "VAR_DECL" and part.type.is_pointer and part.initialiser is not None:
            yield (part.key, ()), part.initialiser
        target = assigned(part, addressed=True)
        place = None if target is None else pointer_place(target)
        if place is not None:
            yield place, part.children[1] if part.kind == "BINARY_OPERATOR" else None


def _reached(place: Place, sources: Mapping[Place, set[Place | None]]) -> set[Place]:
    """The pointers from which a pointer may have its value."""
    found: set[Place] = set()
    waiting = [place]
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source is not None and source not in found:
                found.add(source)
                waiting.append(source)
    return found
