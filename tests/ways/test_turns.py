"""Regions of one program go different ways, and find their data where the last one left them."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from commands import accshare_cc
from tiers import telling

HERE = Path(__file__).parent
SHIM = HERE.parent / "runtime" / "programs" / "failing_opencl.c"
GPUS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128")
#: a device with memory of its own, or one that works in the program's
MEMORIES = [{"ACCSHARE_ZERO_COPY": "0"}, {}]


#: what the host does to its copy is nothing to the device's
KEPT = r"""
#include <stdio.h>
int main(void)
{
  static int a[1000], b[1000];
  for (int i = 0; i < 1000; i++) a[i] = i;
#pragma acc enter data copyin(a)
  for (int i = 0; i < 1000; i++) a[i] = -1;
#pragma acc parallel loop present(a) copyout(b)
  for (int i = 0; i < 1000; i++) b[i] = a[i];
#pragma acc exit data delete(a)
  puts(b[999] == 999 ? "kept" : "lost");
  return 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with native kernels and kernels for GPUs, and what makes a GPU of the device here."""
    folder = tmp_path_factory.mktemp("turns")
    words = ("--acc-target=native,generic-gpu", "-O2", "-ffp-contract=off", HERE / "turns.c", "-o", folder / "turns")
    done = accshare_cc(*words)
    assert (done.returncode, done.stderr) == (0, "")
    subprocess.run(["gcc", "-shared", "-fPIC", SHIM, "-o", folder / "gpu.so", "-ldl"], check=True)
    return folder


def run(folder: Path, gpu: bool, program: str = "turns", said: str = "right\n", **settings: str) -> Counter[str]:
    """Where its regions ran, with right numbers."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ACC")}
    own = {"ACCSHARE_CACHE_DIR": str(folder / "cache"), "ACCSHARE_NOTIFY": "1", "ACCSHARE_THREADS": "1"}
    shim = {"LD_PRELOAD": f"{folder / 'gpu.so'} libOpenCL.so.1", "AS_GPU": "1"} if gpu else {}
    done = subprocess.run([folder / program], env=kept | own | shim | settings, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, said), done.stderr
    words = re.findall(r'^accshare: (host|launch)(?:.* device="(native)?)?', done.stderr, re.MULTILINE)
    return Counter(native or {"host": "host", "launch": "device"}[word] for word, native in words)


@pytest.mark.parametrize("memory", telling([{}], MEMORIES), ids=str)
def test_sizes_decide_which_way_each_region_goes(folder: Path, memory: dict[str, str]) -> None:
    ways = run(folder, gpu=True, ACCSHARE_LEARN="off", **memory)
    assert min(ways["host"], ways["native"], ways["device"]) > 0


@pytest.mark.parametrize("memory", MEMORIES, ids=str)
@pytest.mark.parametrize("wish", [{"ACCSHARE_OFFLOAD": "mandatory"}, {"ACCSHARE_BREAK_EVEN": "0"}], ids=str)
def test_who_asks_for_a_device_has_a_gpu(folder: Path, memory: dict[str, str], wish: dict[str, str]) -> None:
    """What the first regions made on the processor stays there."""
    ways = run(folder, gpu=True, **wish, **memory)
    assert ways["device"] > 50
    assert ways["host"] == 0


def test_who_asks_for_a_device_has_data_there_when_directives_say_so(folder: Path) -> None:
    (folder / "kept.c").write_text(KEPT)
    done = accshare_cc("--acc-target=native,generic-gpu", "-O2", folder / "kept.c", "-o", folder / "kept")
    assert (done.returncode, done.stderr) == (0, "")
    asked = {"ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_ZERO_COPY": "0"}
    assert run(folder, True, "kept", "kept\n", **asked) == {"device": 1}


@pytest.mark.parametrize("wish", [{"ACCSHARE_OFFLOAD": "mandatory"}, {"ACCSHARE_LEARN": "off"}, {}], ids=str)
def test_where_there_is_no_gpu_all_kernels_are_native(folder: Path, wish: dict[str, str]) -> None:
    """OpenCL is not loaded."""
    if any(Path(gpu).exists() for gpu in GPUS):
        pytest.skip("there may be a GPU here")
    settings = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(folder / "loaded")}
    assert run(folder, gpu=False, **settings, **wish).keys() <= {"host", "native"}
    loaded = "".join(path.read_text() for path in folder.glob("loaded.*"))
    assert "libaccshare" in loaded
    assert "libOpenCL" not in loaded
