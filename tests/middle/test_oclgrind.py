"""Kernels as oclgrind sees them: no race, nothing read before it is written; and a missing barrier is seen."""

import subprocess

import pytest
from calls import RESULT, simulate

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


def test_small_programs_are_clean(workshop, tmp_path):
    printed, complaints = simulate(workshop.program("small", "generic-gpu"), tmp_path)
    found = [RESULT.fullmatch(line) for line in printed.splitlines()]
    assert [(match[2], match[3]) for match in found] == workshop.host_results("small")
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
def test_a_missing_barrier_is_a_race(number, summing, tmp_path):
    def without_barrier(host):
        before, after = host.split(BARRIER)[: number + 1], host.split(BARRIER)[number + 1 :]
        assert after
        return BARRIER.join(before) + BARRIER.join(after)

    assert simulate(summing(lambda host: host), tmp_path) == ("sum 179700\n", "")
    assert "data race" in simulate(summing(without_barrier), tmp_path)[1]
