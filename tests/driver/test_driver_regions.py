"""Sources with regions: what comes out is what the host compiler would have made, plus kernels."""

from __future__ import annotations

import os
import re
import shutil

import pytest

HAS_REGION = b"void scale_l"

RUN = [
    "region.c -o prog",
    "-O2 -Wall -Wextra -Werror -Wno-unknown-pragmas region.c -o prog -lm",
    "-std=c99 -pedantic region.c -o prog",
    "-g -O0 region.c -oprog",
    "-flto -O2 region.c -o prog",
    "-x c region.c -x none -o prog",
    "-DNDEBUG -I. -iquote . region.c -o prog -Wl,-z,now",
    "@args",
    "-fsanitize=undefined region.c -o prog",
    "-pipe -fopenacc region.c plain.c -o prog",
]


@pytest.mark.parametrize("args", RUN)
def test_the_program_prints_the_same(acc, cc, args):
    printed = []
    for compiler in (acc, cc):
        compiler.write("args", "region.c -o 'prog'")
        if "-fopenacc" in args and compiler is cc:
            args = args.replace("-fopenacc", "")
        compiler.ok(*args.split())
        printed.append(compiler.must("./prog"))
    assert printed[0] == printed[1]
    assert HAS_REGION in acc.files()["prog"] or "-flto" in args
    assert acc.files().keys() == cc.files().keys()


OUTPUTS = [
    "-c region.c",
    "-c region.c plain.c",
    "-c region.c -o sub/other.o",
    "-S region.c",
    "-c -g region.c -save-temps",
    "-c --coverage region.c",
    "--coverage region.c -o prog",
    "region.c -save-temps -o prog",
    "region.c",
    "-MD region.c -o prog",
    "-MMD region.c",
    "-c -MMD region.c -o sub/r.o",
    "-c -MD -MP -MF deps.d region.c",
    "-c -MMD -MT first -MQ second region.c plain.c",
    "-c -Wp,-MD,wp.d region.c -o sub/r.o",
    "-MMD -MF deps.d region.c plain.c -o prog",
    "-S -MMD region.c -o sub/r.s",
]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("host", "args"), [("gcc", args) for args in OUTPUTS] + [("clang", args) for args in OUTPUTS if "-M" in args]
)
def test_files_have_the_names_and_dependency_files_the_contents_they_should(acc, cc, args, host):
    for compiler in (acc, cc):
        (compiler.folder / "sub").mkdir()
    acc.ok(*args.split(), ACCSHARE_CC=host)
    cc.must(host, *args.split())
    ours, theirs = acc.files(), cc.files()
    assert ours.keys() == theirs.keys()
    assert {n: b for n, b in ours.items() if n.endswith(".d")} == {n: b for n, b in theirs.items() if n.endswith(".d")}


def test_standard_input(acc):
    text = (acc.folder / "region.c").read_text()
    acc.ok("-x", "c", "-", "-o", "prog", stdin=text)
    assert acc.must("./prog").startswith("<stdin> ")
    acc.ok("-xc", "-c", "-", stdin=text)
    assert HAS_REGION in acc.files()["-.o"]


def test_preprocessed_input(acc):
    acc.ok("-E", "region.c", "-o", "region.i")
    acc.ok("-c", "region.i", "-o", "r.o")
    assert b"scale" in acc.files()["r.o"]


def test_preprocessing_only_shows_the_pragmas(acc, cc):
    ours, theirs = acc.ok("-E", "region.c"), cc.ok("-E", "region.c")
    assert ours == theirs
    assert "#pragma acc" in ours


def test_objects_link_with_anything(acc, cc):
    acc.ok("-c", "-fPIC", "-DNO_MAIN", "region.c", "-o", "scale.o")
    main = (acc.folder / "region.c").read_text().replace("#pragma acc", "//")
    acc.write("main.c", main.replace("void scale(", "void scale(int n, int f, int a[n], const int b[n]);\nvoid s2("))
    acc.must("gcc", "main.c", "scale.o", "-o", "static")
    acc.must("ar", "rcs", "libscale.a", "scale.o")
    acc.must("gcc", "main.c", "-L.", "-lscale", "-o", "archived")
    acc.ok("-shared", "-fPIC", "-DNO_MAIN", "region.c", "-o", "libdynamic.so")
    acc.must("clang", "main.c", "-L.", "-ldynamic", "-Wl,-rpath,.", "-o", "shared")
    expected = acc.must("./static")
    assert acc.must("./archived") == expected
    assert acc.must("./shared") == expected


