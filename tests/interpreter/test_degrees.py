"""Bank conflicts that kernels really have are those that the layout of their tiles was chosen by."""

import pytest
from interpreting import BANKS, SAMPLES, compiled

PATHS = [*sorted(SAMPLES.glob("*.c")), *sorted(BANKS.glob("*.c"))]
#: multiples of every tile and strip: those that are cut off may have fewer conflicts, and are not reordered
WHOLE = {"reorder": 256}


def predicted(region):
    """The greatest degree by array."""
    found = {}
    for nest in region.plan.nests:
        for tile in nest.placement.tiles:
            name = "_".join((tile.staged.variable.name, *tile.staged.members))
            found[name] = max(found.get(name, 1), tile.after)
    return found


def measured(region, run, names):
    degrees = {name: [c.degree for c in run.conflicts if c.memory.startswith(f"{name}_local")] for name in names}
    return {name: max(found, default=1) for name, found in degrees.items()}


@pytest.mark.parametrize(
    "flags",
    [
        "",
        "--acc-ilp=off --acc-share=force",
        pytest.param("--acc-share=force", marks=pytest.mark.slow),
        pytest.param("--acc-target=hd-7850", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_measured_degrees_are_the_predicted_ones(path, flags):
    for region in compiled(path, *flags.split()):
        run = region.run(region.case_of(WHOLE.get(path.stem, 128)), check=False)
        expected = predicted(region)
        assert measured(region, run, expected) == expected
