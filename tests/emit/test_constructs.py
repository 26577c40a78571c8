"""Data directives become calls with exact byte ranges, for every kind of variable C has."""

from dataclasses import replace

import programs
import pytest
from programs import directive, pragmas, preprocessed, span

from accshare.emit import emit
from accshare.frontend.ir import Construct, Program
from accshare.options import Options
from accshare.pragma.ir import CText, DataClause, DataVar, DirectiveKind, IfClause, Movement, Section, WordClause
from accshare.source import Span

HERE = Span(0, 0)
FLAGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-Wconversion"]


def text(c):
    return None if c is None else CText(c, HERE)


def variable(base, *sections):
    return DataVar(CText(base, HERE), tuple(Section(text(a), text(b)) for a, b in sections), HERE)


def clause(movement, *variables):
    return DataClause(movement, (), variables, HERE)


def host(source, *constructs):
    output = emit(source, pragmas(source), Program((), constructs, ()), (), Options(), "")
    assert output.diagnostics == ()
    return output.host


#: ACCSHARE_WHOLE as the stand-in runtime prints it
WHOLE = -1

SECTIONS = """\
struct pair { char tag; double value; };
static double table[8][16];
static void work(int n, int m, float *p, double grid[n][m], struct pair *pairs, float **rows, const int *fixed)
{
  int x = 3, few[2] = {1, 2};
  char line[n];
  const char *names[2] = {"a", "b"};
  struct pair one = {'a', x + few[0] + line[0] * 0.0};
#pragma acc enter data
  (void)p, (void)pairs, (void)rows, (void)fixed, (void)grid, (void)one, (void)names;
}
int main(void)
{
  float v = 0, *r = &v; double d[30]; struct pair q = {'q', 1}; int f = 0;
  work(5, 6, &v, (void *)d, &q, &r, &f);
  return 0;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_sections(tmp_path, run_program, fake_runtime, compiler):
    source = preprocessed(tmp_path / "data.c", SECTIONS.replace("line[n];", "line[5] = {0};"), compiler=compiler)
    cases = [
        (variable("x"), 0, 4, 4),
        (variable("few"), 0, 8, 8),
        (variable("line"), 0, 5, 5),
        (variable("one"), 0, 16, 16),
        (variable("one.value"), 0, 8, 8),
        (variable("table"), 0, 1024, 1024),
        (variable("table", ("2", "3")), 256, 384, 128),
        (variable("table", ("2", "3"), ("4", "5")), 288, 296, 8),
        (variable("table", (None, None), ("0", "16")), 0, 1024, 8),
        (variable("few", ("1", None)), 4, 4, 4),
        (variable("p", ("0", "n")), 0, 20, 4),
        (variable("p", (None, "n - 5")), 0, 0, 4),
        (variable("p", ("n", "-2")), 20, 0, 4),
        (variable("p"), 0, WHOLE, 8),
        (variable("p", ("0", None)), 0, WHOLE, 4),
        (variable("grid", ("1", "n - 1")), 48, 192, 48),
        (variable("grid", ("0", "n"), ("0", "m")), 0, 240, 8),
        (variable("pairs", ("1", "2")), 16, 32, 16),
        (variable("rows", ("0", "3")), 0, 0, 8),
        (variable("names"), 0, 0, 16),
        (variable("fixed", ("0", "7")), 0, 28, 4),
        (variable("rows", ("1", "3"), ("2", "4")), 8, 24, 8),
    ]
    enter = directive(source, DirectiveKind.ENTER_DATA, [clause(Movement.COPYIN, *(c[0] for c in cases))])
    program = host(source, Construct(enter, None))
    done = run_program(program, compiler=compiler, flags=FLAGS, ACCSHARE_RUNTIME=str(fake_runtime))
    first, *lines = (line for line in done.stdout.splitlines() if "bytes=0 element=1 " not in line)
    assert first == "data op=0 flags=0 data.c:9"
    table, row = lines[-2:]  # the pointers, and what each of them leads to
    lines[-2:] = [table.replace("movement=4097", "movement=1")]
    assert row == "  datum rows lower=8 bytes=16 element=4 movement=1"
    for line, (var, lower, size, element) in zip(lines, cases, strict=True):
        assert line == f"  datum {var.base.text} lower={lower} bytes={size} element={element} movement=1"
    assert run_program(program, compiler=compiler, flags=FLAGS).stdout == ""


STRUCTURED = """\
#include <stdio.h>
static int half(int n, double *a, int on)
{
  double all[n];
  all[0] = 0;
#pragma acc data copy(a[0:n], all) if(on)
  for (int i = 0; i < n; i++)
    a[i] /= 2;
#pragma acc update self(a[1:2]) if_present
#pragma acc wait
#pragma acc exit data delete(a) finalize
  return __LINE__ + (int)all[0];
}
int main(int argc, char **argv)
{
  double a[4] = {2, 4, 6, 8};
  (void)argv;
  printf("%d\\n", half(4, a, argc < 2));
  printf("%g %g\\n", a[0], a[3]);
  return 0;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_structured_data_update_and_wait(tmp_path, run_program, fake_runtime, compiler):
    source = preprocessed(tmp_path / "data.c", STRUCTURED, compiler=compiler)
    condition = IfClause(CText("on", HERE), False, HERE)
    both = clause(Movement.COPY, variable("a", ("0", "n")), variable("all"))
    part = clause(Movement.UPDATE_HOST, variable("a", ("1", "2")))
    loop = span(source, "for (int i = 0; i < n; i++)\n    a[i] /= 2")
    program = host(
        source,
        Construct(directive(source, DirectiveKind.DATA, [both, condition]), loop),
        Construct(directive(source, DirectiveKind.UPDATE, [part, WordClause("if_present", None, HERE)], 1), None),
        Construct(directive(source, DirectiveKind.WAIT, index=2), None),
        Construct(
            directive(
                source,
                DirectiveKind.EXIT_DATA,
                [clause(Movement.DELETE, variable("a")), WordClause("finalize", None, HERE)],
                3,
            ),
            None,
        ),
    )
    done = run_program(program, compiler=compiler, flags=FLAGS, ACCSHARE_RUNTIME=str(fake_runtime))
    table = ["  datum a lower=0 bytes=32 element=8 movement=0", "  datum all lower=0 bytes=32 element=32 movement=0"]
    rest = [
        "data op=2 flags=2 data.c:9",
        "  datum a lower=8 bytes=16 element=8 movement=8",
        "wait",
        "data op=1 flags=1 data.c:11",
        "  datum a lower=0 bytes=-1 element=8 movement=6",
        "12",
        "1 4",
    ]
    assert done.stdout.splitlines() == [
        "data op=0 flags=4 data.c:6",
        *table,
        "data op=1 flags=4 data.c:6",
        *table,
        *rest,
    ]
    off = run_program(program, "off", compiler=compiler, flags=FLAGS, ACCSHARE_RUNTIME=str(fake_runtime))
    assert off.stdout.splitlines() == rest


def test_data_stacked_on_a_region_is_outside(tmp_path, run_program, fake_runtime):
    text = programs.SAXPY.replace("#pragma acc parallel", "#pragma acc data create(x[0:n])\n#pragma acc parallel")
    example = programs.saxpy(tmp_path / "saxpy.c", text=text)
    source = example.source
    stacked = Construct(
        directive(source, DirectiveKind.DATA, [clause(Movement.CREATE, variable("x", ("0", "n")))]),
        example.offloads[0].region.span,
    )
    region = example.offloads[0].region
    offload = replace(example.offloads[0], region=replace(region, construct=directive(source, index=1)))
    program = Program((region,), (stacked,), ())
    output = emit(source, pragmas(source), program, (offload,), Options(), "")
    done = run_program(output.host, flags=["-Wall", "-Wextra", "-Werror"], ACCSHARE_RUNTIME=str(fake_runtime))
    words = [line.split()[0] for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert words == ["data", "begin", "launch", "end", "data", "after=100014"]


def test_what_has_no_effect_is_said(tmp_path):
    source = preprocessed(tmp_path / "data.c", STRUCTURED)
    copies = [clause(Movement.COPYIN, variable("a"), variable("b"))]
    leaves = [clause(Movement.COPYOUT, variable("a"))]
    constructs = (
        Construct(directive(source, DirectiveKind.ENTER_DATA, copies), None, frozenset("a")),
        Construct(directive(source, DirectiveKind.EXIT_DATA, leaves), None, frozenset("a")),
        Construct(directive(source, DirectiveKind.ROUTINE), None),
    )
    output = emit(source, pragmas(source), Program((), constructs, ()), (), Options(), "")
    assert [d.code for d in output.diagnostics] == ["ACC601"]
    assert output.diagnostics[0].hint == "write a[first:length]"
