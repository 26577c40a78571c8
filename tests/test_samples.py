"""The sample programs: built by gcc and by accshare-cc they print the same line, whatever their size."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from calls import oclgrind
from commands import accshare_cc
from tiers import telling

SAMPLES = Path(__file__).parent.parent / "samples"
ACCSHARE_CC = [sys.executable, "-m", "accshare.cc"]

#: arguments to run each sample with: the smallest, sizes no tile divides, and one that keeps a device busy
SIZES = {
    "mt": ["1", "5 3", "37 53", "256"],
    "gemm": ["1", "2 3 5", "33 47 19", "128"],
    "mv": ["1", "7 3", "100 33", "513"],
    "gauss": ["1", "4 5", "5 5", "37 61", "256"],
    "hotspot": ["1 1 2", "3 5 3", "33 50 6", "128 128 10"],
    "reduction": ["1", "3", "1000", "100003"],
    "histogram": ["1", "3", "1000", "300007"],
    "struct": ["1 1", "7 3", "1000 5", "4096 20"],
}
#: one small run each, for a device simulator
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
CASES = [(sample, arguments) for sample, runs in SIZES.items() for arguments in runs]
STAGED = [case for case in CASES if case[0] in ("gemm", "gauss", "reduction")]


@pytest.fixture(scope="session")
def workshop(tmp_path_factory):
    """Builds a sample once per compiler and options, warnings being errors; gives the binary's path."""
    folder = tmp_path_factory.mktemp("samples")
    names = itertools.count()

    @functools.cache
    def build(sample: str, compiler: str, *options: str) -> Path:
        binary = folder / f"{sample}-{next(names)}"
        words = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", str(SAMPLES / f"{sample}.c"), "-lm", "-o", binary]
        ours = compiler == "accshare-cc"
        built = accshare_cc(*options, *words) if ours else run([compiler, *words, "-Wno-unknown-pragmas"])
        assert built.returncode == 0, built.stderr
        assert built.stderr == ""
        return binary

    return build


def run(command, **environment):
    """Runs a command with ACCSHARE_… variables of its own; text output, nothing raised."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACC_", "ACCSHARE_NOTIFY", "ACCSHARE_PROFILE"))}
    return subprocess.run(command, env=clean | environment, capture_output=True, text=True, timeout=300)


def checksum(result) -> str:
    assert result.returncode == 0, result.stderr
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("checksum ")]
    return line


def host_checksum(workshop, sample, arguments) -> str:
    return checksum(run([workshop(sample, "gcc"), *arguments.split()]))


@pytest.mark.parametrize(("sample", "arguments"), CASES)
def test_the_device_gives_the_hosts_answer(workshop, sample, arguments):
    binary = workshop(sample, "accshare-cc")
    result = run([binary, *arguments.split()], ACCSHARE_OFFLOAD="mandatory", ACCSHARE_NOTIFY="1")
    assert checksum(result) == host_checksum(workshop, sample, arguments)


@pytest.mark.parametrize(("sample", "arguments"), telling(STAGED, CASES, quick=[("gemm", "33 47 19")]))
def test_kernels_for_gpus_give_the_hosts_answer(workshop, sample, arguments):
    binary = workshop(sample, "accshare-cc", "--acc-target=generic-gpu")
    result = run([binary, *arguments.split()], ACCSHARE_OFFLOAD="mandatory", ACCSHARE_NOTIFY="1")
    assert checksum(result) == host_checksum(workshop, sample, arguments)


@pytest.mark.parametrize("sample", SIZES)
def test_the_loop_really_runs_on_the_device(workshop, sample):
    binary = workshop(sample, "accshare-cc")
    result = run([binary, *SMALL[sample].split()], ACCSHARE_OFFLOAD="mandatory", ACCSHARE_NOTIFY="1")
    launches = [line for line in result.stderr.splitlines() if line.startswith("accshare: launch ")]
    pragma = next(
        number
        for number, line in enumerate((SAMPLES / f"{sample}.c").read_text().splitlines(), 1)
        if line.strip().startswith(("#pragma acc kernels", "#pragma acc parallel"))
    )
    assert launches, result.stderr
    for line in launches:
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        assert words["file"].strip('"').endswith(f"{sample}.c")
        assert pragma <= int(words["line"]) <= pragma + 4


@pytest.mark.parametrize("sample", SIZES)
def test_without_a_device_the_loops_run_on_the_host(workshop, sample):
    arguments = SIZES[sample][-2]
    result = run(
        [workshop(sample, "accshare-cc"), *arguments.split()], ACCSHARE_OFFLOAD="disabled", ACCSHARE_NOTIFY="1"
    )
    assert checksum(result) == host_checksum(workshop, sample, arguments)
    assert "accshare: launch" not in result.stderr


@pytest.mark.parametrize("sample", telling({"gemm", "reduction"}, SIZES))
@pytest.mark.skipif(shutil.which("oclgrind") is None, reason="needs oclgrind")
def test_kernels_have_no_races_and_read_nothing_uninitialised(workshop, tmp_path, sample):
    binary = workshop(sample, "accshare-cc", "--acc-target=generic-gpu")
    log = tmp_path / "log"
    result = run(
        [*oclgrind(log), str(binary), *SMALL[sample].split()],
        ACCSHARE_OFFLOAD="mandatory",
        ACCSHARE_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert checksum(result) == host_checksum(workshop, sample, SMALL[sample])
    assert log.read_text() == ""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("sample", SIZES)
def test_a_plain_compiler_has_nothing_to_say(workshop, sample, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    plain = run([workshop(sample, compiler), *SMALL[sample].split()])
    assert checksum(plain) == host_checksum(workshop, sample, SMALL[sample])


@pytest.mark.thorough
def test_a_project_of_several_files_builds_with_its_own_makefile(tmp_path):
    lines = {}
    for name, compiler in {"plain": "cc", "offloaded": " ".join(ACCSHARE_CC)}.items():
        project = shutil.copytree(SAMPLES / "multifile", tmp_path / name)
        built = run(["make", "-C", str(project), f"CC={compiler}"])
        assert built.returncode == 0, built.stdout + built.stderr
        assert built.stderr == ""
        mode = {"ACCSHARE_OFFLOAD": "mandatory", "ACCSHARE_NOTIFY": "1"} if name == "offloaded" else {}
        result = run([project / "wave", "61", "37", "9"], **mode)
        lines[name] = (checksum(result), result.stdout.splitlines()[0])
        if mode:
            assert "step.c" in result.stderr
            assert "measure.c" in result.stderr
    assert lines["plain"] == lines["offloaded"]
    assert lines["plain"][1] != "peak 0"
