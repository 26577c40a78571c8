"""What the compiler says of a file as a whole: in which order, and how often."""

from accshare.device import PRESETS
from accshare.options import Options
from accshare.pipeline import compile_unit
from accshare.source import SourceFile

SEVERAL = """\
void f(int n, const int *restrict at, float *restrict a, float *restrict b)
{
#pragma acc kernels loop copy(a[0:n], b[0:n]) copyin(at[0:n])
    for (int i = 0; i < n; i++) {
        b[at[i]] += a[at[i]] * a[at[i]];
        b[at[i]]++;
    }
#pragma acc parallel loop frob(a)
    for (int i = 0; i < n; i++)
        a[i] = 0;
#pragma acc kernels loop
#pragma acc share(c[TB_X])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
#pragma acc loop
    a[0] = 1;
}
"""


def said(text):
    source = SourceFile.of("f.c", text)
    devices = tuple(PRESETS.values())
    return source, compile_unit(source, devices, Options(), "").diagnostics


def test_messages_come_in_the_order_of_the_source():
    source, diagnostics = said(SEVERAL)
    found = [(source.locate(d.span.start).line, d.code) for d in diagnostics if d.kind.value != "note"]
    assert found == [(3, "ACC401"), (8, "ACC103"), (12, "ACC501"), (15, "ACC106")]


def test_a_reason_is_given_once():
    _, diagnostics = said(SEVERAL)
    notes = [note.message for note in diagnostics[0].notes]
    assert len(notes) == len(set(notes)) == 3
    assert [note for note in notes if note.startswith("a subscript of a ")]
    assert [note for note in notes if note.startswith("a subscript of b ")]
