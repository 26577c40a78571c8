"""Calls in processes of their own: results come back, and whatever happens there stays there."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys

import pytest

from accshare.run.tune.apart import Answer, Ended, apart, watched
from accshare.run.tune.budget import Allowance

ENOUGH = Allowance(600, 0, 600)


def double(number):
    return 2 * number


def fault():
    ctypes.string_at(8)


def die(code):
    os._exit(code)


def spin():
    while True:
        pass


def talk(alive):
    while True:
        alive()


def spin_on(alive):
    spin()


def leave_another(path):
    with open(path, "w") as file:
        subprocess.Popen(["sleep", "1000"], stdout=file)
        file.write("started")
    die(1)


def stop_me():
    os.kill(os.getpid(), signal.SIGKILL)


def ignore_interrupts(path):
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    spin()


def test_a_result_comes_back():
    assert apart(ENOUGH, double, 21) == Answer(42)


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
    assert apart(ENOUGH, call, *arguments) == Ended(reason)


def test_a_call_that_never_ends_is_killed():
    assert apart(Allowance(0.5, 0, 60), spin) == Ended("gave no result within 0.5 s", "hung")
    assert apart(Allowance(600, 0, 0.5), spin) == Ended("was stopped, for the time is up", "stopped")
    assert apart(Allowance(600, 0, 0), spin) == Ended("was not started, for the time is up", "stopped")


def test_a_slow_call_is_told_from_one_that_hangs():
    assert watched(Allowance(0.5, 600, 600), talk) == Ended("took more than 0.5 s", "slow")
    silent = Ended("gave no result within 0.5 s, and nothing was heard of it for another 0.1 s", "hung")
    assert watched(Allowance(0.5, 0.1, 600), spin_on) == silent


def test_what_a_call_has_started_ends_with_it(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    other = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    assert apart(ENOUGH, leave_another, str(path)) == Ended("ended with exit code 1 and no result")
    assert os.read(other, 100) == b"started"
    assert select.select([other], [], [], 60)[0]
    assert os.read(other, 100) == b""  # nobody has it open any more
    os.close(other)


INTERRUPTED = """\
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
from accshare.run.tune.apart import apart
from accshare.run.tune.budget import Allowance
sys.path.insert(0, sys.argv[1])
from test_tune_apart import ignore_interrupts
try:
    apart(Allowance(600, 0, 600), ignore_interrupts, sys.argv[2])
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
