"""What the compiler says of a file as a whole: in which order, and how often."""

import pytest

from accshare.device import PRESETS
from accshare.options import Options
from accshare.pipeline import compile_unit
from accshare.report import explain
from accshare.source import SourceFile

pytestmark = pytest.mark.quick

DEVICES = (PRESETS["generic-gpu"], PRESETS["generic-cpu"])

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
    return source, compile_unit(source, DEVICES, Options(), "").diagnostics


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


def only(text):
    """The messages that are no notes: number, marked text, message, help."""
    source, diagnostics = said(text)
    return [(d.code, source.slice(d.span), d.message, d.hint) for d in diagnostics if d.kind.value != "note"]


def test_the_report_gives_a_reason_once_a_statement():
    source = SourceFile.of("f.c", SEVERAL.replace("kernels loop copy", "kernels loop independent copy"))
    text = explain(compile_unit(source, DEVICES, Options(), ""), source)
    reasons = [line.split("affine: ")[1] for line in text.splitlines() if "not affine: " in line]
    assert len(reasons) == 3
    assert len(set(reasons)) == 2


SCOPES = """\
enum {{ SIZE = 4 }};
typedef struct {{ int n; float *x; }} Line;
extern float table[SIZE];
void f(int n, Line *line, float *restrict a)
{{
    {{ float hidden; }}
    for (int k = 0; k < n; k++) {{
#pragma acc kernels loop {clauses}
        for (int i = 0; i < SIZE; i++)
            a[i] = line->x[i] + table[i];
    }}
    float later;
}}
"""


def test_whatever_is_in_view_can_be_named():
    clauses = "copy(a[0:SIZE]) copyin(line->x[k - k:(int)sizeof(Line) * 0 + SIZE], table[0x0:4u])"
    assert [found for found in only(SCOPES.format(clauses=clauses)) if found[0] == "ACC108"] == []


def test_what_is_not_in_view_is_left_out_and_the_rest_holds():
    for name in ("hidden", "later", "elsewhere", "i"):
        (found,) = only(SCOPES.format(clauses=f"copyin({name}) copyin(table[0:SIZE]) copy(a[0:SIZE], line->x[0:SIZE])"))
        assert found == ("ACC108", name, f"{name} is not declared here; it is left out", "declare it before the pragma")


def test_a_misspelt_name_comes_with_the_right_one():
    (found,) = only(SCOPES.format(clauses="copyin(lines->x[0:SIZE]) copy(a[0:SIZE])"))
    message = "lines is not declared here; what is said of lines->x is left out"
    assert found == ("ACC108", "lines->x[0:SIZE]", message, "did you mean line?")


def test_a_program_with_an_unknown_name_in_a_data_directive_still_compiles():
    loop = "#pragma acc kernels loop\nfor (int i = 0; i < n; i++) a[i] = 0;"
    source = SourceFile.of("f.c", f"void f(int n, float *a) {{\n#pragma acc data copy(b[0:n])\n{{\n{loop}\n}}\n}}\n")
    result = compile_unit(source, DEVICES, Options(), "")
    assert [d.code for d in result.diagnostics] == ["ACC108"]
    assert '"b"' not in result.host


LENGTH = """\
void f(int n, float *a)
{{
#pragma acc parallel loop copy(a[0:{length}])
    for (int i = 0; i < 8; i++)
        a[i] = i;
}}
"""


@pytest.mark.parametrize("length", ["010", "0x8", "0X8uL", "8ll", "0b1000", "4 + 04"])
def test_lengths_are_written_as_c_writes_integers(length):
    assert only(LENGTH.format(length=length)) == []


NO_INTEGERS = ["08", "0b2", "0o7", "1_0", "18446744073709551616", pytest.param("9" * 5000, id="endless")]


@pytest.mark.parametrize("length", NO_INTEGERS)
def test_a_length_that_is_no_integer_of_c_is_refused(length):
    ((code, _, message, _),) = only(LENGTH.format(length=length))
    assert (code, message) == ("ACC602", "this section can't be computed on the host")


def test_lines_that_continue_an_unreadable_pragma_are_no_c():
    pragma = "#pragma acc parallel loop frob(a) \\\n  copy(a[0:8])\n"
    text = LENGTH.format(length=8).replace("{\n", "{\n" + pragma + "for (int k = 0; k < n; k++) a[k] = k;\n")
    assert [found[0] for found in only(text)] == ["ACC103"]


NEST = """\
void f(int n, float *restrict a)
{{
#pragma acc parallel loop {clause}
    for (int i = 0; i < n; i++) {{
        {between}
        for (int j = 0; j < n; j++)
            {{ a[i * n + j] = s; }}
    }}
}}
"""


def test_no_clause_counts_more_loops_than_there_are():
    before = "const float s = i;"
    none = "no other loop is nested here with nothing in between; it is left out"
    assert only(NEST.format(clause="collapse(2)", between=before))[0][:3] == (
        "ACC109",
        "collapse(2)",
        f"collapse counts 2 loops, {none}",
    )
    assert only(NEST.format(clause="tile(4, *)", between=before))[0][2] == f"tile counts 2 loops, {none}"
    assert only(NEST.format(clause="collapse(force: 2)", between=before)) == []
    ((_, _, message, _),) = only(NEST.format(clause="collapse(3)", between="").replace("= s", "= 1"))
    assert message == "collapse counts 3 loops, 2 loops are nested here with nothing in between; it is left out"
    assert only(NEST.format(clause="collapse(2)", between="").replace("= s", "= 1")) == []


NONE = """\
float table[8];
{declare}
void f(int n, const float *restrict a, float *restrict b)
{{
    float t[4];
#pragma acc data {data}
    {{
#pragma acc parallel {clauses}
#pragma acc loop {loop}
        for (int i = 0; i < n; i++) {{
            t[i % 4] = a[i] + a[i + 1];
            b[i] = t[i % 4] + table[i % 8] * n;
        }}
    }}
}}
"""


def left_out(clauses, data="present(n)", loop="independent", declare=""):
    found = only(NONE.format(clauses=clauses, data=data, loop=loop, declare=declare))
    return [text for code, text, _, _ in found if code == "ACC603"]


def test_default_none_wants_every_array_named_by_some_clause():
    assert left_out("") == []
    assert left_out("default(present)") == []
    assert left_out("default(none)") == ["t", "a", "b", "table"]
    assert left_out("default(none) copyin(a[0:n + 1]) private(t)", data="copy(b[0:n])") == ["table"]
    assert left_out("default(none) copy(b)", data="present(a)", loop="private(t)") == ["table"]
    assert left_out("default(none) copy(a, b, t)", declare="#pragma acc declare create(table)") == []
