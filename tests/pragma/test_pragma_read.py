"""Every directive and clause of OpenACC 3.x and share, read into its class, with spans that hold the right text."""

from __future__ import annotations

import dataclasses
import sys

import pytest
from pragma_text import array, clause, one, pragma, variable

from accshare.pragma import read
from accshare.pragma.ir import (
    CText,
    DataClause,
    DirectiveKind,
    LevelClause,
    Movement,
    Section,
    ShareBinary,
    ShareClause,
    ShareInt,
    ShareParam,
    ShareVague,
)
from accshare.pragma.rules import ALLOWED
from accshare.source import SourceFile

pytestmark = pytest.mark.quick

#: pragmas in the very words that the printer uses
SAME = [
    "parallel",
    "kernels",
    "serial",
    "serial loop",
    "loop",
    "loop seq",
    "loop auto",
    "loop independent gang worker vector",
    "loop collapse(2)",
    "loop collapse(force: 3)",
    "loop tile(32, *)",
    "loop private(t, u[0:4])",
    "parallel firstprivate(x) private(y)",
    "parallel num_gangs(n/32) num_workers(4) vector_length(128)",
    "parallel num_gangs(4, 2, 1)",
    "parallel if(n > 10 ? 1 : f(n, 2)) self(x==1)",
    "parallel num_gangs(n>4 ? 8 : 4) async(c ? 1 : d ? 2 : 3) copy(a[0:c?n:m])",
    'parallel if((int)n && (long)(int) m > sizeof x) self(!f(L"a" "b")[2].y->z(3)++)',
    "parallel copyin($a[0:n_$]) copy(vo\\u00e9[0:n], \xc3\xa0[0:n], gr\xc3\xb6\xc3\x9fe)",
    "parallel loop firstprivate(s) reduction(+: s)",
    "parallel copy(s) reduction(+: s, t) reduction(max: u)",
    "kernels self",
    "kernels async wait",
    "kernels default(none)",
    "kernels copy(a) copyin(b[0:n]) copyout(c[:n]) create(d[2:])",
    "kernels present(a) no_create(b) deviceptr(p) attach(s->p)",
    "kernels copyin(readonly: a[0:n][0:m], b)",
    "kernels copyin(readonly, zero)",
    "data copyin(rows[i].data[0:rows[i].size])",
    "data copyin(a[(c?x:y):f(1, 2)][m[0]:n])",
    "data copy(a) if(1) async(2) wait default(none)",
    "enter data copyin(a[0:n]) create(b) attach(p) async",
    "update self(a) self(b) if(n) async(1) wait(2)",
    "wait",
    "wait(1, q) async(2) if(n)",
    "wait async",
    "atomic",
    "atomic update",
    "atomic read",
    "atomic write",
    "atomic capture if(x)",
    "routine seq",
    'routine worker bind("f_gpu")',
    "host_data use_device(a, b) if_present if(1)",
    "cache(a[i][0:n], b[i])",
    "declare create(a) copyin(b) device_resident(c) link(d)",
    "init",
    "init device_type(nvidia) device_num(0)",
    "shutdown device_num(n) if(x)",
    "set default_async(1) device_num(2) device_type(host)",
    "share(A[TB_Y][*])",
]
#: a pragma's words as someone may write them, and as the printer spells what was understood
READINGS = [
    *((words, words) for words in SAME),
    ("parallel   loop", "parallel loop"),
    ("kernels	loop", "kernels loop"),
    ("loop gang(32), worker(num:4), vector( length : 128 )", "loop gang(32) worker(4) vector(128)"),
    ("loop gang(static:*)", "loop gang"),
    ("loop gang(num: 4, static: 2)", "loop gang(4)"),
    ("loop gang(dim: 2) vector", "loop gang vector"),
    ("loop gang(*)", "loop gang"),
    ("loop collapse((1+1))", "loop collapse(2)"),
    ("loop tile(2*8, (010), 0x10u)", "loop tile(16, 8, 16)"),
    ("loop reduction(+:a) reduction(* : b, c)", "loop reduction(+: a) reduction(*: b, c)"),
    ("loop reduction(max:a)reduction(min:b)", "loop reduction(max: a) reduction(min: b)"),
    ("loop reduction(&:a) reduction(|:b) reduction(^:c)", "loop reduction(&: a) reduction(|: b) reduction(^: c)"),
    ("loop reduction(&&:a) reduction(||:b)", "loop reduction(&&: a) reduction(||: b)"),
    ("kernels async(q+1) wait(1,q) wait(devnum: 0: queues: 7)", "kernels async(q+1) wait(1, q) wait(7)"),
    ("kernels default( present )", "kernels default(present)"),
    ("kernels pcopy(a) pcopyin(b) pcopyout(c) pcreate(d)", "kernels copy(a) copyin(b) copyout(c) create(d)"),
    (
        "kernels present_or_copy(a) present_or_copyin(b) present_or_copyout(c) present_or_create(d)",
        "kernels copy(a) copyin(b) copyout(c) create(d)",
    ),
    ("kernels copyout(zero:a) create( zero : b)", "kernels copyout(zero: a) create(zero: b)"),
    ("kernels copyin(readonly, always:a)", "kernels copyin(readonly, always: a)"),
    ("wait(devnum: c?1:2 : queues: 3, 4)", "wait(3, 4)"),
    ("data copy(a[i], s.x[0:n], p->q->r[:], *v)", "data copy(a[i:1], s.x[0:n], p->q->r[:], *v)"),
    ("exit  data copyout(a) delete(b) detach(p) finalize", "exit data copyout(a) delete(b) detach(p) finalize"),
    ("update self(a) host(b[0:n]) device(c) if_present", "update self(a) self(b[0:n]) device(c) if_present"),
    ("routine ( f ) vector nohost bind(g)", "routine(f) vector nohost bind(g)"),
    ("loop dtype(*) vector(64)", "loop device_type(*) vector(64)"),
    ("loop gang(8) device_type(nvidia, radeon) gang(64) vector", "loop gang(8) device_type(nvidia, radeon)"),
    ("loop gang(num: c?1:2) vector(length: c ?: 8)", "loop gang(c?1:2) vector(c ?: 8)"),
    ("loop collapse(2) device_type(*) collapse(3)", "loop device_type(*) collapse(3)"),
    ("loop vector(8) gang device_type(*) vector(64)", "loop gang device_type(*) vector(64)"),
    ("share( A [TB_X+2] : coalesce , B[*][8] )", "share(A[(TB_X + 2)]:coalesce, B[*][8])"),
    ("share(A[2*TB_X+TB_Y/2-1])", "share(A[(((2 * TB_X) + (TB_Y / 2)) - 1)])"),
    ("share(A[2*(TB_Z-1)])", "share(A[(2 * (TB_Z - 1))])"),
]


