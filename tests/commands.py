"""``accshare-cc`` and ``accshare`` in processes of their own that need not load the compiler.

Loading it takes several times as long as compiling a small program. So one process loads it, compiles a region to fill
its caches, and forks for every command: what a command sees and leaves is what a fresh process would. Tests of
how the commands start, and are ended, run them as users do (``driver/``).
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path

#: bytes of a message with a command, its folder and its environment
_MOST = 1 << 17
_REGION = "void f(int *a) {\n#pragma acc parallel loop copy(a[0:9])\nfor (int i = 0; i < 9; i++) a[i]++; }\n"


def accshare_cc(
    *words: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the compiler."""
    return _run("accshare.cc", words, cwd, env)


def accshare(
    *words: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the command with the compiler's tools."""
    return _run("accshare.cli", words, cwd, env)


def _run(
    module: str, words: tuple[object, ...], cwd: Path | None, env: Mapping[str, str] | None
) -> subprocess.CompletedProcess[str]:
    command = [module, *map(str, words)]
    request = (command, str(cwd or Path.cwd()), dict(os.environ if env is None else env))
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        channel = _ready()
        socket.send_fds(channel, [json.dumps(request).encode()], [output.fileno(), errors.fileno()])
        code = int(channel.recv(_MOST))
        printed = []
        for file in (output, errors):
            file.seek(0)
            printed.append(file.read().decode())
    return subprocess.CompletedProcess(command, code, *printed)


@functools.cache
def _ready() -> socket.socket:
    """A channel to the process that has the compiler loaded."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen(
        [sys.executable, __file__, str(there.fileno())], pass_fds=[there.fileno()], stdin=subprocess.DEVNULL
    )
    there.close()

    def end() -> None:
        here.close()
        server.wait()

    atexit.register(end)
    return here


def _serve(channel: socket.socket) -> None:
    """Runs commands until nobody is left to send any."""
    while True:
        message, files, _, _ = socket.recv_fds(channel, _MOST, 2)
        if not message:
            return
        child = os.fork()
        if child == 0:
            channel.close()
            os._exit(_command(*json.loads(message), files))
        for file in files:
            os.close(file)
        channel.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _command(command: list[str], folder: str, environment: dict[str, str], files: list[int]) -> int:
    """Becomes a command; its exit code."""
    for file, number in zip(files, (1, 2), strict=True):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    module = importlib.import_module(command[0])
    sys.argv = [str(module.__file__), *command[1:]]
    code = 1
    try:
        code = int(module.main() or 0)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _load() -> None:
    for name in ("accshare.cc", "accshare.cli", "accshare.driver.start", "accshare.driver.drive"):
        importlib.import_module(name)
    worker = importlib.import_module("accshare.driver.worker")
    device, options, source = (importlib.import_module(f"accshare.{name}") for name in ("device", "options", "source"))
    targets = (device.preset("generic-gpu"), device.preset("generic-cpu"))
    worker.work(pickle.dumps((source.SourceFile.of("region.c", _REGION), targets, options.Options(), "")))
    gc.freeze()


if __name__ == "__main__":
    _load()
    _serve(socket.socket(fileno=int(sys.argv[1])))
