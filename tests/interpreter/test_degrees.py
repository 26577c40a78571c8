"""Bank conflicts that kernels really have are those that the layout of their tiles was chosen by."""

import pytest
from interpreting import BANKS, SAMPLES, compiled

from accshare.mapping.ir import Change

PATHS = [*sorted(SAMPLES.glob("*.c")), *sorted(BANKS.glob("*.c"))]
#: multiples of every tile and strip: those that are cut off may have fewer conflicts, and are not reordered
WHOLE = {"reorder": 256}


def called(tile):
    """What a tile's name in local memory begins with."""
    return "_".join((tile.staged.variable.name, *tile.staged.members))


def predicted(region):
    """The greatest degree by array."""
    found = {}
    for nest in region.plan.nests:
        for tile in nest.placement.tiles:
            found[called(tile)] = max(found.get(called(tile), 1), tile.after)
    return found


def measured(run, names):
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
        assert measured(run, expected) == expected


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_rows_as_they_are_in_the_program_have_the_conflicts_that_were_predicted(path):
    for chosen, plain in zip(compiled(path), compiled(path, "--acc-banks=off"), strict=True):
        nests = zip(chosen.plan.nests, plain.plan.nests, strict=True)
        tiles = [
            t
            for one, other in nests
            if one.placement.partition == other.placement.partition
            for t in one.placement.tiles
        ]
        plain_rows = [t for t in tiles if t.change is not Change.SOA]  # members have tiles of their own
        expected = {called(t): t.before for t in sorted(plain_rows, key=lambda t: t.before)}
        run = plain.run(plain.case_of(WHOLE.get(path.stem, 128)), check=False)
        assert measured(run, expected) == expected
