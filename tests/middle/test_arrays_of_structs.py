"""Iterations over an array of structs run in vectors where they compute: members are stored lane by lane."""

import re

import pytest
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


SCALE = """\
#include <math.h>
struct point { float x, y, z; };

void scale(int n, const struct point *restrict a, struct point *restrict b, float *restrict pixels)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    b[i].x = expf(a[i].x);
    b[i].y = expf(a[i].y);
    b[i].z = expf(a[i].z);
    pixels[2 * i] = a[i].x;
    pixels[2 * i + 1] = a[i].y;
  }
}
"""


@pytest.mark.parametrize(("target", "word"), [("native", "__builtin_shufflevector"), ("generic-cpu", "(float8)(")])
def test_structs_and_channels_are_moved_whole(target, word, tmp_path):
    source = tmp_path / "scale.c"
    source.write_text(SCALE)
    kernel = accshare("emit", "--kernel", source, f"--acc-target={target}").stdout
    assert kernel.count(word) > 10
    assert re.search(r"float8_u \*\)&a\[i( \+ \d)?\]\.[xyz]", kernel)
    assert re.search(r"float8_u \*\)&b\[i( \+ \d)?\]\.[xyz]\)? = ", kernel)
    assert re.search(r"float8_u \*\)&pixels\[.*\]\)? = ", kernel)
    assert not re.search(r"[ab]\[i \+ 7\]\.[xyz]\b(?! =)", re.sub(r"&[ab]\[.*?\]\.[xyz]", "", kernel))