@pytest.mark.quick
def test_several_units_with_regions_in_one_program(acc):
    acc.write("second.c", (acc.folder / "region.c").read_text().replace("scale", "twice").replace("main", "other"))
    acc.ok("region.c", "second.c", "plain.c", "-o", "prog")
    assert b"void twice_l" in acc.files()["prog"]
    assert acc.must("./prog").startswith("region.c ")


def test_debuggers_see_the_users_file(acc):
    acc.ok("-g", "-O0", "region.c", "-o", "prog")
    info = acc.must("readelf", "--debug-dump=info", "prog")
    assert "region.c" in info
    assert str(acc.folder) in info
    assert ".i\n" not in info
    shown = acc.must("gdb", "-batch", "-ex", "info line main", "-ex", "list main", "prog")
    line = 1 + (acc.folder / "region.c").read_text().split("\n").index("int main(void)")
    assert f'Line {line + 1} of "region.c"' in shown


STEPPED = """\
void scale(int n, int f, int *restrict a, const int *restrict b)
{
  int k = 0;
#pragma acc kernels loop copyin(b[0:n]) copyout(a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = f * b[i];
  a[0] += k;
}

int main(void)
{
  int a[2], b[2] = {1, 2};
  scale(2, 2, a, b);
  return a[1] - 4;
}
"""


@pytest.mark.parametrize("host", ["gcc", "clang"])
def test_stepping_shows_the_users_lines_only(acc, host):
    acc.write("stepped.c", STEPPED)
    acc.ok("-g", "-O0", "-Wall", "-Wextra", "-Werror", "stepped.c", "-o", "prog", ACCSHARE_CC=host)
    steps = [word for _ in range(8) for word in ("-ex", "step")]
    shown = acc.must("gdb", "-q", "-batch", "-ex", "break scale", "-ex", "run", *steps, "prog", ACC_DEVICE_TYPE="host")
    lines = [line.partition("\t")[2].strip() for line in shown.split("\n") if line[:1].isdigit()]
    loop = "for (int i = 0; i < n; i++)"
    assert lines[:7] == ["int k = 0;", loop, *(["a[i] = f * b[i];", loop] * 2), "a[0] += k;"]
    assert "generated" not in shown


@pytest.mark.parametrize("host", ["gcc", "clang"])
def test_kernels_are_where_their_loops_are(acc, host):
    text = STEPPED.replace("i++)\n    a[i]", "i++) a[i]")
    acc.write("short.c", text)
    acc.ok("-g", "-O2", "short.c", "-o", "prog", ACCSHARE_CC=host)
    table = acc.must("readelf", "--debug-dump=decodedline", "prog")
    lines = [int(line) for line in re.findall(r"^short\.c +(\d+) ", table, re.MULTILINE)]
    assert lines.count(5) > 10  # kernels for several processors among them
    assert max(lines) <= text.count("\n")


def test_a_region_in_a_header(acc):
    acc.write("kernels.h", (acc.folder / "region.c").read_text())
    acc.write("uses.c", '#include "kernels.h"\n')
    acc.ok("uses.c", "-o", "prog")
    assert HAS_REGION in acc.files()["prog"]
    assert acc.must("./prog").startswith("kernels.h ")


def test_a_program_that_calls_acc_routines_finds_the_runtime(acc):
    acc.write("api.c", "#include <openacc.h>\nint main(void) { acc_init(acc_device_default); return 0; }\n")
    acc.ok("-c", "api.c")
    done = acc.run("api.o", "-o", "api")
    if done.returncode:
        pytest.skip("the runtime library is not installed")
    acc.must("./api")
    acc.ok("api.c", "-o", "at-once")
    acc.must("./at-once")


def test_fallthrough_comments_still_count(acc):
    text = (acc.folder / "region.c").read_text()
    cases = "case 1:\n    x++; /* fall through */\n  case 2:\n    x--;\n    CASES\n  NEXT case 5: NEXT case 6:;"
    macros = (
        "#define CASES /* falls through */ case 3: x++; /* FALLTHRU */ case 4: x--;\n#define NEXT x++; // fallthru\n"
    )
    switch = f"switch (x) {{\n  {cases}\n  }}\n"
    acc.write("falls.c", f"{text}{macros}int pick(int x)\n{{\n  {switch}  return x;\n}}\n")
    assert acc.run("-Wall", "-Wextra", "-Werror", "-c", "falls.c").stderr == ""
    assert HAS_REGION in acc.files()["falls.o"]


