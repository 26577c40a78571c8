"""Work on many things in processes side by side, one for each idle core."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from accshare.driver.cores import idle_cores

#: processes, each of which takes some 50 MB of its own
_MOST = 8

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(work: Callable[[T], R], things: Sequence[T]) -> tuple[R, ...]:
    """The results of `work` on all `things`, in their order; each must be something that pickles. What breaks elsewhere
    is done here again, and breaks here."""
    processes = min(len(things), idle_cores(), _MOST)
    if processes < 2:
        return tuple(map(work, things))
    sys.stdout.flush()
    sys.stderr.flush()
    others = [_Other(work, things[k::processes]) for k in range(1, processes)]
    own = list(map(work, things[::processes]))
    found = [own, *(other.results() for other in others)]
    return tuple(found[k % processes][k // processes] for k in range(len(things)))


class _Other(Generic[T, R]):
    """A process that does some of the work, from now on."""

    def __init__(self, work: Callable[[T], R], things: Sequence[T]) -> None:
        self._work = work
        self._things = things
        self._answers, answers = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            try:
                with os.fdopen(answers, "wb") as channel:
                    channel.write(pickle.dumps([work(thing) for thing in things]))
            finally:
                os._exit(0)
        os.close(answers)

    def results(self) -> list[R]:
        """What it found, once it has all."""
        with os.fdopen(self._answers, "rb") as answers:
            content = answers.read()
        os.waitpid(self._process, 0)
        if not content:
            return list(map(self._work, self._things))
        found: list[R] = pickle.loads(content)  # of our own making
        return found
