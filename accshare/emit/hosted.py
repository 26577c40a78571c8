"""Compute constructs that stay on the host: before their loops run, the runtime is told.

The loops work on host memory, so what a device holds of newer data must come home first. And who set
``ACCSHARE_OFFLOAD=mandatory`` wants to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from accshare.emit.constructs import clearing
from accshare.emit.ir import Hosted
from accshare.emit.templates import render
from accshare.emit.text import Insertion, literal
from accshare.frontend.ir import Region
from accshare.records import dataclass
from accshare.source import SourceFile

#: from the end of a pragma to the statement it stands on, past other directives and line markers
_SKIPPED = re.compile(r"(?:\s+|^[ \t]*#[^\n]*)*", re.MULTILINE)
_LOOP = re.compile(r"(?:for|while|do)\b")


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls in front of hosted statements, and the static data they refer to, for file scope."""

    insertions: tuple[Insertion, ...]
    tables: tuple[str, ...]


def calls(
    hosted: Iterable[Hosted],
    regions: Sequence[Region],
    offloaded: Iterable[Region],
    source: SourceFile,
    plain: bool,
) -> Calls:
    """One call for every statement that `hosted` pragmas stand on, unless that is, or is part of, an offloaded region.
    The first pragma of a statement gives the reason. Raises `Rejected` where `plain` C can't say what has to be said.

    Where no region tells what follows a pragma, only loops and blocks are taken for its statement.
    """
    inside = [region.span for region in offloaded]
    functions = {region.span.start: region.function for region in regions}
    found: dict[int, Insertion] = {}
    tables = []
    for one in hosted:
        offset = _statement(source.text, one.pragma.end)
        if offset in found or any(span.start <= offset < span.end for span in inside):
            continue
        block = source.text.startswith("{", offset)
        if not (block or offset in functions or _LOOP.match(source.text, offset)):
            continue
        number = len(found)
        cleared = "" if one.directive is None else clearing(one.directive, source, plain)
        told = {"number": number, "block": block, "reason": literal(one.reason), "clearing": cleared}
        call = render("hosted.c.j2", **told, plain=plain)
        # inside the block, or in front of the loop and behind whatever data directives open there
        rank = (-1 if block else 1, 0, one.pragma.start)
        found[offset] = Insertion(offset + block, rank, call)
        place = source.locate(offset)
        function = literal(functions.get(offset, ""))
        tables.append(
            render("hosted_table.c.j2", number=number, file=literal(place.file), line=place.line, function=function)
        )
    return Calls(tuple(found.values()), tuple(tables))


def _statement(text: str, end: int) -> int:
    """Where the statement starts that a pragma which ends at `end` stands on."""
    skipped = _SKIPPED.match(text, end)
    return skipped.end() if skipped else end
