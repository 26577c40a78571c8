"""Regions that are too complicated: the compiler ends, says so, and what it makes is right or the user's own loops."""

import contextlib

import islpy as isl
import pytest
from tiers import telling

from accshare.device import PRESETS
from accshare.options import Options
from accshare.pipeline import compile_unit
from accshare.quota import Quota, QuotaExceeded
from accshare.source import SourceFile

DEVICES = (PRESETS["generic-gpu"], PRESETS["generic-cpu"])

#: isl would take minutes to tell for which n and m iterations of k share elements
MODULO = """\
void f(int n, int m, double A[6][16][16])
{{
  int k, q;
#pragma acc {construct}
  for (k = n; k-- > 0;)
    for (q = 0; q < m; q++)
      A[k % 6][(2 * q + k + 1) % 16][q % 16] -= A[k % 6][(3 * q + 1) % 16][(k + 4) % 16];
}}
"""


def compiled(text):
    return compile_unit(SourceFile.of("f.c", text), DEVICES, Options(), "")


def said(result):
    """The numbers, those of explanations included."""
    notes = " ".join(note.message for d in result.diagnostics for note in d.notes)
    return [d.code for d in result.diagnostics], notes


def test_a_dependence_that_is_too_complicated_keeps_a_loop_serial():
    codes, notes = said(compiled(MODULO.format(construct="kernels")))
    assert codes == ["ACC401"]
    assert "loop k is serial: whether iterations share elements of A is too complicated [ACC312]" in notes


def test_a_promise_that_is_broken_is_found_out_all_the_same():
    codes, _ = said(compiled(MODULO.format(construct="parallel loop")))
    assert codes == ["ACC303"]


def body(text, start="int i = 0; i < n; i++"):
    head = "void f(int n, int m, float *restrict a)\n{\n#pragma acc kernels loop copy(a[0:n])\n  for ("
    return f"{head}{start}) {{ {text} }}\n}}\n"


#: isl would take minutes to tell which addition each one comes after
REMAINDERS = """\
void f(int n, int from[3], int to[3], double A[64][64][64], double *last)
{
  struct { double whole; } sum = { 0 };
#pragma acc kernels
  for (int j = 1; j <= 1024; j++) {
    int q = j % 64 + 1, r = 3 * j % 64 + 1, s = 5 * j % 64 + 1;
    if (q >= from[0] && q <= to[0] && r >= from[1] && r <= to[1] && s >= from[2] && s <= to[2])
      sum.whole += A[s - from[2]][r - from[1]][q - from[0]];
  }
  *last = sum.whole;
}
"""


def test_a_sum_under_conditions_with_remainders_is_known_to_be_one():
    codes, notes = said(compiled(REMAINDERS))
    assert codes == ["ACC401"]
    assert "it accumulates into sum_kept" in notes


#: a condition with thousands of cases
CASES = "if ({}) a[i] += 1;".format(" && ".join(f"i % {p} != m % {p}" for p in (2, 3, 5, 7, 11, 13, 17)))
DEEP = "a[i] = {};".format(" + ".join(f"a[i] * {k}.5f" for k in range(2000)))


@pytest.mark.parametrize("text", telling({DEEP}, [CASES, DEEP]), ids=["cases", "deep"])
def test_what_can_not_be_compiled_in_the_limit_stays_on_the_host(text):
    result = compiled(body(text))
    (message,) = result.diagnostics
    assert message.code == "ACC404"
    assert message.hint
    assert text in result.host


def test_a_condition_with_many_cases_is_left_as_it_stands():
    result = compiled(body("if ({}) a[i] += 1;".format(" && ".join(f"i % {p} != m % {p}" for p in (2, 3, 5, 7, 11)))))
    assert [o.offload is not None for o in result.outcomes] == [True]
    assert said(result)[0] == []


def test_kernels_are_plainer_where_the_others_would_take_too_much():
    branches = " else ".join(f"if (i < m + {k * k} && i > {k} - m) a[i] += {k};" for k in range(24))
    result = compiled(body(branches))
    assert said(result)[0] == ["ACC405"]
    assert [o.offload is not None for o in result.outcomes] == [True]


def operations(count):
    for number in range(count):
        isl.Val((1 << 50) + number)


def test_a_quota_ends_what_exceeds_it_and_nothing_else():
    with pytest.raises(QuotaExceeded), Quota(100):
        operations(200)
    operations(200)
    with Quota(300):
        operations(200)


def test_what_is_spent_inside_of_a_quota_counts_outside():
    def within():
        for _ in range(3):
            with Quota(500):
                operations(400)

    with pytest.raises(QuotaExceeded), Quota(1000):
        within()


def test_a_caught_failure_of_isl_does_not_hide_that_the_quota_is_spent():
    with pytest.raises(QuotaExceeded), Quota(100), contextlib.suppress(isl.Error):
        operations(200)
