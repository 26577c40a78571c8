"""`accshare bench`: fair peers, honest failures, figures that can be read by a program."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from accshare.run.bench import add_arguments, main
from accshare.run.bench.programs import PROBLEMS, openmp

SAMPLES = Path(__file__).parent.parent / "samples"


def bench(*words, draw=None) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return main(parser.parse_args(["--samples", str(SAMPLES), *words]), draw)


@pytest.mark.parametrize("sample", PROBLEMS)
def test_the_openmp_peer_shares_each_hot_loop_among_cores(sample):
    text = openmp((SAMPLES / f"{sample}.c").read_text())
    lines = text.splitlines()
    (pragma,) = [number for number, line in enumerate(lines) if "#pragma omp parallel for" in line]
    following = next(line for line in lines[pragma + 1 :] if line.strip())
    assert following.lstrip().startswith("for (")
    assert "acc" not in "".join(line for line in lines if "#pragma" in line)


def test_the_openmp_peer_keeps_reductions():
    text = "#pragma acc parallel loop reduction(+:s) \\\n    copyin(a) reduction(max: m)\nfor (;;) ;\n"
    assert openmp(text) == "#pragma omp parallel for reduction(+:s) reduction(max: m)\nfor (;;) ;\n"


def test_figures_of_a_program(tmp_path, capsys):
    words = ("--only", "reduction", "--size", "small", "--repeats", "2", "--json", str(tmp_path / "f.json"))
    assert bench(*words) == 0
    figures = json.loads((tmp_path / "f.json").read_text())
    assert figures["failures"] == []
    assert [program["sample"] for program in figures["programs"]] == ["reduction"]
    for program in figures["programs"]:
        assert program["same_answer"]
        ours = program["accshare"]
        assert ours["device"]
        assert ours["kernel"] > 0
        assert 0 < ours["best"] <= ours["first"]
        assert program["ratios"]["gcc"] == pytest.approx(program["gcc"]["best"] / ours["best"])
    assert "reduction" in capsys.readouterr().out


@pytest.mark.thorough
def test_figures_of_the_compiler(capsys):
    assert bench("--compile", "--repeats", "1", "--json", "-") == 0
    figures = json.loads(capsys.readouterr().out)["compile"]
    assert figures["accshare"] > figures["host"] > 0
    assert figures["cached"] > 0
    assert [seconds > 0 for _, seconds in figures["mapping"]] == [True, True]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--only", "nothing"], "nothing: no such sample"), (["--samples", "/nowhere"], "/nowhere/mt.c")],
)
def test_what_could_not_be_measured_is_said(capsys, words, said):
    assert bench(*words) == 1
    assert said in capsys.readouterr().out.replace("\n", "")


@pytest.mark.slow
def test_an_ablation_adds_one_step_after_another(tmp_path, capsys):
    words = ("--ablation", "--only", "gemm,mt", "--size", "small", "--repeats", "1", "--target", "generic-gpu")
    assert bench(*words, "--budget", "600", "--choices", "2", "--json", str(tmp_path / "f.json")) == 0
    figures = json.loads((tmp_path / "f.json").read_text())
    assert [one["sample"] for one in figures["ablation"]] == ["gemm", "mt"]
    for one in figures["ablation"]:
        assert one["same_answer"]
        assert list(one["seconds"]) == ["naive", "+share", "+banks", "+ILP", "+time", "tuned"]
        assert min(one["seconds"].values()) > 0
        assert set(one["factors"]) == {"+time", "tuned"}
    assert "tuned" in capsys.readouterr().out


@pytest.mark.thorough
def test_an_ablation_is_drawn(tmp_path):
    plotting = pytest.importorskip("accshare.run.bench.plot", exc_type=ImportError)
    picture = tmp_path / "steps.svg"
    words = ("--ablation", "--only", "mv", "--size", "small", "--repeats", "1", "--budget", "0")
    assert bench(*words, "--target=generic-gpu", "--plot", str(picture), draw=plotting.plot) == 0
    drawn = picture.read_text()
    assert all(word in drawn for word in ("mv", "naive", "+share", "+banks", "+ILP", "+time"))
    assert "tuned" not in drawn
