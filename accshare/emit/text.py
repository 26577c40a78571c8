"""Generated text between the user's own lines: literals, markers, insertions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from accshare.emit.writer import escaped
from accshare.records import dataclass
from accshare.source import GENERATED, SourceFile, Span

#: compilers keep quiet about what stands under it: flag 3 says system header
_OURS = f'# 1 "{GENERATED}" 3'
_MARKER = re.compile(r'^#(?:line)?[ \t]+\d+[ \t]+"(?:[^"\\]|\\.)*"([ \t\d]*)$', re.MULTILINE)
_LEADING_MARKERS = re.compile(r"(?:# \d[^\n]*\n)*")
_SIMPLE = frozenset(map(chr, range(32, 127))) - set('"\\?')


@dataclass(frozen=True, slots=True)
class Insertion:
    """Generated `text` that goes in front of the byte at `offset`; at the same offset the lower `rank` comes first."""

    offset: int
    rank: tuple[int, int, int]
    text: str


def before(statement: Span, directive: Span, text: str) -> Insertion:
    """An insertion that opens something around a statement."""
    return Insertion(statement.start, (1, -statement.end, directive.start), text)


def after(statement: Span, directive: Span, text: str) -> Insertion:
    """An insertion that closes what `before` opened with the same spans."""
    return Insertion(statement.end, (0, -statement.start, -directive.start), text)


def inserted(source: SourceFile, blank: Iterable[Span], insertions: Iterable[Insertion]) -> str:
    """The text with `blank` spans turned into spaces and the insertions made; all else stays byte for byte, and every
    line keeps its file, number and column."""
    text = source.text
    for span in blank:
        text = text[: span.start] + re.sub(r"[^\n]", " ", source.slice(span)) + text[span.end :]
    flags = [(m.end(), m[1]) for m in _MARKER.finditer(source.text)]
    pieces, at = [], 0
    for insertion in sorted(insertions, key=lambda i: (i.offset, i.rank)):
        pieces += [text[at : insertion.offset], _between(source, text, insertion, flags)]
        at = insertion.offset
    return "".join((*pieces, text[at:]))


def _between(source: SourceFile, text: str, insertion: Insertion, flags: list[tuple[int, str]]) -> str:
    offset = insertion.offset
    line_start, line_end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    place = source.locate(offset)
    restored = " ".join((f'# {place.line} "{escaped(place.file)}"', *_kept(flags, offset)))
    lead = text[line_start:offset]
    rest = text[offset : line_end if line_end >= 0 else len(text)]
    pad = "".join("\t" if c == "\t" else " " for c in lead) if rest.strip() else ""
    start = "\n" if lead else ""
    return f"{start}{_OURS}\n{insertion.text.strip()}\n{restored}\n{pad}"


def _kept(flags: list[tuple[int, str]], offset: int) -> list[str]:
    """The flags of the marker an offset stands under that aren't about entering and leaving files."""
    known = next((found for end, found in reversed(flags) if end <= offset), "")
    return [flag for flag in known.split() if flag in {"3", "4"}]


def top(source: SourceFile) -> int:
    """The offset in front of the first declaration, behind the markers that name the main file."""
    leading = _LEADING_MARKERS.match(source.text)
    return leading.end() if leading else 0


def flat(text: str) -> str:
    """Source text on one line, without the line markers the preprocessor may have put in."""
    return " ".join(_MARKER.sub(" ", text).split())


def statement_end(source: SourceFile, span: Span) -> Span:
    """`span` with the semicolon that ends its statement."""
    if source.slice(span).rstrip().endswith((";", "}")):
        return span
    end = source.text.find(";", span.end)
    between = source.text[span.end : end]
    return Span(span.start, end + 1) if end >= 0 and not flat(between) else span


def literal(text: str) -> str:
    """A C string literal, one piece a line of `text`."""
    return "\n".join(f'"{_escaped(line)}"' for line in text.splitlines(keepends=True)) or '""'


def _escaped(line: str) -> str:
    return "".join(c if c in _SIMPLE else _escape(c) for c in line)


def _escape(char: str) -> str:
    if char in '"\\?':
        return f"\\{char}"
    if char == "\n":
        return "\\n"
    data = char.encode("latin-1") if ord(char) < 256 else char.encode("utf-8")
    return "".join(f"\\{byte:03o}" for byte in data)
