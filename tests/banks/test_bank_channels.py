"""Partition camping: work-groups that run at a time and use one channel of global memory."""

import re

import pytest
from commands import accshare
from placing import SAMPLES, kernel

from accshare.mapping.ir import GroupOrder

CHANNELS = 8  # those of an HD 7850, each with 256 bytes in turn
TURNED = "for (int i = 0; i < {0}; i++) for (int j = 0; j < {0}; j++) B[i][j] = A[j][i];".format
MATRICES = "float A[{0}][{0}], float B[{0}][{0}]".format


def turned(length, device="hd-7850"):
    return kernel(TURNED(length), MATRICES(length), device=device).nests[0]


def degrees(nest):
    return {c.variable.name: (c.before, c.after) for c in nest.channels}


def test_groups_that_read_one_column_of_a_power_of_two_go_along_diagonals():
    nest = turned(1024)
    assert nest.order is GroupOrder.DIAGONALS
    before, after = degrees(nest)["A"]
    assert before == CHANNELS
    assert after < before
    assert degrees(nest)["B"][0] == degrees(nest)["B"][1]


def test_rows_that_end_in_another_channel_spread_by_themselves():
    nest = turned(1024 + 64)
    assert nest.order is GroupOrder.ROWS
    assert all(before == after < CHANNELS for before, after in degrees(nest).values())


def test_devices_that_scatter_addresses_are_left_alone():
    for device in ("generic-gpu", "h200", "mi300x", "generic-cpu"):
        nest = turned(1024, device)
        assert nest.order is GroupOrder.ROWS
        assert nest.channels == ()


def test_a_kernel_of_one_dimension_has_no_diagonals():
    nest = kernel(
        "for (int i = 0; i < 4096; i++) { float s = 0; for (int k = 0; k < 1024; k++) s += A[i][k]; y[i] = s; }",
        "float A[4096][1024], float y[4096]",
        device="hd-7850",
    ).nests[0]
    assert nest.order is GroupOrder.ROWS
    before, after = degrees(nest)["A"]
    assert before == after > 1


@pytest.fixture(scope="module")
def tiles():
    """Evaluates what the kernel computes from a work-group's number: grid -> the tiles in the order groups run in."""
    text = accshare("emit", SAMPLES / "mt.c", "--acc-target=hd-7850").stdout
    starts = re.findall(r"const int [ij]_tile = (.*) \* \d+;", text)
    assert len(starts) == 2
    code = [compile(start.replace("/", "//"), "tile", "eval") for start in starts]

    def order(width, height):
        for y in range(height):
            for x in range(width):
                names = {"get_group_id": (x, y).__getitem__, "get_num_groups": (width, height).__getitem__}
                yield tuple(eval(one, names) for one in code)

    return order


@pytest.mark.parametrize("grid", [(1, 1), (8, 8), (16, 4), (3, 7), (1, 5), (6, 1)])
def test_groups_along_diagonals_do_every_tile_once(tiles, grid):
    width, height = grid
    assert sorted(tiles(width, height)) == [(y, x) for y in range(height) for x in range(width)]


@pytest.mark.parametrize("grid", [(8, 8), (16, 8), (8, 32)])
def test_groups_that_run_at_a_time_differ_in_row_and_column(tiles, grid):
    together = list(tiles(*grid))[:CHANNELS]
    assert len({row for row, _ in together}) == len({column for _, column in together}) == CHANNELS
