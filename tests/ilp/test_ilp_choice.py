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
from accshare.frontend.parse import parse
from accshare.mapping import map_to
from accshare.mapping.gpu.banks import place
from accshare.mapping.gpu.coarsening import coarsened, resized, settled
from accshare.mapping.gpu.partition import policy_of
from accshare.mapping.staging import partition
from accshare.options import Ilp, Options, Share
from accshare.poly import model
from accshare.pragma import read
from accshare.relax import relax
from accshare.report import explain, to_json
from accshare.run.sources import compile_file
from accshare.schedule import schedule
from accshare.source import SourceFile

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.c"))
GPUS = [name for name, device in PRESETS.items() if device.kind is DeviceKind.GPU]
AUTO = Options(share=Share.ON)


def scheduled(text):
    source = SourceFile.of("f.c", text)
    (region,) = parse(source, read(source).directives).regions
    return schedule(relax(model(region), AUTO), AUTO)


def sample(name):
    return scheduled(preprocessed(SAMPLES / f"{name}.c"))


def placement(name, device):
    """A sample's tiles before work-items have several iterations."""
    gpu = PRESETS[device]
    return place(partition(sample(name), gpu, policy_of(gpu), AUTO), AUTO)


def chosen(name, device, options=AUTO):
    (nest,) = map_to(sample(name), PRESETS[device], options).nests
    return nest


def asked(x=1, y=1, z=1):
    return replace(AUTO, ilp=Ilp(False, (x, y, z)))


@pytest.mark.parametrize("device", GPUS)
@pytest.mark.parametrize("name", ["gemm", "hotspot"])
def test_no_choice_takes_more_than_the_device_has(name, device):
    gpu, nest = PRESETS[device], chosen(name, device)
    x, y, z = nest.placement.partition.work_group
    taken = nest.coarsening
    assert taken.registers <= gpu.registers_per_item
    assert taken.local_bytes <= gpu.local_bytes
    groups = 1 if nest.strips_ahead else 2  # one group of a pipeline has what to do while it waits
    assert groups * x * y * z <= taken.resident <= gpu.max_threads_per_unit
    assert taken.resident * taken.registers <= gpu.registers_per_unit
    assert taken.factors[0] * taken.factors[1] > 1


def test_a_product_of_matrices_gets_a_square_of_iterations_and_less_of_it_where_registers_are_few():
    x, y, _ = chosen("gemm", "h100").coarsening.factors
    assert x > 1
    assert y > 1
    fewer = chosen("gemm", "tesla-c2050").coarsening.factors
    assert fewer[0] * fewer[1] < x * y


@pytest.mark.parametrize("device", ["gtx-690", "tesla-c2050"])
def test_a_product_of_matrices_has_eight_iterations_where_a_work_item_has_63_registers(device):
    nest = chosen("gemm", device, replace(AUTO, share=Share.AUTO))
    x, y, _ = nest.coarsening.factors
    assert x * y == 8
    assert nest.coarsening.registers <= 63


PRODUCT = """
void multiply(int n, float A[restrict n][n], float B[restrict n][n], float C[restrict n][n])
{
#pragma acc kernels loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
%s
    }
}
"""
IN_PLACE = """
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];"""
BESIDE = """
      float sum = C[i][j];
      for (int k = 0; k < n; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum;"""


@pytest.mark.parametrize("device", ["v100", "tesla-c2050"])
def test_a_sum_takes_the_same_registers_in_an_element_as_in_a_variable(device):
    options = replace(AUTO, share=Share.AUTO)
    in_place, beside = (
        map_to(scheduled(PRODUCT % body), PRESETS[device], options).nests[0].coarsening for body in (IN_PLACE, BESIDE)
    )
    assert in_place == beside


@pytest.mark.parametrize("name", NAMES)
def test_work_items_of_a_cpu_stay_as_they_are(name):
    found = chosen(name, "generic-cpu")
    assert found.placement.partition.work_group == (1, 1, 1)
    assert chosen(name, "generic-cpu", asked(y=4)) == found


def test_bank_conflicts_keep_iterations_away():
    good = placement("mt", "h100")
    (nest,) = good.nests
    bad = replace(good, nests=(replace(nest, tiles=tuple(replace(t, after=8) for t in nest.tiles)),))
    (kept,) = coarsened(bad, AUTO)
    assert kept.shape.grid == nest.partition.nest.grid
    assert kept.why == "it has bank conflicts of degree 8 in A"


def test_sizes_that_bring_bank_conflicts_are_not_taken_unless_asked_for():
    good = placement("mt", "h100")

    def conflicting(options):
        sizes = coarsened(good, options)
        (nest,) = place(resized(good.partition, sizes), options).nests
        anew = replace(good, nests=(replace(nest, tiles=tuple(replace(t, after=16) for t in nest.tiles)),))
        return settled(good, anew, sizes, options).nests[0]

    kept = conflicting(AUTO)
    assert kept.placement == good.nests[0]
    assert kept.coarsening.why == "other sizes have bank conflicts of degree 16 in A"
    assert conflicting(asked(y=2)).coarsening.factors[1] == 2


def test_accesses_that_do_not_coalesce_keep_iterations_away_unless_asked_for():
    nest = chosen("struct", "h100").coarsening
    assert nest.factors == (1, 1, 1)
    assert nest.why == "accesses to p in global memory don't coalesce"
    assert chosen("struct", "h100", asked(x=2)).coarsening.factors == (2, 1, 1)


@pytest.mark.parametrize("units", [2, 4, 8])
def test_iterations_leave_small_gpus_as_many_work_items_as_start_instructions(units):
    text = """
    void f(int n, int m, const float a[restrict m], const float b[restrict m], const float x[restrict n],
           float y[restrict n]) {
    #pragma acc kernels loop
      for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < m; k++) sum += a[k] * cosf(b[k] * x[i]);
        y[i] = sum;
      }
    }
    """
    small = replace(PRESETS["v100"], compute_units=units)
    (nest,) = map_to(scheduled(text), small, Options(schedule="source")).nests
    x, y, z = nest.coarsening.factors
    assert 1024 / (x * y * z) / units >= small.lanes


def test_a_length_that_a_hint_fixes_stays():
    text = """
    void f(int n, const float A[n][n], float B[n][n]) {
    #pragma acc kernels loop
    #pragma acc share(A[32][32])
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) B[i][j] = A[j][i];
    }
    """
    plan = map_to(scheduled(text), PRESETS["h100"], AUTO)
    before, after = (one.nests[0].staged for one in (plan.placement.partition, plan.partition))
    assert [s.lengths for s in after] == [s.lengths for s in before] == [(32, 32)]


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
