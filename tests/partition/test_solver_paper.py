"""SHARE's own example has SHARE's own numbers: formulas (12) to (17) of section 3.2.3, on one of its GPUs.

(12) counts transactions of 256 bytes and (13) takes a quarter of the local memory, so that is what is set.
"""

import pytest
from solving import array, kernel, sample, staged, strips, tiles

from accshare.device import PRESETS
from accshare.mapping.staging.features import delta_s as part_of
from accshare.options import Options

N = 1024


def gemm(n, hint="A[TB_Y][*]:coalesce, B[*][TB_X]", **more):
    body = f"for (int i = 0; i < {n}; i++) for (int j = 0; j < {n}; j++) {{ float s = 0;"
    body += f" for (int k = 0; k < {n}; k++) s += A[i][k] * B[k][j]; C[i][j] = s; }}"
    return kernel(body, hint, f"float A[{n}][{n}], float B[{n}][{n}], float C[{n}][{n}]", **more)


@pytest.mark.parametrize("n", [128, 512, 1000, 4096])
@pytest.mark.parametrize("part", [0.25, 1.0])
def test_the_profit_is_that_of_formula_12(n, part):
    """Where both arrays are reused, so that TB_Y exceeds delta_r, and strips are long enough to be copied coalesced."""
    whole = [dict(p.sizes) | {"profit": p.profit} for p in gemm(n, delta_s=part).solution.plans]
    whole = [p for p in whole if p["TB_Y"] > 1]
    both = [p for p in whole if p.get("k", 0) >= 32 and 4 * (p["TB_X"] + p["TB_Y"]) * p["k"] <= part * 49152]
    assert len({(p["TB_X"], p["TB_Y"]) for p in both}) > 8
    for plan in both:
        assert plan["profit"] == 8 * n * plan["TB_Y"] * (plan["TB_X"] + 32)


@pytest.mark.parametrize("n", [256, 1024, 4096])
def test_the_partition_is_the_papers(n):
    nest = gemm(n, delta_s=0.25)
    assert tiles(nest) == {"i": ("y", 32, 32), "j": ("x", 32, 32)}
    assert strips(nest) == {"k": 32}
    assert staged(nest) == [("A", (32, 32), "k"), ("B", (32, 32), "k")]
    k = strips(nest)["k"]
    assert k + k <= 96


def test_a_program_with_sizes_known_at_run_time_only_gets_the_same():
    nest = sample("gemm", delta_s=0.25)
    assert tiles(nest) == {"i": ("y", 32, 32), "j": ("x", 32, 32)}
    assert strips(nest) == {"l": 32}
    assert nest.solution.assumed == (("k", N),)
    assert nest.solution.plans[0].profit == 8 * N * 32 * (32 + 32)


def test_the_features_are_the_papers():
    nest = gemm(N, delta_s=0.25)
    a, b, c = (array(nest, name) for name in "ABC")
    assert (a.reuse, b.reuse) == (4 * 32 * 32 * N, 4 * 32 * 32 * N)
    assert (a.coalesced, b.coalesced, c.coalesced) == (False, True, True)
    assert a.transactions == 32 * N
    assert (a.ratio, b.ratio, c.ratio) == (32, 32, 1)
    assert (a.role.value, b.role.value, c.role.value) == ("seed", "seed", "inferred")
    assert (a.staged, b.staged, c.staged) == (True, True, False)


def test_the_runner_up_gains_less_and_the_limit_is_named():
    solution = gemm(N, delta_s=0.25).solution
    first, second = solution.plans[:2]
    assert second.profit < first.profit
    assert first.local_bytes == 8192
    assert first.resident == 2048
    assert solution.binding == "work-items a group (10): 1024 of 1024"


def test_the_pragma_is_not_needed():
    assert staged(gemm(N, hint=None, delta_s=0.25)) == staged(gemm(N, delta_s=0.25))


def test_no_plan_takes_more_than_its_part_of_local_memory():
    for plan in gemm(N).solution.plans:
        items = dict(plan.sizes)["TB_X"] * dict(plan.sizes)["TB_Y"]
        assert plan.local_bytes <= part_of(PRESETS["gtx-690"], Options(), items) * 49152
        assert items <= 1024
        assert dict(plan.sizes)["TB_X"] >= 32
        assert items <= plan.resident <= 2048
