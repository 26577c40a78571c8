"""Work on many things in processes side by side, one for each idle core."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

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


def idle_cores() -> int:
    """How many processes have a core for themselves, or as many as ``ACCSHARE_JOBS`` says. One that `make` runs beside
    others has no more."""
    said, made = os.environ.get("ACCSHARE_JOBS", ""), os.environ.get("MAKEFLAGS", "")
    if said.isdigit():
        return int(said)
    return 1 if "-j" in made or "jobserver" in made else len(os.sched_getaffinity(0)) - _busy_cores()


def _busy_cores() -> int:
    """How many cores run something else now: what ran a minute ago, as a build's last file, is over."""
    try:
        with open("/proc/loadavg", encoding="ascii") as now:
            return int(now.read().split()[3].partition("/")[0]) - 1
    except (OSError, ValueError, IndexError):
        return int(os.getloadavg()[0])


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
