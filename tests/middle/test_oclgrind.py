"""Kernels as oclgrind sees them: no race, nothing read before it is written; and a missing barrier is seen."""

import subprocess

import pytest
from calls import RESULT, simulate
from tiers import every

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


COUNTS = """
extern int printf(const char *, ...);
int a[700], bins[6];
short least[4];
int main(void)
{
  for (int i = 0; i < 700; i++)
    a[i] = i * 37 % 101;
#pragma acc parallel loop reduction(min:least)
  for (int i = 0; i < 700; i++) {
#pragma acc atomic
    bins[a[i] % 6] += i;
    if ((short)(3 - a[i]) < least[i % 4])
      least[i % 4] = (short)(3 - a[i]);
  }
  for (int k = 0; k < 6; k++)
    printf("%d ", bins[k] + least[k % 4]);
  printf("\\n");
  return 0;
}
"""


def test_small_programs_are_clean(workshop, tmp_path):
    printed, complaints = simulate(workshop.program("small", "generic-gpu"), tmp_path)
    found = [RESULT.fullmatch(line) for line in printed.splitlines()]
    assert [(match[2], match[3]) for match in found] == workshop.host_results("small")
    assert complaints == ""


@pytest.fixture
def changed(tmp_path):
    """A program after a change of the C text made from it."""

    def built(program, change):
        source = SourceFile.of("sum.c", program)
        host = compile_unit(source, (preset("generic-gpu"),), Options(), runtime_library()).host
        text, binary = tmp_path / "sum.i", tmp_path / "sum"
        text.write_text(change(host), encoding="latin-1")
        subprocess.run(["gcc", str(text), "-o", str(binary)], check=True)
        return binary

    return built


@pytest.mark.parametrize(
    ("program", "printed", "number"),
    every(
        2,
        [
            (SUM, "sum 179700\n", 4),
            (SUM, "sum 179700\n", 1),
            (COUNTS, "40647 41318 41287 40546 41211 39059 \n", 1),
            (SUM, "sum 179700\n", 7),
        ],
    ),
)
def test_a_missing_barrier_is_a_race(program, printed, number, changed, tmp_path):
    def without_barrier(host):
        before, after = host.split(BARRIER)[: number + 1], host.split(BARRIER)[number + 1 :]
        assert after
        return BARRIER.join(before) + BARRIER.join(after)

    assert simulate(changed(program, lambda host: host), tmp_path) == (printed, "")
    assert "data race" in simulate(changed(program, without_barrier), tmp_path)[1]
