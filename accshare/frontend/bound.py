"""``routine bind(name)``: what a device calls in place of a function (OpenACC 3.3, 2.15.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from accshare.diagnostics import Note, rejected
from accshare.frontend.clang import Key, Node, Tree
from accshare.pragma.ir import Directive, DirectiveKind, WordClause
from accshare.records import dataclass
from accshare.source import Span

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Bound:
    """The function `name` takes the place of another one on devices; `declared` is None where nothing is so called."""

    name: str
    declared: Node | None
    span: Span


def bound_functions(tree: Tree, directives: Iterable[Directive]) -> dict[Key, Bound]:
    """What functions are bound to, by the function."""
    binding = [d for d in directives if d.kind is DirectiveKind.ROUTINE and _name(d, "bind")]
    functions = [node for node in tree.file_scope if node.kind == "FUNCTION_DECL"] if binding else []
    found: dict[Key, Bound] = {}
    for directive in binding:
        name, to = _name(directive, "routine"), _name(directive, "bind")
        after = (node for node in functions if node.start >= directive.span.end)
        which = next((node for node in functions if node.spelling == name) if name else after, None)
        if which is not None:
            target = next((node for node in functions if node.spelling == to), None)
            found[which.key] = Bound(to, target, directive.span)
    return found


def device_function(called: Node, bound: Mapping[Key, Bound], span: Span) -> Node:
    """What a device calls where the program calls `called`. Raises `Rejected` (ACC204) where that is nothing it can."""
    other = bound.get(called.key)
    if other is None:
        return called
    message = f"call of {called.spelling} can't run on a device: it is bound to {other.name}, which "
    notes = [Note("it is bound here", other.span)]
    if other.declared is None:
        raise rejected("ACC204", f"{message}isn't declared in this file", span, f"declare {other.name}", notes)
    if other.declared.type.spelling != called.type.spelling:
        raise rejected("ACC204", f"{message}has another type", span, "give both functions the same type", notes)
    return other.declared


def _name(directive: Directive, word: str) -> str:
    """The function that one of a directive's clauses names; empty where there is none."""
    texts = (c.text.text for c in directive.clauses if isinstance(c, WordClause) and c.name == word and c.text)
    name = _IDENTIFIER.search(next(texts, ""))
    return "" if name is None else name[0]
