"""Indented lines of generated C that know which line of the user's file they stand for."""

from __future__ import annotations

from collections.abc import Callable

from accshare.source import Location, Span


class Writer:
    """Collects lines; with `locate` it inserts ``#line`` where a compiler would cite a wrong line of the user.

    Several lines made from one line of the user count on from it: more directives would bury the code. In
    `preprocessed` text, directives are the markers that preprocessors print, of lines that compilers don't warn about.
    """

    def __init__(self, locate: Callable[[int], Location] | None = None, *, preprocessed: bool = False) -> None:
        self.lines: list[str] = []
        self._locate = locate
        self._preprocessed = preprocessed
        self._depth = 0
        self._file = ""
        self._next = 0
        self._last = 0

    def line(self, text: str, span: Span | None = None) -> None:
        """One line; `span` is what the user wrote for it, empty or None when there is no such thing."""
        if self._locate is not None and span is not None and span.start < span.end:
            place = self._locate(span.start)
            if self._preprocessed and (place.file != self._file or place.line not in {self._next, self._last}):
                self.lines.append(f'# {place.line} "{escaped(place.file)}" 3')
            elif place.file != self._file:
                self.lines.append(f'#line {place.line} "{escaped(place.file)}"')
            elif place.line not in {self._next, self._last}:
                self.lines.append(f"#line {place.line}")
            if place.file != self._file or place.line != self._last:
                self._next = place.line
            self._file, self._last = place.file, place.line
        self.lines.append("  " * self._depth + text if text else "")
        self._next += 1

    def directive(self, text: str) -> None:
        """A line for the compiler, which it only finds at the beginning of a line where the text is preprocessed."""
        if self._preprocessed:
            self.lines.append(text)
            self._next += 1
        else:
            self.line(text)

    def open(self, text: str, span: Span | None = None) -> None:
        """A line after which everything is one step deeper, up to `close`."""
        self.line(text, span)
        self._depth += 1

    def close(self, text: str = "}") -> None:
        """The line that ends what `open` began."""
        self._depth -= 1
        self.line(text)

    def turn(self, text: str) -> None:
        """A line that ends one part and opens the next: ``} else {``."""
        self._depth -= 1
        self.open(text)


def escaped(name: str) -> str:
    """A file name for use inside a line directive's quotes."""
    return name.replace("\\", "\\\\").replace('"', '\\"')
