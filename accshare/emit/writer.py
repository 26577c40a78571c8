"""Indented lines of generated C that know which line of the user's file they stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accshare.source import Location, Span


class Writer:
    """Collects lines; with `locate` it inserts ``#line`` where a compiler would cite a wrong line of the user.

    Several lines made from one line of the user count on from it: more directives would bury the code. In
    `preprocessed` text, which is for compilers and debuggers alone, every line is where it comes from, or what stands
    before it; directives are the markers that preprocessors print, of lines that compilers don't warn about. Loops
    declare nothing in C as it was `before_c99`.
    """

    def __init__(
        self,
        locate: Callable[[int], Location] | None = None,
        *,
        preprocessed: bool = False,
        before_c99: bool = False,
    ) -> None:
        self.lines: list[str] = []
        self._locate = locate
        self._preprocessed = preprocessed
        self._before_c99 = before_c99
        self._ends: list[int] = []
        self._depth = 0
        self._file = ""
        self._next = 0
        self._last = 0

    def line(self, text: str, span: Span | None = None) -> None:
        """One line; `span` is what the user wrote for it, empty or None when there is no such thing."""
        place = self._locate(span.start) if self._locate and span and span.start < span.end else None
        if self._preprocessed:
            self._mark(*((place.file, place.line) if place else (self._file, self._last)))
        elif place is not None:
            self._direct(place)
        self.lines.append("  " * self._depth + text if text else "")
        self._next += 1

    def _mark(self, file: str, line: int) -> None:
        """The marker in front of a line that would be taken for another one."""
        if file and (file, line) != (self._file, self._next):
            self.lines.append(f'# {line} "{escaped(file)}" 3')
        self._file, self._last, self._next = file, line, line

    def _direct(self, place: Location) -> None:
        if place.file != self._file:
            self.lines.append(f'#line {place.line} "{escaped(place.file)}"')
        elif place.line not in {self._next, self._last}:
            self.lines.append(f"#line {place.line}")
        if place.file != self._file or place.line != self._last:
            self._next = place.line
        self._file, self._last = place.file, place.line

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
        self._ends.append(1)

    def loop(self, first: str, test: str, span: Span | None, *, declares: bool, asked: Sequence[str] = ()) -> None:
        """A loop whose head begins with `first`, which may declare something, and goes on with `test`; directives that
        compilers are `asked` come right before it. `close` ends it."""
        around = declares and self._before_c99
        if around:
            self.open("{")
            self.line(f"{first};", span)
        for text in asked:
            self.directive(text)
        self.open(f"for ({'' if around else first};{test}) {{", span)
        self._ends[-1] += around
        if around:
            del self._ends[-2]

    def close(self, text: str = "}") -> None:
        """The line that ends what `open` or `loop` began."""
        for _ in range(self._ends.pop()):
            self._depth -= 1
            self.line(text)

    def turn(self, text: str) -> None:
        """A line that ends one part and opens the next: ``} else {``."""
        self._depth -= 1
        self._ends.pop()
        self.open(text)


def escaped(name: str) -> str:
    """A file name for use inside a line directive's quotes."""
    return name.replace("\\", "\\\\").replace('"', '\\"')
