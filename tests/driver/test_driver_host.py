"""Without work for us, accshare-cc is the host compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

SAME = [
    "--version",
    "-dumpmachine",
    "-print-search-dirs",
    "-v",
    "",
    "missing.c",
    "-c plain.c",
    "-c plain.c -o x/y.o",
    "-c broken.c",
    "-c -Wall -Wextra -Werror unused.c",
    "-E plain.c",
    "-MM plain.c region.c",
    "-S plain.c -o -",
    "-c -E -dM region.c -U_OPENACC -w",
    "-c plain.c region.o.missing",
    "plain.c",
    "-c -o two.o plain.c broken.c",
    "-c -frobnicate plain.c",
    "-c --frobnicate=1 plain.c",
    "-fsyntax-only broken.c",
    "-c @args",
    "-c @missing",
    "-x c - -c -o stdin.o",
]


@pytest.mark.quick
@pytest.mark.parametrize("args", SAME)
def test_output_exit_code_and_files_are_those_of_the_host_compiler(acc, cc, args):
    results = []
    for compiler in (cc, acc):
        compiler.write("broken.c", "int f(void) { return undeclared; }\n")
        compiler.write("unused.c", "static int g;\n#warning careful\n")
        compiler.write("args", "plain.c -DX='a b' -o from-args.o\n")
        done = compiler.run(*args.split(), stdin="int from_stdin;\n")
        folder = str(compiler.folder)
        results.append(
            (done.returncode, done.stdout, steady(done.stderr), {n.replace(folder, "") for n in compiler.files()})
        )
        results[-1] += ({n: b for n, b in compiler.files().items() if n.endswith(".s")},)
    assert results[0] == results[1]


def steady(messages: str) -> str:
    """Without the names of temporary files, and the compiler's own name for itself."""
    lines = [line for line in messages.split("\n") if "COLLECT_GCC=" not in line]
    return "\n".join(" ".join(word for word in line.split(" ") if "/tmp/cc" not in word) for line in lines)


def test_what_other_openacc_compilers_want_is_accepted(acc):
    acc.ok("-c", "plain.c", "-fopenacc", "-acc", "-Minfo=accel", "--acc-strict", "--acc-target=generic-cpu")
    acc.ok("-c", "region.c", "-fopenacc", "-acc=gpu", "-Minfo=all")
    assert {"plain.o", "region.o"} <= acc.files().keys()


def test_openacc_is_defined_where_a_source_asks(acc):
    acc.write(
        "asks.c", "#ifndef _OPENACC\n#error no\n#endif\n#include <openacc.h>\nacc_device_t d = acc_device_radeon;\n"
    )
    acc.ok("-c", "asks.c")
    acc.ok("-fsyntax-only", "asks.c")
    for words in (["-dM", "-E", "plain.c"], ["-E", "-dM", "-"], ["--preprocess", "-dD", "region.c"]):
        assert "#define _OPENACC 201711\n" in acc.ok(*words)
    assert "acc_device_radeon" in acc.ok("-E", "asks.c")
    assert "include/openacc.h" in acc.ok("-M", "asks.c")


class TestNeverItself:
    def test_a_symlink_named_cc_first_on_the_path(self, acc, script):
        for name in ("cc", "gcc"):
            (acc.folder / name).symlink_to(script)
        path = f"{acc.folder}:{acc.environment['PATH']}"
        for source in ("plain.c", "region.c"):
            done = acc.execute("cc", "-c", source, PATH=path)
            assert done.returncode == 0, done.stderr
        assert {"plain.o", "region.o"} <= acc.files().keys()

    def test_only_itself_on_the_path(self, acc, script, tmp_path):
        alone = tmp_path / "alone"
        alone.mkdir()
        (alone / "cc").symlink_to(script)
        for tool in ("sh", "env"):
            (alone / tool).symlink_to(shutil.which(tool))
        done = acc.execute(alone / "cc", "-c", "plain.c", PATH=str(alone))
        assert done.returncode == 1
        assert "no host compiler" in done.stderr

    def test_accshare_cc_that_leads_back(self, acc, script):
        wrapper = acc.write("wrapper-cc", f'#!/bin/sh\nexec {script} "$@"\n')
        wrapper.chmod(0o755)
        acc.ok("-c", "plain.c", ACCSHARE_CC=str(wrapper))
        acc.ok("-c", "region.c", ACCSHARE_CC=str(wrapper))

    def test_launcher_of_itself(self, acc, script):
        acc.ok(script, "-c", "plain.c")


class TestForms:
    def test_launcher(self, acc):
        assert acc.ok(shutil.which("gcc"), "--version").startswith("gcc")
        assert "clang" in acc.ok("clang", "--version")
        acc.ok("/usr/bin/cc", "-c", "region.c")
        assert b"accshare" in acc.files()["region.o"]

    def test_a_launched_cxx_compiler_is_left_alone(self, acc):
        acc.write("f.cpp", "#pragma acc kernels\nint f() { return 0; }\n")
        acc.ok(shutil.which("g++"), "-c", "f.cpp")

    def test_another_host_compiler(self, acc):
        assert "clang" in acc.ok("--version", ACCSHARE_CC="clang")
        acc.ok("-c", "region.c", ACCSHARE_CC="clang")
        assert b"clang" in acc.files()["region.o"]
        acc.ok("-c", "plain.c", ACCSHARE_CC="gcc -DEXTRA=1")

    def test_a_host_compiler_that_does_not_exist(self, acc):
        done = acc.run("-c", "plain.c", ACCSHARE_CC="no-such-compiler")
        assert done.returncode == 1
        assert "ACCSHARE_CC names no-such-compiler" in done.stderr

    @pytest.mark.skipif(shutil.which("mpicc") is None, reason="no mpicc")
    def test_below_mpicc(self, acc, script):
        acc.must("mpicc", "region.c", "-o", "region", OMPI_CC=str(script), MPICC_CC=str(script), MPICH_CC=str(script))
        assert b"accshare" in acc.files()["region"]


def test_only_the_interpreter_is_loaded_for_plain_sources(acc):
    done = acc.execute(sys.executable, "-X", "importtime", "-m", "accshare.cc", "-c", "plain.c", PYTHONPATH=os.getcwd())
    loaded = {line.rsplit("|", 1)[1].strip() for line in done.stderr.split("\n") if "import time:" in line}
    assert "accshare.driver.scan" in loaded
    assert (
        not loaded & {"re", "subprocess", "dataclasses", "typing", "json", "hashlib", "argparse", "pathlib"} - startup()
    )


def startup() -> set[str]:
    """Modules this interpreter loads by itself, before any program."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "this"], capture_output=True, text=True, check=True
    )
    return {line.rsplit("|", 1)[1].strip() for line in done.stderr.split("\n") if "import time:" in line}
