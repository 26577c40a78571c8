"""The short report: this machine's device, vectors or why there are none, what would help."""

from __future__ import annotations

from itertools import permutations

import pytest

from accshare.report import explain, explain_briefly

pytestmark = pytest.mark.quick

GEMM = """\
void gemm(int n, const float *restrict A, const float *restrict B, float *restrict C)
{
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
}
"""
#: what a program for each of the two devices is told of the kernel
ON = {
    "generic-gpu": ["work-groups of 32x8, 4x8 iterations a work-item", "A, B kept in local memory"],
    "generic-cpu": ["6 rows of 2 vectors of 8 at once", "B packed"],
}


def test_only_the_first_device_is_spoken_of(compiled):
    for here, other in permutations(ON):
        text = explain_briefly(*compiled(GEMM, first=here))
        assert f"offloaded: 1 kernel, target {here}\n" in text
        assert all(line in text for line in ON[here])
        assert other not in text
        assert len(text) < len(explain(*compiled(GEMM, first=here))) / 2


def test_loops_keep_their_reasons(compiled):
    text = explain_briefly(*compiled(GEMM))
    assert "loop k sequential in the work-item: it accumulates into sum" in text
    assert "line 8 writes sum and reads sum" in text


def test_a_kernel_without_vectors_says_which_array_hinders(compiled):
    text = "void f(int n, float x[n][9])\n{\n#pragma acc kernels loop\nfor (int i = 0; i < n; i++) x[i][0] = i;\n}\n"
    said = explain_briefly(*compiled(text, first="generic-cpu"))
    assert "not in vectors: neighbouring iterations of loop i reach elements of x that lie apart" in said


def test_a_region_on_the_host_is_told_in_full(compiled):
    text = (
        "void f(int n, float *s, float *a)\n{\n#pragma acc kernels loop\nfor (int i = 0; i < n; i++) *s += a[i];\n}\n"
    )
    assert explain_briefly(*compiled(text)) == explain(*compiled(text))


def test_copies_of_arrays_that_are_only_updated_are_spoken_of(compiled):
    program = """\
void count(int n, const int *restrict bin, int q[64])
{
    #pragma acc parallel loop copyin(bin[0:n]) copy(q[0:64])
    for (int i = 0; i < n; i++)
    #pragma acc atomic
        q[bin[i]] += 1;
}
"""
    said = "each work-group may update a copy of q, and adds that to the array in the end"
    assert f"{said}\n" in explain_briefly(*compiled(program))
    assert f"{said} (generic-gpu, generic-cpu)\n" in explain(*compiled(program))
    assert "copy of q" not in explain(*compiled(program.replace("q[bin[i]] += 1", "q[bin[i]] = 1")))
