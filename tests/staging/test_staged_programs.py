"""C programs whose arrays go through local memory: results as with gcc, for every target, with every setting."""

import itertools
from pathlib import Path

import pytest
from calls import check_where

NAMES = sorted(p.stem for p in (Path(__file__).parent / "programs").glob("*.c"))
#: PoCL takes long to compile the many kernels of the others
THOROUGH = {
    ("sections", "generic-gpu"),
    ("stencils", "generic-gpu"),
    ("written", "generic-gpu"),
    ("sizes", "generic-cpu"),
}
TARGETS = ("generic-gpu", "generic-cpu")
CASES = [
    pytest.param(*case, marks=pytest.mark.thorough if case in THOROUGH else pytest.mark.slow)
    for case in itertools.product(NAMES, TARGETS)
]
pytestmark = pytest.mark.usefixtures("opencl")


def check(workshop, name, target, share, **environment):
    calls = workshop.calls(name, target, f"--acc-share={share}", **environment)
    assert [(c.text, c.result) for c in calls] == workshop.host_results(name)
    check_where(calls)


@pytest.mark.parametrize(("name", "target"), CASES)
def test_whatever_can_be_staged_is_right(workshop, name, target):
    check(workshop, name, target, "force")


@pytest.mark.slow
@pytest.mark.parametrize("share", ["on", "off"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_what_pays_and_nothing_are_right(workshop, name, target, share):
    check(workshop, name, target, share)


@pytest.mark.thorough
def test_on_a_device_with_its_own_memory_tiles_stay_inside_of_what_was_sent(workshop):
    check(workshop, "sections", "generic-gpu", "force", ACCSHARE_ZERO_COPY="0")
