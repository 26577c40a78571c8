"""The web page with what a program measured of its loops: a summary, times, and the machine's limits."""

from __future__ import annotations

import html
import json
import re

import pytest
from commands import accshare

from accshare.report.measured import Ceiling, Measured, Measurements, Reach
from accshare.report.page import page
from accshare.run.work import region_work

FIRST = """
void multiply(int n, float A[n][n], float B[n][n], float C[n][n])
{
#pragma acc kernels loop copyin(A[0:n][0:n], B[0:n][0:n]) copyout(C[0:n][0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
}
void scan(int n, float *x)
{
#pragma acc kernels loop copy(x[0:n])
  for (int i = 1; i < n; i++) x[i] += x[i - 1];
}
"""
SECOND = """
void triangle(int n, double A[n][n], double *b)
{
#pragma acc kernels loop copy(b[0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) b[i] -= 0.5 * A[i][j];
}
void sweep(int n, int steps, double *restrict a, const double *restrict b)
{
#pragma acc kernels loop seq copy(a[0:n]) copyin(b[0:n])
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n; i++) a[i] = a[i] * 0.5 + b[i - 1];
}
void follow(int n, int *restrict a, const int *restrict next)
{
#pragma acc parallel loop copy(a[0:n]) copyin(next[0:n])
  for (int i = 0; i < n; i++) {
    int k = i;
    while (next[k] > k) k = next[k];
    a[i] = k;
  }
}
"""
NOTHING = {"count": 0, "bytes": 0, "seconds": 0.0}


def entry(file, line, function, name, **said):
    """A region in a profile, as programs write it."""
    blank = {"device": "", "variant": "", "runs": 0, "launches": 0, "host_runs": 0, "host_reasons": []}
    blank |= {"seconds": 0.0, "kernel_seconds": 0.0, "build_seconds": 0.0, "in": NOTHING, "out": NOTHING}
    return blank | {"file": file, "line": line, "function": function, "name": name} | said


def words(text):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text.partition("</style>")[2])))


@pytest.fixture
def program(tmp_path):
    """Two files, and what a run wrote of them: in all 4 s on the device, and 1 s on the host."""
    (tmp_path / "first.c").write_text(FIRST)
    (tmp_path / "second.c").write_text(SECOND)
    ran = {"device": "a processor", "variant": "generic-cpu"}
    measured = [{"operations": 9, "kernels": "here", "host_seconds": 0.4, "kernel_seconds": 0.1, "on_host": False}]
    regions = [
        entry(
            "first.c", 5, "multiply", "multiply_l4", runs=10, seconds=3.5, kernel_seconds=0.9, build_seconds=0.5, **ran
        ),
        entry("first.c", 15, "scan", "region", host_runs=2, host_reasons=[{"reason": "in order", "count": 2}]),
        entry("build/second.c", 5, "triangle", "triangle_l4", runs=10, seconds=1.0, kernel_seconds=0.9, **ran),
    ]
    regions[2]["measured"] = measured
    (tmp_path / "profile.json").write_text(json.dumps({"version": 1, "regions": regions, "data": []}))
    return tmp_path


@pytest.mark.quick
def test_a_table_tells_what_each_loop_of_all_files_took(program):
    targets = "--acc-target=generic-cpu,generic-gpu"
    files = ("first.c", "second.c")
    done = accshare("explain", "--html", "--profile", "profile.json", targets, *files, "-o", "-", cwd=program)
    assert done.returncode == 0, done.stderr
    said = words(done.stdout)
    table = said[said.index("5 loop nests") : said.index("Times are those of the profile")]
    rows = re.split(r" (?=\d (?:first|second)\.c:\d)", table)
    assert [re.search(r"(\w+\.c:\d+) (\w+)", row).groups() for row in rows[1:]] == [
        ("first.c:4", "multiply"),
        ("second.c:4", "triangle"),
        ("first.c:14", "scan"),
        ("second.c:10", "sweep"),
        ("second.c:16", "follow"),
    ]
    assert "device 3 s 75 % 300 ms launching, moving" in rows[1]
    assert "device 1 s 25 % 100 ms 400 ms 4×" in rows[2]
    assert "host in order (2×)" in rows[3]
    anchors = re.findall(r'<a href="#([^"]+)">', done.stdout)
    assert len(anchors) == 5
    assert set(anchors) <= set(re.findall(r'id="([^"]+)"', done.stdout))


