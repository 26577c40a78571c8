"""`accshare bench --peers`: every program, honest peers, and what is missing or wrong said."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from accshare.run.bench import add_arguments, main
from accshare.run.bench.cases import CASES, GCC
from accshare.run.bench.programs import openmp, scops

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "benchmarks/programs"
#: what WAVE is measured with, and SUPER
STENCILS = ("jacobi1d", "jacobi2d", "jacobi3d", "stencil27", "sor1d", "sor", "fdtd2d", "heat2d")
LOOPS = sorted((ROOT / "benchmarks/two_levels").glob("*.c"))
#: stands in for Pluto: all loops of a scop on one thread of several; it knows no declarations, and sizes of few loops
POLYCC = """
import re, sys
from pathlib import Path
assert sys.argv[1:7] == ["scop.c", "--tile", "--parallel", "--nocloogbacktrack", "-o", "loops.c"]
before, scop, after = re.split("#pragma (?:scop|endscop)\\n", Path("scop.c").read_text())
if re.search("float [a-z]", scop):
    sys.exit("[pluto] looking\\n[Clan] Error: syntax error at line 7, column 9.\\nnothing to do")
if sys.argv[7:]:
    assert sys.argv[7:] == ["--determine-tile-size", "--data-element-size=4"]
    assert "lhs" not in scop
Path("loops.c").write_text(before + "#pragma omp parallel\\n#pragma omp single\\n{" + scop + "}" + after)
"""


def figures(folder, *words, benchmarks=ROOT / "benchmarks", code=0) -> dict:
    """What the command wrote as JSON."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    common = ["--samples", str(ROOT / "samples"), "--benchmarks", str(benchmarks), "--size", "small", "--repeats", "2"]
    common += ["--patience", "3600"]
    assert main(parser.parse_args([*common, "--peers", "--json", str(folder / "f.json"), *words])) == code
    return json.loads((folder / "f.json").read_text())


def test_every_program_is_compared():
    assert {path.stem for path in PROGRAMS.glob("*.c")} == {case.program for case in CASES if not case.sample}
    assert {path.stem for path in (ROOT / "samples").glob("*.c")} == {case.program for case in CASES if case.sample}


@pytest.mark.parametrize(
    "program",
    sorted(
        {
            PROGRAMS / f"{case.program}.c"
            for case in CASES
            if not case.sample and case.peers != (GCC,) and not case.loops
        }
    ),
    ids=lambda path: path.stem,
)
def test_the_openmp_peer_shares_every_hot_loop(program):
    source = program.read_text()
    text = openmp(source)
    offloaded = ("#pragma acc kernels loop", "#pragma acc parallel loop", "#pragma omp parallel for")
    assert text.count("#pragma omp parallel for") == sum(map(source.count, offloaded)) > 0
    assert "#pragma acc" not in text


def test_the_openmp_peer_may_reorder_what_the_program_says_may_be():
    text = "#pragma acc loop reduction(+:s)\nfor (;;) s += a[i];\n#pragma acc loop seq\nfor (;;) ;\n"
    assert openmp(text) == "#pragma omp simd reduction(+:s)\nfor (;;) s += a[i];\n\nfor (;;) ;\n"


def test_pluto_gets_a_region_as_a_scop():
    text = """/* { */
static void f(int n, real x[restrict n])
{
#pragma acc kernels copy(x[0:n], \\
                         y[0:n])
  for (int t = 0; t < 9; t++) { /* } */
#pragma acc loop
    for (int i = 0; i < n; i++)
      x[i] *= (real)0.5;
  }
  g(x);
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    x[i] += 1;
  x[0] = (real)1;
}
"""
    assert (
        scops(text, "double")
        == """/* { */
static void f(int n, real x[restrict n])
{
#pragma scop
  for (int t = 0; t < 9; t++) { /* } */
    for (int i = 0; i < n; i++)
      x[i] *= (double)0.5;
  }
#pragma endscop
  g(x);
#pragma scop
  for (int i = 0; i < n; i++)
    x[i] += 1;
#pragma endscop
  x[0] = (real)1;
}
"""
    )


