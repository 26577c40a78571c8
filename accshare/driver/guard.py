"""Work that is ended with this process, whichever way it ends.

Between this process and the work stands a guard. It sees a pipe close when this process is killed, ends the work and
all that it started, and removes what was half written. Nothing that could be killed together with us is needed for
that.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
#: in the private folder: paths that are being written, one a line
_WRITING = "writing"
#: seconds that a process has for ending in its own way
_GRACE = 5.0


def guarded(work: Callable[[str], int]) -> int:
    """Runs `work` in a process of its own, with a private folder; the exit code. A signal that ends this process ends
    the work first, and then this process as if there had been nothing between."""
    life, hold = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    guard = os.fork()
    if guard == 0:
        os.close(hold)
        os._exit(_guard(work, life))
    os.close(life)
    caught: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        if not caught:
            os.close(hold)
        caught.append(number)

    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
    _, status = os.waitpid(guard, 0)
    if caught:
        signal.signal(caught[0], signal.SIG_DFL)
        os.kill(os.getpid(), caught[0])
    return _shell_code(status)


@contextlib.contextmanager
def writing(folder: str, *paths: str) -> Iterator[None]:
    """While this lasts, `paths` are half written: when the work is ended they are removed."""
    note = os.path.join(folder, _WRITING)
    with open(note, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write("\n".join(paths))
    yield
    os.unlink(note)


def _guard(work: Callable[[str], int], life: int) -> int:
    """Starts the work and waits until it has ended, or until `life` closes; the exit code."""
    kept = {number: signal.signal(number, signal.SIG_IGN) for number in _ENDING}
    folder = tempfile.mkdtemp(prefix="accshare-")
    try:
        working, done = os.pipe()
        worker = os.fork()
        if worker == 0:
            os.close(life)
            os.close(working)
            os._exit(_work(work, folder, kept))
        os.close(done)
        ready, _, _ = select.select([life, working], [], [])
        if working not in ready:
            _end(worker)
            _remove_half_written(folder)
        return _shell_code(os.waitpid(worker, 0)[1])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _work(work: Callable[[str], int], folder: str, kept: Mapping[signal.Signals, object]) -> int:
    for number, handler in kept.items():
        signal.signal(number, signal.SIG_IGN if handler is signal.SIG_IGN else signal.SIG_DFL)
    code = work(folder)
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _end(process: int) -> None:
    """Ends a process and those it started, each in its own way at first. All are stopped before, so that none can start
    another one unseen."""
    family: list[int] = []
    while new := [one for one in _family(process) if one not in family]:
        for one in new:
            _send(one, signal.SIGSTOP)
        family += new
    for number in (signal.SIGTERM, signal.SIGCONT):
        for one in family:
            _send(one, number)
    patience = time.monotonic() + _GRACE
    while any(_runs(one) for one in family):
        if time.monotonic() > patience:
            for one in family:
                _send(one, signal.SIGKILL)
        time.sleep(0.005)


def _family(process: int) -> list[int]:
    """A process and its descendants; without /proc the process alone."""
    parents = {pid: int(fields[1]) for pid in _processes() if (fields := _stat(pid))}
    found = [process]
    for one in found:
        found += [pid for pid, parent in parents.items() if parent == one]
    return found


def _processes() -> list[int]:
    with contextlib.suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    return []


def _runs(process: int) -> bool:
    """Whether a process is there and not only waited for."""
    fields = _stat(process)
    return bool(fields) and fields[0] not in "ZX"


def _stat(process: int) -> list[str]:
    """State, parent and so on; empty for a process that has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat", encoding="latin-1") as file:
        return file.read().rpartition(")")[2].split()
    return []


def _send(process: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.kill(process, number)


def _remove_half_written(folder: str) -> None:
    note = os.path.join(folder, _WRITING)
    with contextlib.suppress(OSError), open(note, encoding="utf-8", errors="surrogateescape") as file:
        for path in file.read().split("\n"):
            if os.path.isfile(path) and not os.path.islink(path):
                os.unlink(path)


def _shell_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
