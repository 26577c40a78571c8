"""Macros inside pragmas.

A host compiler that does not know a pragma leaves its words alone. So the preprocessor is asked to print the macro
definitions it passes (``-dD``), and where a pragma names one of them, the pragma's words go through the preprocessor
once more, behind just the definitions that they can reach.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from accshare.records import dataclass

_LINE = re.compile(
    r"^#(?:define|undef) +(\w+)([^\n]*)$|^[ \t]*#[ \t]*pragma[ \t]+acc\b[ \t]*(\w*)([^\n]*)$", re.MULTILINE
)
_DEFINITION = re.compile(r"^#(?:define|undef)\b[^\n]*\n", re.MULTILINE)
_BLANKS = re.compile(r"\n{2,}(?=# \d)")
_REPEATED = re.compile(r"^(# \d+ \"<[^\"\n]*>\"\n)\1+", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_EXPANDED = re.compile(r"__accshare_pragma_(\d+)(.*?)__accshare_end", re.DOTALL)

#: runs the preprocessor on a text; None if it failed
Preprocessor = Callable[[str], "str | None"]


@dataclass(frozen=True, slots=True)
class _Pragma:
    """The words of one pragma behind its directive name, at ``[start, end)``; `names` are the macros in force that
    they can reach; `line` counts the definitions passed before it."""

    start: int
    end: int
    line: int


def expand(text: str, preprocess: Preprocessor) -> str | None:
    """Preprocessor output with definitions in it, as it would be without them and with its acc pragmas expanded.

    None when the preprocessor rejects a pragma's macros. Line numbers are kept.
    """
    script, pragmas = _script(text)
    if pragmas:
        printed = preprocess(script)
        if printed is None:
            return None
        expanded = {int(match[1]): " ".join(match[2].split()) for match in _EXPANDED.finditer(printed)}
        for index, pragma in reversed(list(enumerate(pragmas))):
            text = f"{text[: pragma.start]} {expanded[index]}{text[pragma.end :]}"
    return _REPEATED.sub(r"\1", _BLANKS.sub("\n", _DEFINITION.sub("\n", text)))


def _script(text: str) -> tuple[str, list[_Pragma]]:
    """What to preprocess again, and the pragmas it holds: those that name a macro."""
    definitions: list[tuple[str, str]] = []
    uses: dict[str, set[str]] = {}
    pragmas: list[_Pragma] = []
    for match in _LINE.finditer(text):
        if match[1]:
            definitions.append((match[1], match[0]))
            uses.setdefault(match[1], set()).update(_NAME.findall(match[2]))
        elif uses.keys() & set(_NAME.findall(match[4])):
            pragmas.append(_Pragma(match.start(4), match.end(4), len(definitions)))
    reachable = _closure({name for p in pragmas for name in _NAME.findall(text[p.start : p.end])}, uses)
    lines: list[str] = []
    done = 0
    for index, pragma in enumerate(pragmas):
        lines += [line for name, line in definitions[done : pragma.line] if name in reachable]
        lines.append(f"__accshare_pragma_{index} {text[pragma.start : pragma.end]} __accshare_end")
        done = pragma.line
    return "\n".join(lines) + "\n", pragmas


def _closure(names: set[str], uses: dict[str, set[str]]) -> set[str]:
    """`names` with all names that their definitions lead to."""
    found: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += uses.get(name, ())
    return found
