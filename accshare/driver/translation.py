"""A compiled translation unit as plain data: what crosses from the compiler's process, and what the cache keeps."""

from __future__ import annotations

from dataclasses import dataclass

from accshare.diagnostics import CATALOGUE, Diagnostic, Note
from accshare.source import Span


@dataclass(frozen=True, slots=True)
class Translation:
    """`host` is the C text for the host compiler, latin-1 held; `report` is for ``--acc-report``."""

    host: str
    diagnostics: tuple[Diagnostic, ...]
    report: str


def pack(translation: Translation) -> dict[str, object]:
    """A translation as JSON values."""
    return {
        "host": translation.host,
        "report": translation.report,
        "diagnostics": [
            [d.code, d.message, _pack(d.span), d.hint, [[n.message, _pack(n.span)] for n in d.notes]]
            for d in translation.diagnostics
        ],
    }


def unpack(value: object) -> Translation:
    """The translation `pack` made JSON of; `ValueError` when `value` is something else."""
    try:
        match value:
            case {"host": str(host), "report": str(report), "diagnostics": list(rows)}:
                return Translation(host, tuple(_diagnostic(*row) for row in rows), report)
    except (TypeError, KeyError) as error:
        raise ValueError(f"no translation: {error}") from error
    raise ValueError("no translation")


def _diagnostic(
    code: str, message: str, span: list[int] | None, hint: str | None, notes: list[tuple[str, list[int]]]
) -> Diagnostic:
    if code not in CATALOGUE:
        raise KeyError(code)
    found = tuple(Note(text, Span(*place)) for text, place in notes)
    return Diagnostic(code, message, Span(*span) if span else None, hint, found)


def _pack(span: Span | None) -> list[int] | None:
    return [span.start, span.end] if span else None
