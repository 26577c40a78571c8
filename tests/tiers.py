"""Which cases of a test `make test` runs, and which are ``thorough`` (docs/testing.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pytest


def telling(some: Collection[Any], cases: Iterable[Any], quick: Collection[Any] = ()) -> list[Any]:
    """The cases; those that are not among `some` are thorough, and `quick` ones are quick."""
    return [_quick(case) if case in quick else case if case in some else _thorough(case) for case in cases]


def every(step: int, cases: Sequence[Any]) -> list[Any]:
    """The cases; all but every so many are thorough."""
    return [case if number % step == 0 else _thorough(case) for number, case in enumerate(cases)]


def _thorough(case: Any) -> Any:
    return pytest.param(*_values(case), marks=pytest.mark.thorough)


def _quick(case: Any) -> Any:
    return pytest.param(*_values(case), marks=pytest.mark.quick)


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
