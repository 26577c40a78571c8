"""What `accshare emit` prints of the host program."""

from __future__ import annotations

from accshare.device import preset
from accshare.options import Options
from accshare.pipeline import compile_unit
from accshare.run.files import excerpt
from accshare.source import SourceFile

PROGRAM = """\
struct pair { int a; int b; };
static const char *brackets[] = { "{", "}}", "\\"{", 0 };
int plain(int c) { return c == '{' || c == '\\'' ? '}' : 0; }
static int first(int n, int *restrict a)
{
#pragma acc kernels loop
    for (int i = 0; i < n; i++) { a[i] = i; }
    return a[0] == '{';
}
int unchanged(void) { return 1; }
void second(int n, int *restrict a)
{
#pragma acc data copy(a[0:n])
    { a[0] = 1; }
}
"""


def test_only_functions_with_generated_code_are_shown():
    result = compile_unit(SourceFile.of("f.c", PROGRAM), (preset("generic-gpu"),), Options(), "")
    shown = excerpt(result.host)
    assert [line for line in shown.splitlines() if line.startswith(("static", "int", "void", "struct"))] == [
        "static __attribute__((noinline, cold)) int __acc_run_first_l6(const int __acc_p_n, "
        "volatile void *__acc_origin0)",
        "static int first(int n, int *restrict a)",
        "void second(int n, int *restrict a)",
    ]
    assert shown.count("{") == shown.count("}") + 1
    assert shown.endswith("}\n")
    assert shown.count("__acc_api->launch") == 1
    assert "return a[0] == '{';" in shown
    assert "struct pair" not in shown
    assert "__acc_region_first_l6 =" not in shown


def test_nothing_is_shown_of_a_program_without_directives():
    source = SourceFile.of("f.c", "int f(int c) { return c == '{'; }\n")
    assert excerpt(compile_unit(source, (preset("generic-gpu"),), Options(), "").host) == ""
