"""Device models known by name: what the documentation promises of them."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from math import isinf
from pathlib import Path

import pytest

from accshare.device import PRESETS, Device, DeviceKind
from accshare.mapping.staging.features import delta_r, delta_s
from accshare.options import Options

PAGE = (Path(__file__).parents[2] / "docs" / "devices.md").read_text()
PAPER = ("gtx-690", "gtx-titan", "tesla-c2050", "hd-7850")
GPUS = [model for model in PRESETS.values() if model.kind is DeviceKind.GPU]
CPUS = [model for model in PRESETS.values() if model.kind is DeviceKind.CPU]


def row(model: Device) -> str:
    """The model's line of the documentation."""
    caches = (model.l1_bytes, model.l2_bytes, model.l3_bytes)
    reuse, share = delta_r(model, Options()), delta_s(model, Options(), 256)
    cells = (
        f"`{model.name}`",
        model.compute_units,
        model.simd_width,
        model.max_work_group,
        model.max_threads_per_unit,
        model.max_groups_per_unit,
        f"{model.local_bytes // 1024} / {model.local_per_unit // 1024}",
        model.registers_per_unit,
        model.transaction_bytes,
        f"{model.banks} × {model.bank_bytes}",
        f"{model.local_bandwidth:g}",
        f"{model.cache_bandwidth:g}",
        " / ".join(str(size // 1024) for size in caches) if any(caches) else "–",
        "∞" if isinf(reuse) else f"{reuse:.2f}",
        f"{share:.3f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


@pytest.mark.parametrize("model", PRESETS.values(), ids=PRESETS)
def test_the_documentation_has_the_figures(model):
    assert row(model) in PAGE.splitlines()


def test_every_letter_of_the_documentation_is_a_source():
    text, _, sources = PAGE.partition("### Sources")
    used = {letter for group in re.findall(r"\[([A-Z](?:, [A-Z])*)\]", text) for letter in group.split(", ")}
    assert used == set(re.findall(r"(?:^- |\. )([A-Z]): ", sources, re.M))


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_gpus_give_thresholds_in_the_papers_range(name):
    assert 1.4 <= delta_r(PRESETS[name], Options()) <= 2
    assert 0.125 <= delta_s(PRESETS[name], Options(), 256) <= 0.25


def test_the_papers_own_device_gives_the_papers_formulas():
    """Constants of (12) to (17): TranSize, shared memory, work-items in a group and on a multiprocessor."""
    model = PRESETS["gtx-690"]
    assert model.transaction_bytes == 256
    assert (model.local_bytes, model.local_per_unit) == (48 * 1024, 48 * 1024)
    assert (model.max_work_group, model.max_threads_per_unit, model.simd_width) == (1024, 2048, 32)


@pytest.mark.parametrize("model", GPUS, ids=lambda model: model.name)
def test_a_gpu_holds_what_one_group_may_take(model):
    assert model.local_dedicated
    assert model.local_bytes <= model.local_per_unit
    assert model.max_work_group <= model.max_threads_per_unit
    assert model.max_threads_per_unit % model.simd_width == 0
    assert model.local_bandwidth % (model.banks * model.bank_bytes) == 0
    assert model.local_bandwidth > model.cache_bandwidth


@pytest.mark.parametrize("model", CPUS, ids=lambda model: model.name)
def test_what_a_group_packs_stays_in_the_first_cache(model):
    assert model.local_bytes <= model.l1_bytes <= model.l2_bytes


@pytest.mark.parametrize("model", CPUS, ids=lambda model: model.name)
def test_staging_never_pays_on_a_cpu(model):
    assert not model.local_dedicated
    assert isinf(delta_r(model, Options()))


def test_presets_are_listed_for_people_and_programs(accshare):
    shown = accshare("devices", "--presets", COLUMNS="80")
    assert shown.returncode == 0, shown.stderr
    for name in PRESETS:
        assert re.search(rf"^ {name} .* yes *$", shown.stdout, re.M), name
    listed = json.loads(accshare("devices", "--presets", "--json").stdout)
    assert [entry["name"] for entry in listed] == list(PRESETS)
    assert set(listed[0]) == {field.name for field in fields(Device)}
