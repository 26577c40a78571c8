"""Pragmas reach the compiler as the preprocessor would read them, whichever it is."""

from __future__ import annotations

import shutil

import pytest

from accshare.driver.args import parse
from accshare.driver.preprocess import preprocess


def pragmas(tmp_path, compiler: str, text: str, *flags: str) -> list[str]:
    path = tmp_path / "f.c"
    path.write_text(text)
    invocation = parse([str(path), *flags])
    done = preprocess([shutil.which(compiler)], invocation, invocation.sources[0])
    assert done is not None
    return ["".join(line.split()) for line in done.source.text.split("\n") if "#pragma acc" in line]


def squeezed(*lines: str) -> list[str]:
    return ["".join(line.split()) for line in lines]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
class TestExpansion:
    def test_macros_in_clauses(self, tmp_path, compiler):
        text = (
            "#define N 100\n#define PART(n) [0:n]\n#define TILE 2*N\n"
            "#pragma acc kernels loop copyin(a PART(N)) \\\n   copy(b[0:m])\n"
            "#pragma acc share(a[TILE][*]:coalesce)\n"
        )
        assert pragmas(tmp_path, compiler, text) == squeezed(
            "#pragma acc kernels loop copyin(a[0:100]) copy(b[0:m])", "#pragma acc share(a[2*100][*]:coalesce)"
        )

    def test_operator_form_and_stringized(self, tmp_path, compiler):
        text = (
            "#define N 8\n#define DO(x) _Pragma(#x)\n"
            'DO(acc loop vector(N))\nint i;\n_Pragma("acc update self(a[0:N])")\n'
        )
        assert pragmas(tmp_path, compiler, text) == squeezed(
            "#pragma acc loop vector(8)", "#pragma acc update self(a[0:8])"
        )

    def test_a_definition_holds_from_its_line_to_undef(self, tmp_path, compiler):
        text = (
            "#pragma acc loop gang(N)\n#define N 1\n#pragma acc loop gang(N)\n"
            "#undef N\n#pragma acc loop gang(N)\n#define N 2\n#pragma acc loop gang(N)\n"
        )
        assert pragmas(tmp_path, compiler, text) == squeezed(
            *(f"#pragma acc loop gang({n})" for n in ("N", "1", "N", "2"))
        )

    def test_from_the_command_line_and_conditionals(self, tmp_path, compiler):
        text = "#if N > 4\n#pragma acc loop gang(N)\n#else\n#pragma acc loop seq\n#endif\n"
        assert pragmas(tmp_path, compiler, text, "-DN=5") == squeezed("#pragma acc loop gang(5)")
        assert pragmas(tmp_path, compiler, text, "-DN=3") == squeezed("#pragma acc loop seq")

    def test_the_directive_name_is_not_a_macro(self, tmp_path, compiler):
        text = "#define parallel serial\n#pragma acc parallel num_gangs(1)\n"
        assert pragmas(tmp_path, compiler, text) == squeezed("#pragma acc parallel num_gangs(1)")

    def test_lines_are_kept(self, tmp_path, compiler):
        path = tmp_path / "lines.c"
        path.write_text("#include <stdio.h>\n#define A 1\n\n\n#define B A\n#pragma acc loop gang(B)\n\nint here;\n")
        invocation = parse([str(path), "-Wextra"])
        done = preprocess([shutil.which(compiler)], invocation, invocation.sources[0])
        assert done.source.locate(done.source.text.index("int here")).line == 8
        assert done.source.locate(done.source.text.index("#pragma acc")).line == 6
        assert "#define" not in done.source.text