def test_pluto_gets_values_for_names_of_what_never_changes():
    text = "#pragma acc kernels\nfor (;;) {\nreal s = a[i] +\n b[i], t = 0;\nreal u = a[i] -\n  b[i];\nfloat v = 0;\n"
    text += "v += u * u;\nif (v == u) w = v;\n}\n"
    kept = "real s = a[i] +\n b[i], t = 0;\n".replace("real", "float")
    values = "\nfloat v = 0;\nv += (a[i] - b[i]) * (a[i] - b[i]);\nif (v == (a[i] - b[i])) w = v;\n}\n"
    assert scops(text, "float") == f"#pragma scop\nfor (;;) {{\n{kept}{values}#pragma endscop\n"


@pytest.mark.parametrize("file", [*(PROGRAMS / f"{name}.c" for name in STENCILS), *LOOPS], ids=lambda path: path.stem)
def test_pluto_gets_what_is_measured_of_each_program(file):
    text = scops(file.read_text(), "float")
    before, scop, after = re.split("#pragma (?:scop|endscop)\n", text)
    assert "#pragma" not in scop
    assert "real" not in scop
    assert scop.count("for") == file.read_text().count("for (") - before.count("for (") - after.count("for (")
    assert after.strip().startswith("}")


@pytest.mark.thorough
def test_programs_against_their_peers(tmp_path, capsys):
    found = figures(tmp_path, "--only", "gemm,dot")
    assert found["failures"] == []
    peers = found["peers"]
    assert set(peers["roofline"]["peak"]) == {"float", "double"}
    assert len(peers["roofline"]["bandwidth"]) > 5
    assert peers["device"]["name"]
    assert peers["threads"] > 0
    assert {(row["program"], row["real"]) for row in peers["programs"]} == {
        (program, real) for program in ("gemm", "dot") for real in ("float", "double")
    }
    for row in peers["programs"]:
        assert row["same_answer"]
        assert {"accshare", "gcc", "openmp", "naive"} <= set(row["seconds"])
        assert ("by_hand" in row["seconds"]) == (row["program"] == "gemm")
        assert ("blas" in row["seconds"]) == bool(peers["openblas"])
        against = [row["seconds"][peer] for peer in row["peers"] if peer in row["seconds"]]
        if against:
            assert row["ratio"] == pytest.approx(min(against) / row["seconds"]["accshare"])
            assert row["met"] == (row["ratio"] >= row["goal"])
        assert row["of_roof"] == pytest.approx(row["roof"]["seconds"] / row["seconds"]["accshare"])
        assert row["bound"] in ("memory", "compute", "launch")
    assert "GFLOP/s" in capsys.readouterr().out


def test_samples_run_as_a_user_would_run_them(tmp_path):
    found = figures(tmp_path, "--only", "samples/mv")
    (row,) = found["peers"]["programs"]
    assert (row["peers"], row["goal"]) == (["gcc"], 0.95)
    assert set(row["seconds"]) == {"accshare", "gcc"}
    assert row["same_answer"]


@pytest.mark.thorough
def test_loops_of_one_program_are_compared_with_polly_where_there_is_one(tmp_path, monkeypatch, capsys):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("gcc", "as", "ld", "cat", "sh"):
        (tools / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tools))
    (row,) = figures(tmp_path, "--only", "two_levels/mvt 20")["peers"]["programs"]
    assert (row["program"], row["peers"]) == ("two_levels/mvt", ["gcc", "polly", "pluto"])
    assert set(row["seconds"]) == {"accshare", "gcc"}
    assert row["same_answer"]
    assert row["missing"]["polly"] == "no clang with Polly; on Debian: apt-get install clang"
    assert "apt-get install clang" in capsys.readouterr().out
    clang = tools / "clang-99"  # understands what Polly is asked
    clang.write_text(f"#!{sys.executable}\nimport os, sys\nskip = lambda k: sys.argv[k - 1] == '-mllvm'\n")
    words = "[w for k, w in enumerate(sys.argv) if k and w != '-mllvm' and not skip(k)]"
    clang.write_text(clang.read_text() + f"os.execvp('gcc', ['gcc', *{words}])\n")
    clang.chmod(0o755)
    (row,) = figures(tmp_path, "--only", "two_levels/mvt 20")["peers"]["programs"]
    assert set(row["seconds"]) == {"accshare", "gcc", "polly"}


