"""Work on many things in processes side by side, one for each idle core."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(work: Callable[[T], R], things: Sequence[T]) -> tuple[R, ...]:
    """The results of `work` on all `things`, in their order; each must be something that pickles. Where a process is
    ended by a signal, so is this one."""
    processes = min(len(things), idle_cores())
    if processes < 2:
        return tuple(map(work, things))
    sys.stdout.flush()
    sys.stderr.flush()
    others = [_Other(work, things[k::processes]) for k in range(1, processes)]
    found = [map(work, things[::processes]), *(other.results() for other in others)]
    return tuple(next(found[k % processes]) for k in range(len(things)))


def idle_cores() -> int:
    """How many processes have a core for themselves, or as many as ``ACCSHARE_JOBS`` says. One that `make` runs beside
    others has no more."""
    said, made = os.environ.get("ACCSHARE_JOBS", ""), os.environ.get("MAKEFLAGS", "")
    if said.isdigit():
        return int(said)
    cores = len(os.sched_getaffinity(0))
    return 1 if "-j" in made or "jobserver" in made else cores - int(os.getloadavg()[0])


class _Other:
    """A process that does some of the work, from now on."""

    def __init__(self, work: Callable[[T], object], things: Sequence[T]) -> None:
        self._answers, answers = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            try:
                _answer(work, things, answers)
            finally:
                os._exit(0)
        os.close(answers)

    def results(self) -> Iterator[R]:
        """What it found, once it has all."""
        with os.fdopen(self._answers, "rb") as answers:
            content = answers.read()
        _, status = os.waitpid(self._process, 0)
        if os.WIFSIGNALED(status):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
            os.kill(os.getpid(), os.WTERMSIG(status))
        found = pickle.loads(content)  # of our own making
        if isinstance(found, Exception):
            raise found
        yield from found


def _answer(work: Callable[[T], object], things: Sequence[T], answers: int) -> None:
    try:
        content = pickle.dumps([work(thing) for thing in things])
    except Exception as error:  # whatever breaks here breaks there
        content = pickle.dumps(error)
    with os.fdopen(answers, "wb") as channel:
        channel.write(content)
    sys.stdout.flush()
    sys.stderr.flush()
