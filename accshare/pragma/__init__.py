"""The pragma stage: ``#pragma acc`` lines as directives."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from accshare.diagnostics import Diagnostic
from accshare.pragma.clauses import build
from accshare.pragma.ir import Clause, CText, DataClause, Directive, DirectiveKind, Movement, Pragmas
from accshare.pragma.parse import Node, Unreadable, parse, span_of
from accshare.pragma.rules import ALLOWED, EXCLUSIVE, SINGLE, SYNONYMS
from accshare.source import SourceFile, Span

__all__ = ["read"]

_LINE = re.compile(r"^[ \t]*(#[ \t]*pragma[ \t]+acc\b(?:[^\n\\]|\\.|\\\r?\n)*)", re.MULTILINE)
_LEAD = re.compile(r"#[ \t]*pragma[ \t]+acc\b(?:\s|\\\r?\n)*")
_KINDS = sorted(DirectiveKind, key=lambda kind: -len(kind.value))
#: directives whose own parentheses are read as a clause of the same name
_SELF_ARGUMENT = {DirectiveKind.WAIT, DirectiveKind.CACHE, DirectiveKind.ROUTINE, DirectiveKind.SHARE}
_MOVES = (Movement.COPY, Movement.COPYIN, Movement.COPYOUT, Movement.CREATE, Movement.PRESENT)


class _Invalid(Exception):  # noqa: N818 - carries a diagnostic
    def __init__(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, span, hint)


def read(source: SourceFile) -> Pragmas:
    """All ``#pragma acc`` lines of a preprocessed file. One that can't be read gives a diagnostic and no directive, so
    that the code it stands on stays host code."""
    directives, diagnostics, spans = [], [], []
    for line in _LINE.finditer(source.text):
        span = Span(line.start(1), line.start(1) + len(line[1].rstrip()))
        spans.append(span)
        try:
            directives.append(_directive(source.slice(span), span))
        except _Invalid as problem:
            diagnostics.append(problem.diagnostic)
    return Pragmas(tuple(directives), tuple(diagnostics), tuple(spans))


def _directive(text: str, span: Span) -> Directive:
    lead = _LEAD.match(text)
    assert lead is not None
    rest = text[lead.end() :]
    kind, length = _kind(rest, span, lead.end())
    if kind in _SELF_ARGUMENT:
        length -= len(kind.value)  # read the word again, as a clause
    offset = span.start + lead.end() + length
    code = "ACC107" if kind is DirectiveKind.SHARE else "ACC101"
    try:
        tree = parse("clauses", rest[length:])
    except Unreadable as error:
        raise _unreadable(code, error, offset) from error
    clauses = []
    for node in tree.children:
        assert isinstance(node, type(tree))
        clauses.append(_clause(kind, node, rest[length:], offset, code))
    if kind in (DirectiveKind.SHARE, DirectiveKind.CACHE) and len(clauses) != 1:
        raise _Invalid(code, f"{kind.value} needs one list of arrays", span, f"write {kind.value}(A[0:n])")
    names = [name for name, _ in clauses]
    _check_together(kind, names, [c for _, c in clauses])
    return Directive(kind, tuple(c for _, c in clauses if not _is_plain_word(kind, c)), span)


def _is_plain_word(kind: DirectiveKind, clause: Clause) -> bool:
    """Whether a self-argument directive stood without parentheses: ``wait``, ``routine``."""
    return kind is DirectiveKind.ROUTINE and getattr(clause, "name", "") == "routine" and clause.text is None  # type: ignore[union-attr]


def _kind(rest: str, span: Span, start: int) -> tuple[DirectiveKind, int]:
    """The directive at the start of `rest`, and how many characters its words take."""
    for kind in _KINDS:
        words = re.match(r"(?:\s|\\\r?\n)+".join(kind.value.split()) + r"\b", rest)
        if words is not None:
            return kind, words.end()
    word = re.match(r"\w+|.", rest)
    if word is None:
        raise _Invalid("ACC101", "the pragma names no directive", span, "write one, as in #pragma acc kernels loop")
    place = Span(span.start + start, span.start + start + word.end())
    hint = _suggestion(word[0], (k.value for k in DirectiveKind))
    raise _Invalid("ACC102", f"unknown directive {word[0]}", place, hint)


def _clause(kind: DirectiveKind, node: Node, text: str, offset: int, code: str) -> tuple[str, Clause]:
    word = str(node.children[0])
    name = SYNONYMS.get(word, word)
    span = span_of(node, offset)
    if name not in ALLOWED[kind]:
        place = span_of(node.children[0], offset)
        known = any(name in allowed for allowed in ALLOWED.values())
        what = f"{kind.value} takes no clause {word}" if known else f"unknown clause {word}"
        raise _Invalid("ACC103", what, place, _suggestion(word, ALLOWED[kind]))
    argument = None
    if len(node.children) > 1:
        own = span_of(node.children[1], 0)
        inner = Span(offset + own.start + 1, offset + own.end - 1)
        argument = CText(text[own.start + 1 : own.end - 1], inner)
    try:
        return name, build(kind, name, argument, span)
    except Unreadable as error:
        base = span.start if argument is None or error.offset < 0 else argument.span.start
        raise _unreadable(code, error, base) from error


def _unreadable(code: str, error: Unreadable, offset: int) -> _Invalid:
    start = offset + max(0, error.offset)
    return _Invalid(code, f"expected {error.expected}", Span(start, start + max(1, error.length)))


def _suggestion(word: str, known: Iterable[str]) -> str | None:
    close = difflib.get_close_matches(word, list(known), 1)
    return f"did you mean {close[0]}?" if close else None


def _check_together(kind: DirectiveKind, names: list[str], clauses: list[Clause]) -> None:
    """Clauses that exclude each other or repeat (ACC104)."""
    for k, name in enumerate(names):
        before = names[:k]
        if name in SINGLE and name in before:
            raise _Invalid("ACC104", f"{name} stands twice", clauses[k].span, "keep one")
        for group in EXCLUSIVE:
            other = next((n for n in before if n in group and n != name), None)
            if name in group and other is not None and kind is not DirectiveKind.ROUTINE:
                raise _Invalid("ACC104", f"{name} contradicts {other}", clauses[k].span, "keep one of them")
    moved: dict[str, Movement] = {}
    for clause in clauses:
        if not isinstance(clause, DataClause) or clause.movement not in _MOVES:
            continue
        for var in clause.vars:
            first = moved.setdefault(var.base.text, clause.movement)
            if first is not clause.movement:
                what = f"{var.base.text} is in {first.value} and in {clause.movement.value}"
                raise _Invalid("ACC104", what, var.span, "name it once")