@pytest.mark.slow
def test_loops_are_compared_with_pluto_where_there_is_one(tmp_path, monkeypatch, capsys):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("gcc", "as", "ld"):
        (tools / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tools))
    words = ["--real", "float", "--only", "jacobi1d 67 5,two_levels/mvt 20"]
    said = "no polycc, which is Pluto's; build it from https://github.com/bondhugula/pluto"
    found = figures(tmp_path, *words)["peers"]
    assert [row["missing"]["pluto"] for row in found["programs"]] == [said, said]
    assert said in found["notes"]
    printed = capsys.readouterr().out
    assert said in printed
    assert " Pluto " not in printed
    polycc = tools / "polycc"
    polycc.write_text(f"#!{sys.executable}{POLYCC}")
    polycc.chmod(0o755)
    words[-1] += ",two_levels/penta_substitution 9,two_levels/symm 20"
    found = figures(tmp_path, *words)["peers"]
    assert " Pluto " in capsys.readouterr().out
    rows = {row["program"]: row for row in found["programs"]}
    assert all(row["same_answer"] for row in rows.values())
    assert {program for program, row in rows.items() if "pluto" in row["seconds"]} == rows.keys() - {"two_levels/symm"}
    assert rows["jacobi1d"]["peers"] == ["gcc", "openmp"]
    refused = rows["two_levels/symm"]
    assert refused["peers"] == ["gcc", "polly", "pluto"]
    why = "Pluto refuses two_levels/symm: [Clan] Error: syntax error at line 7, column 9."
    assert refused["missing"]["pluto"] == why
    assert why in found["notes"]
    assert refused["met"] is not None


@pytest.mark.thorough
def test_a_pluto_that_does_not_work_is_said(tmp_path, monkeypatch):
    polycc = tmp_path / "polycc"
    polycc.write_text("#!/bin/sh\necho wrong >&2\nexit 1\n")
    polycc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = figures(tmp_path, "--only", "jacobi1d 67 5")["peers"]
    [row] = found["programs"]
    assert set(row["seconds"]) == {"accshare", "gcc", "openmp", "naive"}
    assert "wrong" in row["missing"]["pluto"]


@pytest.mark.thorough
def test_sizes_can_be_given(tmp_path):
    found = figures(tmp_path, "--only", "mt 17 23", "--real", "double")
    assert [(row["program"], row["arguments"], row["real"]) for row in found["peers"]["programs"]] == [
        ("mt", "17 23", "double")
    ]
    assert "copy" in found["peers"]["programs"][0]["seconds"]


@pytest.mark.thorough
def test_a_missing_library_is_said_and_is_no_failure(tmp_path, capsys, monkeypatch):
    compiler = tmp_path / "gcc"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *-lopenblas*) exit 1;; esac\nexec {shutil.which("gcc")} "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = figures(tmp_path, "--only", "gemm 20 20 20", "--real", "float")
    assert found["peers"]["openblas"] == ""
    assert found["peers"]["notes"] == ["no OpenBLAS; on Debian: apt-get install libopenblas-dev"]
    (wanting,) = found["peers"]["programs"]
    assert wanting["met"] is None
    assert wanting["missing"] == {"blas": found["peers"]["notes"][0]}
    said = capsys.readouterr().out
    assert "libopenblas-dev" in said
    assert "no peer" in said


@pytest.mark.thorough
def test_a_program_that_fails_says_why_and_the_rest_goes_on(tmp_path, capsys):
    benchmarks = shutil.copytree(ROOT / "benchmarks", tmp_path / "benchmarks")
    (benchmarks / "programs/mt.c").write_text('#include "program.h"\nint main(void) { return wrong; }\n')
    found = figures(tmp_path, "--only", "mt 8 8,dot 8", "--real", "float", benchmarks=benchmarks, code=1)
    rows = {row["program"]: row for row in found["peers"]["programs"]}
    assert rows["dot"]["met"] is not None
    assert rows["mt"]["met"] is False
    assert any("mt 8 8 (float), gcc" in failure and "wrong" in failure for failure in found["failures"])
    assert "failed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only", "nothing"], "nothing: no such program"),
        (["--only", "mt 8"], "mt 8: its sizes are whole numbers, as in mt 65 67"),
        (["--benchmarks", "/nowhere"], "/nowhere"),
    ],
)
def test_what_can_not_be_compared_is_said(tmp_path, words, said):
    found = figures(tmp_path, *words, code=1)
    assert found["peers"] is None
    assert said in found["failures"][0]


@pytest.mark.slow
@pytest.mark.parametrize("program", sorted({case.name for case in CASES}))
def test_all_builds_of_a_program_agree(tmp_path, program):
    found = figures(tmp_path, "--only", program)
    assert found["failures"] == []
    assert all(row["same_answer"] and "accshare" in row["seconds"] for row in found["peers"]["programs"])
