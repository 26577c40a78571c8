"""A command as a person or a shell wants to know it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from accshare.driver.flags import FLAGS
from accshare.records import dataclass

#: what an argument called so is completed with
_FILES = ("FILE", "FILE.c", "FILE.svg", "DIR")


@dataclass(frozen=True, slots=True)
class Option:
    """`names` are spellings of it; `value` is what its argument is called, empty for none; `words` are values that are
    known by name, of which it may take `several`. `glued` says that the value follows an equals sign."""

    names: tuple[str, ...]
    meaning: str
    value: str = ""
    words: tuple[str, ...] = ()
    several: bool = False
    glued: bool = False

    @property
    def takes_file(self) -> bool:
        """Whether its value is the name of a file."""
        return self.value in _FILES


@dataclass(frozen=True, slots=True)
class Command:
    """`arguments` is how its arguments are written, empty where it has none; `takes_flags` says that it takes options
    of the compiler too."""

    name: str
    meaning: str
    options: tuple[Option, ...]
    arguments: str = ""
    takes_flags: bool = False


def compiler() -> Command:
    """``accshare-cc``, without the options of the host compiler."""
    options = (Option((f.name,), f.meaning, f.value, f.words, f.several, glued=bool(f.value)) for f in FLAGS)
    return Command(
        "accshare-cc", "a C compiler that moves annotated loops to OpenCL devices", tuple(options), "FILE..."
    )


def commands(parser: argparse.ArgumentParser) -> tuple[Command, ...]:
    """The commands of ``accshare``, as its parser has them."""
    (inner,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    about = {choice.dest: choice.help or "" for choice in inner._choices_actions}
    return tuple(_command(name, about[name], one) for name, one in inner.choices.items())


def _command(name: str, meaning: str, parser: argparse.ArgumentParser) -> Command:
    shown = [action for action in parser._actions if action.help is not argparse.SUPPRESS]
    options = tuple(_option(action) for action in shown if action.option_strings)
    arguments = " ".join(_arguments(action) for action in shown if not action.option_strings)
    return Command(name, meaning, options, arguments, any(action.dest == "files" for action in shown))


def _option(action: argparse.Action) -> Option:
    meaning = (action.help or "").replace("%(default)s", str(action.default))
    words = tuple(str(choice) for choice in action.choices or ())
    value = "" if action.nargs == 0 else _shown(action)
    return Option(tuple(action.option_strings), meaning, value, words)


def _arguments(action: argparse.Action) -> str:
    many = "..." if action.nargs in ("+", "*") else ""
    return f"{_shown(action)}{many}"


def _shown(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    return "|".join(str(choice) for choice in action.choices) if action.choices else action.dest.upper()


def flat(options: tuple[Option, ...]) -> Iterator[tuple[str, Option]]:
    """Each spelling with its option."""
    return ((name, option) for option in options for name in option.names)
