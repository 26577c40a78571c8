"""The accshare command as its user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiers import telling

SAMPLES = Path(__file__).parents[2] / "samples"

PROGRAM = """\
#include <stdio.h>
#include "factor.h"
int main(int argc, char **argv)
{
  int a[100];
#pragma acc parallel loop copyout(a[0:100])
  for (int i = 0; i < 100; i++)
    a[i] = FACTOR * i + BONUS;
  printf("%s %d\\n", argv[argc - 1], a[99]);
  return a[0];
}
"""


@pytest.fixture
def program(tmp_path):
    """A program that needs -I and -D to compile."""
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "factor.h").write_text("#define FACTOR 3\n")
    (tmp_path / "program.c").write_text(PROGRAM)
    return tmp_path / "program.c"


@pytest.mark.parametrize("joined", telling({False}, [True, False]))
def test_run_gives_flags_to_the_compiler_and_arguments_to_the_program(accshare, program, joined):
    folder = program.parent / "include"
    flags = [f"-I{folder}", "-DBONUS=7"] if joined else ["-I", folder, "-D", "BONUS=7"]
    done = accshare("run", *flags, program, "-O2", "--", "-x", "hello", ACCSHARE_OFFLOAD="mandatory")
    assert done.stdout == "hello 304\n"
    assert "accshare: launch file=" in done.stderr
    assert done.returncode == 7


def test_run_gives_the_compilers_words_and_code(accshare, program):
    done = accshare("run", program)
    assert "factor.h" in done.stderr
    assert done.returncode == 1


def test_emit_writes_what_a_compiler_takes(accshare, program, tmp_path):
    out = tmp_path / "out"
    flags = ["-I", program.parent / "include", "-DBONUS=7", "-march=native"]
    done = accshare("emit", program, *flags, "-o", out)
    assert done.returncode == 0, done.stderr
    assert sorted(Path(line).name for line in done.stdout.splitlines()) == [
        "main_l6.generic-gpu.cl",
        "main_l6.native.c",
        "program.host.i",
    ]
    assert "__kernel" in (out / "main_l6.generic-gpu.cl").read_text()
    assert "void __acc_main_l6_native_main_l6_0" in (out / "main_l6.native.c").read_text()
    only = accshare("emit", program, *flags, "--kernel", "--acc-target=generic-gpu").stdout
    assert only.count("/* ----") == 1
    assert "main_l6.generic-gpu.cl" in only
    read = accshare("emit", program, *flags).stdout
    assert read.count("/* ----") == 3
    assert "int main(int argc, char **argv)\n{" in read
    assert "extern int printf" not in read
    assert accshare("emit", program, *flags, "--all").stdout.count("extern int printf") == 1
    host = accshare("emit", program, *flags, "--host").stdout
    assert "__kernel void" not in host.split("int main(")[1]
    assert "int main(int argc, char **argv)" in host
    assert "/* ---- program.host.i" in host


def test_explain_as_text_and_json(accshare):
    text = accshare("explain", SAMPLES / "gemm.c")
    assert (text.returncode, text.stderr) == (0, "")
    assert "gemm" in text.stdout
    assert json.loads(accshare("explain", "--json", SAMPLES / "gemm.c").stdout)


def test_devices_are_listed_with_their_models(accshare, machine):
    assert accshare("devices").returncode == 0
    library = machine({"name": "Some [GPU]", "max_work_group": 512}, {"name": "Slow", "type": "cpu", "fp64": False})
    done = accshare("devices", ACCSHARE_RUNTIME=library)
    assert done.returncode == 0, done.stderr
    assert "Some [GPU]" in done.stdout
    for model in ("model some-gpu", "model slow"):
        assert model in done.stdout
    assert "512" in done.stdout


def test_without_a_device_the_way_out_is_named(accshare):
    done = accshare("devices", ACCSHARE_OPENCL="none")
    assert done.returncode == 1
    assert "accshare doctor" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "COMMAND"),
        (["explain"], 2, "FILE.c"),
        (["explain", "absent.c"], 1, "absent.c"),
        (["explain", "notes.txt"], 1, "no C file"),
        (["verify", "x.c", "--size", "n"], 2, "NAME=VALUE"),
        (["doctor", "x"], 2, "x"),
        (["explain", "x.c", "--acc-target=toaster"], 1, "toaster"),
        (["explain", "x.c", "--", "y"], 2, "accshare run"),
    ],
)
def test_what_cannot_be_done_is_said(accshare, arguments, code, said):
    done = accshare(*arguments)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == code


def test_help_names_every_command(accshare):
    done = accshare("--help")
    assert done.returncode == 0
    for command in ("explain", "emit", "run", "verify", "bench", "devices", "doctor"):
        assert command in done.stdout


@pytest.mark.thorough
def test_what_is_wrong_with_pocls_own_cache_does_not_matter(accshare, tmp_path):
    """Nor is anything written there."""
    source = tmp_path / "scale.c"
    source.write_text(
        "void scale(int n, float a[n])\n{\n#pragma acc parallel loop copy(a)\n"
        "  for (int i = 0; i < n; i++)\n    a[i] *= 2;\n}\n"
    )
    if accshare("devices").returncode != 0:
        pytest.skip("no OpenCL device")
    cache = tmp_path / "pocl"
    cache.touch()
    own = {"XDG_CACHE_HOME": str(tmp_path), "ACCSHARE_TUNING": str(tmp_path / "t.sqlite")}
    verified = accshare("verify", source, "--size", "n=100", **own)
    assert verified.returncode == 0, verified.stderr
    cache.unlink()
    tuned = accshare("tune", source, "--define", "n=100", "--choices", "1", **own)
    assert tuned.returncode == 0, tuned.stderr
    assert not cache.exists()
