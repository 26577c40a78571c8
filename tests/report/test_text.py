"""The report for people."""

from __future__ import annotations

import re

import pytest

from accshare.options import Ilp, Options, Share
from accshare.report import explain

PLAIN = Options(share=Share.OFF, ilp=Ilp(automatic=False))
GEMM = """\
void gemm(int n, const float *restrict A, const float *restrict B, float *restrict C)
{
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i * n + j] = 0.0f;
            for (int k = 0; k < n; k++)
                C[i * n + j] += A[i * n + k] * B[k * n + j];
        }
}
"""

GEMM_REPORT = """\
gemm:
     3, kernels region gemm_l3 offloaded: 1 kernel; targets generic-gpu, generic-cpu
            copy C[0:n*n]; copyin A[0:n*n], B[0:n*n] (implied by the accesses)
            checked at run time: n <= 2147418111, else n is too large for 32-bit indices [ACC305]
            5 dependences proved kept
     4, source order on generic-gpu: 1 launch of 1.0 M iterations, 4.2 M lines, 3.3 M cycles
            next best, distributed: 2 launches of 1.0 M iterations each, 4.3 M lines, 3.4 M cycles
        loop i parallel: grid y
     5, loop j parallel: grid x
            kernel gemm_l3_0: work-group 32x8 (generic-gpu), tile 64x32 a work-item, \
6 rows of 2 vectors of 8 at once (generic-cpu)
            one iteration a work-item on generic-gpu: it was asked for
     7, loop k sequential in the work-item: one iteration writes an element of C that another reads \
(1 or more iterations apart) [ACC302]
            line 8 writes C and reads C
"""


def test_a_whole_report(compiled):
    assert explain(*compiled(GEMM, PLAIN)) == GEMM_REPORT


def loop(body, parameters, head="kernels loop"):
    return f"void f({parameters})\n{{\n#pragma acc {head}\n{body}\n}}\n"


@pytest.mark.parametrize(
    ("body", "parameters", "section"),
    [
        ("for (int i = 1; i < n - 1; i++) a[i] = 0;", "int n, int *a", "a[1:n - 2]"),
        ("for (int i = 0; i <= n; i++) a[2 * i + 3] = 0;", "int n, int *a", "a[3:2*n + 1]"),
        (
            "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = 0;",
            "int n, int m, int a[n][m]",
            "a[0:m*n]",
        ),
        ("for (int i = 0; i < n / 2; i++) a[i] = 0;", "int n, int *a", "a[0:n / 2]"),
        ("for (unsigned i = 0; i < n; i++) a[i] = 0;", "unsigned n, int *a", "a[0:n]"),
        (
            "for (int i = 0; i < g->rows; i++) a[i] = 0;",
            "const struct { int rows; } *restrict g, float *restrict a",
            "a[0:g->rows]",
        ),
    ],
)
def test_a_section_reads_as_a_person_would_write_it(compiled, body, parameters, section):
    text = explain(*compiled(loop(body, parameters)))
    assert f" {section} (implied by the accesses)" in text


def test_lines_are_in_source_order_and_name_the_users_lines(compiled):
    text = explain(*compiled("\n" * 10 + GEMM + '#line 3 "other.c"\n' + GEMM.replace("gemm", "again")))
    numbers = [int(n) for n in re.findall(r"^ +(\d+),", text, re.MULTILINE)]
    assert numbers == [13, 14, 15, 17, 5, 6, 7, 9]
    assert [line for line in text.splitlines() if not line.startswith(" ")] == ["gemm:", "again:"]


def test_a_region_on_the_host_says_why_and_the_way_out(compiled):
    text = explain(*compiled(loop("for (int i = 0; i < n; i++) *s += a[i];", "int n, float *a, float *s")))
    assert "stays on the host" in text
    assert "[ACC401]" in text
    assert re.search(r"^ +4, loop i is serial: ", text, re.MULTILINE)


def test_a_region_that_cannot_be_printed_is_not_called_offloaded(compiled):
    text = """
int f(int n, int b[restrict n], int k) {
    int i;
    #pragma acc kernels
    for (int j = 0; j < n; j++) {
        b[j] = 0;
        if (b[j] > k) for (i = 0; i < j; i++) b[j] = i;
    }
    return i;
}
"""
    result, source = compiled(text)
    assert result.outcomes[0].offload is not None
    assert len(result.output.regions) == explain(result, source).count("offloaded:")
    assert "stays on the host" in explain(result, source)


def test_reductions_and_promises(compiled):
    body = "for (int i = 0; i < n; i++) { s += a[i]; b[index[i]] = 0; }\n*r = s;"
    parameters = "int n, float *a, float *restrict b, int *index, float s, float *r"
    text = explain(*compiled(loop(body, parameters, "parallel loop copyout(b[0:n]) reduction(+:s)")))
    assert "reduction(+:s) over the work-items" in text
    assert "3 dependences proved kept; 1 dependence taken on trust: the loops were promised to be independent" in text
    assert "[ACC301]" in text


