"""What all regions of a translation unit share while they are read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from accshare.frontend.bound import Bound
from accshare.frontend.c_types import Types
from accshare.frontend.clang import Key, Node, Tree
from accshare.pragma.ir import Directive
from accshare.records import dataclass, field
from accshare.source import SourceFile, Span, on_one_line

_ADDRESS = re.compile(r"(?<!&)&(?![&=])[\s(]*([A-Za-z_]\w*)\b(?!\s*(?:\[|->))")
_WORDS_BEFORE = frozenset({"return", "case", "sizeof", "else", "do"})


@dataclass(frozen=True, slots=True)
class Unit:
    """A parsed translation unit.

    `addressed` are the names whose address is taken anywhere in it, `directives` all of its directives, `atomics` those
    that make statements atomic, by the byte offset these start at; `on_device` the names that data directives name and
    regions write; `bound` says what devices call in place of functions. Products of complex numbers are plain where the
    range is `limited`.
    """

    source: SourceFile
    tree: Tree
    types: Types
    addressed: frozenset[str]
    directives: tuple[Directive, ...]
    atomics: Mapping[int, Directive] = field(default_factory=dict)
    on_device: frozenset[str] = frozenset()
    bound: Mapping[Key, Bound] = field(default_factory=dict)
    limited: bool = False

    def shown(self, node: Node, limit: int = 40) -> str:
        """A node's text on one line, for messages."""
        line = on_one_line(self.source.text[node.start : node.end])
        return line if len(line) <= limit else line[: limit - 1] + "…"

    def addressed_in(self, span: Span) -> frozenset[str]:
        """The names whose address is taken in a part of the text."""
        return addressed_names(self.source.text[span.start : span.end])


def addressed_names(text: str) -> frozenset[str]:
    """The names a unary ``&`` stands before; where it might be the binary one, too."""
    names = set()
    for match in _ADDRESS.finditer(text):
        before = text[max(0, match.start() - 80) : match.start()].rstrip()
        word = re.search(r"\w+$", before)
        binary = before.endswith("]") or (word is not None and word[0] not in _WORDS_BEFORE)
        if not binary:
            names.add(match[1])
    return frozenset(names)
