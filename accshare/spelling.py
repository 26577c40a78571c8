"""What somebody may have meant by a word that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is spelt most like `word`; empty where none is."""
    from difflib import get_close_matches  # noqa: PLC0415 - few compilations have a word misspelt

    return next(iter(get_close_matches(word, list(known), 1)), "")
