"""Host compilers that don't know GNU C: kernels, and all that is generated beside them, in standard C."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import accshare, accshare_cc
from tiers import telling

HERE = Path(__file__).parent
TESTS = HERE.parent
#: with their own expectations; tcc 0.9.27 knows no parameters such as ``float A[n][n]``
STATED = (
    *(f"native/programs/{name}" for name in ["aliases", "columns", "few_long", "indices", "lines", "looked_up"]),
    *(f"native/programs/{name}" for name in ["nearest", "patches", "conversions", "products", "ragged", "triangles"]),
    *(f"programs/{name}" for name in ["filters", "known_starts", "own_mathematics", "presence", "pointers_to_rows"]),
    *(f"programs/{name}" for name in ["device_address", "read_again", "small_numbers", "struct_vectors"]),
)
#: that print what their loops compute
COMPARED = ["any_order", "closed", "neighbours", "one_pass", "phased", "reordered", "split", "squares", "turned"]
#: gcc as a compiler of C11 and nothing else, told in lines that are C's too
STRICT = r"""#!/bin/bash
set -o pipefail
words="-std=c11 -U__GNUC__ -U__GNUC_MINOR__ -U__GNUC_PATCHLEVEL__ -D_GNU_SOURCE"
for bits in 32 64 32x 64x 128; do words="$words -D_Float$bits=_Float${bits}_"; done
for word in "$@"; do
  if [ "$word" = -E ]; then
    gcc $words "$@" | grep -v '^#define __GNUC'
    exit
  fi
done
strict=
for word in "$@"; do
  case "$word" in
  *.i)
    sed -i 's/^# 0/# 1/; s/^# \([0-9]* "[^"]*"\).*/#line \1/' "$word"
    strict="-pedantic-errors -Wno-builtin-declaration-mismatch"
    ;;
  esac
done
exec gcc $words "$@" $strict
"""

needs_tcc = pytest.mark.skipif(not shutil.which("tcc"), reason="there is no tcc")


@pytest.fixture
def strict(tmp_path):
    compiler = tmp_path / "strict-c11"
    compiler.write_text(STRICT)
    compiler.chmod(0o755)
    return compiler


def stated(source, word):
    return re.findall(rf"^// {word}: (.*)$", source.read_text(), re.MULTILINE)


def built(compiler, binary, *words, said=()):
    """A program by a compiler behind ours, which says no more than it should."""
    own = {**os.environ, "ACCSHARE_CC": str(compiler)}
    libraries = [] if "-c" in words else ["-lm"]
    done = accshare_cc("--acc-target=native", *words, "-o", binary, *libraries, env=own)
    assert done.returncode == 0, done.stderr
    assert set(re.findall(r"\[(ACC[79]\d\d)\]", done.stderr)) == set(said), done.stderr
    return binary


def run(binary, **variables):
    """What a program prints, and the launches of native kernels."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ACC")}
    own = {"ACCSHARE_NOTIFY": "1", "ACCSHARE_BREAK_EVEN": "0", "ACCSHARE_LEARN": "off", **variables}
    done = subprocess.run([binary], env=kept | own, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    launches = re.findall(r'^accshare: launch .* device="native" .* variant=native ', done.stderr, re.MULTILINE)
    return done.stdout, len(launches)


def check(source, binary):
    printed, launches = run(binary)
    assert printed.splitlines() == stated(source, "prints")
    words = ("plainly launches", "natively launches", "launches")
    assert [str(launches)] == next(found for word in words if (found := stated(source, word)))


@needs_tcc
@pytest.mark.parametrize("name", telling(STATED[::2], STATED, {"native/programs/products"}))
def test_programs_by_tcc_print_what_they_say(name, tmp_path):
    source = TESTS / f"{name}.c"
    check(source, built("tcc", tmp_path / "program", source))


@needs_tcc
@pytest.mark.parametrize("name", telling(COMPARED[::3], COMPARED))
def test_orders_of_loops_compute_what_tcc_alone_does(name, tmp_path):
    source = TESTS / "order" / "programs" / f"{name}.c"
    alone = tmp_path / "alone"
    subprocess.run(["tcc", source, "-o", alone, "-lm"], check=True, capture_output=True)
    printed, launches = run(built("tcc", tmp_path / "program", source))
    assert printed == subprocess.run([alone], capture_output=True, text=True, check=True).stdout
    assert launches


@pytest.mark.parametrize("name", telling(STATED[1::4], STATED, {"native/programs/products"}, set(STATED[::2])))
def test_what_is_generated_is_c11(name, strict, tmp_path):
    source = TESTS / f"{name}.c"
    check(source, built(strict, tmp_path / "program", source))


MAIN = """
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <openacc.h>
#include <stdio.h>
enum { N = 1000 };
struct half { int n; float *part; };
extern float total(int n, const float *x);
float g[N];
int main(void)
{
  float x[N], y[N], scale = 2;
  struct half low = { N / 2, y };
  for (int i = 0; i < N; i++)
    x[i] = i;
  errno = 77;
#pragma acc data copy(x) copyin(scale, g) create(low.part[0:low.n])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      x[i] = scale * x[i] + g[i] + sqrtf(4);
#pragma acc update self(x[0:10]) if(low.n > 3)
  }
  printf("%d %g %g %d\\n", errno, total(N, x), x[9], PRESENT);
  return dlsym(0, "nothing") != 0;
}
"""
TOTAL = """
float total(int n, const float *x)
{
  float s = 0;
#pragma acc parallel loop reduction(+:s)
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}
"""
ANSWER = "77 1.001e+06 20 1\n"


@needs_tcc
def test_objects_and_libraries_of_tcc_link_however_they_are_linked(tmp_path):
    main, other = tmp_path / "main.c", tmp_path / "total.c"
    main.write_text(MAIN)
    other.write_text(TOTAL)
    calls, alone = "-DPRESENT=acc_is_present(x,4)", "-DPRESENT=1"
    assert run(built("tcc", tmp_path / "both", "-g", calls, main, other)) == (ANSWER, 3)
    library = built("tcc", tmp_path / "libtotal.so", "-shared", other)
    linked = built("tcc", tmp_path / "linked", alone, main, f"-L{tmp_path}", "-ltotal", f"-Wl,-rpath,{tmp_path}")
    assert library.exists()
    assert run(linked) == (ANSWER, 3)
    objects = [built("tcc", tmp_path / f"{source.stem}.o", alone, "-c", source) for source in (main, other)]
    for command in (["tcc"], ["gcc"]):
        subprocess.run([*command, *objects, "-o", tmp_path / "apart", "-lm"], check=True, capture_output=True)
        assert run(tmp_path / "apart") == (ANSWER, 3)
    subprocess.run(["gcc", "-static", *objects, "-o", tmp_path / "static", "-lm"], check=True, capture_output=True)
    assert run(tmp_path / "static") == (ANSWER, 0)


@needs_tcc
def test_tcc_in_a_makefile(tmp_path):
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "total.c").write_text(TOTAL)
    (tmp_path / "Makefile").write_text("CFLAGS = -g -DPRESENT=1\nLDLIBS = -lm\nmain: main.o total.o\n")
    command = ["make", f"CC={Path(sys.executable).parent / 'accshare-cc'}"]
    own = {**os.environ, "ACCSHARE_CC": "tcc"}
    done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert run(tmp_path / "main") == (ANSWER, 3)


