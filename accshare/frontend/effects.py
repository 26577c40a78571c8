"""Which variables and what memory a piece of C writes, before it is converted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.frontend.bound import Bound
from accshare.frontend.clang import Key, Node
from accshare.frontend.mathlib import GENERIC_PREFIX, is_library, plain
from accshare.frontend.refusals import stripped, unqualified
from accshare.records import dataclass


@dataclass(frozen=True, slots=True)
class Writes:
    """`variables` assigned by name or with their address taken; `memory`: the spelled types of other stores; `calls`:
    whether functions are called that may store anywhere."""

    variables: frozenset[Key]
    memory: frozenset[str]
    calls: bool


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it, parents first."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(one.children)


def mentioned(node: Node) -> frozenset[Key]:
    """Every variable mentioned."""
    parts = (part.referenced for part in walk(node) if part.kind == "DECL_REF_EXPR")
    return frozenset(decl.key for decl in parts if decl is not None)


def depth(node: Node) -> int:
    """How many nodes stand one in the other, at most."""
    levels, level = 0, [node]
    while level:
        levels, level = levels + 1, [child for one in level for child in one.children]
    return levels


def walk_called(node: Node, bound: Mapping[Key, Bound]) -> Iterator[Node]:
    """The same, and what is in the functions that are called there, or in those that they are `bound` to."""
    seen: set[Key] = set()
    queue = [node]
    while queue:
        for part in walk(queue.pop()):
            yield part
            called = part.referenced if part.kind == "CALL_EXPR" else None
            if called is not None and called.key in bound:
                called = bound[called.key].declared
            body = None if called is None or called.key in seen else called.definition
            if called is not None and body is not None:
                seen.add(called.key)
                queue.append(body)


def assigned(node: Node, addressed: bool = False) -> Node | None:
    """What an assignment, ``++`` or ``--`` writes, and with `addressed` what ``&`` stands before; None for any other
    node."""
    if addressed and node.kind == "UNARY_OPERATOR" and node.operator == "&":
        return stripped(node.children[0])
    is_assignment = node.kind == "COMPOUND_ASSIGNMENT_OPERATOR" or (
        node.kind == "BINARY_OPERATOR" and node.operator == "="
    )
    if is_assignment or (node.kind == "UNARY_OPERATOR" and node.operator in {"++", "--"}):
        return stripped(node.children[0])
    return None


def writes(node: Node) -> Writes:
    """Everything `node` may write."""
    variables, memory, calls = set(), set(), False
    for part in walk(node):
        target = assigned(part)
        calls = calls or (part.kind == "CALL_EXPR" and _may_store(part))
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
    return Writes(frozenset(variables), frozenset(memory), calls)


def _may_store(call: Node) -> bool:
    """Whether what a device calls may be a function of the program: this one, or another one that it is bound to."""
    name, called = plain(call.spelling), call.referenced
    return (called is not None and called.definition is not None) or not (
        is_library(name) or name.startswith(GENERIC_PREFIX)
    )


def is_idle(node: Node) -> bool:
    """Whether an expression has no effects: ``(void)(&x == &y)``, with which macros have types compared; or says that
    it is never reached."""
    if node.kind == "CALL_EXPR" and node.spelling == "__builtin_unreachable":
        return True
    acts = {"CALL_EXPR", "StmtExpr"}
    return not any(p.kind in acts or assigned(p) is not None or p.type.is_volatile for p in walk(node))
