"""Random programs give the same result with accshare-cc as with the host compiler."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import imperfect_nests
import own_variables
import passes
import places
import pytest
import stencils
import sweeps
import taken
import tiles
import walks
from calls import oclgrind
from commands import accshare_cc
from hypothesis import HealthCheck, Phase, given, settings
from random_programs import FACTORS, SHARES, programs, settings_of_ours
from tiers import every, telling

pytestmark = pytest.mark.usefixtures("opencl")

FLAGS = ("-std=c99", "-O1", "-fwrapv", "-w")
#: regions stay on the host where nothing is parallel; the others must not fail for another reason
SETTINGS = settings(
    deadline=None,
    derandomize=True,  # the same programs in every run; the long sweep draws new ones
    phases=[Phase.generate],  # a failing program is short enough as it is
    suppress_health_check=list(HealthCheck),
)
#: one instruction set is enough to see which loops run in bands or blocks
STENCILS = ("--acc-target=native", "-march=native", "-ffp-contract=off")
#: nests in a program, by target: a host compiler is much faster than an OpenCL driver
NESTS = {"native": 25, "generic-gpu": 5, "generic-cpu": 5}
#: seconds that PoCL may need for kernels of many loops
_BUILDING = 600


def build_and_run(folder: Path, text: str, *options: str) -> str:
    """What a program prints, compiled with options of ours, or by gcc."""
    source, binary = folder / "program.c", folder / "program"
    source.write_text(text)
    words = [*FLAGS, str(source), "-o", str(binary), "-lm"]
    made = accshare_cc(*options, *words) if options else subprocess.run(["gcc", *words], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert "ACC9" not in made.stderr, made.stderr
    ran = subprocess.run([binary], capture_output=True, text=True, timeout=_BUILDING, env=os.environ)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def check(folder: Path, text: str, *options: str) -> None:
    ours = build_and_run(folder, text, *options)
    assert ours == build_and_run(folder, text), f"{options}\n{text}"


def check_kernels(folder: Path, text: str, target: str, *options: str) -> None:
    """The same, but for what PoCL takes for something else: there a simulator has to have it right."""
    expected = build_and_run(folder, text)
    ours = build_and_run(folder, text, f"--acc-target={target}", *options)
    if ours != expected and target != "native":
        ours = in_a_simulator(folder)
    assert ours == expected, f"{target} {options}\n{text}"


def in_a_simulator(folder: Path) -> str:
    """What the program prints whose kernels PoCL may have taken for something else (docs/devices.md)."""
    log, keep = folder / "log", {"ACCSHARE_BREAK_EVEN", "ACCSHARE_LEARN"}
    own = {k: v for k, v in os.environ.items() if not k.startswith("ACC") or k in keep}
    command = [*oclgrind(log), str(folder / "program")]
    ran = subprocess.run(command, env=own, capture_output=True, text=True, timeout=_BUILDING)
    assert (ran.returncode, log.read_text()) == (0, "")
    return ran.stdout


@pytest.mark.parametrize("count", every(2, [1, 3]))
@pytest.mark.parametrize("target", telling({"generic-gpu", "native"}, ["generic-gpu", "generic-cpu", "native"]))
def test_random_programs(tmp_path_factory: pytest.TempPathFactory, target: str, count: int) -> None:
    folder = tmp_path_factory.mktemp(target)

    @settings(parent=SETTINGS, max_examples=count)
    @given(text=programs(), options=settings_of_ours())
    def holds(text: str, options: tuple[str, ...]) -> None:
        check(folder, text, f"--acc-target={target}", *options)

    holds()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu", "native"])
def test_many_random_programs(tmp_path_factory: pytest.TempPathFactory, target: str) -> None:
    folder = tmp_path_factory.mktemp(target)

    @settings(parent=SETTINGS, max_examples=400, derandomize=False)
    @given(text=programs(8), options=settings_of_ours())
    def holds(text: str, options: tuple[str, ...]) -> None:
        check(folder, text, f"--acc-target={target}", *options)

    holds()


@pytest.mark.parametrize("target", telling({"native"}, NESTS))
def test_some_nests(tmp_path: Path, target: str) -> None:
    seeds = range(NESTS[target])
    check(tmp_path, imperfect_nests.program(seeds), f"--acc-target={target}")


#: nests that compile only if: tiles are known to lack what statements look up beyond the grid; parts of a split
#: statement are told apart, whose references look alike; references that never happen are in no tile; what fills its
#: tiles alone stays alone
VENDORS = (
    (3755, "force"),
    (700025, "auto"),
    (1100006, "force"),
    (1100019, "force"),
    (1100147, "force"),
    (1100154, "auto"),
    (1200143, "force"),
)


@pytest.mark.parametrize(("seed", "share"), VENDORS)
def test_nests_for_a_vendors_gpu_compile(seed, share, tmp_path):
    source, flags = tmp_path / "nest.c", ("--acc-target=h200", f"--acc-share={share}", "-ffp-contract=off", "-w")
    source.write_text(imperfect_nests.program(range(seed, seed + 1)))
    done = accshare_cc(*flags, "-c", source, "-o", tmp_path / "nest.o")
    assert done.returncode == 0, done.stderr
    assert "internal error" not in done.stderr


#: nests that were wrong, or took PoCL minutes to build: a work-item's own iterations of which every other one exists;
#: products that wrap around; loops with barriers, or loops inside, that were to be unrolled; a condition in a loop
#: behind one with barriers, of which PoCL takes the first work-item's for all; names that were declared twice; a loop
#: beside one of its own name that ends with the loop around
WRONG = (
    ("generic-gpu", 4208, "auto", "Y:4,X:2"),
    ("generic-gpu", 4772, "auto", "off"),
    ("generic-gpu", 4945, "force", "X:4"),
    ("generic-gpu", 5981, "on", "Y:4,X:2"),
    ("generic-gpu", 50366, "auto", "8"),
    ("native", 9011, "force", "X:4"),
    ("native", 14432, "auto", "auto"),
)


@pytest.mark.parametrize(("target", "seed", "share", "ilp"), WRONG)
def test_nests_that_went_wrong(target, seed, share, ilp, tmp_path):
    text = imperfect_nests.program(range(seed, seed + 1))
    check(tmp_path, text, f"--acc-target={target}", f"--acc-share={share}", f"--acc-ilp={ilp}")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 21000, 100))
def test_many_nests(tmp_path: Path, first: int) -> None:
    drawn = random.Random(first)
    options = f"--acc-share={drawn.choice(SHARES)}", f"--acc-ilp={drawn.choice(FACTORS)}"
    target = drawn.choice(["native"] * 6 + ["generic-gpu", "generic-cpu"])
    for seed in range(first, first + 100, NESTS[target]):
        text = imperfect_nests.program(range(seed, seed + NESTS[target]))
        check_kernels(tmp_path, text, target, *options)


@pytest.mark.parametrize("target", telling({"native"}, NESTS))
def test_some_loops_with_variables_of_their_own(tmp_path: Path, target: str) -> None:
    seeds = range(NESTS[target])
    check(tmp_path, own_variables.program(seeds), f"--acc-target={target}")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 5000, 100))
def test_many_loops_with_variables_of_their_own(tmp_path: Path, first: int) -> None:
    target = random.Random(first).choice(["native"] * 4 + ["generic-gpu", "generic-cpu"])
    for seed in range(first, first + 100, NESTS[target]):
        check(tmp_path, own_variables.program(range(seed, seed + NESTS[target])), f"--acc-target={target}")


@pytest.mark.parametrize("first", every(3, range(0, 12, 4)))
def test_some_stencils(tmp_path: Path, first: int) -> None:
    check(tmp_path, stencils.program(range(first, first + 4)), *STENCILS)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 5000, 50))
def test_many_stencils(tmp_path: Path, first: int) -> None:
    check(tmp_path, stencils.program(range(first, first + 50)), *STENCILS)


@pytest.mark.parametrize("schedule", telling({"isl", "copies"}, ["isl", "auto", "copies"]))
def test_some_sweeps_in_place(tmp_path: Path, schedule: str) -> None:
    check(tmp_path, sweeps.program(range(8)), "--acc-target=native", f"--acc-schedule={schedule}")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 3000, 20))
@pytest.mark.parametrize("schedule", ["isl", "auto", "copies"])
def test_many_sweeps_in_place(tmp_path: Path, first: int, schedule: str) -> None:
    check(tmp_path, sweeps.program(range(first, first + 20)), "--acc-target=native", f"--acc-schedule={schedule}")


@pytest.mark.parametrize("first", every(2, [0, 20]))
def test_some_tiles(tmp_path: Path, first: int) -> None:
    check(tmp_path, tiles.program(range(first, first + 20)), *STENCILS)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 5000, 50))
def test_many_tiles(tmp_path: Path, first: int) -> None:
    check(tmp_path, tiles.program(range(first, first + 50)), *STENCILS)


@pytest.mark.parametrize("first", every(2, [0, 30]))
def test_some_places(tmp_path: Path, first: int) -> None:
    check(tmp_path, places.program(range(first, first + 30)), *STENCILS)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 5000, 50))
def test_many_places(tmp_path: Path, first: int) -> None:
    check(tmp_path, places.program(range(first, first + 50)), *STENCILS)


@pytest.mark.parametrize("first", every(2, [0, 20]))
def test_some_walks(tmp_path: Path, first: int) -> None:
    check(tmp_path, walks.program(range(first, first + 20)), *STENCILS)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 5000, 50))
@pytest.mark.parametrize("target", ["native", "generic-gpu"])
def test_many_walks(tmp_path: Path, first: int, target: str) -> None:
    check(tmp_path, walks.program(range(first, first + 50)), f"--acc-target={target}", "-ffp-contract=off")


@pytest.mark.parametrize("first", every(2, [0, 20]))
def test_some_that_take_numbers(tmp_path: Path, first: int) -> None:
    check(tmp_path, taken.program(range(first, first + 20)), *STENCILS)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 5000, 50))
@pytest.mark.parametrize("target", ["native", "generic-gpu"])
def test_many_that_take_numbers(tmp_path: Path, first: int, target: str) -> None:
    check(tmp_path, taken.program(range(first, first + 50)), f"--acc-target={target}", "-ffp-contract=off")


@pytest.mark.parametrize("first", every(2, [0, 6]))
def test_some_passes(tmp_path: Path, first: int) -> None:
    check(tmp_path, passes.program(range(first, first + 6)), *STENCILS)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 2000, 10))
def test_many_passes(tmp_path: Path, first: int) -> None:
    check(tmp_path, passes.program(range(first, first + 10)), *STENCILS)
