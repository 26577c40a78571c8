"""A compiled translation unit as plain data: what crosses from the compiler's process, and what is kept from one
compilation to the next.

What is kept is one translation unit: the key covers its preprocessed text with line markers, the options, the device
models, the runtime's path and the compiler's own files. A unit that changed in any way, comments aside, is compiled
anew as a whole. Whatever is wrong with the folder or an entry, the answer is to compile.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from pathlib import Path

from accshare import private
from accshare.device import Device
from accshare.diagnostics import CATALOGUE, Diagnostic, Note
from accshare.options import Options
from accshare.records import dataclass
from accshare.source import SourceFile, Span

_PACKAGE = Path(__file__).resolve().parent.parent
#: entries beyond this many give way, oldest first
_MOST = 4000


@dataclass(frozen=True, slots=True)
class Translation:
    """`host` is the C text for the host compiler, latin-1 held; `report` is for ``--acc-report``, `kernels` for
    `accshare.driver.prebuild`."""

    host: str
    diagnostics: tuple[Diagnostic, ...]
    report: str
    kernels: str = ""


def pack(translation: Translation) -> dict[str, object]:
    """A translation as JSON values."""
    return {
        "host": translation.host,
        "report": translation.report,
        "kernels": translation.kernels,
        "diagnostics": [
            [d.code, d.message, _pack(d.span), d.hint, [[n.message, _pack(n.span)] for n in d.notes]]
            for d in translation.diagnostics
        ],
    }


def unpack(value: object) -> Translation:
    """The translation `pack` made JSON of; `ValueError` when `value` is something else."""
    try:
        match value:
            case {"host": str(host), "report": str(report), "kernels": str(kernels), "diagnostics": list(rows)}:
                return Translation(host, tuple(_diagnostic(*row) for row in rows), report, kernels)
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


# --- kept translations ---------------------------------------------------------------------------------------------


def key_of(source: SourceFile, options: Options, devices: tuple[Device, ...], runtime: str) -> str:
    """The name under which the translation of `source` is kept."""
    asked = repr((source.path, options, devices, runtime, sys.version_info[:2], _fingerprint()))
    return hashlib.sha256(asked.encode("utf-8", "surrogateescape") + source.text.encode("latin-1")).hexdigest()


def load(key: str) -> Translation | None:
    """The entry under `key`; None when there is no usable one."""
    content = private.load(_path(key))
    try:
        return None if content is None else unpack(json.loads(content))
    except (ValueError, RecursionError):
        return None


def store(key: str, translation: Translation) -> None:
    """Keeps `translation`, unless the folder can't be written."""
    with contextlib.suppress(OSError):
        private.store(_path(key), json.dumps(pack(translation)).encode("ascii"))
        _trim(_path(key).parent)


def _path(key: str) -> Path:
    return private.cache_home() / "units" / key[:1] / f"{key[1:]}.json"


def _trim(folder: Path) -> None:
    """Deletes the oldest entries of one of the sixteen folders when it has grown past its share."""
    entries = list(folder.iterdir())
    if len(entries) > _MOST // 16:
        for entry in sorted(entries, key=lambda path: path.stat().st_mtime)[: len(entries) // 4]:
            entry.unlink(missing_ok=True)


def _fingerprint() -> list[tuple[str, int, int]]:
    """Name, size and time of every file of this package: what the compiler would do differently shows here."""
    found = []
    for folder, folders, files in os.walk(_PACKAGE):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in files:
            status = os.stat(os.path.join(folder, name))
            found.append((os.path.join(folder[len(str(_PACKAGE)) :], name), status.st_size, status.st_mtime_ns))
    return sorted(found)
