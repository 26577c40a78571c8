"""Two passes over a matrix in one, where what columns add up has no order."""

from __future__ import annotations

import os
import re
import subprocess
from itertools import product
from pathlib import Path

import pytest
from calls import explained
from commands import accshare, accshare_cc

PROGRAM = Path(__file__).parents[1] / "native" / "programs" / "row_passes.c"
#: functions of whose passes the second one needs no more than a row of the first
ONCE = ("beside", "behind", "apart", "columns_first", "used")
WITHOUT_OPENCL = {"ACCSHARE_OPENCL": "/nonexistent/libOpenCL.so"}


def once(*flags):
    report = explained(PROGRAM, *flags)
    steps = ((r["function"], s) for r in report["regions"] for s in (r["order"] or {"steps": []})["steps"])
    return {function for function, step in steps if "both passes over a are one" in step["sentence"]}


def test_the_report_tells_which_passes_are_one():
    """Those of integers always are, those of other numbers where nobody asks for the order of sums."""
    assert once("--acc-target=native") == {f"int_{name}" for name in ONCE}
    every = {"_".join(both) for both in product(("int", "float", "double"), ONCE)}
    assert once("--acc-target=native", "-ffast-math") == every


def test_devices_and_orders_that_are_asked_for_have_two_passes():
    assert not once("--acc-target=generic-gpu", "-ffast-math")
    assert not once("--acc-target=native", "-ffast-math", "--acc-schedule=super")


#: nobody knows how many columns are used
WIDE = """
static int A[900][WIDTH], s[WIDTH], q[900], p[WIDTH], r[900];
void passes(int n, int m)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    q[i] = 0;
    for (int j = 0; j < m; j++) {
      s[j] += r[i] * A[i][j];
      q[i] += A[i][j] * p[j];
    }
  }
}
"""


@pytest.mark.parametrize(("width", "word"), [(2000, "fused"), (40000, "blocked")])
def test_rows_that_no_copy_has_room_for_go_by_blocks(width, word, tmp_path):
    (tmp_path / "wide.c").write_text(WIDE.replace("WIDTH", str(width)))
    (region,) = explained(tmp_path / "wide.c", "--acc-target=native", "-march=x86-64-v3")["regions"]
    assert region["order"]["steps"][-1]["word"] == word


@pytest.mark.parametrize("flags", ["-march=native", "-mavx2"])
def test_sums_of_rows_and_columns_are_the_hosts(flags, tmp_path):
    binary = tmp_path / "passes"
    words = ("-O1", "-std=c99", "-ffast-math", *flags.split(), "--acc-target=native", PROGRAM, "-o", binary)
    done = accshare_cc(*words)
    assert (done.returncode, done.stderr) == (0, "")
    run = subprocess.run(
        [binary], env={**os.environ, "ACCSHARE_NOTIFY": "1"}, capture_output=True, text=True, check=True
    )
    assert run.stdout == "0 0 0\n"
    kernels = re.findall(r" kernel=(\w+)_l\d+_\d_once ", run.stderr)
    assert set(kernels) == {"_".join(both) for both in product(("int", "float", "double"), ONCE)}


@pytest.mark.thorough
def test_verify_finds_the_hosts_answers():
    done = accshare("verify", "--acc-target=native", "-ffast-math", PROGRAM, env={**os.environ, **WITHOUT_OPENCL})
    assert done.returncode == 0, done.stdout
    assert "18 of 18 regions give the host's answer" in done.stdout
