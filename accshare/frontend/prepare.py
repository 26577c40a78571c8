"""libclang's copy of the preprocessed text: pragmas and gcc's own spellings blanked, every byte offset kept."""

from __future__ import annotations

import re
from collections.abc import Iterable

from accshare.frontend.mathlib import GENERIC, GENERIC_PREFIX, generic_prototypes
from accshare.source import Span

_PRELUDE = (
    "typedef float _Float32; typedef double _Float64; typedef double _Float32x; typedef long double _Float64x;"
    " typedef __float128 _Float128;"
)
#: with the lines that continue it; one of them says how structs lie in memory
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma\b(?![ \t]+pack\b)(?:[^\n\\]|\\\r?\n|\\)*", re.MULTILINE)
_MALLOC_ATTRIBUTE = re.compile(r"(?<=__malloc__)\s*\([^()]*\)")
_COMPLEX_FLOAT = re.compile(r"(?<=_Complex )_Float(?:32|64|128)x?\b")
_GENERIC_CALL = re.compile(r"__builtin_tgmath \((\w+), (\w+),[^(]*?(?=\()")


def prepare(text: str, pragmas: Iterable[Span]) -> tuple[str, str]:
    """The declarations to put in front, on one line, and `text` at unchanged offsets in a form clang accepts."""
    generic: set[str] = set()

    def generic_call(match: re.Match[str]) -> str:
        name = match[2]
        if name not in GENERIC:
            return match[0]
        generic.add(name)
        return f"{GENERIC_PREFIX}{name}(" + _blank(match[0])[len(GENERIC_PREFIX) + len(name) + 1 :]

    for span in pragmas:
        text = text[: span.start] + _blank(text[span.start : span.end]) + text[span.end :]
    text = _PRAGMA.sub(lambda match: _blank(match[0]), text)
    text = _MALLOC_ATTRIBUTE.sub(lambda match: _blank(match[0]), text)
    if "_Complex" in text:
        text = _COMPLEX_FLOAT.sub(lambda match: "double" + " " * (len(match[0]) - 6), text)
    if "__builtin_tgmath" in text:
        text = _GENERIC_CALL.sub(generic_call, text)
    return _PRELUDE + "".join(map(generic_prototypes, sorted(generic))), text


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
