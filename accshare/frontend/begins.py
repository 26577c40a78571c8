"""Where a pointer that was declared before gets its place: ``p = row[i];`` at the head of what uses it, or
``if ((p = row[i])->used)``.

Behind such an assignment, in the same block, it is what a pointer would be that was declared there.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.clang import Key, Node
from accshare.frontend.effects import mentioned, walk
from accshare.frontend.refusals import stripped

#: operators that evaluate their first operand before anything else
_IN_TURN = frozenset({"&&", "||", ","})


def begins(statement: Node, key: Key) -> dict[int, Node] | None:
    """The scope of each assignment that gives a pointer its place, by the byte offset where it begins; None where it is
    used before it has one, or may have one of several."""
    found: dict[int, Node] = {}
    return found if _is_set_first(statement, key, found) else None


def _is_set_first(node: Node, key: Key, found: dict[int, Node]) -> bool:
    """Whether a pointer is used in `node` only behind assignments to it, each in its block."""
    if key not in mentioned(node):
        return True
    if node.is_expression or node.kind == "IF_STMT":
        given = _first(node, key)
        if given is not None:
            return _notes(given, node, found) and not _gives_again(node, key, given)
    if node.is_expression:
        return False
    loop = node.kind == "FOR_STMT"
    if not loop and node.kind != "COMPOUND_STMT":
        return all(_is_set_first(child, key, found) for child in node.children)
    known = False
    for part in _parts(node):
        given = _first(part, key)
        known = known or given is not None
        if given is not None:
            _notes(given, node, found)
        if _gives_again(part, key, given) if known else not _is_set_first(part, key, found):
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


def _first(statement: Node, key: Key) -> Node | None:
    """The assignment to a pointer that comes before all its uses in an expression, or in the condition of a statement,
    whatever their values."""
    node = statement.children[0] if statement.kind == "IF_STMT" else statement
    if not node.is_expression:
        return None
    while not _gives(node, key):
        using = [child for child in node.children if key in mentioned(child)]
        in_turn = node.kind == "CONDITIONAL_OPERATOR" or (node.kind == "BINARY_OPERATOR" and node.operator in _IN_TURN)
        if not using or (using[0] is not node.children[0] if in_turn else len(using) > 1):
            return None
        node = using[0]
        if not node.is_expression:
            return None
    return node


def _gives_again(node: Node, key: Key, given: Node | None) -> bool:
    """Whether a pointer is set in `node` other than where it is `given` its place."""
    return any(_gives(inside, key) and (given is None or inside.start != given.start) for inside in walk(node))


def _gives(node: Node, key: Key) -> bool:
    """Whether an expression assigns to a pointer, and no place that it has by then."""
    if node.kind != "BINARY_OPERATOR" or node.operator != "=":
        return False
    target = stripped(node.children[0])
    own = target.kind == "DECL_REF_EXPR" and target.referenced is not None and target.referenced.key == key
    return own and key not in mentioned(node.children[1])
