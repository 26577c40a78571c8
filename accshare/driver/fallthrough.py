"""Comments that gcc understands: ``/* fall through */`` in front of a ``case``.

Preprocessing loses them, and ``-Wextra`` would then complain about code that says it is meant so. Preprocessors can
keep comments, those of macros too, but then they are tokens: they get into strings, and between what is to be pasted.
So the program is read without them, and only where they were is taken from a second reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMENT = r"/\*.*?\*/|//[^\n]*"
_QUOTED = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
#: comments, directives, and tokens; letters and digits side by side are one, whatever they mean
_TOKEN = re.compile(
    rf"""(?P<comment>{_COMMENT})|(?P<directive>^[ \t]*\#(?:{_QUOTED}|{_COMMENT}|[^\n])*)|{_QUOTED}|\w+|\S""",
    re.DOTALL | re.MULTILINE,
)
_SAYS_SO = re.compile(r"\bfalls?[ \t-]*thr(?:ough|u)\b", re.IGNORECASE)
_LABELS = ("case", "default")
_ATTRIBUTE = "__attribute__((__fallthrough__)); "


def may_matter(text: str) -> bool:
    """Whether a preprocessed text has anything that could be fallen into."""
    return re.search(r"\bswitch\b", text) is not None


def told(text: str, commented: str) -> str:
    """A preprocessed text with the attribute where `commented`, the same text with its comments, lets a label be fallen
    into. It is left as it is where the two differ in more than that."""
    into = frozenset(_fallen_into(commented))
    tokens = [match for match in _TOKEN.finditer(text) if match.lastgroup is None]
    known = sum(match.lastgroup is None for match in _TOKEN.finditer(commented))
    if len(tokens) != known or any(tokens[number][0] not in _LABELS for number in into):
        return text
    pieces, at = [], 0
    for number in sorted(into):
        start = tokens[number].start()
        pieces += [text[at:start], _ATTRIBUTE]
        at = start
    return "".join((*pieces, text[at:]))


def _fallen_into(commented: str) -> Iterator[int]:
    """The numbers of the labels in front of which a comment says so, among all tokens."""
    number, said = 0, False
    for match in _TOKEN.finditer(commented):
        if match["comment"]:
            said = said or _SAYS_SO.search(match[0]) is not None
        elif not match["directive"]:
            if said and match[0] in _LABELS:
                yield number
            number, said = number + 1, False
