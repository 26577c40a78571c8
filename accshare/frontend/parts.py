"""The parts of a ``for``: libclang leaves out the empty ones, so their places in the text tell which is which."""

from __future__ import annotations

import re

from accshare.frontend.clang import Node
from accshare.records import dataclass
from accshare.source import Span

_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|^[ \t]*#[^\n]*|[()\[\]{};]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ForParts:
    """`header` spans ``for (…)``."""

    init: Node | None
    condition: Node | None
    step: Node | None
    body: Node
    header: Span


def for_parts(node: Node, text: str) -> ForParts:
    """Takes a ``FOR_STMT`` apart."""
    *header, body = node.children
    semicolons: list[int] = []
    depth, close = 0, body.start
    for token in _TOKEN.finditer(text, node.start, node.end):
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
            if depth == 0:
                close = token.end()
                break
        elif token[0] == ";" and depth == 1:
            semicolons.append(token.start())
    parts: list[Node | None] = [None, None, None]
    for part in header:
        parts[sum(semicolon < part.start for semicolon in semicolons)] = part
    return ForParts(parts[0], parts[1], parts[2], body, Span(node.start, close))
