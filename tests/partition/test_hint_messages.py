"""What a user is told of share hints when a region is compiled for one or more devices."""

import pytest
from commands import accshare_cc

from accshare.device import PRESETS
from accshare.options import Options, Share
from accshare.pipeline import compile_unit
from accshare.source import SourceFile

PROGRAM = """\
struct pair {{ float x, y; }};
void f(int n, int m, float A[n][n], const struct pair *restrict p, float *restrict a, float *restrict b)
{{
#pragma acc kernels loop copy(a[0:4 * n], b[0:n * n]) copyin(p[0:n])
#pragma acc share({share})
    for (int i = 1; i < n - 1; i++)
        {body}
}}
"""
ROWS = "for (int j = 0; j < n; j++)"


def messages(share, body, targets=("generic-gpu",), choice=Share.ON):
    """Number, marked text and message of all that is said of the hints, and the arrays that are staged by device."""
    source = SourceFile.of("f.c", PROGRAM.format(share=share, body=body))
    result = compile_unit(source, tuple(PRESETS[t] for t in targets), Options(share=choice), "")
    (outcome,) = result.outcomes
    assert outcome.offload is not None
    said = [(d.code, source.slice(d.span), d.message) for d in result.diagnostics if d.code.startswith("ACC5")]
    staged = {p.device.name: [s.variable.name for n in p.nests for s in n.staged] for p in outcome.partitions}
    return said, staged


@pytest.mark.parametrize(
    ("share", "body"),
    [
        ("a[TB_X + 2]", "b[i] = a[i - 1] + a[i] + a[i + 1];"),
        ("A[TB_X][TB_Y]:coalesce", ROWS + " b[i * n + j] = A[j][i];"),
        ("b[TB_X][*]:coalesce", ROWS + " b[j * n + i] = A[i][j];"),
        ("A[TB_X][TB_X]:coalesce", ROWS + " b[i * n + j] = A[j][i];"),
        ("p[*]", "{ float s = 0; for (int j = 0; j < n; j++) s += p[j].x * p[j].y; b[i] = s; }"),
        ("a[TB_X + 7]", "{ float s = 0; for (int j = 0; j < 8; j++) s += a[i + j]; b[i] = s; }"),
    ],
)
def test_a_hint_that_is_followed_is_not_talked_about(share, body):
    said, staged = messages(share, body)
    assert said == []
    assert share.partition("[")[0] in staged["generic-gpu"]


@pytest.mark.parametrize(
    ("share", "body", "code", "place", "words"),
    [
        ("a[TB_X * 1024]", "b[i] = a[i - 1] + a[i];", "ACC503", "a[TB_X * 1024]", "131072 bytes"),
        ("a[TB_X / 3]", "b[i] = a[i - 1] + a[i];", "ACC504", "TB_X / 3", "'*' is used for dimension 1 of a"),
        ("A[*][8 - TB_X]", ROWS + " b[i * n + j] = A[i][j];", "ACC505", "8 - TB_X", "for dimension 2 of A"),
        ("a[TB_X]:coalesce", "b[i] = a[i];", "ACC506", "a[TB_X]:coalesce", "already coalesces"),
        ("a[TB_X + 1]:coalesce", "b[i] = a[i - 1] + a[i] + a[i + 1];", "ACC506", "a[TB_X + 1]:coalesce", "already"),
        ("a[TB_X]", "b[i] = a[i];", "ACC507", "a[TB_X]", "each element is used once"),
        ("a[TB_X]", "b[i] = a[m];", "ACC507", "a[TB_X]", "it is one element"),
        ("A[TB_X][*]", ROWS + " b[j * n + i] = A[i + j][j];", "ACC508", "TB_X", "loops i and j"),
        ("a[TB_X]", "b[i] = a[i / 2];", "ACC508", "a[TB_X]", "isn't affine; it stays in global memory"),
        ("a[TB_X]", "if (b[i] > 0) a[i] = b[i];", "ACC508", "a[TB_X]", "under a condition that the data decides"),
        ("p[TB_X]", "{ struct pair q = p[i]; b[i] = q.x; }", "ACC508", "p[TB_X]", "whole structs"),
    ],
)
def test_a_hint_that_is_not_followed_comes_with_the_reason(share, body, code, place, words):
    said, _ = messages(share, body)
    found = [(where, message) for number, where, message in said if number == code]
    assert [where for where, _ in found] == [place]
    assert words in found[0][1]


def test_a_hint_is_a_problem_only_where_no_device_can_follow_it():
    body = ROWS + " { float s = 0; for (int k = 0; k < 8; k++) s += A[i + k][j]; b[i * n + j] = s; }"
    targets = ("rtx-4090", "generic-gpu", "generic-cpu")
    large, _ = messages("A[512][TB_X]", body, targets)
    small, _ = messages("A[300][TB_X]", body, targets)
    (told,) = [message for code, _, message in large if code == "ACC503"]
    assert "takes 65536 bytes of local memory at least, rtx-4090 has 49152" in told
    assert "ACC503" not in {code for code, _, _ in small}
    assert "ACC503" in {code for code, _, _ in messages("A[300][TB_X]", body)[0]}


def test_staging_that_is_forced_is_always_done_where_it_can_be():
    said, staged = messages("a[TB_X]", "b[i] = a[i];", ("generic-gpu", "generic-cpu"), Share.FORCE)
    assert said == []
    assert all("a" in arrays for arrays in staged.values())


def test_staging_that_is_off_is_never_done_and_never_talked_about():
    said, staged = messages("a[TB_X / 3]", "b[i] = a[i - 1] + a[i] + a[i + 1];", choice=Share.OFF)
    assert (said, staged) == ([], {"generic-gpu": []})


def test_a_build_is_not_interrupted_by_notes(tmp_path):
    (tmp_path / "f.c").write_text(PROGRAM.format(share="a[TB_X]:coalesce", body="b[i] = a[i];"))
    words = ("--acc-strict", "-c", "f.c")
    done = accshare_cc(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    done = accshare_cc(*words, "--acc-report", cwd=tmp_path)
    assert done.returncode == 0
    assert "[ACC506]" in done.stderr + done.stdout
