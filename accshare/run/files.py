"""``accshare emit``: what was generated for a C file, as files or as one text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from accshare.run.sources import Unit

_GENERATED = '# 1 "accshare-generated" 3'
#: begins the names of functions that run regions
_OFFLOADING = " __acc_run_"
_TOKEN = re.compile(r"""^\#[^\n]*$|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[{};]""", re.MULTILINE)
_BLANK = re.compile(r"^[ \t]+\n", re.MULTILINE)
_LEADING = re.compile(r"(?:[ \t]*(?:\#[^\n]*)?\n)*")


def texts(unit: Unit, *, kernels: bool, host: bool, whole: bool = True) -> Iterator[tuple[str, str]]:
    """Name and text (latin-1 held) of each generated file: an OpenCL program a region and variant, then the host C,
    of which only the functions that were changed are given unless it is wanted `whole`."""
    if kernels:
        for region in unit.result.output.regions:
            for variant in region.variants:
                kind = "c" if variant.native else "cl"
                text = _thinned(variant.text) if variant.native else variant.text
                yield f"{region.offload.region.name}.{variant.variant.target.name}.{kind}", text
    name = f"{Path(unit.source.path).stem}.host.i"
    if host and whole:
        yield name, unit.result.host
    elif host and (functions := excerpt(unit.result.host)):
        yield f"{name}, the functions that were changed (--all prints everything)", functions


def _thinned(text: str) -> str:
    """Without the markers that only say again which line of the program the next one is."""
    lines, last = [], ""
    for line in text.split("\n"):
        marker = line.startswith("# ")
        if not marker or line != last:
            lines.append(line)
        last = line if marker else last
    return "\n".join(lines)


def write(unit: Unit, folder: Path, *, kernels: bool, host: bool) -> list[Path]:
    """Writes the files into `folder`, which is made where needed. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in texts(unit, kernels=kernels, host=host):
        path = folder / name
        path.write_text(text, encoding="latin-1", newline="")
        written.append(path)
    return written


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
