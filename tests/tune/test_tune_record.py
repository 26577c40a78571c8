"""ACCSHARE_RECORD: a program writes down the sizes its loops meet."""

from __future__ import annotations

import json

import pytest

from accshare.run.tune.ir import Asked, TuneTrouble
from accshare.run.tune.recorded import recorded

PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
struct grid { int width, height; };
void add(const struct grid *grid, float *a)
{
#pragma acc kernels loop copy(a[0:grid->width * grid->height])
  for (int i = 0; i < grid->height; i++)
    for (int j = 0; j < grid->width; j++)
      a[i * grid->width + j] += 1.0f;
}
void twice(long n, float a[n])
{
#pragma acc kernels loop copy(a[0:n])
  for (long i = 0; i < n; i++)
    a[i] *= 2.0f;
}
int main(int argc, char **argv)
{
  static float a[4096];
  struct grid grid = {8, 4};
  int most = argc > 1 ? atoi(argv[1]) : 3;
  add(&grid, a);
  if (fork() == 0)
    return 0;
  wait(NULL);
  for (int n = 1; n <= most; n++)
    twice(n, a);
  twice(3, a);
  printf("%g\\n", a[2]);
  return 0;
}
"""


@pytest.fixture
def program(tuner, runtime):
    (tuner.folder / "grid.c").write_text(PROGRAM)
    made = tuner.compile("-O1", "--acc-target=generic-cpu", "grid.c", "-o", "grid")
    assert (made.returncode, made.stderr) == (0, "")
    return lambda *words, **variables: tuner.execute("./grid", *words, **variables)


def test_every_run_adds_what_it_met(program, tmp_path):
    path = tmp_path / "met.jsonl"
    assert program().stdout == program(ACCSHARE_RECORD=str(path)).stdout
    one_run = path.read_text()
    assert program(ACCSHARE_RECORD=str(path), ACC_DEVICE_TYPE="host").stderr == ""
    assert path.read_text() == 2 * one_run
    lines = [json.loads(line) for line in one_run.splitlines()]
    assert [(line["name"], line["sizes"], line["count"]) for line in lines] == [
        ("add_l8", {"grid->height": 4, "grid->width": 8}, 1),
        *(("twice_l15", {"n": 1}, 1), ("twice_l15", {"n": 2}, 1), ("twice_l15", {"n": 3}, 2)),
    ]
    assert {line["file"] for line in lines} == {"grid.c"}
    met = recorded(path, "some/where/grid.c")
    assert met["twice_l15"] == (Asked((("n", 3),), 4), Asked((("n", 1),), 2), Asked((("n", 2),), 2))
    assert recorded(path, "other.c") == {}
    assert program(ACCSHARE_PROFILE=f"json:{tmp_path}/profile.json").stderr == ""
    assert json.loads((tmp_path / "profile.json").read_text())["sizes"] == lines


def test_a_loop_that_shrinks_step_by_step_does_not_fill_the_file(program, tmp_path):
    path = tmp_path / "met.jsonl"
    done = program(1000, ACCSHARE_RECORD=str(path))
    assert done.stderr == "accshare: grid.c:16: ACCSHARE_RECORD keeps its first 256 sizes\n"
    assert len(recorded(path, "grid.c")["twice_l15"]) == 256


@pytest.mark.parametrize(
    ("path", "why"), [("/dev/full", "No space left on device"), ("/absent/met", "No such file or directory")]
)
def test_what_cannot_be_written_is_told(program, path, why):
    done = program(ACCSHARE_RECORD=path)
    assert done.returncode == 0
    assert done.stderr == f"accshare: can't write the sizes to {path}: {why}\n"


def test_a_line_that_a_full_disk_cut_off_is_left_out(tmp_path):
    path = tmp_path / "met.jsonl"
    line = '{"file": "f.c", "line": 2, "name": "f_l2", "sizes": {"n": 7}, "count": 2}\n'
    path.write_text(line + line[:-20])
    assert recorded(path, "f.c") == {"f_l2": (Asked((("n", 7),), 2),)}


@pytest.mark.parametrize("content", [None, "", "int main(void) { return 0; }\n", '{"file": 3}\n[]\n'])
def test_what_is_no_record_is_told(tmp_path, content):
    path = tmp_path / "met.jsonl"
    if content is not None:
        path.write_text(content)
    with pytest.raises(TuneTrouble, match=r"met\.jsonl"):
        recorded(path, "f.c")
