"""Kernels as oclgrind sees them: no race, nothing read before it is written; and a missing barrier is seen."""

import os
import subprocess

import pytest
from conftest import RESULT

from accshare.device import preset
from accshare.driver.paths import runtime_library
from accshare.options import Options
from accshare.pipeline import compile_unit
from accshare.source import SourceFile

BARRIER = '"  barrier(CLK_LOCAL_MEM_FENCE);\\n"\n'
SUM = """
extern int printf(const char *, ...);
int a[600];
int main(void)
{
  int sum = 0;
#pragma acc parallel loop reduction(+:sum)
  for (int i = 0; i < 600; i++)
    sum += a[i] + i;
  printf("sum %d\\n", sum);
  return 0;
}
"""


@pytest.fixture
def checked(tmp_path):
    """What a program prints under oclgrind, and oclgrind's complaints; its regions must run on the device."""

    def check(program):
        log = tmp_path / "log"
        checks = ["--data-races", "--uninitialized", "--max-errors", "5", "--log", str(log)]
        clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC")}
        own = {"ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(["oclgrind", *checks, str(program)], env={**clean, **own}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout, log.read_text()

    return check


def test_small_programs_are_clean(device_program, host_results, checked):
    printed, complaints = checked(device_program("small", "generic-gpu"))
    found = [RESULT.fullmatch(line) for line in printed.splitlines()]
    assert [(match[2], match[3]) for match in found] == host_results("small")
    assert complaints == ""


@pytest.fixture
def summing(tmp_path):
    """The program `SUM` after a change of the C text made from it."""

    def built(change):
        source = SourceFile.of("sum.c", SUM)
        host = compile_unit(source, (preset("generic-gpu"),), Options(), runtime_library()).host
        text, program = tmp_path / "sum.i", tmp_path / "sum"
        text.write_text(change(host), encoding="latin-1")
        subprocess.run(["gcc", str(text), "-o", str(program)], check=True)
        return program

    return built


@pytest.mark.parametrize("number", [1, 4, 7])
def test_a_missing_barrier_is_a_race(number, summing, checked):
    def without_barrier(host):
        before, after = host.split(BARRIER)[: number + 1], host.split(BARRIER)[number + 1 :]
        assert after
        return BARRIER.join(before) + BARRIER.join(after)

    assert checked(summing(lambda host: host)) == ("sum 179700\n", "")
    assert "data race" in checked(summing(without_barrier))[1]
