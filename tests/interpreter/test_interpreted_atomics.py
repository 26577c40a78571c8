"""What is atomic, lane by lane: the host's results without a race, and races where it is done in steps."""

from dataclasses import replace

import pytest
from interpreting import function

from accshare.frontend.ir import Atomic
from accshare.kernel.ir import Guarded, Loop
from accshare.run.interpreter import FaultKind

MANY = """
#include <math.h>
struct pair { short low; double high; };
void f(int n, const int *restrict a, unsigned char *restrict b, float *restrict x, long *restrict r,
       struct pair *restrict p, int *restrict c, int *restrict m, short *restrict l, double *restrict d)
{
#pragma acc parallel loop copy(b[0:5], x[0:4], r[0:3], p[0:7], m[0:3], l[0:9], d[0:6]) \
    reduction(max : m[0:3], d[0:6]) reduction(&& : l[0:9])
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    b[a[i] % 5 & 3] += i;
#pragma acc atomic
    x[a[i] & 3]++;
#pragma acc atomic
    r[i % 3] ^= a[i];
#pragma acc atomic
    p[i % 7].low -= a[i];
#pragma acc atomic
    p[i % 7].high += 1;
#pragma acc atomic capture
    { c[i] = c[i + n]; c[i + n] = 5 - c[i + n]; }
    if (a[i] > m[a[i] % 3 & 1])
      m[a[i] % 3 & 1] = a[i];
    l[i % 9] = l[i % 9] && a[i] > 3;
    d[i % 3] = fmax(d[i % 3], a[i] / 7.0);
    d[3 + i % 3] = d[3 + i % 3] < a[i] / 7.0f ? a[i] / 7.0f : d[3 + i % 3];
  }
}
"""


@pytest.mark.parametrize("flag", ["--acc-target=generic-gpu", "--acc-target=generic-cpu", "--acc-share=force"])
def test_interpreted_kernels_do_what_the_host_does(flag, tmp_path):
    region = function(tmp_path, MANY, flag)
    case = region.case(n=700)
    run = region.run(case)
    assert run.faults == ()
    assert region.difference(case, run, tmp_path).ok


def test_the_same_steps_one_by_one_are_races(tmp_path):
    region = function(tmp_path, MANY)
    variant = region.variant.variant
    plain = tuple(replace(kernel, body=in_steps(kernel.body)) for kernel in variant.kernels)
    run = region.run(region.case(n=700), replace(variant, kernels=plain))
    assert {fault.kind for fault in run.faults} == {FaultKind.RACE}


def in_steps(stmts):
    """Statements with the bodies of what is atomic instead of it."""
    return tuple(map(_in_steps, stmts))


def _in_steps(stmt):
    match stmt:
        case Loop(body=body):
            return replace(stmt, body=in_steps(body))
        case Guarded(then=then, other=other):
            return replace(stmt, then=in_steps(then), other=in_steps(other))
        case Atomic(body=body):
            return body
    return stmt
