"""Calls that may crash, hang or be killed, each in a process of its own.

The processes are forked from one that has never touched OpenCL, for threads of a driver don't survive a fork.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Concatenate, Generic, ParamSpec, TypeVar

from accshare.records import dataclass
from accshare.run.builds import keep_builds_in
from accshare.run.tune.budget import Allowance, outcome_of

P = ParamSpec("P")
T = TypeVar("T")

#: seconds that a process may go on after its time
_GRACE = 5
_PROCESSES = multiprocessing.get_context("forkserver")


@dataclass(frozen=True, slots=True)
class Ended:
    """A call without a result; `reason` completes "it …". `outcome` is "crashed", or what `outcome_of` says."""

    reason: str
    outcome: str = "crashed"


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What a call returned."""

    value: T


@dataclass(frozen=True, slots=True)
class Alive:
    """Called by a call now and then: tells that it goes on."""

    there: Connection

    def __call__(self) -> None:
        """One sign of life."""
        self.there.send(None)


def preload(modules: list[str]) -> None:
    """Has every process start with `modules` loaded; for before the first call."""
    _PROCESSES.set_forkserver_preload(modules)


def apart(given: Allowance, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Answer[T] | Ended:
    """What `call` returns, or how its process ended, which is killed with all it started when its time is over.

    Arguments and result must pickle. Ctrl-C reaches only this process, which then kills the other.
    """
    return _result(given, call, args, kwargs, watched=False)


def watched(
    given: Allowance, call: Callable[Concatenate[Alive, P], T], /, *args: P.args, **kwargs: P.kwargs
) -> Answer[T] | Ended:
    """As `apart`, for a call that gives signs of life."""
    return _result(given, call, args, kwargs, watched=True)


def _result(
    given: Allowance,
    call: Callable[..., T],
    args: tuple[object, ...],
    kwargs: dict[str, object],
    *,
    watched: bool,
) -> Answer[T] | Ended:
    if not given.left:
        return Ended("was not started, for the time is up", "stopped")
    begun = time.monotonic()  # the first process of all takes a while to start
    here, there = _PROCESSES.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(prefix="accshare-tune-") as folder:  # the child may not live to remove it
        work = (there, given.total, watched, Path(folder), call, args, kwargs)
        child = _PROCESSES.Process(target=_work, args=work, daemon=True)
        child.start()
        there.close()
        try:
            found: Answer[T] | Ended = _heard(here, given, begun)
            return found
        except EOFError:
            child.join()
            return Ended(_end(child.exitcode or 0))
        finally:
            _kill_group(child.pid)
            child.kill()
            child.join()
            here.close()  # not before: a child that finds nobody there would say so


def _heard(here: Connection, given: Allowance, begun: float) -> Answer[T] | Ended:
    """The answer, or why there is none. Raises `EOFError` where the other process is gone."""
    end = begun + min(given.limit, given.left)
    while (rest := end - time.monotonic()) > 0 and here.poll(rest):
        answer: Answer[T] | None = here.recv()
        if answer is not None:
            return answer
    spoke = given.total > given.limit and here.poll(max(0.0, begun + given.total - time.monotonic()))
    if spoke:
        here.recv()
    outcome = outcome_of(given, spoke)
    quiet = f", and nothing was heard of it for another {given.silence:g} s" if given.silence else ""
    said = {
        "stopped": "was stopped, for the time is up",
        "slow": f"took more than {given.limit:g} s",
        "hung": f"gave no result within {given.limit:g} s{quiet}",
    }
    return Ended(said[outcome], outcome)


def _work(
    there: Connection,
    seconds: float,
    watched: bool,
    folder: Path,
    call: Callable[..., object],
    args: tuple[object, ...],
    kwargs: dict[str, object],
) -> None:
    """The child. Where nobody is left to kill it, a timer does."""
    try:
        keep_builds_in(folder / "built")
    except FileNotFoundError:
        return  # the other was interrupted while this one started, and has removed the folder
    os.setpgrp()  # so that it can be killed with what it starts
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.alarm(ceil(seconds) + _GRACE)
    sign = (Alive(there),) if watched else ()
    with contextlib.suppress(BrokenPipeError):  # the other was interrupted while this one started
        there.send(Answer(call(*sign, *args, **kwargs)))


def _kill_group(leader: int | None) -> None:
    if leader is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # no group yet, or none any more
            os.killpg(leader, signal.SIGKILL)


def _end(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code} and no result"
