"""Which cases of a test `make test` runs, and which are ``thorough`` (docs/testing.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pytest


def telling(some: Collection[Any], cases: Iterable[Any]) -> list[Any]:
    """The cases; those that are not among `some` are thorough."""
    return [case if case in some else _thorough(case) for case in cases]


def every(step: int, cases: Sequence[Any]) -> list[Any]:
    """The cases; all but every so many are thorough."""
    return [case if number % step == 0 else _thorough(case) for number, case in enumerate(cases)]


def _thorough(case: Any) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough)
