"""Kernels whose work-groups wait at barriers under conditions: PoCL needs them changed, other implementations don't."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from commands import accshare, accshare_cc

PROGRAM = Path(__file__).with_name("barriers.c")
FLAGS = ["-std=c99", "-O1", "-Wno-unknown-pragmas"]
#: variables of ours that programs see
KEPT = {"ACCSHARE_CACHE_DIR", "ACCSHARE_BREAK_EVEN"}


def run(binary):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC") or k in KEPT}
    done = subprocess.run([binary], env=clean | {"ACCSHARE_NOTIFY": "1"}, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What gcc's program prints."""
    binary = tmp_path_factory.mktemp("plain") / "plain"
    subprocess.run(["gcc", *FLAGS, PROGRAM, "-o", binary], check=True)
    return subprocess.run([binary], capture_output=True, text=True, check=True).stdout


def built(folder, *options):
    done = accshare_cc(
        *options, "--acc-schedule=source", "--acc-share=force", *FLAGS, PROGRAM, "-o", folder / "program"
    )
    assert done.returncode == 0, done.stderr
    return folder / "program"


@pytest.mark.usefixtures("opencl")
def test_what_runs_on_any_device_is_right_on_pocl(expected, tmp_path):
    output, notices = run(built(tmp_path, "--acc-target=generic-gpu"))
    assert output == expected
    assert notices.count("accshare: launch") == 5


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """The kernel of a function for a target."""
    folder = tmp_path_factory.mktemp("kernels")
    done = accshare("emit", "-o", folder, "--acc-target=generic-gpu,h100", "--acc-share=force", PROGRAM)
    assert done.returncode == 0, done.stderr
    return lambda name, target: next(folder.glob(f"{name}_*.{target}.cl")).read_text()


@pytest.mark.parametrize("name", ["ends", "triangle", "behind"])
def test_a_vendors_gpu_waits_only_where_tiles_ask_for_it(text, name):
    """Before a tile that was loaded is used, and before it is loaded again or stored."""
    assert text(name, "generic-gpu").count("barrier(") > 0
    kernel = re.sub(r"^#line.*\n", "", text(name, "h100"), flags=re.MULTILINE)
    followed = re.findall(r"barrier\(.*\);\n\s*(\S+)", kernel)
    assert followed
    assert "barrier(CLK_LOCAL_MEM_FENCE);" not in followed


def test_conditions_around_barriers_stay_for_a_vendors_gpu(text):
    """Groups above the diagonal load nothing."""
    assert re.search(r"^    for \(int k_strip", text("triangle", "h100"), re.MULTILINE)
    assert re.search(r"^  for \(int k_strip", text("triangle", "generic-gpu"), re.MULTILINE)
    assert not re.search(r"^    for \(int k_strip", text("triangle", "generic-gpu"), re.MULTILINE)


def test_conditions_are_short_only_for_a_vendors_gpu(text):
    assert "&&" in text("behind", "h100")
    assert "&&" not in text("behind", "generic-gpu")


@pytest.mark.usefixtures("opencl")
def test_what_pocl_would_get_wrong_does_not_run_there(expected, tmp_path):
    output, notices = run(built(tmp_path, "--acc-target=h100"))
    assert output == expected
    assert "accshare: launch" not in notices
    assert 'reason="PoCL would compile barriers for h100 to something else"' in notices


@pytest.mark.usefixtures("opencl")
def test_kernels_that_are_the_same_for_all_run_on_pocl(expected, tmp_path):
    done = accshare_cc(
        "--acc-target=h100",
        "--acc-schedule=source",
        "--acc-share=off",
        "--acc-ilp=off",
        *FLAGS,
        PROGRAM,
        "-o",
        tmp_path / "program",
    )
    assert done.returncode == 0, done.stderr
    output, notices = run(tmp_path / "program")
    assert output == expected
    assert notices.count("accshare: launch") == 5