@pytest.mark.parametrize(("words", "understood"), READINGS, ids=[words for words, _ in READINGS])
def test_reading(words, understood):
    directive, _ = one(words)
    assert pragma(directive) == understood


def test_every_directive_and_every_clause_is_in_the_table():
    read_ = [one(words)[0] for words, _ in READINGS]
    assert {d.kind for d in read_} == set(DirectiveKind)
    written = " ".join(words for words, _ in READINGS)
    assert [name for names in ALLOWED.values() for name in names if name not in written] == []


@pytest.mark.parametrize("words", [words for words, _ in READINGS])
@pytest.mark.parametrize("lead", ["#pragma acc ", "  #  pragma   acc\t"])
def test_spans(words, lead):
    directive, source = one(words, lead)
    assert source.slice(directive.span) == f"{lead}{words}".strip()
    for found in directive.clauses:
        name = clause(found).partition("(")[0]
        text = source.slice(found.span)
        assert text == text.strip()
        assert squeezed(text).endswith(squeezed(tail(found)))
        assert name in text or name in {"copy", "copyin", "copyout", "create", "self", "device_type"}
        for var in getattr(found, "vars", ()):
            printed = squeezed(variable(var))
            assert squeezed(source.slice(var.span)) in {printed, printed.replace(":1]", "]")}
    for text in c_texts(directive):
        assert source.slice(text.span) == text.text or text.text == "1"  # the length of an element


