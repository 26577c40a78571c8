"""Kernels for CPUs call mathematical functions on vectors."""

import pytest
from interpreting import function

VECTORS = {
    "a condition of each iteration": "y[i] = x[i] > 1 ? exp(-x[i]) : 1 + log1p(x[i])",
    "float and double": "y[i] = sinf((float)x[i]) + cos(x[i])",
    "a value used twice": "double t = tanh(x[i]); y[i] = t * t + t",
    "two arguments": "y[i] = pow(x[i], 1.5) + atan2(x[i], y[i])",
    "integers": "y[i] = sqrt(erfc(i)) + exp2(i)",
    "large angles": "y[i] = sin(1e7 * x[i])",
}


@pytest.mark.parametrize("case", VECTORS)
def test_kernels_for_cpus_call_them(case, tmp_path):
    text = f"""#include <math.h>
    void f(int n, const double *restrict x, double *restrict y) {{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) {{ {VECTORS[case]}; }} }}"""
    region = function(tmp_path, text, "--acc-target=generic-cpu")
    (nest,) = region.plan.nests
    assert nest.register_tile is not None
    assert nest.register_tile.lanes >= 4
    for size in (1, 4, 19):
        inputs = region.case(n=size)
        run = region.run(inputs)
        assert run.faults == ()
        assert region.difference(inputs, run, tmp_path).ok
