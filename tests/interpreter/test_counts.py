"""What a kernel moves is what the polyhedral model predicts, for every tile, boundary tiles included."""

import json
import os
import re
import subprocess

import pytest
from commands import accshare, accshare_cc
from interpreting import BANKS, PROGRAMS, SAMPLES, compiled, function, sample
from tiers import telling

from accshare.run.bench.traffic import Moved, told
from accshare.traffic.predict import naive, predict

#: sizes that are multiples of tiles, and sizes that divide nothing
SIZES = {
    "mt": [{"rows": 64, "columns": 96}, {"rows": 301, "columns": 257}, {"rows": 5, "columns": 1000}],
    "gemm": [{"m": 64, "n": 64, "k": 64}, {"m": 70, "n": 77, "k": 45}, {"m": 9, "n": 130, "k": 38}],
    "mv": [{"rows": 256, "columns": 128}, {"rows": 131, "columns": 259}],
    "gauss": [{"height": 128, "width": 256}, {"height": 77, "width": 131}, {"height": 4, "width": 300}],
    "hotspot": [{"rows": 128, "columns": 126}, {"rows": 77, "columns": 131}, {"rows": 3, "columns": 300}],
    "reduction": [{"n": 1024}, {"n": 777}],
}
NOTHING = Moved(0, 0, 0)
ILP_OFF = "--acc-ilp=off"


def check(region, case):
    """Every prediction for a region, against what the interpreter counts."""
    found = told(region.text, region.plan, case)
    for one in found:
        if one.exact:
            assert one.counted == one.predicted, (region.name, str(case), one)
    return {one.variable: one for one in found}


@pytest.mark.parametrize("ilp", telling({"--acc-ilp=auto"}, ["--acc-ilp=auto", ILP_OFF]))
@pytest.mark.parametrize("share", ["off", "on"])
@pytest.mark.parametrize("name", SIZES)
def test_samples(name, share, ilp):
    region = sample(name, f"--acc-share={share}", ilp)
    for sizes in SIZES[name]:
        found = check(region, region.case(**sizes))
        assert all(one.exact for one in found.values())
        run = region.run(region.case(**sizes), check=False)
        kernels = {part.nest.name for part in region.partition.nests}
        touched = {c.memory for c in run.counts if c.kernel in kernels and not c.local}
        partials = {name for name in touched if name.endswith("_partials")}
        assert touched - partials == {name for name, one in found.items() if one.counted != NOTHING}


@pytest.mark.parametrize("sizes", SIZES["gauss"][:2])
def test_warps_at_an_edge_run_one_kind_of_code(sizes):
    """Work-items with several iterations move no more than others: no warp runs the code for whole tiles and then that
    for cut-off ones."""
    moved = []
    for flag in (ILP_OFF, "--acc-ilp=auto"):
        region = sample("gauss", flag)
        found = told(region.text, region.plan, region.case(**sizes))
        moved.append(sum(one.counted.transactions for one in found))
    assert moved[1] <= moved[0]


@pytest.mark.slow
@pytest.mark.parametrize("share", ["off", "on", "force"])
@pytest.mark.parametrize("target", ["gtx-690", "hd-7850", "h100", "rx-7900-xtx"])
@pytest.mark.parametrize("name", SIZES)
def test_samples_elsewhere(name, target, share):
    region = sample(name, f"--acc-target={target}", f"--acc-share={share}")
    for sizes in SIZES[name]:
        assert all(one.exact for one in check(region, region.case(**sizes)).values())