def test_what_only_a_promise_says_is_not_called_proved(compiled):
    clauses = "parallel loop copyin(a[0:n]) copy(h[0:64])"
    text = explain(*compiled(loop("for (int i = 0; i < n; i++) h[a[i]]++;", "int n, int *a, int h[64]", clauses)))
    assert "proved" not in text
    assert "warning: h[a[i]] is read and written here" in text
    assert "put #pragma acc atomic in front of the statement" in text


def test_a_parallel_loop_inside_a_work_item(compiled):
    body = "for (int i = 0; i < n; i++) { a[i][0] = 1; for (int j = 1; j < n; j++) a[i][j] = 2; }"
    text = explain(*compiled(loop(body, "int n, int a[n][n]"), Options(schedule="source")))
    assert re.search(r"loop j parallel, run by each work-item$", text, re.MULTILINE)


def test_validation_that_is_off_is_not_claimed(compiled):
    assert "proved" not in explain(*compiled(GEMM, Options(validate=False)))
    assert "dependences not checked" in explain(*compiled(GEMM, Options(validate=False)))


def test_a_pragma_that_cannot_be_read_stands_at_the_end(compiled):
    text = explain(*compiled(GEMM + "void g(void) {\n#pragma acc parallell\n;}\n", PLAIN))
    assert text.startswith(GEMM_REPORT)
    assert re.search(r"\n    12, error: unknown directive parallell \[ACC102\]\n", text)


def test_a_program_without_regions_has_an_empty_report(compiled):
    assert explain(*compiled("int main(void) { return 0; }\n")) == ""


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("k = k * 3; a[i + k] = b[i];", "a subscript of a isn't affine: k changes inside the region"),
        ("a[index[i]] = b[i];", "a subscript of a isn't affine: index[i] is known only inside the region"),
        ("a[i * i] = b[i];", "a subscript of a isn't affine: a product of two variables"),
    ],
)
def test_what_is_not_affine_is_named(compiled, statement, reason):
    parameters = "int n, int k, int *restrict a, const int *restrict b, const int *restrict index"
    text = explain(*compiled(loop(f"for (int i = 0; i < n; i++) {{ {statement} }}", parameters)))
    assert f"{reason} [ACC301]\n" in text


SCRATCH = """
float t[64];
#pragma acc parallel loop copyin(b[0:64]) copyout(a[0:n])
for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) t[j] = %s;
    a[i] = t[0] + t[63];
}
"""


@pytest.mark.parametrize(("value", "private"), [("b[j] * i", True), ("t[j] + b[j]", False)])
def test_private_is_advised_for_what_every_iteration_fills(compiled, value, private):
    text = explain(*compiled(f"void f(int n, float *restrict a, const float *restrict b) {{{SCRATCH % value}}}"))
    assert "loop i is not independent" in text
    assert ("add private(t), if it isn't needed afterwards" in text) == private
    cured = SCRATCH.replace("copyin", "private(t) copyin") % value
    text = explain(*compiled(f"void f(int n, float *restrict a, const float *restrict b) {{{cured}}}"))
    assert ("loop i parallel: grid x" in text) == private


DATA = """\
void g(int n, float *a)
{
    #pragma acc enter data create(a[0:n])
}
void f(int n, float *restrict a, float *restrict b)
{
    #pragma acc data copyin(b[0:n]) copy(a[0:n], \\
                                         a[n:n / 2])
    {
        #pragma acc kernels loop
        for (int i = 0; i < n; i++) a[i] += b[i];
        #pragma acc update self(a[0:n])
    }
    #pragma acc kernels loop
    for (int i = 0; i < n; i++) b[i] += a[i];
}
"""


def test_data_directives_stand_among_the_regions(compiled):
    text = explain(*compiled(DATA))
    lines = [line for line in text.splitlines() if re.match(r" +\d+, (kernels|data|enter|update)|\w", line)]
    assert lines == [
        "g:",
        "     3, enter data: create a[0:n]",
        "f:",
        "     7, data: copyin b[0:n]; copy a[0:n], a[n:n / 2]",
        "    10, kernels loop region f_l10 offloaded: 1 kernel; targets generic-gpu, generic-cpu",
        "    12, update: self a[0:n]",
        "    14, kernels loop region f_l14 offloaded: 1 kernel; targets generic-gpu, generic-cpu",
    ]
    first, second = text.split("f_l14 offloaded")
    assert "inside the data construct of line 7: " in first
    assert "inside the data construct" not in second
