"""Which pointers a region turns around, ``w = u; u = v; v = w;``: each gets what another one of them has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.frontend.clang import CType, Key, Node
from accshare.frontend.effects import assigned, walk
from accshare.frontend.refusals import stripped, unqualified


def turning(statement: Node) -> frozenset[Key]:
    """The pointers that a statement sets to nothing but pointers, and by way of these to one another."""
    plain = {key: found for key, found in _sources(statement).items() if None not in found}
    return frozenset(key for key in plain if key in _reached(key, plain))


def pointer_named(value: Node) -> Node | None:
    """The declaration of the pointer that an expression is; a parameter that is declared as an array is one, too."""
    plain = stripped(value)
    while plain.kind == "UNEXPOSED_EXPR" and len(plain.children) == 1:
        inside = stripped(plain.children[0])
        if _target(inside.type) != _target(plain.type):
            return None
        plain = inside
    decl = plain.referenced if plain.kind == "DECL_REF_EXPR" else None
    if decl is None or decl.kind not in {"VAR_DECL", "PARM_DECL"}:
        return None
    return decl if plain.type.is_pointer or (decl.kind == "PARM_DECL" and plain.type.is_array) else None


def _target(type_: CType) -> str:
    """What a pointer points to, or an array is made of; the type of anything else."""
    return unqualified(type_.element if type_.is_array else type_.pointee if type_.is_pointer else type_)


def _sources(statement: Node) -> dict[Key, set[Key | None]]:
    """The pointers that each pointer is set to, None for anything else."""
    found: dict[Key, set[Key | None]] = {}
    for key, value in _settings(statement):
        source = None if value is None else pointer_named(value)
        found.setdefault(key, set()).add(None if source is None else source.key)
    return found


def _settings(statement: Node) -> Iterator[tuple[Key, Node | None]]:
    """The pointers that are set, each with the value where there is one."""
    for part in walk(statement):
        if part.kind == "VAR_DECL" and part.type.is_pointer:
            values = [child for child in part.children if child.is_expression][part.written_dimensions :]
            if values:
                yield part.key, values[-1]
        target = assigned(part, addressed=True)
        decl = None if target is None else pointer_named(target)
        if decl is not None:
            yield decl.key, part.children[1] if part.kind == "BINARY_OPERATOR" else None


def _reached(key: Key, sources: Mapping[Key, set[Key | None]]) -> set[Key]:
    """The pointers from which a pointer may have its value."""
    found: set[Key] = set()
    waiting = [key]
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source is not None and source not in found:
                found.add(source)
                waiting.append(source)
    return found
