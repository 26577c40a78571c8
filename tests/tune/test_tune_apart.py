"""Calls in processes of their own: results come back, and whatever happens there stays there."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys

import pytest

from accshare.run.tune.apart import Answer, Ended, apart


def double(number):
    return 2 * number


def fault():
    ctypes.string_at(8)


def die(code):
    os._exit(code)


def spin():
    while True:
        pass


def stop_me():
    os.kill(os.getpid(), signal.SIGKILL)


def ignore_interrupts(path):
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    spin()


def test_a_result_comes_back():
    assert apart(60, double, 21) == Answer(42)


@pytest.mark.parametrize(
    ("call", "arguments", "reason"),
    [
        (fault, (), "was ended by SIGSEGV"),
        (stop_me, (), "was ended by SIGKILL"),
        (die, (3,), "ended with exit code 3 and no result"),
        (die, (0,), "ended with exit code 0 and no result"),
    ],
)
def test_a_crash_is_told(call, arguments, reason):
    assert apart(60, call, *arguments) == Ended(reason)


def test_a_call_that_never_ends_is_killed():
    assert apart(0.5, spin) == Ended("gave no result within 0.5 s", hung=True)


INTERRUPTED = """\
import sys
from accshare.run.tune.apart import apart
sys.path.insert(0, sys.argv[1])
from test_tune_apart import ignore_interrupts
try:
    apart(600, ignore_interrupts, sys.argv[2])
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_ends_the_other_process_too(tmp_path):
    path = tmp_path / "pid"
    os.mkfifo(path)
    command = [sys.executable, "-c", INTERRUPTED, os.path.dirname(__file__), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        other = int(path.read_text())
        process.send_signal(signal.SIGINT)
        assert process.communicate()[0] == "interrupted\n"
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)
