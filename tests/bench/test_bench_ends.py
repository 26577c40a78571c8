"""What the benchmarks start ends with them."""

from __future__ import annotations

import os
import sys

import pytest

from accshare.run.bench.programs import Failed, TooLong, execute


def test_what_takes_too_long_ends_with_all_that_it_has_started(tmp_path):
    """A compiler's driver that is ended would otherwise leave the compiler running beside all later measurements."""
    path = tmp_path / "held"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    driver = f"(echo started > {path}.known; exec sleep 1000) > {path} & wait"
    with pytest.raises(TooLong, match="took longer than 1 s"):
        execute(["sh", "-c", driver], os.environ, 1)
    assert (tmp_path / "held.known").exists()
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""  # the end, which comes once nobody can write any more
    os.close(reader)


def test_output_and_failures_come_back():
    assert execute([sys.executable, "-c", "print(42)"], os.environ).stdout == "42\n"
    with pytest.raises(Failed, match="exit code 3\nout\nerr"):
        execute(["sh", "-c", "echo out; echo err >&2; exit 3"], os.environ)
    with pytest.raises(Failed, match="No such file"):
        execute(["/nonexistent"], os.environ)
