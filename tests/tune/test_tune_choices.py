"""``--acc-choose``: sizes are as asked for, or the compiler's own with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
from choosing import SAMPLES, choices, job

from accshare.driver import words as w
from accshare.driver.own import options_of
from accshare.options import Choice
from accshare.pipeline import compile_unit
from accshare.run.tune.show import sizes_of
from accshare.run.tune.work import survey


def compiled(sample="gemm", target="generic-gpu", choose=""):
    """The sample's kernels (work-group, local arrays) and text, and the numbers of what was said."""
    asked = job(SAMPLES / f"{sample}.c", target, *([f"--acc-choose={choose}"] if choose else []))
    result = compile_unit(asked.source, (asked.device,), asked.options, "")
    (text,) = result.output.regions[0].variants
    (kernel,) = text.variant.kernels
    tiles = [buffer.lengths for buffer in kernel.local]
    return kernel.work_group, tiles, text.opencl, {d.code for d in result.diagnostics}


def test_a_work_group_and_strips_are_as_asked():
    group, tiles, _, said = compiled(choose="gemm_l12_0:TB_X=64,TB_Y=4,l=16,STAGE=on")
    assert (group, tiles) == ((64, 4, 1), [(4, 16), (16, 64)])
    assert "ACC509" not in said


def test_nothing_is_staged_where_that_is_asked():
    group, tiles, _, said = compiled(choose="gemm_l12_0:TB_X=16,TB_Y=16,STAGE=off")
    assert (group, tiles) == ((16, 16, 1), [])
    assert "ACC509" not in said


def test_padding_is_as_asked():
    _, tiles, _, _ = compiled(choose="gemm_l12_0:TB_X=64,TB_Y=4,l=16,STAGE=on,PAD=3")
    assert [row for *_, row in tiles] == [19, 67]


def test_a_work_item_runs_as_many_iterations_as_asked():
    group, tiles, _, _ = compiled(choose="gemm_l12_0:TB_X=32,TB_Y=8,l=32,STAGE=on,ILP_X=4,ILP_Y=8")
    assert group == (32, 8, 1)
    assert tiles == [(64, 32), (32, 128)]


def test_a_core_takes_the_tile_that_is_asked():
    _, _, text, said = compiled("mt", "generic-cpu", "transpose_l12_0:TB_X=16,TB_Y=64")
    assert "ACC509" not in said
    assert "get_group_id(0) * 16" in text
    assert "get_group_id(1) * 64" in text


@pytest.mark.parametrize(
    "sizes", ["TB_X=4096,STAGE=off", "TB_X=48,STAGE=on", "q=7", "l=3", "TB_Z=2,STAGE=off", "l=8,STAGE=off"]
)
def test_what_can_not_be_had_is_told_and_changes_nothing(sizes):
    group, tiles, text, said = compiled(choose=f"gemm_l12_0:{sizes}")
    assert "ACC509" in said
    assert (group, tiles, text) == compiled()[:3]


def test_the_last_word_counts_and_other_kernels_are_left_alone():
    asked = job(SAMPLES / "gemm.c", "generic-gpu", "--acc-choose=f_l1_0:TB_X=8", "--acc-choose=f_l1_0:TB_X=4")
    assert asked.options.choice("f_l1_0") == Choice("f_l1_0", (("TB_X", 4),))
    assert compiled(choose="f_l1_0:TB_X=8,STAGE=off") == compiled()


@pytest.mark.parametrize(
    "text", ["", "gemm", "gemm:", ":TB_X=3", "gemm:TB_X", "gemm:TB_X=0", "gemm:TB_X=2,TB_X=4", "gemm:STAGE=2"]
)
def test_what_is_no_choice_is_told(text):
    _, problems = options_of(w.split([f"--acc-choose={text}"]))
    assert [problem.code for problem in problems] == ["ACC702"]


@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu"])
@pytest.mark.parametrize("sample", ["gemm", "mv", "hotspot"])
def test_choices_are_written_as_they_are_read(sample, target):
    asked = job(SAMPLES / f"{sample}.c", target)
    (region,) = survey(asked)
    (kernel,) = region.kernels
    tried = choices(kernel)
    assert len(tried) > 10
    for sizes in tried:
        options, problems = options_of(w.split([f"--acc-choose={kernel.name}:{sizes_of(sizes)}"]))
        assert problems == ()
        assert options.choices == (Choice(kernel.name, sizes),)


def test_a_region_is_known_again_by_what_it_does():
    def identity(change):
        asked = job(SAMPLES / "mt.c", "generic-gpu")
        text = change(asked.source.text)
        assert text != asked.source.text
        (region,) = survey(replace(asked, source=replace(asked.source, text=text)))
        return region.identity

    (known,) = survey(job(SAMPLES / "mt.c", "generic-cpu"))
    moved = identity(lambda text: "\n\n/* more */\n" + text.replace("static void transpose(", "\nstatic void turned("))
    assert moved == known.identity
    assert identity(lambda text: text.replace("B[i][j] = A[j][i]", "B[i][j] = A[j][i] + 1")) != known.identity
    assert identity(lambda text: text.replace("share(A", "share(B")) != known.identity
