"""Line markers by which debuggers show a user nothing but the user's own lines."""

from __future__ import annotations

import re

from accshare.source import GENERATED

#: generated text up to the marker of the user's line that follows it, with that marker's blank lines
_BLOCK = re.compile(
    rf'^# 1 "{GENERATED}" 3\n(.*?)(?=^# (\d+) ("(?:[^"\\]|\\.)*")[ \d]*\n(\s*))', re.MULTILINE | re.DOTALL
)
_NO_LINE = f'# 0 "{GENERATED}" 3\n'
_PUSH = "#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))\n"
_POP = "#pragma clang attribute pop\n"


def steppable(text: str, *, clang: bool) -> str:
    """Host C whose generated lines are none of their own to a debugger: in the user's functions they belong to the line
    they stand before; functions at the top of the file have no lines at all, so that debuggers step over them."""
    pieces, at = [], 0
    for number, block in enumerate(_BLOCK.finditer(text)):
        pieces.append(text[at : block.start()])
        if number == 0 and clang:
            pieces += [_PUSH, block[0], _POP]
        else:
            line = int(block[2]) + block[4].count("\n")
            marker = f"# {line} {block[3]} 3\n" if number else _NO_LINE
            pieces += [marker + line for line in block[1].splitlines(keepends=True)]
        at = block.end()
    return "".join((*pieces, text[at:]))
