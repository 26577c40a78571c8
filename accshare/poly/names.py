"""Names that nothing has yet."""

from __future__ import annotations

from collections.abc import Container


def unused(name: str, taken: Container[str]) -> str:
    """`name`, or one like it, that is not `taken`."""
    while name in taken:
        name += "_"
    return name
