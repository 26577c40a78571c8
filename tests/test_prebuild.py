"""``--acc-prebuild``: what earlier runs would have built, the compiler builds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import accshare_cc

SOURCE = """
#include <stdio.h>
int main(void)
{
  static int a[1000];
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 1000; i++) a[i] = 3 * i;
  puts(a[999] == 2997 ? "right" : "wrong");
  return 0;
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "p.c").write_text(SOURCE)
    return tmp_path / "p.c"


def compiled(source: Path, *words: str) -> str:
    """What is said of the compilation, by a user with a cache of his own."""
    own = {"ACCSHARE_CACHE_DIR": str(source.parent / "cache")}
    done = accshare_cc(*words, source, "-o", source.with_suffix(""), env=os.environ | own)
    assert done.returncode == 0, done.stderr
    return done.stderr


def run(source: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs it on a device, where PoCL can't build anything."""
    own = {"ACCSHARE_CACHE_DIR": str(source.parent / "cache"), "PATH": "/nonexistent"}
    settings = {"ACCSHARE_OFFLOAD": "mandatory"} | settings
    return subprocess.run([source.with_suffix("")], env=own | settings, capture_output=True, text=True)


def test_nothing_is_left_to_build(source):
    assert compiled(source, "--acc-target=generic-cpu") == ""
    assert run(source).returncode == 3
    for _ in range(2):
        assert compiled(source, "--acc-target=generic-cpu", "--acc-prebuild") == ""
        done = run(source, ACCSHARE_NOTIFY="1")
        assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
        assert "launch" in done.stderr


def test_kernels_of_a_device_beside_native_ones(source):
    """Who names the processor's OpenCL device gets its kernels too."""
    assert compiled(source, "--acc-target=native,generic-cpu", "--acc-prebuild") == ""
    assert list((source.parent / "cache").glob("*.bin"))
    assert run(source).stdout == "right\n"


def test_no_device_for_the_kernels_is_told(source):
    told = compiled(source, "--acc-target=native,generic-gpu", "--acc-prebuild")
    assert told.count("warning") == 1
    assert "[ACC706]" in told
    assert not list((source.parent / "cache").glob("*.bin"))
    assert compiled(source, "--acc-target=native", "--acc-prebuild") == ""
    assert run(source).stdout == "right\n"
