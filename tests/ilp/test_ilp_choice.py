"""How many iterations a work-item gets, and what a user is told of it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "banks"))

from placing import preprocessed

from accshare.device import PRESETS, DeviceKind
from accshare.frontend import parse
from accshare.mapping.gpu.banks import place
from accshare.mapping.gpu.coarsening import parallelize
from accshare.mapping.staging import partition
from accshare.options import Ilp, Options
from accshare.poly import model
from accshare.pragma import read
from accshare.report import explain, to_json
from accshare.run.sources import compile_file
from accshare.schedule import schedule
from accshare.source import SourceFile

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.c"))
GPUS = [name for name, device in PRESETS.items() if device.kind is DeviceKind.GPU]
AUTO = Options()


def placement(name, device):
    """A sample's tiles before work-items have several iterations."""
    source = SourceFile.of("f.c", preprocessed(SAMPLES / f"{name}.c"))
    (region,) = parse(source, read(source).directives).regions
    return place(partition(schedule(model(region), AUTO), PRESETS[device], AUTO), AUTO)


def chosen(name, device, options=AUTO):
    (nest,) = parallelize(placement(name, device), options, place).nests
    return nest


def asked(x=1, y=1, z=1):
    return Options(ilp=Ilp(False, (x, y, z)))


@pytest.mark.parametrize("device", GPUS)
@pytest.mark.parametrize("name", ["gemm", "hotspot"])
def test_no_choice_takes_more_than_the_device_has(name, device):
    gpu, nest = PRESETS[device], chosen(name, device)
    x, y, z = nest.placement.partition.work_group
    assert nest.registers <= gpu.registers_per_item
    assert nest.local_bytes <= gpu.local_bytes
    assert 2 * x * y * z <= nest.resident <= gpu.max_threads_per_unit
    assert nest.resident * nest.registers <= gpu.registers_per_unit
    assert nest.factors[0] * nest.factors[1] > 1


def test_a_product_of_matrices_gets_a_square_of_iterations_and_less_of_it_where_registers_are_few():
    x, y, _ = chosen("gemm", "h100").factors
    assert x > 1
    assert y > 1
    fewer = chosen("gemm", "tesla-c2050").factors
    assert fewer[0] * fewer[1] < x * y


@pytest.mark.parametrize("name", NAMES)
def test_work_items_of_a_cpu_stay_as_they_are(name):
    base = placement(name, "generic-cpu")
    for options in (AUTO, asked(y=4)):
        plan = parallelize(base, options, place)
        assert [n.placement for n in plan.nests] == list(base.nests)


def test_bank_conflicts_keep_iterations_away():
    good = placement("mt", "h100")
    (nest,) = good.nests
    bad = replace(good, nests=(replace(nest, tiles=tuple(replace(t, after=8) for t in nest.tiles)),))
    (kept,) = parallelize(bad, AUTO, place).nests
    assert kept.placement.partition == nest.partition
    assert kept.why == "it has bank conflicts of degree 8 in A"


def test_sizes_that_bring_bank_conflicts_are_not_taken_unless_asked_for():
    good = placement("mt", "h100")

    def conflict(cut, options):
        placed = place(cut, options)
        tiles = tuple(replace(t, after=16) for t in placed.nests[0].tiles)
        return replace(placed, nests=(replace(placed.nests[0], tiles=tiles),))

    (kept,) = parallelize(good, AUTO, conflict).nests
    assert kept.placement == good.nests[0]
    assert kept.why == "other sizes have bank conflicts of degree 16 in A"
    (forced,) = parallelize(good, asked(y=2), conflict).nests
    assert forced.factors[1] == 2


def test_accesses_that_do_not_coalesce_keep_iterations_away_unless_asked_for():
    nest = chosen("struct", "h100")
    assert nest.factors == (1, 1, 1)
    assert nest.why == "accesses to p in global memory don't coalesce"
    assert chosen("struct", "h100", asked(x=2)).factors == (2, 1, 1)


def test_a_length_that_a_hint_fixes_stays():
    text = """
    void f(int n, const float A[n][n], float B[n][n]) {
    #pragma acc kernels loop
    #pragma acc share(A[16][32])
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) B[i][j] = A[i][j] + A[i][j];
    }
    """
    source = SourceFile.of("f.c", text)
    (region,) = parse(source, read(source).directives).regions
    cut = partition(schedule(model(region), AUTO), PRESETS["h100"], AUTO)
    (nest,) = parallelize(place(cut, AUTO), AUTO, place).nests
    assert [s.lengths for s in nest.placement.partition.staged] == [s.lengths for s in cut.nests[0].staged]


def test_explain_tells_iterations_registers_and_why_no_more():
    unit = compile_file(str(SAMPLES / "gemm.c"), ["--acc-target=h100"])
    said = explain(unit.result, unit.source)
    (region,) = json.loads(to_json(unit.result, unit.source))["regions"]
    (kernel,) = region["kernels"]
    (ilp,) = kernel["ilp"]
    x, y, _ = ilp["factors"]
    assert f"{x}x{y} iterations a work-item side by side on h100" in said
    assert f"about {ilp['registers']} registers a work-item" in said
    assert ilp["why"] in said
    off = compile_file(str(SAMPLES / "gemm.c"), ["--acc-target=h100", "--acc-ilp=off"])
    assert "one iteration a work-item on h100: it was asked for" in explain(off.result, off.source)
