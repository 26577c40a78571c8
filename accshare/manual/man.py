"""Man pages, in roff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.driver.flags import PROGRAM_VARIABLES, VARIABLES
from accshare.manual.model import Command, Option

_FILES = (
    ("~/.cache/accshare", "translated files and compiled kernels; can be deleted at any time"),
    ("~/.local/share/accshare/tuning.sqlite", "what accshare tune found"),
)
_CC = (
    "accshare-cc takes the place of a C compiler (make CC=accshare-cc). It calls the host compiler for everything but"
    " what OpenACC pragmas and share hints stand on: those loops it also compiles to OpenCL, and the program runs them"
    " on a device where it finds one. A file without such pragmas is left to the host compiler alone.",
    "All options of the host compiler are accepted and mean what they always do. -fopenacc and -acc change nothing,"
    " since pragmas are always read. The host compiler may be given as the first argument, for CMake's launchers.",
)
_CODES = (
    ("0", "all is well"),
    ("1", "bad news: a region differs or could not be checked, a file can't be compiled, something stops offloading"),
    ("2", "the command line can't be understood"),
)


def compiler_page(compiler: Command, version: str) -> str:
    """accshare-cc(1)."""
    return _page(
        "accshare-cc",
        version,
        compiler.meaning,
        ["accshare-cc [option]... file...", "accshare-cc compiler [option]... file..."],
        (
            *_section("DESCRIPTION", _paragraphs(_CC)),
            *_section("OPTIONS", _options(compiler.options)),
            *_section(
                "EXIT STATUS", _paragraphs(["That of the host compiler; 1 where --acc-strict ends the compilation."])
            ),
            *_section("ENVIRONMENT", _rows(VARIABLES)),
            *_section("ENVIRONMENT OF PROGRAMS", _rows(PROGRAM_VARIABLES)),
            *_section("FILES", _rows(_FILES)),
            *_section("SEE ALSO", [".BR accshare (1),", ".BR gcc (1)"]),
        ),
    )


def commands_page(commands: Iterable[Command], version: str) -> str:
    """accshare(1)."""
    commands = tuple(commands)
    lines: list[str] = []
    for one in commands:
        usage = " ".join(word for word in (one.name, "[option]..." if one.options else "", one.arguments) if word)
        lines += [f".SS {_text(usage)}", _text(f"{one.meaning[:1].upper()}{one.meaning[1:]}.")]
        lines += ["It takes options of the compiler too."] if one.takes_flags else []
        lines += _options(tuple(option for option in one.options if "--help" not in option.names))
    return _page(
        "accshare",
        version,
        "look into what accshare-cc does with a C file, check it, and see what this machine offers",
        ["accshare command [argument]..."],
        (
            *_section("COMMANDS", lines),
            *_section("EXIT STATUS", [*_rows(_CODES), *_paragraphs(["accshare run ends as the program does."])]),
            *_section("ENVIRONMENT", _paragraphs(["That of accshare-cc and of the programs it makes."])),
            *_section("SEE ALSO", [".BR accshare-cc (1)"]),
        ),
    )


def _page(name: str, version: str, meaning: str, synopsis: Iterable[str], body: Iterable[str]) -> str:
    head = [
        f'.TH {name.upper()} 1 "" "accshare {version}" "accshare"',
        *_section("NAME", [f"{_text(name)} \\- {_text(meaning)}"]),
        *_section("SYNOPSIS", [line for usage in synopsis for line in (f".B {_text(usage)}", ".br")][:-1]),
    ]
    return "\n".join((*head, *body)) + "\n"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    return [f".SH {title}", *lines]


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in (".PP", _text(text))]


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [line for name, meaning in rows for line in (".TP", f".B {_text(name)}", _text(meaning))]


def _options(options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        names = ", ".join(f"\\fB{_text(name)}\\fR" for name in option.names)
        value = f"{'=' if option.glued else ' '}\\fI{_text(option.value)}\\fR" if option.value else ""
        known = (
            f" One of: {', '.join(option.words)}." if option.words and option.value != "|".join(option.words) else ""
        )
        yield from (".TP", f"{names}{value}", _text(f"{option.meaning}.{known}"))


def _text(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
