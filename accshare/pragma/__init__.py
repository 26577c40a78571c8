"""The pragma stage: ``#pragma acc`` lines as directives."""

from __future__ import annotations

import re
from collections.abc import Iterable

from accshare.diagnostics import Rejected, listed, rejected
from accshare.pragma.checks import Named, checked
from accshare.pragma.clauses import build
from accshare.pragma.ir import CText, Directive, DirectiveKind, Movement, Pragmas
from accshare.pragma.parse import BLANKS, Node, Unreadable, child, nodes, parse, span_of
from accshare.pragma.rules import ALLOWED, EXAMPLES, SYNONYMS
from accshare.source import SourceFile, Span
from accshare.spelling import nearest

__all__ = ["read"]

_GAP = rf"(?:[{BLANKS}]|\\\r?\n)"
_LINE = re.compile(r"^[ \t]*(#[ \t]*pragma[ \t]+acc\b(?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_LEAD = re.compile(rf"#[ \t]*pragma[ \t]+acc\b{_GAP}*")
_REGIONS = {kind for kind in DirectiveKind if kind.is_compute or kind is DirectiveKind.SHARE}
_OTHERS = "|".join(sorted({kind.value.split()[0] for kind in set(DirectiveKind) - _REGIONS}))
#: a line that opens no region, whatever follows its first word
_OTHER = re.compile(rf"{_LEAD.pattern}(?:{_OTHERS})\b")
_KINDS = sorted(DirectiveKind, key=lambda kind: -len(kind.value))
#: directives whose own parentheses are read as a clause of the same name
_OWN_ARGUMENT = {DirectiveKind.WAIT, DirectiveKind.CACHE, DirectiveKind.ROUTINE, DirectiveKind.SHARE}
_MOVEMENTS = {movement.value for movement in Movement}
#: where there is no example of what can't be read
_KNOWN = "docs/openacc.md lists directives and clauses"


def read(source: SourceFile) -> Pragmas:
    """All ``#pragma acc`` lines of a preprocessed file. One that can't be read gives a diagnostic and no directive, so
    that the code it stands on stays host code."""
    directives, diagnostics, spans, lost = [], [], [], []
    for line in _LINE.finditer(source.text):
        span = Span(line.start(1), line.start(1) + len(line[1].rstrip(BLANKS)))
        spans.append(span)
        try:
            directives.append(_directive(source.slice(span), span))
        except Rejected as problem:
            diagnostics.append(problem.diagnostic)
            if not _OTHER.match(line[1]):
                lost.append(span)
    return Pragmas(tuple(directives), tuple(diagnostics), tuple(spans), tuple(lost))


def _directive(text: str, span: Span) -> Directive:
    lead = _LEAD.match(text)
    assert lead is not None
    kind, words = _kind(text, lead.end(), span)
    code = "ACC107" if kind is DirectiveKind.SHARE else "ACC101"
    rest = text[words:]
    if kind is DirectiveKind.WAIT or (kind in _OWN_ARGUMENT and rest.lstrip(" \t").startswith("(")):
        words -= len(kind.value)  # the word once more, as a clause
        rest = text[words:]
    elif kind in {DirectiveKind.SHARE, DirectiveKind.CACHE}:
        place = Span(span.start + lead.end(), span.start + words)
        raise rejected(code, f"{kind.value} without a list of arrays", place, _example(kind.value) or _KNOWN)
    offset = span.start + words
    try:
        tree = parse("clauses", rest)
    except Unreadable as error:
        raise _unreadable(code, error, offset, None) from error
    return checked(kind, [_clause(kind, node, rest, offset, code) for node in nodes(tree, "clause")], span)


def _kind(text: str, start: int, span: Span) -> tuple[DirectiveKind, int]:
    """The directive whose words stand at `start` of a pragma's text, and where they end."""
    for kind in _KINDS:
        words = re.compile(f"{_GAP}+".join(kind.value.split()) + r"\b").match(text, start)
        if words is not None:
            return kind, words.end()
    word = re.compile(r"\w+|.").match(text, start)
    if word is None:
        raise rejected("ACC101", "the pragma names no directive", span, "write one, as in #pragma acc kernels loop")
    known = [kind.value for kind in DirectiveKind]
    place = Span(span.start + start, span.start + word.end())
    hint = _similar(word[0], known) or f"the directives are {', '.join(known)}"
    raise rejected("ACC102", f"unknown directive {word[0]}", place, hint)


def _clause(kind: DirectiveKind, node: Node, text: str, offset: int, code: str) -> Named:
    word = str(node.children[0])
    name = SYNONYMS.get(word, word)
    if name not in ALLOWED[kind]:
        raise _misplaced(kind, word, name, span_of(node.children[0], offset))
    argument = None
    if len(node.children) > 1:
        own = span_of(child(node, 1), 0)
        inner = Span(offset + own.start + 1, offset + own.end - 1)
        argument = CText(text[own.start + 1 : own.end - 1], inner)
    span = span_of(node, offset)
    try:
        return name, build(kind, name, argument, span)
    except Unreadable as error:
        start = span.start if argument is None or error.offset < 0 else argument.span.start
        raise _unreadable(code, error, start, _example(word)) from error


def _misplaced(kind: DirectiveKind, word: str, name: str, place: Span) -> Rejected:
    takers = [k.value for k, allowed in ALLOWED.items() if name in allowed]
    if takers and name not in {k.value for k in DirectiveKind}:
        hint = _similar(word, ALLOWED[kind]) if len(takers) == 1 else f"it belongs to {listed(takers)}"
        return rejected("ACC103", f"{kind.value} takes no clause {word}", place, hint or f"it belongs to {takers[0]}")
    hint = _similar(word, ALLOWED[kind]) or f"{kind.value} takes {', '.join(sorted(ALLOWED[kind]))}"
    return rejected("ACC103", f"unknown clause {word}", place, hint)


def _unreadable(code: str, error: Unreadable, offset: int, hint: str | None) -> Rejected:
    start = offset + max(0, error.offset)
    place = Span(start, start + max(1, error.length))
    return rejected(code, f"expected {error.expected}", place, hint or _KNOWN)


def _example(word: str) -> str | None:
    written = EXAMPLES.get(word) or (f"{word}(A[0:n])" if SYNONYMS.get(word, word) in _MOVEMENTS else None)
    return f"write it as in {written}" if written else None


def _similar(word: str, known: Iterable[str]) -> str | None:
    close = nearest(word, sorted(known))
    return f"did you mean {close}?" if close else None
