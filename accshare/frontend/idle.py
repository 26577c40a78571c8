"""Variables of a file that its functions use as scratch: none finds one as another left it, so that what it is behind a
region matters no further than what a function's own variable is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from accshare.frontend.clang import Key, Node, Tree
from accshare.frontend.effects import mentioned, walk
from accshare.frontend.liveness import Liveness
from accshare.frontend.mathlib import is_library, plain
from accshare.frontend.parts import for_parts
from accshare.frontend.refusals import stripped


class Idle:
    """Tells which variables of a translation unit, whose `text` it is, are such."""

    def __init__(self, tree: Tree, text: str, liveness: Liveness) -> None:
        self._tree = tree
        self._text = text
        self.liveness = liveness
        self._found: dict[Key, bool] = {}

    def __call__(self, declaration: Node) -> bool:
        """Whether a variable, whose address nobody takes, is known to this file or one function alone, and every
        function writes it before it reads it, and anew behind each call that may come to another one."""
        variable = declaration.key
        if variable not in self._found:
            known_here = declaration.is_internal or declaration.is_static_local
            self._found[variable] = known_here and all(
                variable not in self.liveness.read_in(body)
                and not any(self._is_read_after(variable, path) for path in self._calling((body,)))
                for body in self._using(variable)
            )
        return self._found[variable]

    def _using(self, variable: Key) -> Iterator[Node]:
        """The bodies of the functions that mention a variable."""
        name = re.compile(rf"\b{re.escape(variable[1])}\b")
        for node in self._tree.file_scope:
            if node.kind != "FUNCTION_DECL" or not name.search(self._text, node.start, node.end):
                continue
            function = node.definition
            if function is not None and variable in mentioned(function.children[-1]):
                yield function.children[-1]

    def _is_read_after(self, variable: Key, path: tuple[Node, ...]) -> bool:
        """Whether a function may read a variable after calls in the statement that `path` leads to, and before it
        writes it."""
        statement = stripped(path[-1])
        if variable not in mentioned(statement):
            return variable in self.liveness.read_after(path)
        if statement.kind != "BINARY_OPERATOR" or statement.operator != "=":
            return True
        target, value = statement.children
        written = stripped(target).referenced
        return written is None or written.key != variable or variable in mentioned(value)

    def _calling(self, path: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
        """The ways to the innermost statements with calls in them."""
        inside = self._inside(path[-1])
        own = [child for child in path[-1].children if child not in inside]
        if any(_may_run_more(part) for node in (own if inside else path[-1:]) for part in walk(node)):
            yield path
        for child in inside:
            yield from self._calling((*path, child))

    def _inside(self, node: Node) -> tuple[Node, ...]:
        """The statements that a statement consists of."""
        match node.kind:
            case "COMPOUND_STMT":
                return node.children
            case "IF_STMT" | "WHILE_STMT":
                return node.children[1:]
            case "FOR_STMT":
                return (for_parts(node, self._text).body,)
            case "DO_STMT":
                return node.children[:1]
        return ()


def _may_run_more(node: Node) -> bool:
    """Whether it calls anything but a mathematical function, which comes to no variable."""
    called = node.referenced if node.kind == "CALL_EXPR" else None
    known = called is not None and called.kind == "FUNCTION_DECL" and called.definition is None
    return node.kind == "CALL_EXPR" and not (known and called is not None and is_library(plain(called.spelling)))
