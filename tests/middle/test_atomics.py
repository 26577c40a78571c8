"""``atomic`` beside what its program shows: what it stands on, separate memory, and where the proof has to fail."""

from dataclasses import replace

import pytest
from calls import check_where
from test_validation import TARGETS, lowered, mapped

from accshare.diagnostics import Rejected
from accshare.frontend.ir import Unsupported
from accshare.frontend.parse import parse
from accshare.pragma import read
from accshare.schedule.ir import Sequence
from accshare.source import SourceFile
from accshare.tree import statements

BINS = """
#pragma acc loop independent
for (int i = 0; i < n; i++) {
#pragma acc atomic write
  a[b[i]] = i;
#pragma acc atomic
  a[b[i]] += c[i];
}
"""


@pytest.mark.parametrize(
    ("stmt", "kept"),
    [("atomic\ns -= a[i];", {"s"}), ("atomic\ns = 2 - s;", set()), ("atomic capture\nb[i] = s++;", set())],
)
def test_a_scalar_is_a_reduction_where_it_is_only_updated(stmt, kept):
    scheduled = mapped(f"double s = 1;\n#pragma acc loop independent\nfor (int i = 0; i < n; i++)\n#pragma acc {stmt}")
    assert {r.variable.name for nest in scheduled.kernels for r in nest.reductions} == kept


@pytest.mark.thorough
@pytest.mark.usefixtures("opencl")
def test_numbers_narrower_than_a_word_lie_in_memory_of_the_devices_own(workshop):
    calls = workshop.calls("atomics", "generic-gpu", ACCSHARE_ZERO_COPY="0")
    assert [(c.text, c.result) for c in calls] == workshop.host_results("atomics")
    check_where(calls)


def forgotten(scheduled):
    """No access is atomic."""
    scop = scheduled.scop
    dependences = tuple(replace(d, source_access=replace(d.source_access, atomic=None)) for d in scop.dependences)
    return replace(scheduled, scop=replace(scop, dependences=dependences))


def turned(scheduled):
    """The statements of an iteration the other way around."""
    kernel = scheduled.tree
    inside = Sequence(kernel.inside.children[::-1])
    return replace(scheduled, tree=replace(kernel, child=replace(kernel.child, child=inside)))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("spoil", [forgotten, turned])
def test_only_other_iterations_of_what_is_atomic_are_let_pass(spoil, target):
    scheduled = mapped(BINS)
    lowered(scheduled, target)
    with pytest.raises(Rejected) as caught:
        lowered(spoil(scheduled), target)
    assert caught.value.diagnostic.code == "ACC902"
    assert "dependence on a" in caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("kind", "stmt", "code"),
    [
        ("", "a[0] += i;", None),
        ("read", "b = (a[i]);", None),
        ("capture", "{ ; b = a[i]; { --a[i]; } }", None),
        ("", "a[0] = i + a[0] - b;", None),
        ("", "a[0] = a[0] * i * 3 * b;", None),
        ("", "a[i] = b;", "ACC110"),
        ("", "a[0] = b - a[0] + i;", "ACC110"),
        ("", "a[0] = a[0] * b + i;", "ACC110"),
        ("", "x[0] = x[0] + b + i;", "ACC110"),
        ("", "a[i] = a[i] + a[i];", "ACC110"),
        ("", "a[i] = (char)(a[i] + 1);", "ACC110"),
        ("", "a[i] %= 3;", "ACC110"),
        ("", "if (i) a[i]++;", "ACC110"),
        ("", "a[a[i]] += 3 - a[a[i]];", "ACC110"),
        ("", "p->odd++;", "ACC203"),
        ("write", "a[i] = a[i] + 1;", "ACC110"),
        ("read", "a[i] += 1;", "ACC110"),
        ("read", "b = a[i] + 1;", "ACC110"),
        ("capture", "a[i] += 1;", "ACC110"),
        ("capture", "b = a[i];", "ACC110"),
        ("capture", "{ b = a[i]; a[i + 1]++; }", "ACC110"),
        ("capture", "{ b = a[i]; a[i] = b + 1; }", "ACC110"),
        ("capture", "{ b = a[i]; a[i]++; a[i]++; }", "ACC110"),
    ],
)
def test_atomic_stands_on_its_forms_alone(kind, stmt, code):
    loop = f"for (int i = 0; i < n; i++) {{\n#pragma acc atomic {kind}\n{stmt}\n}}"
    packed = "struct __attribute__((packed)) s { char c; int odd; };"
    text = f"{packed}\nvoid f(int n, int *a, int b, struct s *p, float *x) {{\n#pragma acc parallel loop\n{loop}}}"
    source = SourceFile.of("f.c", text)
    (region,) = parse(source, read(source).directives).regions
    refused = [s.diagnostic.code for s in statements(region.body) if isinstance(s, Unsupported)]
    assert refused == ([] if code is None else [code])
