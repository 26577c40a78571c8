"""Comments that gcc understands: ``/* fallthrough */`` before a ``case``.

Preprocessing loses them, and ``-Wextra`` would then complain about code that says it is meant so.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(/\*.*?\*/|//[^\n]*)""", re.DOTALL)
_SAYS_SO = re.compile(r"\bfalls?[ \t-]*thr(?:ough|u)\b", re.IGNORECASE)
#: stands for such a comment until it is known what comes next; no C text holds it
_MARK = "\x01"
_MARK_BEFORE_LABEL = re.compile(_MARK + r"(?=\s*(?:#[^\n]*\n\s*)*(?:case|default)\b)")


def comments_out(text: str) -> str:
    """C text without comments, lines kept; one that lets a ``case`` be fallen into becomes the attribute for it."""
    marked = _MARK_BEFORE_LABEL.sub("__attribute__((__fallthrough__));", _TOKEN.sub(_blank, text))
    return marked.replace(_MARK, " ")


def _blank(match: re.Match[str]) -> str:
    comment = match[1]
    if comment is None:
        return match[0]
    return (_MARK if _SAYS_SO.search(comment) else " ") + "\n" * comment.count("\n")