def tail(found):
    """How a clause's text ends, whichever way it is spelled."""
    if isinstance(found, (DataClause, LevelClause)):
        return ""
    printed = clause(found)
    return ")" if "(" in printed else printed


def squeezed(text):
    return "".join(text.split())


def c_texts(node):
    """All `CText` under a node."""
    if isinstance(node, CText):
        yield node
    elif isinstance(node, tuple):
        for item in node:
            yield from c_texts(item)
    elif dataclasses.is_dataclass(node):
        yield from c_texts(tuple(getattr(node, field.name) for field in dataclasses.fields(node)))


def test_share_spans_down_to_the_operands():
    directive, source = one("share( A[TB_Y * (TB_X + 1)][ * ] :coalesce, B2[3])")
    (found,) = directive.clauses
    assert isinstance(found, ShareClause)
    first, second = found.arrays
    assert [source.slice(item.span) for item in found.arrays] == ["A[TB_Y * (TB_X + 1)][ * ] :coalesce", "B2[3]"]
    product, vague = first.lengths
    assert isinstance(product, ShareBinary)
    assert isinstance(product.lhs, ShareParam)
    assert isinstance(product.rhs, ShareBinary)
    assert isinstance(vague, ShareVague)
    assert isinstance(second.lengths[0], ShareInt)
    assert source.slice(product.span).startswith("TB_Y * (TB_X + 1")
    assert source.slice(product.lhs.span) == "TB_Y"
    assert source.slice(product.rhs.span).strip("()") == "TB_X + 1"
    assert "*" in source.slice(vague.span)
    assert source.slice(second.lengths[0].span) == "3"
    assert array(first) == "A[(TB_Y * (TB_X + 1))][*]:coalesce"


def test_a_section_keeps_what_was_left_out():
    directive, _ = one("data copy(a[:n], b[2:], c[:], d[i])")
    sections = [var.sections[0] for var in directive.clauses[0].vars]
    written = [(s.lower and s.lower.text, s.length and s.length.text) for s in sections]
    assert written == [(None, "n"), ("2", None), (None, None), ("i", "1")]
    assert sections[2] == Section(None, None)


def test_host_is_self_on_update_alone():
    directive, _ = one("update host(a)")
    assert directive.clauses[0].movement is Movement.UPDATE_HOST


def test_continuation_lines_belong_to_the_pragma():
    text = "#pragma acc parallel \\\n  loop copy(a[0: \\\n n]) \\\r\n  gang\nfor (;;);\n"
    source = SourceFile.of("<test>", text)
    (directive,) = read(source).directives
    assert pragma(directive).split() == ["parallel", "loop", "copy(a[0:n])", "gang"]
    assert source.slice(directive.span) == text.partition("\nfor")[0]


def test_lines_that_are_no_pragmas_of_ours_are_left_alone():
    text = '#pragma omp parallel\n#pragma accx loop\nconst char *s = "#pragma acc loop";\nint a; // #pragma acc loop\n'
    assert read(SourceFile.of("<test>", text)).spans == ()


def test_one_bad_line_does_not_hide_the_others():
    source = SourceFile.of("<test>", "#pragma acc loop seq\n#pragma acc lop\n#pragma acc loop gang\n")
    found = read(source)
    assert [pragma(d) for d in found.directives] == ["loop seq", "loop gang"]
    assert [source.slice(s).split()[-1] for s in found.spans] == ["seq", "lop", "gang"]
    assert [source.slice(d.span) for d in found.diagnostics] == ["lop"]


def calls_to_read(clauses):
    """How many calls reading a pragma with so many clauses takes."""
    source = SourceFile.of("t.c", "#pragma acc parallel loop" + " copy(A)" * clauses + "\n;\n")
    count = 0

    def met(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(met)
    try:
        (directive,) = read(source).directives
    finally:
        sys.setprofile(None)
    assert len(directive.clauses) == clauses
    return count


def test_twice_as_many_clauses_take_twice_the_work():
    calls_to_read(1)  # reads the grammar
    assert calls_to_read(400) < 2.2 * calls_to_read(200)
