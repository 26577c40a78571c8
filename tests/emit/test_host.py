"""The host text: it compiles silently everywhere, keeps the user's lines, and asks the runtime for the right things."""

import subprocess
from pathlib import Path

import pytest
from programs import SAXPY, pragmas, preprocessed, saxpy

from accshare.emit import emit
from accshare.frontend.ir import Program
from accshare.options import Options

INCLUDE = Path(__file__).parent.parent.parent / "runtime" / "include"
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-Wconversion", "-Wcast-qual", "-Wundef"]
CLEAN = "after=100013 line=27 sum=34850"


def host(example, library=""):
    output = emit(example.source, pragmas(example.source), example.program, example.offloads, Options(), library)
    assert output.diagnostics == ()
    return output.host


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("standard", ["-std=c99", "-std=gnu11", "-std=gnu17"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_compiles_without_a_word_and_runs_without_runtime(tmp_path, run_program, compiler, standard, level):
    text = host(saxpy(tmp_path / "saxpy.c", flags=[standard], compiler=compiler))
    done = run_program(text, compiler=compiler, flags=[standard, level, *WARNINGS])
    assert done.stdout == CLEAN + "\n"


def test_gnu89_and_pedantic_errors(tmp_path, run_program):
    old = SAXPY.replace("for (int k", "for (k").replace("  int n = argc", "  int k, n = argc")
    old = old.replace("  int after = ", "  after = ").replace("int k, n", "int k, after, n")
    old = old.replace("  double sum = 0;\n", "  sum = 0;\n").replace("  float *x", "  double sum;\n  float *x")
    for flags in (["-std=gnu89"], ["-ansi", "-pedantic-errors"]):
        text = host(saxpy(tmp_path / "saxpy.c", text=old, flags=flags))
        assert "sum=34850" in run_program(text, flags=[*flags, *WARNINGS]).stdout


def test_also_in_an_inline_function_that_is_not_static(tmp_path, run_program):
    extern = SAXPY.replace(
        "static int saxpy", "extern int saxpy(int, float, const float *, float *, int);\ninline int saxpy"
    )
    extern = extern.replace("int main(", "extern inline int saxpy(int, float, const float *, float *, int);\nint main(")
    for compiler in ("gcc", "clang"):
        text = host(saxpy(tmp_path / "saxpy.c", text=extern, flags=["-std=c99"], compiler=compiler))
        run_program(text, compiler=compiler, flags=["-std=c99", "-pedantic-errors", *WARNINGS])


def test_the_rest_of_the_text_is_untouched(tmp_path):
    example = saxpy(tmp_path / "saxpy.c")
    emitted = iter(host(example).split("\n"))
    for line in example.source.text.split("\n"):
        wanted = " " * len(line) if line.startswith("#pragma acc") else line
        assert any(wanted == found.ljust(len(wanted)) for found in emitted), f"lost, or out of order: {line!r}"


def test_without_anything_to_do_the_text_is_the_source_less_its_pragmas(tmp_path):
    example = saxpy(tmp_path / "saxpy.c")
    output = emit(example.source, pragmas(example.source), Program((), (), ()), (), Options(), "")
    (pragma,) = pragmas(example.source)
    length = pragma.end - pragma.start
    assert output.host == example.source.text.replace(example.source.slice(pragma), " " * length)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_diagnostics_and_debug_lines_are_the_users(tmp_path, compiler):
    broken = SAXPY.replace("__LINE__;", "unknown_name;")
    text = host(saxpy(tmp_path / "saxpy.c", text=broken, compiler=compiler))
    (tmp_path / "host.i").write_text(text)
    done = subprocess.run([compiler, "-c", "host.i"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "saxpy.c:13:21: error" in done.stderr


def test_warnings_about_the_users_own_code_stay(tmp_path):
    text = host(saxpy(tmp_path / "saxpy.c", text=SAXPY.replace("    return 0;\n", "    return 0.5f;\n")))
    (tmp_path / "host.i").write_text(text)
    command = ["gcc", "-Wconversion", "-Wfloat-conversion", "-c", "host.i"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "saxpy.c:8:12: warning" in done.stderr


def test_the_runtime_is_asked(tmp_path, run_program, fake_runtime):
    done = run_program(host(saxpy(tmp_path / "saxpy.c")), "70", ACCSHARE_RUNTIME=str(fake_runtime))
    assert done.stdout.splitlines() == [
        "begin saxpy.c:11 saxpy saxpy_l10",
        "  datum x lower=0 bytes=280 element=4 movement=1",
        "  datum y lower=0 bytes=280 element=4 movement=0",
        "launch saxpy_l10 line=11 groups=2,1,1 local=64,1,1",
        "  arg kind=0 index=0 bytes=0",
        "  arg kind=0 index=1 bytes=0",
        "  arg kind=2 index=0 bytes=4 46000000",
        "  arg kind=2 index=0 bytes=4 00000040",
        "end",
        "after=70013 line=27 sum=16415",  # the fake computes nothing; the counter has its value all the same
    ]


def test_the_embedded_path_is_tried_after_the_variable(tmp_path, run_program, fake_runtime):
    text = host(saxpy(tmp_path / "saxpy.c"), library=str(fake_runtime))
    assert run_program(text).stdout.startswith("begin")
    assert run_program(text, ACCSHARE_RUNTIME="/nowhere/lib.so").stdout.startswith("begin")


def test_a_runtime_that_is_in_the_process_is_used(tmp_path, run_program, fake_runtime):
    text = host(saxpy(tmp_path / "saxpy.c"))
    assert run_program(text, LD_PRELOAD=str(fake_runtime)).stdout.startswith("begin")


@pytest.mark.parametrize(
    ("arguments", "fake", "asked"),
    [
        (["100", "50"], "", "host saxpy_l10: x and y overlap in memory"),
        (["100", "200", "0"], "", "host saxpy_l10: (by wish)"),
        (["100"], "busy", "begin saxpy.c:11 saxpy saxpy_l10"),
        (["100"], "lost", "begin saxpy.c:11 saxpy saxpy_l10"),
        (["-3"], "", 'host saxpy_l10: n is "negative"'),
    ],
)
def test_the_loops_run_on_the_host_otherwise(tmp_path, run_program, fake_runtime, arguments, fake, asked):
    text = host(saxpy(tmp_path / "saxpy.c"))
    alone = run_program(text, *arguments).stdout
    done = run_program(text, *arguments, ACCSHARE_RUNTIME=str(fake_runtime), FAKE=fake)
    assert done.stdout.splitlines()[0] == asked
    assert done.stdout.endswith(alone)


def test_nothing_to_do_is_no_overlap(tmp_path, run_program, fake_runtime):
    done = run_program(host(saxpy(tmp_path / "saxpy.c")), "0", "0", ACCSHARE_RUNTIME=str(fake_runtime))
    assert "launch saxpy_l10 line=11 groups=0,1,1" in done.stdout
    assert "after=13 line=27 sum=0" in done.stdout


def test_mandatory_without_runtime_ends_the_program(tmp_path, run_program):
    text = host(saxpy(tmp_path / "saxpy.c"))
    done = run_program(text, code=3, ACCSHARE_OFFLOAD="mandatory")
    assert "no runtime library found" in done.stderr
    assert run_program(text, ACCSHARE_OFFLOAD="mandatory-not").stdout == CLEAN + "\n"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_no_clash_with_a_program_that_declares_the_same(tmp_path, run_program, compiler):
    text = '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <unistd.h>\n#include "accshare_abi.h"\n'
    text += 'static void *handle(void) { return dlopen("libm.so.6", RTLD_NOW); }\n'
    body = SAXPY.replace("  free(x);", "  if (!handle()) return 1;\n  free(x);")
    from_here = ["-I", str(INCLUDE)]
    example = saxpy(tmp_path / "saxpy.c", text=text + body, flags=from_here, compiler=compiler)
    assert run_program(host(example), compiler=compiler, flags=WARNINGS).stdout.startswith("after=100018 line=32")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_repeated_declarations_agree_with_the_header(tmp_path, compiler):
    fields = {
        "datum": "name origin lower bytes element movement",
        "variant": "target kind source options kernels kernel_count work_group local_bytes flags",
        "region": "file line function name variants variant_count runtime",
        "arg": "kind index value bytes",
        "row": "first end written_first written_end",
        "rows": "table datum first count pitch rows packed",
        "launch": "kernel line groups local args arg_count",
        "api": "abi begin variant scratch launch end host data wait sizes pays small units find declare rows control "
        "native native_scratch native_launch native_end ended early look in_bands",
        "work": "operations longest launches atomics outermost",
        "native": "variant threads region scratch start",
        "pace": "block sweeps since in_bands in_sweeps",
    }
    values = (
        "COPY COPYIN COPYOUT CREATE PRESENT NO_CREATE DELETE DEVICEPTR UPDATE_HOST UPDATE_DEVICE NEEDS_FP64 "
        "NEEDS_ATOMICS64 NEEDS_SOUND_BARRIERS ARG_DATUM ARG_SCRATCH ARG_VALUE ENTER EXIT UPDATE CLEAR TAKE FINALIZE "
        "IF_PRESENT ZERO CAPTURE ALWAYS_IN ALWAYS_OUT ROWS ROWS_OPEN ROWS_FIND ROWS_PACK ROWS_UNPACK ROWS_DROP "
        "INIT SHUTDOWN SET_DEVICE SET_ASYNC OWN_KERNELS NATIVE"
    )
    checks = [f'_Static_assert((int)__ACCSHARE_{v} == (int)ACCSHARE_{v}, "{v}");' for v in values.split()]
    for struct, names in fields.items():
        ours, theirs = f"struct __accshare_{struct}", f"struct accshare_{struct}"
        checks.append(f'_Static_assert(sizeof({ours}) == sizeof({theirs}), "{struct}");')
        for name in names.split():
            checks.append(
                f'_Static_assert(__builtin_offsetof({ours}, {name}) == __builtin_offsetof({theirs}, {name}), "{name}");'
            )
    example = saxpy(tmp_path / "saxpy.c", compiler=compiler)
    include = INCLUDE / "accshare_abi.h"
    header = preprocessed(
        tmp_path / "header.c",
        f'#include "{include}"\n_Static_assert(ACCSHARE_ABI == 17 && ACCSHARE_WHOLE == ~0UL, "");\n',
    ).text
    (tmp_path / "both.i").write_text(host(example) + header + "\n".join(checks))
    subprocess.run([compiler, "-w", "-c", "both.i"], cwd=tmp_path, check=True)
