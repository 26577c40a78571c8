"""Statements that combine, in the forms in which people write them."""

import re

import pytest
from calls import check_where, explained
from tiers import telling


@pytest.mark.parametrize("target", telling({"generic-gpu"}, ["generic-gpu", "generic-cpu"]))
@pytest.mark.usefixtures("opencl")
def test_what_combines_runs_on_the_device(target, workshop):
    calls = workshop.calls("found", target, ACCSHARE_BREAK_EVEN="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("found")
    check_where(calls)


def test_the_report_says_which_loops_combine(workshop):
    source = workshop.sources / "found.c"
    report = explained(source)
    lines = dict(enumerate(source.read_text().splitlines(), 1))
    loops = [loop for region in report["regions"] for loop in region["loops"]]
    runs = {loop["place"]["line"]: f"{loop['runs']} {loop['axis']}" for loop in loops}
    assert runs == {k: m[1] for k, line in lines.items() if (m := re.search(r"// (grid x)$", line))}


@pytest.mark.parametrize(
    ("declared", "statement", "help_"),
    [
        ("int found = 7", "if (a[i] > 0) found = 1", "add reduction(||:found), or declare it as _Bool"),
        ("float found = 7", "if (a[i] > 0) found *= 0.5f", "add reduction(*:found), or compile with -ffast-math"),
        (
            "float found = 7, *at = &found",
            "found = found > a[i] ? found : a[i]",
            "write if (x > found) found = x, which passes over NaN; or add reduction(max:found)",
        ),
    ],
)
def test_the_help_names_the_clause_that_is_missing(declared, statement, help_, tmp_path):
    source = tmp_path / "missing.c"
    source.write_text(f"""
double of(int n, const float *a)
{{
  {declared};
#pragma acc kernels copyin(a[0:n])
  for (int i = 0; i < n; i++)
    {statement};
  return found;
}}
""")
    report = explained(source)
    (message,) = [m for region in report["regions"] for m in region["messages"] if m["code"] == "ACC401"]
    assert message["hint"] == help_
    assert any("[ACC307]" in note["message"] for note in message["notes"])
