"""C text to `Program`, through the real preprocessor; pragmas are told apart by their first words only."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import Program, Region, Unsupported
from accshare.frontend.parse import parse
from accshare.pragma.ir import Directive, DirectiveKind
from accshare.source import SourceFile, Span
from accshare.tree import statements

FLAGS = ("-O2", "-D_GNU_SOURCE", "-D_FORTIFY_SOURCE=2", "-std=gnu17")
_KINDS = sorted(DirectiveKind, key=lambda kind: -len(kind.value))


def preprocessed(text: str, folder: Path, name: str = "test.c", flags: tuple[str, ...] = FLAGS) -> SourceFile:
    path = folder / name
    path.write_text(text)
    done = subprocess.run(["gcc", "-E", *flags, str(path)], capture_output=True, check=True, cwd=folder)
    return SourceFile.of(str(path), done.stdout.decode("latin-1"))


def directives(source: SourceFile) -> tuple[Directive, ...]:
    found = []
    for line in re.finditer(r"^[ \t]*(#pragma acc ([^\n]*))$", source.text, re.MULTILINE):
        words = " ".join(line[2].split())
        kind = next(k for k in _KINDS if re.match(rf"{k.value}\b", words))
        found.append(Directive(kind, (), Span(line.start(1), line.end(1))))
    return tuple(found)


def read(text: str, folder: Path, name: str = "test.c", flags: tuple[str, ...] = FLAGS) -> tuple[SourceFile, Program]:
    source = preprocessed(text, folder, name, flags)
    return source, parse(source, directives(source))


def complaints(region: Region) -> list[Diagnostic]:
    return [stmt.diagnostic for stmt in statements(region.body) if isinstance(stmt, Unsupported)]
