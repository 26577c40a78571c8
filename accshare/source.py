"""Source text, spans in it, and the way back to the user's own lines.

The compiler works on what the host preprocessor printed. Text is held as latin-1, so that one character is one
byte and libclang's byte offsets index it directly; `shown` decodes it for people.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from pathlib import Path

_MARKER = re.compile(r'^#(?:line)?[ \t]+(\d+)[ \t]+"((?:[^"\\]|\\.)*)"([ \t\d]*)$', re.MULTILINE)


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

    def line_of(self, offset: int) -> str:
        """The line a person would see at an offset: the user's file where it can be read, else the preprocessed one."""
        place = self.locate(offset)
        try:
            lines = Path(place.file).read_bytes().split(b"\n")
            return lines[place.line - 1].decode("utf-8", "replace").rstrip("\r")
        except (OSError, IndexError, ValueError):
            start = self.text.rfind("\n", 0, offset) + 1
            end = self.text.find("\n", offset)
            return shown(self.text[start : end if end >= 0 else len(self.text)])


def shown(text: str) -> str:
    """Latin-1-held source bytes as readable text."""
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


def _unescape(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)
