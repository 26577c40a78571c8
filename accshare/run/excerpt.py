"""What of a translated program is worth reading: the functions with generated code in them, and those that run regions
on a device."""

from __future__ import annotations

import re

_GENERATED = '# 1 "accshare-generated" 3'
#: begins the names of functions that run regions
_OFFLOADING = " __acc_run_"
_TOKEN = re.compile(r"""^\#[^\n]*$|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[{};]""", re.MULTILINE)
_BLANK = re.compile(r"^[ \t]+\n", re.MULTILINE)
_LEADING = re.compile(r"(?:[ \t]*(?:\#[^\n]*)?\n)*")


def excerpt(host: str) -> str:
    """The function definitions of `host`, the C for the host compiler, that generated code stands inside, and generated
    functions that run regions.

    What else is generated between functions, tables and declarations, is left out, as are headers and the blank lines
    that pragmas leave.
    """
    found = []
    start, depth, touched = 0, 0, False
    for token in _TOKEN.finditer(host):
        match token[0]:
            case "{":
                touched = touched or (depth == 0 and _OFFLOADING in host[start : token.start()])
                depth += 1
            case "}":
                depth -= 1
            case word:
                touched = touched or (depth > 0 and word == _GENERATED)
        if depth == 0 and token[0] in {"}", ";"}:
            if touched:
                found.append(host[_after_blanks(host, start) : token.end()])
            start, touched = token.end(), False
    return "".join(f"{_BLANK.sub('', function)}\n" for function in found)


def _after_blanks(host: str, start: int) -> int:
    """Past the blank lines and line markers between two functions."""
    match = _LEADING.match(host, start)
    return match.end() if match else start
