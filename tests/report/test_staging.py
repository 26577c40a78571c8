"""What the report says of tiles in local memory, on real programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from accshare.options import Options, Share
from accshare.report import explain, to_json

SAMPLES = Path(__file__).parent.parent.parent / "samples"

LINEAR = """
void gemm(int m, int n, int k, const float *restrict A, const float *restrict B, float *restrict C)
{
    #pragma acc kernels loop copyin(A[0:m*k], B[0:k*n]) copy(C[0:m*n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int l = 0; l < k; l++) sum += A[i * k + l] * B[l * n + j];
            C[i * n + j] = sum;
        }
}
"""
BEHIND = """
void shift(int n, float *restrict a, const float *restrict b)
{
    #pragma acc kernels loop
    #pragma acc share(b[TB_X + 3])
    for (int i = 3; i < n; i++) a[i] = b[i] + b[i - 1] + b[i - 2] + b[i - 3];
}
"""
SCALE = """
void scale(int n, float *restrict a, const float *restrict b)
{
    #pragma acc kernels loop
    #pragma acc share(b[TB_X])
    for (int i = 0; i < n; i++) a[i] = 2.0f * b[i];
}
"""


STAGED = Options(share=Share.ON)


@pytest.fixture
def compiled(compiled):
    """Compiles with local memory wherever that saves traffic."""
    return lambda what, options=STAGED: compiled(what, options)


def region_of(compiled, what, options=STAGED):
    (region, *_) = json.loads(to_json(*compiled(what, options)))["regions"]
    return region


def staging_of(region, target="generic-gpu"):
    (kernel,) = region["kernels"]
    (found,) = [one for one in kernel["staging"] if one["target"] == target]
    return found


def arrays_of(staging):
    return {array["name"]: array for array in staging["arrays"]}


def parameters(plan):
    return {one["name"]: one["value"] for one in plan["parameters"]}


def tile(array):
    return [axis["length"] for axis in array["tile"]]


def test_gemms_tiles_follow_the_plan(compiled):
    region = region_of(compiled, SAMPLES / "gemm.c")
    staging = staging_of(region)
    arrays, best = arrays_of(staging), parameters(staging["best"])
    assert {name: array["role"] for name, array in arrays.items()} == {"A": "seed", "B": "seed", "C": "inferred"}
    assert {name: array["staged"] for name, array in arrays.items()} == {"A": True, "B": True, "C": False}
    assert tile(arrays["A"]) == [best["TB_Y"], best["l"]]
    assert tile(arrays["B"]) == [best["l"], best["TB_X"]]
    assert [axis["runs"] for axis in arrays["B"]["tile"]] == ["strip", "grid"]
    assert [axis["iterator"] for axis in arrays["A"]["tile"]] == ["i", "l"]
    assert (arrays["A"]["loaded"], arrays["A"]["loop"]) == ("strip", "l")
    assert arrays["A"]["copied_in"]
    assert not arrays["A"]["stored_back"]
    assert not arrays["A"]["coalesced"]
    assert arrays["B"]["coalesced"]
    assert arrays["A"]["bytes"] == 4 * best["TB_Y"] * best["l"]
    assert staging["best"]["local_bytes"] == arrays["A"]["bytes"] + arrays["B"]["bytes"]
    assert arrays["A"]["ratio"] == best["TB_X"] > staging["delta_r"]


def test_the_plans_are_ranked(compiled):
    staging = staging_of(region_of(compiled, SAMPLES / "gemm.c"))
    gains = [plan["gain"] for plan in staging["surface"]]
    assert gains == sorted(gains, reverse=True)
    assert staging["surface"][0] == staging["best"]
    assert staging["best"]["gain"] >= staging["runner_up"]["gain"]
    assert staging["best"] != staging["runner_up"]
    blocks = [(parameters(plan)["TB_X"], parameters(plan)["TB_Y"]) for plan in staging["surface"]]
    assert len(set(blocks)) == len(blocks) <= staging["plans"]
    assert all(x * y <= 256 for x, y in blocks)


def test_a_loop_in_strips_says_so(compiled):
    region = region_of(compiled, SAMPLES / "gemm.c")
    strips = {loop["iterator"]: loop["strips"] for loop in region["loops"]}
    size = parameters(staging_of(region)["best"])["l"]
    name = region["kernels"][0]["name"]
    assert strips["l"] == [
        {"kernel": name, "target": "generic-gpu", "size": size},
        {"kernel": name, "target": "generic-cpu", "size": 128},
    ]
    assert strips["i"] == strips["j"] == []
    text = explain(*compiled(SAMPLES / "gemm.c"))
    both = f"in strips of {size} (generic-gpu), in strips of 128 (generic-cpu): "
    assert f"loop l sequential in the work-item, {both}" in text


def test_hints_that_are_followed_name_the_targets(compiled):
    hints = region_of(compiled, SAMPLES / "gemm.c")["hints"]
    assert [(hint["array"], hint["staged"], hint["targets"]) for hint in hints] == [
        ("A", True, ["generic-gpu"]),
        ("B", True, ["generic-gpu", "generic-cpu"]),
    ]
    text = explain(*compiled(SAMPLES / "gemm.c"))
    assert "share(A) staged in local memory on generic-gpu\n" in text
    assert "share(B) staged in local memory on generic-gpu, generic-cpu\n" in text


def test_a_linearised_array_has_the_tile_of_its_rows_and_columns(compiled):
    arrays = arrays_of(staging_of(region_of(compiled, LINEAR)))
    assert [axis["iterator"] for axis in arrays["A"]["tile"]] == ["i", "l"]
    assert [axis["iterator"] for axis in arrays["B"]["tile"]] == ["l", "j"]
    assert arrays["A"]["tile"][1]["extent"] == "k"
    assert {array["role"] for array in arrays.values()} == {"seed"}


@pytest.mark.parametrize(
    ("what", "name", "halo"),
    [
        (SAMPLES / "hotspot.c", "now", [(1, 1), (1, 1)]),
        (SAMPLES / "hotspot.c", "power", [(0, 0), (0, 0)]),
        (SAMPLES / "gauss.c", "in", [(2, 2), (2, 2)]),
        (BEHIND, "b", [(3, 0)]),
    ],
)
def test_a_halo_is_told_from_the_block_it_surrounds(compiled, what, name, halo):
    array = arrays_of(staging_of(region_of(compiled, what)))[name]
    assert [(axis["lower"], axis["upper"]) for axis in array["tile"]] == halo


def test_what_would_take_longer_is_left_alone_and_both_figures_are_told(compiled):
    text = explain(*compiled(SAMPLES / "hotspot.c", Options()))
    assert re.search(
        r"now \(seed\) left alone: with it, the kernel is estimated to take [\d.]+ times as long: \d+ clocks, bound by "
        r"[\w ]+; without, \d+ clocks, bound by [\w ]+ \[ACC507\]$",
        text,
        re.MULTILINE,
    )
    region = region_of(compiled, SAMPLES / "hotspot.c", Options())
    assert staging_of(region)["best"] is None
    assert not any(array["staged"] for array in staging_of(region)["arrays"])


def test_what_is_loaded_once_is_loaded_on_entry(compiled):
    array = arrays_of(staging_of(region_of(compiled, SAMPLES / "hotspot.c")))["now"]
    assert (array["loaded"], array["loop"]) == ("entry", None)
    assert re.search(r"now\[\d+\]\[\d+\] \(seed\) loaded on entry\b", explain(*compiled(SAMPLES / "hotspot.c")))


def test_an_array_left_alone_says_why_once(compiled):
    region = region_of(compiled, SCALE)
    staging = staging_of(region)
    assert not any(array["staged"] for array in staging["arrays"])
    assert arrays_of(staging)["b"]["why"]
    text = explain(*compiled(SCALE))
    assert "share(b) can be followed; nothing is staged in local memory" in text
    (left,) = re.findall(r"b \(seed\)[^\n]* left alone: (.*) \[ACC507\]$", text, re.MULTILINE)
    assert left == arrays_of(staging)["b"]["why"]
    assert "note: " not in text


def test_a_cpu_says_what_it_packs(compiled):
    lines = [line.strip() for line in explain(*compiled(SAMPLES / "gemm.c")).splitlines()]
    (start,) = (k for k, line in enumerate(lines) if line.startswith("packed on generic-cpu: 32 KiB a work-group; "))
    assert lines[start + 1].startswith("B[128][64] (seed) loaded for each strip of loop l: all rows of the tile use it")
    assert "A (seed), C (inferred) left alone: local memory is ordinary memory here" in lines[start + 3]


def test_a_cpu_keeps_nothing_and_says_why_in_a_line(compiled):
    text = explain(*compiled(SAMPLES / "mt.c"))
    (line,) = [line for line in text.splitlines() if "local memory on generic-cpu" in line]
    assert line.strip().startswith("local memory on generic-cpu not used: ")


def test_without_sharing_nothing_is_staged(compiled):
    region = region_of(compiled, SAMPLES / "gemm.c", Options(share=Share.OFF))
    assert not any(array["staged"] for kernel in region["kernels"] for s in kernel["staging"] for array in s["arrays"])
    assert not any(hint["staged"] for hint in region["hints"])
    assert "share(A, B) not used" in explain(*compiled(SAMPLES / "gemm.c", Options(share=Share.OFF)))


def test_the_decision_reads_in_a_line(compiled):
    staging = staging_of(region_of(compiled, SAMPLES / "gemm.c"))
    best = parameters(staging["best"])
    text = explain(*compiled(SAMPLES / "gemm.c"))
    assert f"a work-group; TB_X={best['TB_X']}, TB_Y={best['TB_Y']}, strips of {best['l']} along l\n" in text
    assert f"best of {staging['plans']} plans; next: " in text
    assert f"; bound by {staging['binding']}\n" in text
    assert "estimated with k = " in text


TWICE = """
void square(int n, float m[restrict n][n], float o[restrict n][n])
{
    #pragma acc kernels loop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++) s += m[i][k] * m[k][j];
            o[i][j] = s;
        }
}
"""


def test_two_tiles_of_an_array_are_told_apart(compiled):
    text = explain(*compiled(TWICE))
    assert re.search(r"m\[\d+\]\[\d+\] \(seed, m\[i\]\[k\]\) loaded for each strip of loop k", text)
    assert re.search(r"m\[\d+\]\[\d+\] \(seed, m\[k\]\[j\]\) loaded for each strip of loop k", text)
    assert "o (seed) left alone" in text


def test_plans_are_compared_for_as_many_iterations_as_work_items(compiled):
    staging = staging_of(region_of(compiled, SAMPLES / "gauss.c"))
    for plan in staging["surface"]:
        block = parameters(plan)
        iterations = block["TB_X"] * block["TB_Y"]
        assert plan["gain"] == pytest.approx(plan["profit"] * min(1, 256 / iterations), abs=1)
    assert staging["best"]["gain"] == max(plan["gain"] for plan in staging["surface"])


def test_wide_copies_are_told(compiled):
    array = arrays_of(staging_of(region_of(compiled, SAMPLES / "gemm.c")))["B"]
    assert array["width"] in {1, 2, 4, 8, 16}
    said = f"loaded for each strip of loop l, {array['width']} elements at once: "
    assert (said in explain(*compiled(SAMPLES / "gemm.c"))) == (array["width"] > 1)