@pytest.mark.parametrize("level", ["-O1", "-O3"])
def test_memory_that_a_region_fills_is_no_warning(acc, level):
    """Host compilers warn of what nobody has set where a function takes it as constant."""
    fill = (
        "static void fill(int n, float *x)\n{\n#pragma acc kernels\n  for (int i = 0; i < n; i++)\n    x[i] = i;\n}\n"
    )
    main = "int main(void)\n{\n  float *x = malloc(1000 * sizeof *x);\n  fill(1000, x);\n  return x[999] != 999;\n}\n"
    acc.write("fresh.c", f"#include <stdlib.h>\n{fill}{main}")
    assert acc.run(level, "-Wall", "-Wextra", "-Werror", "fresh.c", "-o", "fresh").stderr == ""
    assert b"fill_l" in acc.files()["fresh"]
    acc.must("./fresh")


def test_data_stay_where_they_are_if_nothing_has_kernels(acc):
    """No device is looked for that would get copies of them: clauses that are too long do no harm."""
    acc.write(
        "data.c",
        """
#include <stdlib.h>
int main(void)
{
  int n = 1000, sum = 0, *pool = malloc(2 * n * sizeof *pool), *a = pool, *b = pool + n;
  for (int i = 0; i < n; i++)
    a[i] = b[i] = i;
#pragma acc data copy(a[0:n * sizeof *a / 2], b[0:n])
  for (int i = 0; i < n; i++)
    sum += a[i] - b[i];
  return sum != 0;
}
""",
    )
    assert acc.run("data.c", "-o", "data").returncode == 0
    acc.must("./data")


def test_comments_get_into_no_strings_and_no_names(acc):
    text = (acc.folder / "region.c").read_text().replace("int main(", "int scaled(")
    macros = "#define TEXT(x) #x\n#define JOINED(a, b) a##b\n"
    switch = "switch (argc) { case 1: argc++; /* fall through */ default: break; }"
    body = f"{switch} int JOINED(se /* c */, ven) = 7; puts(TEXT(a /* c */ + b)); return seven - 7;"
    acc.write(
        "texts.c", f"{text}{macros}#include <stdio.h>\nint main(int argc, char **argv) {{ (void)argv; {body} }}\n"
    )
    assert acc.run("-Wall", "-Wextra", "-Werror", "texts.c", "-o", "texts").stderr == ""
    assert HAS_REGION in acc.files()["texts"]
    assert acc.must("./texts") == "a + b\n"


def test_the_users_warnings_are_as_before(acc, cc):
    for compiler in (acc, cc):
        text = (compiler.folder / "region.c").read_text()
        compiler.write(
            "warns.c", text + "static int unused;\n#warning careful\nint f(int x) { if (x = 1) return 2; }\n"
        )
    flags = ("-Wall", "-Wno-unknown-pragmas")
    ours = acc.run(*flags, "-c", "warns.c").stderr
    theirs = cc.run(*flags, "-c", "warns.c").stderr
    assert sorted(line for line in ours.split("\n") if "warning:" in line) == sorted(
        line for line in theirs.split("\n") if "warning:" in line
    )
    assert "careful" in ours


@pytest.mark.parametrize(
    "mistake",
    ["int f(void) { return undeclared; }\n", '#include "no_such.h"\n', "#error stop\n", "int f( {\n", "#if\n#endif\n"],
)
@pytest.mark.parametrize(
    "args", ["-c wrong.c", "wrong.c -o prog", "-c -Wall -Werror -Wno-unknown-pragmas wrong.c plain.c"]
)
def test_erroneous_programs_are_refused_in_the_same_words(acc, cc, mistake, args):
    results = []
    for compiler in (acc, cc):
        compiler.write("wrong.c", (compiler.folder / "region.c").read_text() + mistake)
        done = compiler.run(*args.split())
        results.append((done.returncode, done.stderr, "wrong.o" in compiler.files(), "prog" in compiler.files()))
    assert results[0] == results[1]
    assert results[0][0] != 0


def test_a_failing_link_says_so(acc):
    done = acc.run("-DNO_MAIN", "region.c", "-o", "prog")
    assert done.returncode == 1
    assert "undefined reference to `main'" in done.stderr