@needs_tcc
def test_programs_that_tcc_runs_itself(tmp_path):
    source = tmp_path / "main.c"
    source.write_text(MAIN + TOTAL)
    own = {**os.environ, "ACCSHARE_CC": "tcc"}
    done = accshare_cc("-w", "-DPRESENT=1", "-lm", "-run", source, env=own)
    assert (done.stdout, done.returncode) == (ANSWER, 0), done.stderr


@needs_tcc
def test_regions_are_verified_with_tcc(tmp_path):
    source = tmp_path / "total.c"
    source.write_text(TOTAL)
    done = accshare("verify", "--acc-target=native", source, env={**os.environ, "ACCSHARE_CC": "tcc"})
    assert "1 of 1 region gives the host's answer" in done.stdout, done.stdout + done.stderr


HOSTED = {
    "atomics": """
#pragma acc parallel loop
  for (int i = 0; i < 1000; i++)
#pragma acc atomic
    a[i % 7] += i;
""",
    "packed": """
#pragma pack(push, 1)
  static struct { char c; int n; } s[1000];
#pragma pack(pop)
#pragma acc parallel loop
  for (int i = 0; i < 1000; i++)
    s[i].n = i;
  for (int i = 0; i < 1000; i++)
    a[i % 7] += s[i].n;
""",
    "declare": """
  int t[1000];
#pragma acc declare create(t)
#pragma acc parallel loop
  for (int i = 0; i < 1000; i++)
    t[i] = i;
#pragma acc update self(t)
  for (int i = 0; i < 1000; i++)
    a[i % 7] += t[i];
""",
}


@needs_tcc
@pytest.mark.parametrize("what", HOSTED)
def test_what_standard_c_has_no_words_for_runs_on_the_host(what, tmp_path):
    source = tmp_path / "program.c"
    tail = '  printf("%d %d\\n", a[0], a[6]);\n  return 0;\n}\n'
    source.write_text(f"#include <stdio.h>\nint main(void)\n{{\n  static int a[7];\n{HOSTED[what]}{tail}")
    assert run(built("tcc", tmp_path / "program", source, said=["ACC707"])) == ("71071 70929\n", 0)
