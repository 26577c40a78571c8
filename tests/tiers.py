"""Which cases of a test `make test` runs, and which are ``thorough`` (docs/testing.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pytest


def telling(
    some: Collection[Any], cases: Iterable[Any], quick: Collection[Any] = (), slow: Collection[Any] = ()
) -> list[Any]:
    """The cases; those that are not among `some` are thorough, `quick` ones are quick and `slow` ones slow."""

    def marked(case: Any) -> Any:
        if case in quick:
            return _marked(case, pytest.mark.quick)
        if case in some:
            return case
        return _marked(case, pytest.mark.slow if case in slow else pytest.mark.thorough)

    return [marked(case) for case in cases]


def every(step: int, cases: Sequence[Any], thorough: int = 1) -> list[Any]:
    """The cases; all but every so many are thorough, and of these all but every `thorough` are slow."""
    return [
        case if number % step == 0 else _marked(case, pytest.mark.slow if number % thorough else pytest.mark.thorough)
        for number, case in enumerate(cases)
    ]


def rarely(step: int, cases: Sequence[Any]) -> list[Any]:
    """The cases; all but every so many are slow."""
    return [case if number % step == 0 else _marked(case, pytest.mark.slow) for number, case in enumerate(cases)]


def _marked(case: Any, mark: pytest.MarkDecorator) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark)
