"""Iterations over an array of structs run in vectors where they compute: members are stored lane by lane."""

import re

from commands import accshare

PUSH = """\
struct body { double x, y, mass, vx, vy; };

void push(int n, struct body *b)
{
#pragma acc parallel loop independent
  for (int i = 0; i < n; i++) {
    double ax = 0, ay = 0;
    for (int j = 0; j < n; j++) {
      ax += b[j].mass * (b[j].x - b[i].x);
      ay += b[j].mass * (b[j].y - b[i].y);
    }
    b[i].vx += ax;
    b[i].vy += ay;
  }
}
"""


def test_a_sum_over_structs_is_kept_in_vectors_and_stored_into_members(tmp_path):
    source = tmp_path / "push.c"
    source.write_text(PUSH)
    kernel = accshare("emit", "--kernel", source, "--acc-target=generic-cpu").stdout
    assert re.search(r"\bdouble\d+ ax", kernel)
    assert re.search(r"b\[i \+ 3\]\.vy = ", kernel)
