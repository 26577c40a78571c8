"""The loops that SUPER is measured with: as the paper has them, and never slower than in the program's order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from calls import explained

from accshare.mapping.patterns import trips
from accshare.order.lines import references, total
from accshare.run.generate import sections
from accshare.run.interpreter import interpret
from accshare.run.sizes import cases
from accshare.run.sources import compile_file

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SOURCE = BENCHMARKS / "two_levels.c"
FLAGS = ["--acc-target=h100", "--acc-share=on", "-ffast-math"]


def _in_small_launches(outcome):
    """Kernels as the paper has them, for as few rows as would leave a GPU idle."""
    plans = (nest.small.plan if nest.small else nest for nest in outcome.plans[0].nests)
    return [plan.placement.partition for plan in plans]


def test_reductions_of_gemver_are_those_of_the_paper():
    """Columns of A are summed by neighbours, each its own; rows by the work-items of a group together, in a tree."""
    unit = compile_file(str(BENCHMARKS / "two_levels/gemver.c"), FLAGS)
    (outcome,), (region,) = unit.result.outcomes, unit.result.output.regions
    nests = [part for part in _in_small_launches(outcome) if not part.nest.reductions]
    grids = [[(m.loop.iterator.name, m.axis) for m in part.nest.grid] for part in nests]
    assert grids == [[("i", 1), ("j", 0)], [("i", 0)], [("i", 0)], [("i", 1)]]
    assert [part.work_group[0] * part.work_group[1] for part in nests] == [128, 1024, 1024, 256]
    *others, rows = nests
    assert not any(part.nest.threads for part in others)
    assert [(m.loop.iterator.name, m.threads, len(m.reductions)) for m in rows.nest.threads] == [("j", 32, 1)]
    assert len(rows.phases) == 2  # of every work-item, and of the first one with the tree's result
    (case, *_) = cases(outcome.offload.plan, 1, {"n": 130})
    run = interpret(region.variants[0].variant, sections(region, case.values, 1), case.values)
    assert run.faults == ()
    assert run.barriers[rows.nest.name] == -(-130 // 8) * 6  # 17 groups; 32 parts, halved five times


#: SUPER's Figures 3 and 6: blocks over the rows, threads over what coalesces, a barrier where one needs another's
PHASES = {
    "jacobi_2d_alt": """
work-groups over i
  for (int t = 0; t < times; t++)
    work-items over j
      B[i][j] = 0.33333f * (A[i][j] + A[i][j - 1] + A[i][j + 1])
    barrier
    work-items over j
      A[i][j] = B[i][j]
    barrier""",
    "doitgen": """
work-groups over r, q
  work-items over p
    sums[r][q][p] = 0
    for (int s = 0; s < n; s++)
      sums[r][q][p] += A[r][q][s] * W[s][p]
  barrier
  work-items over p
    A[r][q][p] = sums[r][q][p]""",
}


@pytest.mark.parametrize("name", PHASES)
def test_the_motivating_kernels_come_out_as_in_the_paper(name):
    """One launch for all steps in time, and a barrier in a group where the paper has ``__syncthreads``."""
    (region,) = explained(BENCHMARKS / f"two_levels/{name}.c", "--acc-target=h100")["regions"]
    (kernel,) = region["kernels"]
    (size,) = kernel["sizes"]
    assert size["phases"] == PHASES[name].strip().splitlines()
    assert size["work_group"][0] == 32  # a warp; what more there is of a group are other rows
    assert not any(loop["runs"] == "host" for loop in region["loops"])


@pytest.mark.thorough
def test_work_items_share_the_loop_with_the_most_negative_derivative():
    """SUPER's Algorithm 2 takes the parallel loop along which the cost of memory falls most; ours is that one."""
    unit = compile_file(str(SOURCE), FLAGS)
    line = 128
    seen = 0
    for outcome in unit.result.outcomes:
        for part in _in_small_launches(outcome):
            kernel = part.nest
            for statement in kernel.statements:
                every = [m for m in (*kernel.grid, *kernel.threads) if m.loop in statement.loops]
                parallel = [m for m in every if trips(m.loop) >= 32]  # too short for a warp: m of penta_substitution
                taken = [m for m in parallel if m.axis == 0]
                if kernel.reductions or not taken:
                    continue  # where loops don't fill the device; what a row's first work-item does
                refs = references(statement)
                one = total(refs, {}, line)
                falls = {m.loop.index: total(refs, {m.loop.index: 32.0}, line) / 32 - one for m in parallel}
                assert falls[taken[0].loop.index] == min(falls.values()), (kernel.name, statement.name, falls)
                seen += 1
    assert seen > 30


@pytest.mark.slow
def test_no_loops_are_slower_than_they_are_written():
    command = [sys.executable, BENCHMARKS / "two_levels.py", "h100", "--acc-share=on"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines()[3:]]
    assert len(rows) == 17
    assert not any("host" in cell for row in rows for cell in row)
