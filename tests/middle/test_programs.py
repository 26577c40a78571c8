"""C programs that hold their own expectations: results as with gcc, where each call runs, what the report says."""

import re
from pathlib import Path

import pytest
from calls import check_where
from tiers import telling

PROGRAMS = Path(__file__).parent / "programs"
NAMES = sorted(p.stem for p in PROGRAMS.glob("*.c"))
TARGETS = ("generic-gpu", "generic-cpu")
#: PoCL takes ten seconds for the kernels of a program
USUAL = {"atomics": 0}


def cases():
    """Some programs for one target; half of the others for one, thorough; all for the other target, slow."""
    for k, name in enumerate(NAMES):
        first = USUAL.get(name, k // 2 % 2)
        rare = pytest.mark.slow if k % 2 else pytest.mark.thorough  # natively, all run
        yield pytest.param(name, TARGETS[first], marks=() if name in USUAL else rare)
        yield pytest.param(name, TARGETS[1 - first], marks=pytest.mark.slow)


#: `// grid x`, `// host`, `// work-item`, each with or without numbers, or numbers alone
COMMENT = re.compile(r"// (grid [xyz]|host|work-item)?((?: ?ACC\d{3})*)$")


@pytest.mark.parametrize(("name", "target"), list(cases()))
@pytest.mark.usefixtures("opencl")
def test_calls_run_where_they_say_and_give_the_host_compilers_results(name, target, workshop):
    calls = workshop.calls(name, target)
    assert [(c.text, c.result) for c in calls] == workshop.host_results(name)
    check_where(calls)


@pytest.mark.parametrize("name", telling(set(NAMES) - {"blocks", "flat", "packing", "rows"}, NAMES))
def test_the_report_says_what_the_comments_say(name, report):
    expected = comments(name)
    loops = [loop for region in report["regions"] for loop in region["loops"]]
    runs = {loop["place"]["line"]: f"{loop['runs']} {loop['axis'] or ''}".strip() for loop in loops}
    assert {k: runs.get(k) for k, (run, _) in expected.items() if run} == {k: r for k, (r, _) in expected.items() if r}
    said = [loop["reason"] for loop in loops if loop["reason"] is not None]
    said += [message for region in report["regions"] for message in region["messages"]] + report["messages"]
    numbers = {(message["place"]["line"], message["code"]) for message in said}
    assert numbers == {(line, code) for line, (_, codes) in expected.items() for code in codes}


def comments(name):
    """The comments of a program by line: how the loop there runs, and which numbers the report gives there."""
    lines = (PROGRAMS / f"{name}.c").read_text().splitlines()
    found = ((k, COMMENT.search(line)) for k, line in enumerate(lines, 1))
    return {k: (match[1], tuple(match[2].split())) for k, match in found if match}
