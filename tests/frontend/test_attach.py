"""Where pragmas end up."""

import pytest
from printing import compact

from accshare.diagnostics import render
from accshare.pragma.ir import DirectiveKind

pytestmark = pytest.mark.quick

GEMM = """
#define LOOP _Pragma("acc loop")
void gemm(int n, float A[n][n], float B[n][n], float C[n][n]) {
  #pragma acc data copyin(A, B)
  {
    #pragma acc share(A[TB_Y][*])
    #pragma acc kernels loop copy(C)
    #pragma acc share(B[*][TB_X])
    for (int i = 0; i < n; i++)
      LOOP
      for (int j = 0; j < n; j++) {
        #pragma acc share(C[*][*])
        #pragma acc loop seq
        for (int k = 0; k < n; k++)
          C[i][j] += A[i][k] * B[k][j];
      }
  }
  #pragma acc update self(C)
}
"""


def test_stacked_pragmas_loops_and_shares(reader):
    source, program = reader(GEMM)
    (region,) = program.regions
    assert region.construct.kind is DirectiveKind.KERNELS_LOOP
    assert region.name == "gemm_l7"
    assert region.function == "gemm"
    assert [source.slice(share.span) for share in region.shares] == [
        "#pragma acc share(A[TB_Y][*])",
        "#pragma acc share(B[*][TB_X])",
        "#pragma acc share(C[*][*])",
    ]
    assert compact(region.body) == (
        "[kernels loop] for (int i = 0; i < n; i += 1) { [loop] for (int j = 0; j < n; j += 1) {"
        " [loop] for (int k = 0; k < n; k += 1) { C[i][j] += A[i][k] * B[k][j]; } } }"
    )
    data, update = program.constructs
    assert data.directive.kind is DirectiveKind.DATA
    assert source.slice(data.statement).startswith("{")
    assert source.slice(data.statement).endswith("}")
    assert update.statement is None


def test_a_region_ends_with_its_semicolon(reader):
    text = "void f(int n, int *a) {\n#pragma acc kernels loop\nfor (int i = 0; i < n; i++)\n a[i] = i ;\n a[0] = 1; }"
    source, program = reader(text)
    assert source.slice(program.regions[0].span) == "for (int i = 0; i < n; i++)\n a[i] = i ;"


def test_a_share_alone_implies_kernels_loop(reader):
    text = "void f(int n, int *a) {\n#pragma acc share(a[*])\nfor (int i = 0; i < n; i++) a[i] = i; }"
    _, program = reader(text)
    (region,) = program.regions
    assert region.construct.kind is DirectiveKind.KERNELS_LOOP
    assert region.construct.span == region.shares[0].span


@pytest.mark.parametrize(
    "place",
    [
        "if (n) {} else %s",
        "switch (n) { case 1: %s }",
        "while (n) %s",
        "here: %s if (n) goto here;",
        "do %s while (n);",
    ],
)
def test_a_pragma_may_stand_on_any_statement(reader, place):
    loop = "\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i] = i;\n"
    source, program = reader("void f(int n, int *a) { " + place % loop + " }")
    assert not program.diagnostics
    assert source.slice(program.regions[0].span) == "for (int i = 0; i < n; i++) a[i] = i;"


def test_a_block_is_one_region_with_its_loops(reader):
    text = """void f(int n, int *a) {
#pragma acc parallel
{
  int t = n;
  #pragma acc loop gang
  for (int i = 0; i < n; i++) a[i] = t;
  #pragma acc cache(a)
  t = 2;
}
}"""
    _, program = reader(text)
    (region,) = program.regions
    assert not program.diagnostics
    assert compact(region.body) == "int t = n; [loop] for (int i = 0; i < n; i += 1) { a[i] = t; } t = 2;"


def test_two_regions_of_a_line_have_two_names(reader):
    loop = '_Pragma("acc kernels loop") for (int i = 0; i < n; i++) a[i] = i;'
    _, program = reader(f"void f(int n, int *a) {{ {loop} {loop} }}")
    assert [region.name for region in program.regions] == ["f_l1", "f_l1_2"]


def test_regions_in_headers_and_inactive_code(reader, tmp_path):
    header = tmp_path / "kernel.h"
    header.write_text(
        "static void g(int n, int *a) {\n#if 0\n#pragma acc kernels loop\n#else\n#pragma acc parallel loop\n#endif\n"
        "for (int i = 0; i < n; i++) a[i] = i; }\n"
    )
    source, program = reader(f'#include "{header}"\nvoid f(int *a) {{ g(3, a); }}\n')
    (region,) = program.regions
    assert region.construct.kind is DirectiveKind.PARALLEL_LOOP
    assert source.locate(region.span.start).file == str(header)


MISPLACED = {
    "#pragma acc loop\nfor (int i = 0; i < n; i++) a[i] = i;": "loop stands outside of any compute construct",
    "#pragma acc parallel loop\nn = 3;": "parallel loop needs a for loop right after it",
    "#pragma acc kernels loop\n": "kernels loop needs a for loop right after it",
    "#pragma acc parallel\n": "parallel has no statement to apply to",
    "#pragma acc data copy(a)\n": "data has no statement to apply to",
    "#pragma acc kernels\n{\n#pragma acc update self(a)\n}": "update can't stand inside a compute construct",
    "#pragma acc kernels\n{\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i] = i; }": (
        "parallel loop can't stand inside a compute construct"
    ),
    "#pragma acc kernels\n{\n#pragma acc loop\nn = 3; }": "loop needs a for loop right after it",
}


@pytest.mark.parametrize("text", MISPLACED)
def test_misplaced_pragmas_get_a_caret(reader, text):
    source, program = reader(f"void f(int n, int *a) {{\n{text}\n}}\n")
    (diagnostic,) = program.diagnostics
    assert not program.regions
    assert (diagnostic.code, diagnostic.message) == ("ACC106", MISPLACED[text])
    shown = render(diagnostic, source).splitlines()
    assert shown[1].strip().startswith("#pragma acc")
    assert shown[2].strip().startswith("^~~~")
    assert shown[3].startswith("  help: ")


def test_standalone_directives_of_the_file(reader):
    text = "int a[9];\n#pragma acc declare create(a)\n#pragma acc routine seq\nint f(int n) { return n; }\n"
    _, program = reader(text)
    assert [c.directive.kind for c in program.constructs] == [DirectiveKind.DECLARE, DirectiveKind.ROUTINE]
    assert not program.diagnostics
