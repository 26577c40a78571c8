"""Calls that may crash, hang or be killed, each in a process of its own.

The processes are forked from one that has never touched OpenCL, for threads of a driver don't survive a fork.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from multiprocessing.connection import Connection
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

#: seconds that a process may go on after its time
_GRACE = 5
_PROCESSES = multiprocessing.get_context("forkserver")


@dataclass(frozen=True, slots=True)
class Ended:
    """A call without a result; `reason` completes "it …"."""

    reason: str
    hung: bool = False


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What a call returned."""

    value: T


def preload(modules: list[str]) -> None:
    """Has every process start with `modules` loaded; for before the first call."""
    _PROCESSES.set_forkserver_preload(modules)


def apart(seconds: float, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Answer[T] | Ended:
    """What `call` returns, or how its process ended; it is killed after `seconds`.

    Arguments and result must pickle. Ctrl-C reaches only this process, which then kills the other.
    """
    here, there = _PROCESSES.Pipe(duplex=False)
    child = _PROCESSES.Process(target=_work, args=(there, seconds, call, args, kwargs), daemon=True)
    child.start()
    there.close()
    try:
        if not here.poll(seconds):
            return Ended(f"gave no result within {seconds:g} s", hung=True)
        answer: Answer[T] = here.recv()
        return answer
    except EOFError:
        child.join()
        return Ended(_end(child.exitcode or 0))
    finally:
        child.kill()
        child.join()
        here.close()  # not before: a child that finds nobody there would say so


def _work(
    there: Connection,
    seconds: float,
    call: Callable[..., object],
    args: tuple[object, ...],
    kwargs: dict[str, object],
) -> None:
    """The child. Where nobody is left to kill it, a timer does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.alarm(ceil(seconds) + _GRACE)
    there.send(Answer(call(*args, **kwargs)))


def _end(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code} and no result"
