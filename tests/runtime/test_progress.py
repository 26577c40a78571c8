"""A user who looks on is told what takes so long."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from runtime_programs import Program, clean_environment

REGION = ("100", "5", "3", "1")
TOLD = "accshare: building kernels for "


def start(run: Program, pipe: Path, terminal: int) -> subprocess.Popen[str]:
    """The region, on a device whose builds wait for somebody to open `pipe`, with a terminal for stderr."""
    own = {"ACCSHARE_CACHE_DIR": str(run.cache), "POCL_CACHE_DIR": str(run.pocl_cache), "BUILD_WAITS": str(pipe)}
    shim = run.runtime.compile("failing_opencl", "-shared", "-fPIC")
    environment = clean_environment() | own | {"LD_PRELOAD": f"{shim} libOpenCL.so.1"}
    command = [str(run.runtime.compile("region")), *REGION]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=terminal, text=True)


def read_to(terminal: int, text: str) -> str:
    """What a program writes to its terminal, until `text` is there."""
    seen = ""
    while text not in seen:
        seen += os.read(terminal, 4096).decode()
    return seen


def test_a_build_that_takes_long_is_told_of(run: Program, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ours, theirs = os.openpty()
    program = start(run, pipe, theirs)
    seen = read_to(ours, TOLD)
    opened = os.open(pipe, os.O_WRONLY)
    pipe.unlink()  # other builds need not wait
    os.close(opened)
    output, _ = program.communicate(timeout=120)
    assert output == "device=3 host=0 wrong=0\n"
    os.write(theirs, b"end of what was said")
    seen += read_to(ours, "end of what was said")
    assert seen.count("accshare:") == 1
    assert "later runs find them in the cache" in seen


def test_what_is_in_the_cache_is_not_told_of(run: Program, tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    assert run("region", *REGION).stderr == ""
    program = start(run, tmp_path / "none", theirs)
    program.communicate(timeout=120)
    os.write(theirs, b"end of what was said")
    assert "accshare:" not in read_to(ours, "end of what was said")
