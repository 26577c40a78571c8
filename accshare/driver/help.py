"""``accshare-cc --help``, up to where the host compiler's own begins."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from accshare.driver.flags import FLAGS, PROGRAM_VARIABLES, VARIABLES, Flag

_WIDTH, _COLUMN = 100, 28


def text(host: str) -> str:
    """What is ours, with the name of the host compiler."""
    lines = [
        "Usage: accshare-cc [options] file...",
        "A C compiler that moves loops with acc pragmas to OpenCL devices. It takes the options of the host compiler,",
        f"which is {host}, and these:",
        "",
        *_table((shown(flag), flag.meaning) for flag in FLAGS),
        "",
        "Variables it reads:",
        *_table(VARIABLES),
        "",
        "Variables that programs made by it read:",
        *_table(PROGRAM_VARIABLES),
        "",
        "man accshare-cc tells more. What follows is the host compiler's help.",
        "",
    ]
    return "\n".join(lines)


def shown(flag: Flag) -> str:
    """An option with its value."""
    return f"{flag.name}={flag.value}" if flag.value else flag.name


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, meaning in rows:
        lines = textwrap.wrap(meaning, _WIDTH - _COLUMN, break_on_hyphens=False)
        if len(name) > _COLUMN - 2:
            yield f"  {name}"
            name = ""
        for line in lines:
            yield f"  {name:{_COLUMN - 2}}{line}"
            name = ""
