"""What the report gives as reasons: both lines of a dependence, the witness of a broken promise, the run-time tests."""

import pytest
from calls import explained


@pytest.fixture
def region(tmp_path):
    """The report's words on the only region of a function with this body."""

    def of(body, *flags):
        source = tmp_path / "f.c"
        source.write_text(f"void f(int n, int k, float *a, float *b, float m[][100], float *out)\n{{\n{body}\n}}\n")
        return explained(source, *flags)["regions"][0]

    return of


def noted(diagnostic):
    return [(note["message"], note["place"]["line"]) for note in diagnostic["notes"]]


def test_a_dependence_names_both_lines(region):
    said = region("""#pragma acc kernels
  for (int j = 0; j < n; j++)
    for (int i = 1; i < n; i++) {
      m[i][j] = i;
      out[i * n + j] =
        m[i - 1][j];
      m[i + 2][j] += 1;
    }""")
    (loop,) = [loop for loop in said["loops"] if loop["reason"]]
    assert (loop["iterator"], loop["reason"]["code"]) == ("i", "ACC302")
    assert noted(loop["reason"]) == [("writes m here", 6), ("reads m here", 8)]


def test_a_broken_promise_has_a_witness(region):
    said = region("""#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    m[i + 3][7] = m[i][7] * 2;""")
    (message,) = said["messages"]
    assert message["code"] == "ACC303"
    assert "iteration i = 0 writes m[3][7], which iteration i = 3 reads" in message["message"]
    assert noted(message) == [("writes m here", 5), ("reads m here", 5)]


@pytest.mark.parametrize(
    ("op", "body", "update"),
    [
        ("+", "sum += sum;", "sum += x"),
        ("*", "sum += a[i];", "sum *= x"),
        ("+", "{ sum += a[i]; b[i] = sum; }", "sum += x"),
        ("max", "sum += a[i];", "sum = max(sum, x)"),
    ],
)
def test_a_reduction_clause_that_does_not_fit_is_named(region, op, body, update):
    said = region(f"""float sum = 1;
#pragma acc parallel loop reduction({op}:sum)
  for (int i = 0; i < n; i++)
    {body}
  out[0] = sum;""")
    message = said["messages"][0]
    assert message["code"] == "ACC314"
    assert f"loop i does more with sum than {update}" in message["message"]


def test_what_can_only_be_known_at_run_time_is_tested_then(region):
    said = region("""#pragma acc kernels
  for (int i = 0; i < n; i++)
    a[i + k] = a[i] + b[i];""")
    assert [loop["runs"] for loop in said["loops"]] == ["grid"]
    assert said["overlap_tests"] == [["a", "b"]]
    assert "k <= 0 || k >= n" in {guard["condition"] for guard in said["guards"]}


@pytest.mark.parametrize(
    ("flags", "reductions"), [((), []), (("-ffast-math",), ["sum"]), (("-fassociative-math",), ["sum"])]
)
def test_floating_point_sums_keep_their_order_unless_told_otherwise(region, flags, reductions):
    said = region(
        """float sum = 0;
#pragma acc kernels
  for (int i = 0; i < n; i++)
    sum += m[0][i];
  *out = sum;""",
        *flags,
    )
    assert [r["variable"] for kernel in said["kernels"] for r in kernel["reductions"]] == reductions
    reasons = [note["message"] for message in said["messages"] for note in message["notes"]]
    assert ["ACC307" in reason for reason in reasons] == [True] * (not reductions)
