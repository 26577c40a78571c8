"""Blocks of a stencil that begin and end anywhere in lines of a cache, in rows that are conflict there and not."""

import pytest
from interpreting import sample
from tiers import every

from accshare.run.sizes import integers


@pytest.fixture(scope="module")
def hotspot():
    return sample("hotspot", "--acc-target=generic-cpu")


@pytest.mark.parametrize("alignment", [4, 12, 16, 64])
@pytest.mark.parametrize(("height", "width"), every(3, [(11, 171), (13, 174), (6, 510)]))
def test_wherever_rows_begin_the_result_is_the_same(hotspot, height, width, alignment, tmp_path):
    others = dict.fromkeys(set(integers(hotspot.text.offload.plan)) - {"rows", "columns"}, 1)
    case = hotspot.case(rows=height, columns=width, **others)
    run = hotspot.run(case, alignment=alignment)
    assert run.faults == ()
    assert hotspot.difference(case, run, tmp_path).ok
