"""Source text, spans in it, and the way back to the user's own lines.

The compiler works on what the host preprocessor printed. Text is held as latin-1, so that one character is one
byte and libclang's byte offsets index it directly; `shown` decodes it for people.
"""

from __future__ import annotations

import bisect
import itertools
import re
from pathlib import Path

from accshare.records import dataclass, field

#: what line markers name as the file of generated text
GENERATED = "accshare-generated"
_OTHER_LINE = re.compile(r"^#[^\n]*$", re.MULTILINE)
_MARKER = re.compile(r'^#(?:line)?[ \t]+(\d+)[ \t]+"((?:[^"\\]|\\.)*)"([ \t\d]*)$', re.MULTILINE)

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|->|[^\s\\]")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open byte range ``[start, end)`` of a `SourceFile`'s text."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The smallest span that covers both."""
        return Span(min(self.start, other.start), max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the user's own file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A translation unit after preprocessing.

    `path` is the file as named on the command line, `text` the preprocessor's output with its line markers. Build it
    with `SourceFile.of`, which indexes the markers.
    """

    path: str
    text: str
    _starts: tuple[int, ...] = field(repr=False)
    _places: tuple[tuple[str, int], ...] = field(repr=False)

    @staticmethod
    def of(path: str, text: str) -> SourceFile:
        starts, places = [0], [(path, 1)]
        for marker in _MARKER.finditer(text):
            starts.append(marker.end() + 1)
            places.append((_unescape(marker[2]), int(marker[1])))
        return SourceFile(path, text, tuple(starts), tuple(places))

    def locate(self, offset: int) -> Location:
        """The user's file, line and column of a byte offset."""
        piece = bisect.bisect_right(self._starts, offset) - 1
        file, first = self._places[piece]
        line_start = self.text.rfind("\n", 0, offset) + 1
        line = first + self.text.count("\n", self._starts[piece], offset)
        return Location(file, line, offset - line_start + 1)

    def slice(self, span: Span) -> str:
        """The text of a span, as it stands after preprocessing."""
        return self.text[span.start : span.end]

    def excerpt(self, span: Span) -> Excerpt:
        """A span as a person would look it up: in the user's file where it can be read, else in the preprocessed text.

        A preprocessor squeezes blanks, joins continuation lines and expands macros, so the span's first token is
        searched in the user's line, by what stands around it there and here.
        """
        place = self.locate(span.start)
        begin = self.text.rfind("\n", 0, span.start) + 1
        end = self.text.find("\n", span.start)
        line = self.text[begin : end if end >= 0 else len(self.text)]
        here = Span(span.start - begin, min(span.end - begin, len(line)))
        own = _own_lines(place)
        if not own or own[0] == line:
            return Excerpt(place, line, max(1, here.end - here.start))
        row, first, last = _sought(own, line, here)
        return Excerpt(Location(place.file, place.line + row, first + 1), own[row], max(1, last - first))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line of the user's file, latin-1-held, and the part of it that is meant: `width` bytes from `location` on."""

    location: Location
    line: str
    width: int


def _own_lines(place: Location) -> list[str]:
    """The line of a place in the user's file, and those that continue it."""
    try:
        lines = Path(place.file).read_bytes().decode("latin-1").split("\n")[place.line - 1 :]
    except (OSError, ValueError):
        return []
    last = next((k for k, line in enumerate(lines) if not line.rstrip("\r").endswith("\\")), len(lines) - 1)
    return [line.rstrip("\r") for line in lines[: last + 1]]


def _sought(own: list[str], line: str, span: Span) -> tuple[int, int, int]:
    """Row, first and end column in the user's lines of a span in a preprocessed line; all from 0."""
    theirs = [(row, token) for row, text in enumerate(own) for token in _TOKEN.finditer(text)]
    ours = list(_TOKEN.finditer(line))
    meant = max((k for k, token in enumerate(ours) if token.start() <= span.start), default=0)
    words, own_words = [token[0] for token in ours], [token[0] for _, token in theirs]
    found = [k for k, word in enumerate(own_words) if words and word == words[meant]]
    if not found:
        lead = len(own[0]) - len(own[0].lstrip())
        return 0, lead, lead + 1
    best = max(found, key=lambda k: _common(words, meant, own_words, k))
    row, token = theirs[best]
    first = token.start() + min(span.start - ours[meant].start(), len(token[0]))
    more = sum(1 for later in ours[meant + 1 :] if later.start() < span.end)
    until = [t.end() for r, t in theirs[best : best + more + 1] if r == row]
    inside = min(span.end - ours[meant].start(), len(token[0])) if not more else 0
    return row, first, token.start() + inside if inside else until[-1]


def _common(words: list[str], k: int, others: list[str], j: int) -> int:
    """How many words around positions `k` and `j` agree."""
    before = zip(reversed(words[:k]), reversed(others[:j]), strict=False)
    after = zip(words[k:], others[j:], strict=False)
    return sum(sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], run)) for run in (before, after))


def shown(text: str) -> str:
    """Latin-1-held source bytes as readable text."""
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


def on_one_line(text: str) -> str:
    """A part of preprocessed text as a reader has it: without the lines that say what came from where."""
    return " ".join(shown(_OTHER_LINE.sub("", text)).split())


def _unescape(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)