def test_without_a_profile_the_table_says_where_loops_run(program):
    said = words(accshare("explain", "--html", "first.c", "-o", "-", cwd=program).stdout)
    assert "2 loop nests 1 for the device 1 on the host" in said
    assert "no loop of this region can run in parallel" in said[: said.index("as it is written")]


def test_loops_stand_before_and_after(compiled):
    text = page([compiled(FIRST, first="generic-cpu")])
    said = words(text)
    left, right = said.split("as it is written")[1].split("as it runs (generic-cpu)")
    assert "for (int k = 0; k < n; k++) sum += A[i][k] * B[k][j] C[i][j] = sum" in left
    right, gpu = right.split("as it runs on generic-gpu")
    assert re.search(r"parallel i in tiles of \d+ grid y parallel j in tiles of \d+ grid x", right)
    assert re.search(r"for k in strips of \d+ pack B\[\d+\]\[\d+\]", right)
    rows, vectors, lanes = map(int, re.search(r"(\d+) rows of (\d+) vectors of (\d+)", right).groups())
    drawn = text[text.index('<div class="block">') :].partition("</p>")[0]
    assert drawn.count('<div class="row">') == rows
    assert drawn.count(f'<i style="--lanes:{lanes}">') == rows * vectors
    assert "load A[" in gpu


def test_a_region_has_a_place_on_the_roofline(compiled):
    result, source = compiled(FIRST)
    reach = Reach(2e9, 1e7, "float", 0.01, "compute")
    known = Measured("cpu", "generic-cpu", 10, 0.2, 0.19, 0.0, 0, (), reach=reach)
    ceiling = Ceiling("A fast one", {"float": 2e11, "double": 1e11}, {64: 4e11, 1 << 18: 4e10})
    text = page([(result, source)], Measurements({(source.path, "multiply_l4"): known}, ceiling))
    said = words(text)
    assert "compute, 50%" in said
    assert "200 operations a byte, 100 GFLOP/s" in said
    assert "memory: 40 GB/s" in said
    assert "float: 200 GFLOP/s" in said
    assert "double:" not in said
    assert "The roofline of A fast one" in said


def test_work_is_counted_at_the_sizes_a_program_met(compiled):
    multiply, scan = compiled(FIRST)[0].outcomes
    work = region_work(multiply, {"n": 100})
    assert (work.operations, work.moved, work.used, work.real) == (2e6, 3 * 4e4, 3 * 4e4, "float")
    assert region_work(scan, {"n": 100}) is None
    triangle, sweep, follow = compiled(SECOND)[0].outcomes
    work = region_work(triangle, {"n": 101})
    assert work.operations == pytest.approx(2 * 101 * 102 / 2, rel=0.02)
    assert work.real == "double"
    work = region_work(sweep, {"n": 1001, "steps": 7})
    assert (work.operations, work.moved) == (14000, 7 * 3 * 8000)
    assert region_work(follow, {"n": 100}) is None  # nobody knows how often it goes round


def test_what_is_no_profile_is_refused(program):
    explain = ("explain", "--html", "first.c", "-o", "-", "--profile")
    done = accshare(*explain, "absent.json", cwd=program)
    assert (done.returncode, done.stderr) == (1, "accshare: absent.json: No such file or directory\n")
    done = accshare(*explain, "first.c", cwd=program)
    assert done.returncode == 1
    assert "first.c: no profile" in done.stderr
    assert accshare("explain", "first.c", "--profile", "profile.json", cwd=program).returncode == 2
