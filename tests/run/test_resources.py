"""``accshare resources``: what compilers for GPUs say of our kernels, where they are installed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tiers import telling

from accshare.device import PRESETS
from accshare.run.resources import occupancy
from accshare.run.toolchains import ARCHITECTURES, ToolTrouble, Usage, toolchain

SAMPLES = Path(__file__).parents[2] / "samples"

LOCAL = """\
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void turned(__global float *a)
{
  __local float tile[64];
  tile[get_local_id(0)] = sqrt(a[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = tile[63 - get_local_id(0)];
}
__kernel void plain(__global float *a) { a[get_global_id(0)] = 1; }
"""


def tools(target):
    """The tools for a target, or a skipped test that says what is missing."""
    try:
        return toolchain(target)
    except ToolTrouble as why:
        pytest.skip(str(why))


@pytest.mark.parametrize("target", ["mi210", "h100"])
def test_each_kernel_of_a_program_is_measured(target):
    usages = tools(target).usage(LOCAL)
    assert {usage.kernel: usage.local for usage in usages} == {"turned": 256, "plain": 0}
    assert all(0 < usage.registers < 64 for usage in usages)
    assert not any(usage.spilled for usage in usages)


@pytest.mark.parametrize("target", ["hd-7850", "h100"])
def test_values_without_a_register_are_spilled(target):
    """More values are live at a time than a work-item can have registers (255 or 256)."""
    count = 280
    loads = "".join(f"float v{k} = a[i + {k}];" for k in range(count))
    stores = "".join(f"a[i + {k}] = v{k} * v{count - 1 - k};" for k in range(count))
    text = f"__kernel void wide(__global float *a) {{ int i = get_global_id(0); {loads} {stores} }}\n"
    (usage,) = tools(target).usage(text)
    assert usage.registers > 200
    assert usage.spilled > 0
    assert usage.private > 0


def test_samples_are_measured_for_the_named_targets(accshare):
    tools("mi210")
    done = accshare("resources", "--json", SAMPLES / "reduction.c", "--acc-target=mi210")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert {row["architecture"] for row in rows} == {"gfx90a"}
    assert all(row["usage"]["local"] > 0 and row["occupancy"]["share"] > 0 for row in rows)
    shown = accshare("resources", SAMPLES / "reduction.c", "--acc-target=mi210").stdout
    assert "mi210 gfx90a" in shown
    assert all(row["kernel"] in shown for row in rows)


@pytest.mark.parametrize("target", telling({"mi210"}, ["mi210", "h100"]))
def test_staging_leaves_the_samples_without_spills(accshare, target):
    tools(target)
    files = [SAMPLES / f"{name}.c" for name in ("mt", "gemm", "mv", "gauss", "hotspot")]
    done = accshare("resources", "--json", *files, f"--acc-target={target}")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert len([row for row in rows if not row["kernel"].endswith("_small")]) == len(files)
    assert any(row["usage"]["local"] for row in rows)
    for row in rows:
        assert row["usage"]["spilled"] == 0, row
        assert row["occupancy"]["groups"] >= 2, row


def test_what_is_missing_is_named(accshare, tmp_path):
    (tmp_path / "gcc").symlink_to(shutil.which("gcc") or "")
    (tmp_path / "cc").symlink_to(shutil.which("cc") or "")
    done = accshare(
        "resources", SAMPLES / "mt.c", "--acc-target=mi210", PATH=f"{tmp_path}:{os.path.dirname(sys.executable)}"
    )
    assert done.returncode == 1
    assert "clang is not installed" in done.stdout
    assert "apt-get install clang" in done.stdout


def test_a_model_without_tools_is_told(accshare):
    done = accshare("resources", SAMPLES / "mt.c", "--acc-target=generic-cpu")
    assert done.returncode == 1
    assert "nothing here compiles for generic-cpu" in done.stdout


def test_a_file_without_regions_has_nothing_to_measure(accshare, tmp_path):
    (tmp_path / "empty.c").write_text("int x;\n")
    done = accshare("resources", tmp_path / "empty.c")
    assert done.returncode == 1
    assert "nothing to measure" in done.stderr


def test_every_architecture_belongs_to_a_preset():
    assert set(ARCHITECTURES) <= set(PRESETS)


FREE = Usage("k", registers=16, uniform=0, private=0, spilled=0, local=0)


@pytest.mark.parametrize(
    ("model", "work_group", "changes", "groups", "limit"),
    [
        # 2048 work-items, 32 groups, 65536 registers, 228 KiB on a multiprocessor of an H100
        ("h100", 256, {}, 8, "work-items"),
        ("h100", 32, {}, 32, "groups"),
        ("h100", 256, {"registers": 65}, 3, "registers"),
        ("h100", 256, {"local": 48 * 1024}, 4, "local memory"),
        # a group of 100 takes four whole warps
        ("h100", 100, {}, 16, "work-items"),
        ("h100", 1024, {"registers": 128}, 0, "registers"),
        ("mi210", 256, {"registers": 128}, 4, "registers"),
        ("mi210", 256, {"local": 65536}, 1, "local memory"),
        ("hd-7850", 256, {"local": 40960}, 0, "local memory"),
    ],
)
def test_occupancy_by_hand(model, work_group, changes, groups, limit):
    device = PRESETS[model]
    held = occupancy(device, work_group, replace(FREE, **changes))
    assert (held.groups, held.limit) == (groups, limit)
    assert held.share == groups * work_group / device.max_threads_per_unit
