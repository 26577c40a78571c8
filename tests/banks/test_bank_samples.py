"""The samples of the five transformations, and one with diagonal work-groups, run: they print what gcc's print."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from placing import SAMPLES

sys.path.insert(0, str(Path(__file__).parent.parent))

from calls import oclgrind
from commands import accshare_cc
from tiers import telling

#: sizes that no tile divides, and some that fill tiles and strips
SIZES = {
    "banks/aos": ["1", "33"],
    "banks/padding": ["1 1", "37 70"],
    "banks/transpose": ["1 1", "37 70"],
    "banks/remap": ["1", "33", "1000"],
    "banks/reorder": ["1 1", "37 300", "513 256"],
    "mt": ["5 3", "100 300"],
}
SMALL = {
    "banks/aos": "9",
    "banks/padding": "5 34",
    "banks/transpose": "5 34",
    "banks/remap": "34",
    "banks/reorder": "5 257",
}
#: a vendor's GPU has kernels that are not for PoCL, but for a simulator
SIMULATED = [*((sample, "generic-gpu") for sample in SMALL), ("banks/aos", "hd-7850"), ("banks/remap", "hd-7850")]


def build(program, sample, *options):
    """The sample, compiled with options of ours, or by gcc."""
    words = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    words += [str(SAMPLES / f"{sample}.c"), "-o", program]
    done = accshare_cc(*options, *words) if options else subprocess.run(["gcc", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return program


def checksum(command, arguments, folder):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC")}
    own = {"ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([*command, *arguments.split()], env=clean | own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("checksum ")]
    return line


@pytest.mark.parametrize("sample", telling({"banks/padding", "banks/remap"}, SIZES))
def test_every_target_gives_the_hosts_answer(opencl, tmp_path, sample):
    host = build(tmp_path / "host", sample)
    program = build(tmp_path / "program", sample, "--acc-target=generic-gpu")
    for arguments in SIZES[sample]:
        assert checksum([program], arguments, tmp_path) == checksum([host], arguments, tmp_path), arguments


@pytest.mark.parametrize(
    ("sample", "target"), telling({("banks/aos", "generic-gpu"), ("banks/remap", "hd-7850")}, SIMULATED)
)
@pytest.mark.skipif(shutil.which("oclgrind") is None, reason="needs oclgrind")
def test_kernels_have_no_races_and_read_nothing_uninitialised(tmp_path, sample, target):
    host = build(tmp_path / "host", sample)
    program = build(tmp_path / "program", sample, f"--acc-target={target}")
    log = tmp_path / "log"
    found = checksum([*oclgrind(log), program], SMALL[sample], tmp_path)
    assert found == checksum([host], SMALL[sample], tmp_path)
    assert log.read_text() == ""
