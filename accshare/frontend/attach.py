"""Which statement a pragma stands on: the outermost one that starts at the next token that is no directive."""

from __future__ import annotations

import re
from collections.abc import Iterable

from accshare.frontend.clang import Node, Tree
from accshare.pragma.ir import Directive
from accshare.records import dataclass
from accshare.source import Span

_SKIPPED = re.compile(r"(?:\s+|^[ \t]*#[^\n]*)*", re.MULTILINE)
_LABELS = frozenset({"LABEL_STMT", "CASE_STMT", "DEFAULT_STMT"})


@dataclass(frozen=True, slots=True)
class Stack:
    """Directives with nothing but each other between them and the next token.

    `function` is the one around them, if any; `path` leads from its body to the statement they stand on, and
    is empty when no statement starts there.
    """

    directives: tuple[Directive, ...]
    function: Node | None
    path: tuple[Node, ...]

    @property
    def statement(self) -> Node | None:
        return self.path[-1] if self.path else None


def stacks(tree: Tree, text: str, directives: Iterable[Directive]) -> tuple[Stack, ...]:
    """The directives, grouped by the place they stand at, in source order; `text` is libclang's copy."""
    groups: dict[int, list[Directive]] = {}
    for directive in sorted(directives, key=lambda d: d.span):
        groups.setdefault(_next_token(text, directive.span.end), []).append(directive)
    found = []
    for offset, group in groups.items():
        function = tree.function_at(group[0].span.start)
        if function is not None and not function.start <= group[0].span.start < function.end:
            function = None
        path = () if function is None else _descend(function, offset)
        found.append(Stack(tuple(group), function, path))
    return tuple(found)


def statement_span(node: Node, text: str) -> Span:
    """A statement's text with the semicolon libclang leaves out."""
    last = node
    while last.children and last.kind in {"FOR_STMT", "WHILE_STMT", "IF_STMT", *_LABELS}:
        last = last.children[-1]
    if last.kind not in {"COMPOUND_STMT", "DECL_STMT", "NULL_STMT", "SWITCH_STMT"}:
        end = _next_token(text, node.end)
        if text[end : end + 1] == ";":
            return Span(node.start, end + 1)
    return Span(node.start, node.end)


def _next_token(text: str, offset: int) -> int:
    match = _SKIPPED.match(text, offset)
    return offset if match is None else match.end()


def _descend(function: Node, offset: int) -> tuple[Node, ...]:
    """From the function's body to the outermost statement that starts at `offset`; empty when there is none."""
    path: list[Node] = []
    bodies = [child for child in function.children if child.kind == "COMPOUND_STMT"]
    node = bodies[-1] if bodies else None
    while node is not None:
        path.append(node)
        if node.start == offset and len(path) > 1 and node.kind not in _LABELS:
            return tuple(path)
        inside = (child for child in node.children if child.start <= offset < child.end)
        node = next((child for child in inside if child.is_statement or child.is_expression), None)
    return ()
