"""How to install what a command lacks, in words that work where accshare itself is on no package index."""

from __future__ import annotations

import json
import re
import shlex
import sys
from importlib import metadata
from urllib.parse import unquote, urlsplit

_NAME = "accshare"
_OF_EXTRA = re.compile(r"""^(?P<needed>[^;]+?)\s*;\s*extra\s*==\s*['"](?P<extra>\w+)['"]$""")
_OWN = re.compile(rf"^{_NAME}\[(?P<extra>\w+)\]$")


def command(*needed: str) -> str:
    """The pip of this very Python installing requirements, to be pasted into a shell."""
    return f"{shlex.quote(sys.executable)} -m pip install {shlex.join(needed)}"


def extra(name: str) -> str:
    """The command that installs what the extra `name` of accshare asks for."""
    return command(*_requirements(name))


def again() -> str:
    """The command that installs accshare once more, from where it came."""
    return command("--force-reinstall", _origin())


def _requirements(name: str) -> list[str]:
    """What an extra asks for, those of the extras it names included."""
    try:
        stated = metadata.requires(_NAME) or []
    except metadata.PackageNotFoundError:
        return [f"{_NAME}[{name}]"]
    found: list[str] = []
    for line in stated:
        match = _OF_EXTRA.match(line)
        if match is not None and match["extra"] == name:
            own = _OWN.match(match["needed"])
            found += _requirements(own["extra"]) if own is not None else [match["needed"]]
    return found


def _origin() -> str:
    """The folder or the address that pip remembers accshare to be from; its name where it came from an index."""
    try:
        told = metadata.distribution(_NAME).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        told = None
    if told is None:
        return _NAME
    address = str(json.loads(told)["url"])
    return unquote(urlsplit(address).path) if address.startswith("file:") else address