def test_strict_stops_the_build_and_leaves_nothing(acc):
    text = (acc.folder / "region.c").read_text()
    acc.write("typo.c", text.replace("copyin", "copyinn"))
    done = acc.run("-c", "typo.c")
    assert done.returncode == 0
    assert "ACC103" in done.stderr
    assert "typo.c:7:" in done.stderr
    done = acc.run("-c", "typo.c", "-o", "strict.o", "--acc-strict")
    assert done.returncode == 1
    assert "strict.o" not in acc.files()
    assert acc.run("-c", "typo.c", "-o", "strict.o", ACCSHARE_FLAGS="--acc-strict").returncode == 1
    acc.ok("-c", "region.c", "--acc-strict")


def test_a_report_says_what_was_done(acc):
    report = acc.run("-c", "region.c", "--acc-report").stderr
    assert "scale_l7" in report
    assert "offloaded" in report
    assert acc.run("-c", "region.c").stderr == ""
    assert acc.run("-c", "region.c", "-Minfo=accel").stderr == report


@pytest.mark.parametrize("jobs", ["1", "4"])  # with several, the compiler is loaded while the file is preprocessed
@pytest.mark.parametrize(
    "fault", ["raise ImportError('isl is gone')", "import os; os.abort()", "import os; os._exit(0)"]
)
def test_whatever_breaks_in_us_the_build_goes_on(acc, fault, jobs):
    acc.write("broken/islpy.py", fault + "\n")
    broken = str(acc.folder / "broken")
    done = acc.run("-Wall", "-Werror", "region.c", "-o", "prog", PYTHONPATH=broken, ACCSHARE_JOBS=jobs)
    assert done.returncode == 0
    assert "region.c: internal error: " in done.stderr
    assert "[ACC901]" in done.stderr
    assert "Traceback" not in done.stderr
    assert acc.must("./prog").startswith("region.c ")
    assert acc.run("-c", "region.c", "--acc-strict", PYTHONPATH=broken).returncode == 1
    if fault.startswith("raise"):
        assert "Traceback" in acc.run("-c", "region.c", PYTHONPATH=broken, ACCSHARE_DEBUG="1").stderr


#: a compiler whose kernels for GPUs fail their validation
NO_GPU = """\
from accshare import pipeline
from accshare.device import DeviceKind
from accshare.diagnostics import broken

lower = pipeline.lower


def faulty(plan, *others):
    if plan.partition.device.kind is DeviceKind.GPU:
        raise broken("kernels for GPUs are wrong", None)
    return lower(plan, *others)


pipeline.lower = faulty
"""


def test_a_fault_in_one_devices_kernels_leaves_the_others(acc):
    acc.write("broken/sitecustomize.py", NO_GPU)
    broken = str(acc.folder / "broken")
    done = acc.run("--acc-target=native,generic-gpu", "region.c", "-o", "prog", PYTHONPATH=broken)
    assert "are wrong [ACC902]" in done.stderr
    assert "no kernels for generic-gpu, but for others" in done.stderr
    assert 'device="native"' in acc.execute("./prog", ACCSHARE_NOTIFY="1").stderr
    done = acc.run("--acc-target=generic-gpu", "region.c", "-o", "prog", PYTHONPATH=broken)
    assert "[ACC902]" in done.stderr
    assert "the host loops run instead" in done.stderr
    assert "launch" not in acc.execute("./prog", ACCSHARE_NOTIFY="1").stderr


def test_no_temporary_file_stays(acc, tmp_path):
    (tmp_path / "tmp").mkdir()
    acc.ok("region.c", "-o", "prog", TMPDIR=str(tmp_path / "tmp"))
    acc.run("missing.c", "region.c", "-c", TMPDIR=str(tmp_path / "tmp"))
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("compiler", "flag", "number"),
    [
        ("gcc", "-mgeneral-regs-only", "ACC704"),
        ("gcc", "-mno-sse2", "ACC704"),
        ("gcc", "-m32", "ACC707"),
        ("clang", "-m32", "ACC707"),
        ("gcc", "-DLENGTH(a,b)=a", "ACC707"),
        ("tcc", "-b", "ACC707"),
    ],
)
def test_what_the_host_compiler_can_not_compile_stays_on_the_host(acc, compiler, flag, number):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    acc.write(
        "whole.c",
        "#ifndef LENGTH\n#define LENGTH(n) n\n#endif\nvoid f(int n, int *a)\n{\n"
        "#pragma acc kernels loop copy(a[0:LENGTH(n)])\n  for (int i = 0; i < n; i++)\n    a[i]++;\n}\n",
    )
    done = acc.run("-Wall", "-Werror", flag, "-c", "whole.c", ACCSHARE_CC=compiler)
    assert (done.returncode, done.stderr.count("warning:")) == (0, 1), done.stderr
    assert f"[{number}]" in done.stderr
    if "=" not in flag:
        assert acc.run(flag, "-c", "whole.c", "--acc-strict", ACCSHARE_CC=compiler).returncode == 1