@pytest.mark.parametrize("name", SIZES)
def test_what_vectors_of_a_cpu_load_is_a_bound(name):
    region = sample(name, "--acc-target=generic-cpu")
    found = check(region, region.case(**{key: value // 4 for key, value in SIZES[name][-1].items()}))
    assert all(one.counted.loads <= one.predicted.loads for one in found.values())


@pytest.mark.parametrize("name", sorted(path.stem for path in BANKS.glob("*.c")))
def test_samples_with_bank_conflicts(name):
    (region,) = compiled(BANKS / f"{name}.c")
    for case in region.small_cases(101):
        check(region, case)


def test_what_the_data_decides_is_a_bound():
    region = sample("struct")
    found = check(region, region.case(n=333))
    assert {name: one.exact for name, one in found.items()} == {"p": False}
    assert all(0.9 * one.predicted.loads < one.counted.loads <= one.predicted.loads for one in found.values())


PROGRAMS_CHECKED = ["bodies", "data", "found", "legality", "loops", "reductions", "regions", "scalars", "small"]


@pytest.mark.slow
@pytest.mark.parametrize("share", ["off", "on", "force"])
@pytest.mark.parametrize("name", PROGRAMS_CHECKED)
def test_programs_of_all_kinds(name, share):
    for target in ("generic-gpu", "hd-7850", "generic-cpu"):
        for region in compiled(PROGRAMS / f"{name}.c", f"--acc-target={target}", f"--acc-share={share}"):
            for case in region.small_cases(9 if name in ("small", "loops") else 40):
                check(region, case)


PRODUCT = """
void f(int n, int m, float A[n][m], float B[m][n], float C[n][n])
{
#pragma acc kernels loop copyin(A[0:n][0:m], B[0:m][0:n]) copy(C[0:n][0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++)
        C[i][j] += A[i][k] * B[k][j];
}
"""


@pytest.mark.parametrize("share", ["off", "on"])
def test_a_sum_over_a_loop_is_one_load_and_one_store(tmp_path, share):
    region = function(tmp_path, PRODUCT, f"--acc-share={share}")
    found = check(region, region.case(n=50, m=70))
    assert (found["C"].counted.loads, found["C"].counted.stores) == (2500, 2500)


def test_the_naive_kernel_of_a_staged_one():
    region = sample("gemm")
    values = {"m": 64, "n": 96, "k": 80}
    (part,) = region.partition.nests
    assert part.staged
    loads = {t.variable: t.loads for t in predict(naive(part), region.partition.device, values)}
    assert loads == {"A": 64 * 96 * 80, "B": 64 * 96 * 80, "C": 64 * 96}


def test_a_large_problem_is_predicted_without_visiting_it():
    region = sample("gemm", "--acc-target=gtx-690")
    (part,) = region.partition.nests
    n = 1 << 20
    found = {t.variable: t for t in predict(part, region.partition.device, {"m": n, "n": n, "k": n})}
    rows, columns = (d.size for d in part.nest.grid)
    assert (found["A"].loads, found["B"].loads) == (n**3 // columns, n**3 // rows)
    assert found["C"].transactions == 2 * n * n // 32


def total(region, **sizes):
    """What all arrays of a region are counted to move."""
    return sum((one.counted for one in check(region, region.case(**sizes)).values()), NOTHING)


def test_blocks_of_32_by_32_load_each_element_32_times_less_often():
    naive_, share = (sample("gemm", "--acc-target=gtx-690", ILP_OFF, f"--acc-share={way}") for way in ("off", "on"))
    assert [d.size for d in share.partition.nests[0].nest.grid] == [32, 32]
    sizes = {"m": 96, "n": 96, "k": 96}
    assert total(naive_, **sizes).loads == 2 * 96**3 + 96**2
    assert total(share, **sizes).loads == 2 * 96**3 // 32 + 96**2


@pytest.mark.parametrize("ilp", ["--acc-ilp=auto", ILP_OFF])
def test_a_transposed_matrix_moves_every_segment_once(ilp):
    naive_, share = (sample("mt", ilp, f"--acc-share={way}") for way in ("off", "on"))
    sizes = {"rows": 256, "columns": 128}
    assert total(share, **sizes).transactions == 2 * 256 * 128 // 32
    assert total(naive_, **sizes).transactions > 8 * total(share, **sizes).transactions


def test_what_a_file_of_ones_own_saves(tmp_path):
    path = tmp_path / "product.c"
    path.write_text(PRODUCT)
    said = accshare("bench", "--count", path, "--json", "-", env={**os.environ, "ACCSHARE_FLAGS": ILP_OFF})
    (saving,) = json.loads(said.stdout)["traffic"]
    assert saving["exact"]
    (naive_, share) = saving["naive"], saving["share"]
    assert naive_[0] == naive_[1]
    assert share[0] == share[1]
    assert naive_[1]["loads"] > 8 * share[1]["loads"]
    assert saving["least"] < share[1]["transactions"] < naive_[1]["transactions"]


@pytest.mark.parametrize(
    ("name", "arguments", "sizes"),
    [
        ("gemm", "40 52 72", {"m": 40, "n": 52, "k": 72}),
        ("mt", "45 70", {"rows": 45, "columns": 70}),
    ],
)
def test_oclgrind_counts_the_same_bytes(name, arguments, sizes, tmp_path):
    program = tmp_path / name
    words = ("--acc-target=generic-gpu", ILP_OFF, "--acc-no-cache", "-O1", "-ffp-contract=off")
    assert accshare_cc(*words, SAMPLES / f"{name}.c", "-o", program).returncode == 0
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC")}
    own = {"ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_CACHE_DIR": str(tmp_path / "cache")}
    command = ["oclgrind", "--inst-counts", str(program), *arguments.split(), "1"]
    said = subprocess.run(command, env={**clean, **own}, capture_output=True, text=True, check=True).stdout
    moved = {
        way: int(size) // 4 for way, size in re.findall(r"((?:load|store) (?:global|local)) \((\d+) bytes\)", said)
    }
    region = sample(name, ILP_OFF)
    counts = region.run(region.case(**sizes)).counts
    assert moved == {
        f"{way} {kind}": total
        for kind, local in (("global", False), ("local", True))
        for way in ("load", "store")
        if (total := sum(getattr(c, f"{way}s") for c in counts if c.local is local))
    }
