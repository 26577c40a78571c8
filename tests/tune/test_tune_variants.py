"""What the tuner can make of the samples is race-free, reads nothing unwritten and gives the host's answer."""

from __future__ import annotations

import itertools
import os
import subprocess

import pytest
from calls import oclgrind
from choosing import SAMPLES, variants
from commands import accshare_cc
from tiers import telling

#: a small run of each sample: several work-groups, and cut-off tiles
SMALL = {
    "mt": "5 37",
    "gemm": "9 34 7",
    "mv": "35 9",
    "gauss": "9 38",
    "hotspot": "5 34 2",
    "reduction": "301",
    "histogram": "301",
    "struct": "35 2",
}
#: how many variants are looked at every time
FEW = {
    **{(sample, "generic-gpu"): 1 for sample in SMALL},
    ("gemm", "generic-gpu"): 3,
    ("mv", "generic-gpu"): 2,
    ("gemm", "generic-cpu"): 1,
    ("mt", "generic-cpu"): 1,
}


def built(folder, sample, *options):
    """The sample's binary, compiled with options of ours, or by gcc."""
    binary = folder / (sample if options else f"{sample}-gcc")
    words = ["-O1", "-w", str(SAMPLES / f"{sample}.c"), "-lm", "-o", str(binary)]
    done = accshare_cc(*options, *words) if options else subprocess.run(["gcc", *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return [str(binary), *SMALL[sample].split()]


def check(folder, sample, target, choices):
    """Runs each choice in a simulator that tells of races."""
    expected = subprocess.run(built(folder, sample), capture_output=True, text=True, check=True).stdout
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC")}
    own = {"ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_CACHE_DIR": str(folder / "cache")}
    log = folder / "log"
    for choice in choices:
        program = built(folder, sample, f"--acc-target={target}", f"--acc-choose={choice}", "--acc-no-cache")
        simulated = [*oclgrind(log, lanes=(sample, target) == ("gemm", "generic-cpu")), *program]
        done = subprocess.run(simulated, env=clean | own, capture_output=True, text=True)
        assert (choice, done.returncode, done.stdout, log.read_text()) == (choice, 0, expected, ""), done.stderr


@pytest.mark.parametrize(("sample", "target"), telling({("mv", "generic-gpu"), ("mt", "generic-cpu")}, FEW))
def test_some_variants_are_clean_and_right(sample, target, runtime, tmp_path):
    few = list(itertools.islice(variants(SAMPLES / f"{sample}.c", target), FEW[sample, target]))
    assert len(few) == FEW[sample, target]
    check(tmp_path, sample, target, few)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu"])
@pytest.mark.parametrize("sample", SMALL)
def test_all_variants_are_clean_and_right(sample, target, runtime, tmp_path):
    every = list(variants(SAMPLES / f"{sample}.c", target))
    assert len(every) > FEW.get((sample, target), 0)
    check(tmp_path, sample, target, every)