class TestCache:
    def entries(self, acc):
        return sorted((acc.folder.parent / "cache" / "units").rglob("*.json"))

    def test_an_unchanged_unit_is_not_compiled_again(self, acc):
        acc.ok("-c", "region.c")
        first = acc.files()["region.o"]
        acc.write("broken/islpy.py", "raise ImportError\n")
        again = acc.run("-c", "region.c", PYTHONPATH=str(acc.folder / "broken"))
        assert again.stderr == ""
        assert acc.files()["region.o"] == first

    def test_what_matters_makes_another_entry(self, acc):
        acc.ok("-c", "region.c")
        acc.ok("-c", "region.c", "-DSOMETHING")
        assert len(self.entries(acc)) == 1
        acc.ok("-c", "region.c", "-std=c99")
        acc.ok("-c", "region.c", "--acc-target=generic-cpu")
        acc.write("size.h", "#define SIZE 50\n")
        acc.ok("-c", "region.c")
        assert len(self.entries(acc)) == 4

    def test_diagnostics_are_kept(self, acc):
        acc.write("typo.c", (acc.folder / "region.c").read_text().replace("copyin", "copyinn"))
        assert acc.run("-c", "typo.c").stderr == acc.run("-c", "typo.c").stderr != ""

    @pytest.mark.parametrize("damage", [b"", b"{", b"{}", b'{"host": "", "report": "", "diagnostics": [[1]]}'])
    def test_a_corrupt_entry_is_replaced(self, acc, damage):
        acc.ok("region.c", "-o", "prog")
        (entry,) = self.entries(acc)
        good = entry.read_bytes()
        entry.write_bytes(damage)
        acc.ok("region.c", "-o", "prog")
        assert entry.read_bytes() == good

    def test_a_folder_that_can_not_be_written(self, acc, tmp_path):
        (tmp_path / "file").write_text("")
        done = acc.run("-c", "region.c", ACCSHARE_CACHE_DIR=str(tmp_path / "file"))
        assert (done.returncode, done.stderr) == (0, "")

    def test_off(self, acc):
        acc.ok("-c", "region.c", "--acc-no-cache")
        assert self.entries(acc) == []


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_two_compilations_at_once(acc):
    for index in range(3):
        acc.write(f"r{index}.c", (acc.folder / "region.c").read_text())
    acc.write("Makefile", "all: $(patsubst %.c,%.o,$(wildcard r?.c))\n")
    acc.must("make", "-j3", f"CC={acc.program}", "CFLAGS=-MMD -O1")
    assert all(HAS_REGION in acc.files()[f"r{index}.o"] for index in range(3))
    assert os.path.exists(acc.folder / "r2.d")


def test_code_around_a_region_may_be_nested_deeply(acc):
    deep = f"int deep(int v)\n{{\n  return {'- ' * 6000}v;\n}}\n"
    acc.write("deep.c", deep + (acc.folder / "region.c").read_text())
    acc.ok("--acc-strict", "--acc-target=generic-cpu", "deep.c", "-o", "prog")
    assert HAS_REGION in acc.files()["prog"]


@pytest.mark.parametrize("sources", [("plain.c", "region.c"), ("region.c", "plain.c")])
def test_names_given_to_several_sources_are_those_of_the_host_compiler(acc, cc, sources):
    for one in (acc, cc):
        one.ok("-c", "-dumpdir", "d-", "-dumpbase", "X", "-fstack-usage", "-Wno-unknown-pragmas", *sources)
    assert acc.files().keys() == cc.files().keys()


MANY = "".join(
    f"""
void work{k}(int n, float *restrict a, const float *restrict b, float (*call)(float))
{{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        a[i] = {"call(b[i])" if k == 2 else f"b[i] * {k}"};
}}
"""
    for k in range(5)
)


def test_regions_that_are_compiled_side_by_side_come_to_the_same(acc):
    acc.write("many.c", MANY)
    one, three = (
        acc.run("--acc-no-cache", "-O1", "-c", "many.c", "-o", f"{jobs}.o", ACCSHARE_JOBS=jobs) for jobs in "13"
    )
    assert one.returncode == three.returncode == 0
    assert "called through a pointer [ACC204]" in one.stderr
    assert one.stderr == three.stderr
    files = acc.files()
    assert files["1.o"] == files["3.o"]
