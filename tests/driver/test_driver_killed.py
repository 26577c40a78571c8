"""Who kills accshare-cc kills all of it, and nothing half written stays."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys

import pytest

#: a hang is told from a busy machine by minutes
PATIENCE = 600
SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")
#: says who it is, and does not end by itself
STUCK = f"""\
import os, sys, time
if sys.argv[0] == __file__:
    open(sys.argv[1], "w").write("half")
with open(os.environ["TOLD"], "w") as told:
    print(os.getpid(), file=told)
time.sleep({PATIENCE})
"""


def default_signals():
    """What a shell in a terminal gives, whatever started these tests."""
    for name in SIGNALS[:-1]:
        signal.signal(signal.Signals[name], signal.SIG_DFL)


def killed(acc, number, *args, **extra) -> tuple[int, int]:
    """A compilation is killed once a part of it has said that it is stuck: exit code, and that part's process number.

    That the pipes close is waited for: whoever reads what a compiler prints would wait as well.
    """
    fifo = acc.folder.parent / "told"
    os.mkfifo(fifo)
    told = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    (acc.folder / "tmp").mkdir()
    process = subprocess.Popen(
        [acc.program, *args], cwd=acc.folder, preexec_fn=default_signals,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**acc.environment, "TMPDIR": str(acc.folder / "tmp"), "TOLD": str(fifo), **extra},
    )  # fmt: skip
    assert select.select([told], [], [], PATIENCE)[0]
    stuck = int(os.read(told, 100))
    os.close(told)
    process.send_signal(signal.Signals[number])
    process.communicate(timeout=PATIENCE)
    return process.returncode, stuck


def runs(process: int) -> bool:
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.mark.parametrize("number", SIGNALS)
def test_the_compilers_own_work_ends_with_it(acc, number):
    acc.write("stuck/islpy.py", STUCK)
    code, stuck = killed(acc, number, "-MMD", "region.c", "-o", "prog", PYTHONPATH=str(acc.folder / "stuck"))
    assert code == -signal.Signals[number]
    assert not runs(stuck)
    assert not {"prog", "prog.d"} & acc.files().keys()
    assert list((acc.folder / "tmp").iterdir()) == []


@pytest.mark.parametrize("number", SIGNALS)
def test_the_host_compiler_ends_with_it(acc, number):
    stuck_program = acc.write("stuck.py", STUCK)
    cc = acc.write(
        "cc",
        "#!/bin/sh\nfor last; do :; done\n"
        f'case "$*" in *"-c -x cpp-output"*) {sys.executable} {stuck_program} "$last"; esac\n'
        'exec gcc "$@"\n',
    )
    cc.chmod(0o755)
    code, stuck = killed(acc, number, "-MMD", "-c", "region.c", ACCSHARE_CC=str(cc))
    assert code == -signal.Signals[number]
    assert not runs(stuck)
    assert not {"region.o", "region.d"} & acc.files().keys()
    assert list((acc.folder / "tmp").iterdir()) == []
