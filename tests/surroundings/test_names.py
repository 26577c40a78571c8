"""Programs may have functions under names that ISO C leaves to them, whatever the C library has under these names."""

from __future__ import annotations

import re
import subprocess

from surrounding_programs import Program, build

from accshare.driver.paths import runtime_library

ISO_C = {
    *("calloc", "exit", "fclose", "fgets", "fopen", "fprintf", "fread", "free", "frexp", "fwrite", "getenv", "malloc"),
    *("memcmp", "memcpy", "memmove", "memset", "qsort", "realloc", "snprintf", "strchr", "strcmp", "strcspn"),
    *("strerror", "strlen", "strncmp", "strrchr", "strstr", "strtol", "time", "vsnprintf"),
}
#: variables, and what no program has but for the same purpose
OTHERS = re.compile(r"_|pthread_|sched_|dl|getauxval$|omp_|environ$|stderr$")
PROGRAM = """
extern int printf(const char *, ...);
extern void abort(void);
static int x[1000];

int stat(int n)
{
    int sum = 0;
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        x[i] = i;
        sum += i;
    }
    return sum;
}

int main(void)
{
    int sum = stat(1000);
    printf("%s\\n", sum == 499500 && x[42] == 42 ? "right" : "wrong");
    return 0;
}
"""


def test_functions_under_names_of_the_c_library(tmp_path):
    library = runtime_library()
    assert library
    needed = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True)
    names = {line.split()[-1].split("@")[0] for line in needed.stdout.splitlines()} - ISO_C - {"stat"}
    own = "".join(f"void {name}(void) {{ abort(); }}\n" for name in sorted(names) if not OTHERS.match(name))
    assert "void open(" in own
    source = tmp_path / "names.c"
    source.write_text(own + PROGRAM)
    program = Program(build(source, tmp_path / "names", "--acc-target=native", "-fno-builtin"), tmp_path)
    assert program.launches() == 2  # one for the sums of parts
