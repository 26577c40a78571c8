"""What is found once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Once:
    """Calls pure functions, each only once for the very same arguments, or equal numbers: who asks again gets the first
    answer."""

    def __init__(self) -> None:
        self._answers: dict[tuple[tuple[bool, int], ...], tuple[object, Any]] = {}
        self._values: list[tuple[object, Any]] = []

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        asked = (function, *args, *kwargs.values())
        key = tuple((True, one) if isinstance(one, int) else (False, id(one)) for one in asked)
        if key not in self._answers:  # with what was asked, whose numbers nothing else gets then
            self._answers[key] = asked, function(*args, **kwargs)
        answer: T = self._answers[key][1]
        return answer

    def same(self, value: T, of: object) -> T:
        """The first value that was equal to this one, among those `of` the very same object."""
        for owner, known in self._values:
            if owner is of and known == value:
                first: T = known
                return first
        self._values.append((of, value))
        return value
