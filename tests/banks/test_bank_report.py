"""What `accshare explain` says of banks, in all its forms."""

import json
from collections import Counter

import pytest
from placing import SAMPLES, preprocessed

from accshare.device import PRESETS
from accshare.options import Ilp, Options, Share
from accshare.pipeline import compile_unit
from accshare.report import explain, to_json
from accshare.report.page import page
from accshare.source import SourceFile

STAGED = Options(share=Share.ON, ilp=Ilp(automatic=False))
PROGRAMS = ["aos", "padding", "transpose", "remap", "reorder"]


def compiled(path, *devices):
    """A sample for some devices, each work-item with one iteration."""
    source = SourceFile.of(str(path), preprocessed(path))
    return compile_unit(source, tuple(PRESETS[d] for d in devices), STAGED, ""), source


def banking(unit):
    (region,) = json.loads(to_json(*unit))["regions"]
    return region["kernels"][0]["banking"]


@pytest.mark.parametrize("device", ["generic-gpu", "gtx-690", "hd-7850"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_words_that_meet_are_as_many_as_the_degree_says(name, device):
    (found,) = banking(compiled(SAMPLES / "banks" / f"{name}.c", device))
    assert found["target"] == device
    conflicts = [tile for tile in found["tiles"] if tile["before"] > 1]
    assert conflicts or device == "gtx-690"
    for tile in conflicts:
        for when in ("before", "after"):
            wanted = Counter(word % found["banks"] for word in set(tile[f"words_{when}"]))
            assert max(wanted.values()) == tile[when]


def test_lines_have_the_degrees_and_the_path():
    said = explain(*compiled(SAMPLES / "mt.c", "generic-gpu"))
    lines = [line.strip() for line in said.splitlines()]
    first = lines.index("banks of local memory on generic-gpu:")
    assert lines[first + 1 : first + 7] == [
        "A[32][32]: degree 32 before, 1 after padding",
        "AOS? no",
        "2-D and strided? yes: neighbouring work-items are 32 elements apart",
        "stride == width? yes: rows have 32 elements",
        "transpose would leave degree 32, of the copies",
        "padding: 1 element more a row",
    ]


def test_what_has_no_conflicts_is_said_in_a_line():
    said = explain(*compiled(SAMPLES / "gemm.c", "generic-gpu"))
    assert "banks of local memory on generic-gpu: no conflicts" in said


def test_moves_of_work_items_and_groups_are_told():
    assert "work-item (x, y) runs the iteration of (x, x + y)" in explain(
        *compiled(SAMPLES / "banks" / "remap.c", "generic-gpu")
    )
    assert "each work-item begins the strips of loop k at an iteration of its own" in explain(
        *compiled(SAMPLES / "banks" / "reorder.c", "generic-gpu")
    )
    unit = compiled(SAMPLES / "mt.c", "hd-7850")
    assert "channels of global memory on hd-7850: A degree 8, now 4; B degree 2, now 2" in explain(*unit)
    (found,) = banking(unit)
    assert found["diagonal"]
    assert found["channels"][0] == {"array": "A", "before": 8, "after": 4}


def test_a_cpu_has_no_banks():
    unit = compiled(SAMPLES / "mt.c", "generic-cpu")
    assert banking(unit) == []
    assert "banks" not in explain(*unit)


def test_the_page_has_a_map_of_tiles_that_had_conflicts():
    with_map, without = (page([compiled(SAMPLES / name, "generic-gpu")]) for name in ("mt.c", "gemm.c"))
    assert "before: degree 32" in with_map
    assert "after padding: degree 1" in with_map
    assert "waits for others" in with_map
    assert "no conflicts" in without
    assert "waits for others" not in without
