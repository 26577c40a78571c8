"""Whether a C source, or a project header it includes, may say something to us: bytes only, no preprocessing.

Being wrong in one direction costs a preprocessor run; in the other it would leave a region on the host in silence. So
macros are not expanded and comments count. Headers are followed from ``#include "…"`` as the preprocessor would, and
from ``#include <…>`` into the -I directories outside ``/usr`` only: system headers hold no regions.
"""

import os

from accshare.driver import words as w


class Scan:
    """Collects evidence over the files of one command line."""

    def __init__(self, command: list[w.Word]) -> None:
        pre = [word for word in command if word[0] == w.PREPROCESS]
        include = [path for word in pre if (path := w.value(word, "-I"))]
        #: where ``#include <…>`` is looked for
        self.angle = [path for path in include if not os.path.abspath(path).startswith("/usr/")]
        #: where ``#include "…"`` is looked for, after the including file's own directory
        self.quote = [path for word in pre if (path := w.value(word, "-iquote"))] + include
        self.forced = [path for word in pre for option in ("-include", "-imacros") if (path := w.value(word, option))]
        self.defines = "\n".join(text for word in pre if (text := w.value(word, "-D"))).encode("utf-8", "replace")

    def file(self, path: str) -> bool:
        """Whether the preprocessed file may hold a region or depend on ``_OPENACC``."""
        data = _read(path)
        return data is not None and self.source(data, os.path.dirname(path))

    def source(self, data: bytes, folder: str) -> bool:
        """The same for text that stands in `folder`."""
        operator = word = False
        seen: set[str] = set()
        queue = [(data, folder), (self.defines, folder)]
        queue += [(found, "") for path in self.forced if (found := _read(path)) is not None]
        while queue:
            text, where = queue.pop()
            if _asks(text):
                return True
            operator = operator or b"_Pragma" in text
            word = word or _has_word(text, b"acc")
            if operator and word:
                return True
            for name in _includes(text):
                if name is None:
                    return True
                path = self._find(name, where)
                if path and path not in seen:
                    seen.add(path)
                    queue.append((_read(path) or b"", os.path.dirname(path)))
        return False

    def _find(self, name: str, where: str) -> str:
        folders = [where, *self.quote] if name[0] == '"' else self.angle
        for folder in folders:
            path = os.path.join(folder, name[1:])
            if os.path.isfile(path):
                return path
        return ""


def calls_runtime(paths: list[str], *, static: bool) -> bool:
    """Whether an object or archive names a routine of openacc.h in its symbol table, or for a `static` program the
    runtime itself, as all with regions do."""
    texts = (_read(path) or b"" for path in paths if path.endswith((".o", ".a", ".lo", ".obj")))
    return any(b"\0acc_" in text or (static and b"accshare_runtime\0" in text) for text in texts)


def machine_of(path: str) -> bytes:
    """What an ELF file says of the machine that it is for: its class, the order of its bytes, and the number of that
    machine; empty for other files."""
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return b""
    return head[4:6] + head[18:20] if head.startswith(b"\x7fELF") else b""


def _asks(text: bytes) -> bool:
    """``#pragma acc``, openacc.h or ``_OPENACC``."""
    if b"openacc.h" in text or b"_OPENACC" in text:
        return True
    at = text.find(b"pragma")
    while at >= 0:
        if text[max(0, at - 80) : at].rstrip(b" \t").endswith((b"#", b"/", b"%:", b"??=")) and _has_word(
            _line(text, at), b"acc"
        ):
            return True
        at = text.find(b"pragma", at + 1)
    return False


def _line(text: bytes, start: int) -> bytes:
    """The logical line from `start` on: continued lines are part of it."""
    end = text.find(b"\n", start)
    while end > 0 and text[start:end].rstrip(b"\r").endswith(b"\\"):
        end = text.find(b"\n", end + 1)
    return text[start : end if end >= 0 else len(text)]


def _has_word(text: bytes, word: bytes) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (_part_of_name(text[at - 1 : at]) or _part_of_name(text[end : end + 1])):
            return True
        at = text.find(word, end)
    return False


def _part_of_name(byte: bytes) -> bool:
    return byte.isalnum() or byte == b"_"


def _includes(text: bytes) -> list[str | None]:
    """Names of included files behind their opening quote; None for one a macro computes."""
    found: list[str | None] = []
    at = text.find(b"include")
    while at >= 0:
        end = at + len(b"include")
        if text[max(0, at - 80) : at].rstrip(b" \t").endswith(b"#"):
            name = text[end + 5 if text[end : end + 5] == b"_next" else end : end + 4096].lstrip(b" \t")
            if name[:1] in (b'"', b"<"):
                close = name.find(b'"' if name[:1] == b'"' else b">", 1)
                found.append(os.fsdecode(name[:close]))
            elif _part_of_name(name[:1]) and text[end : end + 1] in (b" ", b"\t"):
                found.append(None)
        at = text.find(b"include", end)
    return found


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
