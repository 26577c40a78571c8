"""C's integer literals."""

from __future__ import annotations

import re

_INTEGER = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|(?P<octal>0[0-7]*)|(?P<decimal>[1-9][0-9]*))[uUlL]*"
)
_BASES = {"hex": 16, "binary": 2, "octal": 8, "decimal": 10}
_BITS = 64
#: more digits than any such literal needs; Python takes no number of thousands
_LONGEST = 100


def integer_value(text: str) -> int | None:
    """The value of a C integer literal, None when it isn't one or no C type holds it."""
    match = _INTEGER.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or match.lastgroup is None:
        return None
    value = int(match[match.lastgroup], _BASES[match.lastgroup])
    return value if value < 1 << _BITS else None
