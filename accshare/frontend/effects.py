"""Which variables and what memory a piece of C writes, before it is converted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from accshare.frontend.clang import Key, Node
from accshare.frontend.refusals import stripped, unqualified


@dataclass(frozen=True, slots=True)
class Writes:
    """`variables` assigned by name or with their address taken; `memory`: the spelled types of other stores."""

    variables: frozenset[Key]
    memory: frozenset[str]


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it, parents first."""
    yield node
    for child in node.children:
        yield from walk(child)


def assigned(node: Node) -> Node | None:
    """What an assignment, ``++`` or ``--`` writes; None for any other node."""
    is_assignment = node.kind == "COMPOUND_ASSIGNMENT_OPERATOR" or (
        node.kind == "BINARY_OPERATOR" and node.operator == "="
    )
    if is_assignment or (node.kind == "UNARY_OPERATOR" and node.operator in {"++", "--"}):
        return stripped(node.children[0])
    return None


def writes(node: Node) -> Writes:
    """Everything `node` may write, calls aside."""
    variables, memory = set(), set()
    for part in walk(node):
        target = assigned(part)
        if target is None and part.kind == "UNARY_OPERATOR" and part.operator == "&":
            target = stripped(part.children[0])
            if target.kind != "DECL_REF_EXPR":
                continue
        if target is None:
            continue
        if target.kind == "DECL_REF_EXPR" and target.referenced is not None:
            variables.add(target.referenced.key)
        else:
            memory.add(unqualified(target.type))
    return Writes(frozenset(variables), frozenset(memory))
