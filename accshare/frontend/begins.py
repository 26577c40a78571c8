"""Where a pointer that was declared before gets its place: ``p = row[i];`` at the head of what uses it.

Behind such an assignment, in the same block, it is what a pointer would be that was declared there.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.clang import Key, Node
from accshare.frontend.effects import mentioned, walk
from accshare.frontend.refusals import stripped


def begins(statement: Node, key: Key) -> dict[int, Node] | None:
    """The scope of each assignment that gives a pointer its place, by the byte offset where it begins; None where it is
    used before it has one, or may have one of several."""
    found: dict[int, Node] = {}
    return found if _is_set_first(statement, key, found) else None


def _is_set_first(node: Node, key: Key, found: dict[int, Node]) -> bool:
    """Whether a pointer is used in `node` only behind assignments to it, each in its block."""
    if key not in mentioned(node):
        return True
    if node.is_expression:
        return _gives(node, key) and _notes(node, node, found)
    loop = node.kind == "FOR_STMT"
    if not loop and node.kind != "COMPOUND_STMT":
        return all(_is_set_first(child, key, found) for child in node.children)
    known = False
    for part in _parts(node):
        if part.is_expression and _gives(part, key):
            known = _notes(part, node, found)
            continue
        again = any(_gives(inside, key) for inside in walk(part))
        if again if known else not _is_set_first(part, key, found):
            return False
    return True


def _notes(assignment: Node, scope: Node, found: dict[int, Node]) -> bool:
    found[assignment.start] = scope
    return True


def _parts(block: Node) -> Iterator[Node]:
    """The statements of a block, and the parts of a loop's header before its body, one after the other."""
    for child in block.children:
        yield from _apart(child)


def _apart(node: Node) -> Iterator[Node]:
    if node.kind == "BINARY_OPERATOR" and node.operator == ",":
        for child in node.children:
            yield from _apart(child)
    else:
        yield node


def _gives(node: Node, key: Key) -> bool:
    """Whether an expression assigns to a pointer, and no place that it has by then."""
    if node.kind != "BINARY_OPERATOR" or node.operator != "=":
        return False
    target = stripped(node.children[0])
    own = target.kind == "DECL_REF_EXPR" and target.referenced is not None and target.referenced.key == key
    return own and key not in mentioned(node.children[1])
