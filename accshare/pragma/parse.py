"""The lark grammar: text to parse trees, and lark's errors in the user's words."""

from __future__ import annotations

import contextlib
import hashlib
import io
import sys
from functools import cache
from pathlib import Path

import lark
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from accshare import private
from accshare.source import Span

__all__ = ["BLANKS", "Node", "Token", "Unreadable", "child", "nodes", "parse", "span_of"]

Node = Tree[Token]
#: of ASCII only: other bytes that Unicode calls blank are parts of UTF-8 names
BLANKS = " \t\r\n\f\v"

_STARTS = [
    "clauses",
    "expression",
    "expressions",
    "variables",
    "reduction",
    "levels",
    "devices",
    "queues",
    "collapse",
    "tile",
    "share",
]
#: terminals as people call them; operators are left out, they would only lengthen the list
_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "RBRACE": "'}'",
    "COLON": "':'",
    "COMMA": "','",
    "STAR": "'*'",
}
_CLOSING = ("RPAR", "RSQB", "RBRACE")
#: what an operand begins or goes on with
_OPERAND = {"NAME", "NUMBER", "LPAR", "LSQB", "STAR"}


class Unreadable(Exception):  # noqa: N818 - an answer, not a failure
    """A text the grammar has no reading for: `offset` into it (-1: the clause as a whole), and what would have been
    right."""

    def __init__(self, offset: int, length: int, expected: str) -> None:
        super().__init__(expected)
        self.offset = offset
        self.length = length
        self.expected = expected


@cache
def _grammar() -> Lark:
    """The parser; its tables are kept, for making them takes longer than all else that a small file needs."""
    text = (Path(__file__).parent / "acc.lark").read_text(encoding="utf-8")
    made_of = repr((text, _STARTS, lark.__version__, sys.version_info[:2]))
    path = private.cache_home() / "grammar" / hashlib.sha256(made_of.encode()).hexdigest()
    content = private.load(path)
    if content is not None:
        return Lark.load(io.BytesIO(content))
    parser = Lark(text, parser="lalr", start=_STARTS, propagate_positions=True)
    tables = io.BytesIO()
    parser.save(tables)
    with contextlib.suppress(OSError):
        private.store(path, tables.getvalue())
    return parser


def parse(start: str, text: str) -> Node:
    """The parse tree of `text` by the grammar's rule `start`. Raises `Unreadable`."""
    try:
        return _grammar().parse(text, start=start)
    except UnexpectedInput as error:
        words = {"NAME": "a clause", "$END": "the end of the pragma"} if start == "clauses" else {"$END": "')'"}
        raise _unreadable(error, text, words) from error


def span_of(node: Node | Token, offset: int) -> Span:
    """Where a node or token of a text that begins at `offset` stands; empty nodes are at that offset."""
    if isinstance(node, Token):
        start, end = node.start_pos, node.end_pos
    else:
        start, end = getattr(node.meta, "start_pos", 0), getattr(node.meta, "end_pos", 0)
    return Span(offset + (start or 0), offset + (end or 0))


def nodes(tree: Node, *rules: str) -> list[Node]:
    """The children made by one of `rules`."""
    return [child for child in tree.children if not isinstance(child, Token) and child.data in rules]


def child(tree: Node, index: int) -> Node:
    """A child that is a node by the grammar."""
    found = tree.children[index]
    assert not isinstance(found, Token)
    return found


def _unreadable(error: UnexpectedInput, text: str, words: dict[str, str]) -> Unreadable:
    match error:
        case UnexpectedCharacters():
            return Unreadable(error.pos_in_stream or 0, 1, _choice(error.allowed or set(), words))
        case UnexpectedToken(token=token) if token.type != "$END":
            return Unreadable(token.start_pos or 0, len(token), _choice(error.accepts or error.expected, words))
        case UnexpectedToken() | UnexpectedEOF():
            return Unreadable(len(text.rstrip(BLANKS)), 1, _choice(set(error.expected), words))
    return Unreadable(0, 1, "something else")


def _choice(terminals: set[str], own: dict[str, str]) -> str:
    closing = [name for name in _CLOSING if name in terminals]
    if closing and "OP" in terminals:  # anything goes but another bracket
        return _WORDS[closing[0]]
    words: list[str] = []
    if "OP" in terminals:  # behind an operand, only what ends the expression is worth saying
        words = [] if "LSQB" in terminals else ["an expression"]
        terminals = terminals - _OPERAND
    words += dict.fromkeys(word for name, word in {**_WORDS, **own}.items() if name in terminals)
    if not words:
        return "something else"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
