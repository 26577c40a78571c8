"""Blocks of a stencil that begin and end anywhere in lines of a cache, in rows that are conflict there and not."""

import pytest
from interpreting import compiled, sample
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


@pytest.fixture(scope="module")
def cross(tmp_path_factory):
    """Five elements of a row and two beside it; natively with AVX-512, tiles go along rows and shift what they have,
    where rows are a power of two long as well."""
    path = tmp_path_factory.mktemp("cross") / "cross.c"
    path.write_text("""
void cross(int rows, int columns, double a[rows][columns], double b[rows][columns])
{
#pragma acc parallel loop collapse(2) copyin(a[0:rows][0:columns]) copy(b[0:rows][0:columns])
    for (int i = 1; i < rows - 1; i++)
        for (int j = 2; j < columns - 2; j++)
            b[i][j] = a[i][j - 2] - a[i][j - 1] + a[i][j] - a[i][j + 1] + a[i][j + 2] - a[i - 1][j] + a[i + 1][j];
}
""")
    (found,) = compiled(path, "--acc-target=native", "-march=x86-64-v4")
    assert "shufflevector" in found.variant.text
    return found


@pytest.mark.parametrize(("rows", "columns"), every(3, [(7, 256), (10, 12), (11, 20), (10, 36), (9, 40), (21, 61)]))
def test_what_tiles_shift_is_what_they_would_have_loaded(cross, rows, columns, tmp_path):
    case = cross.case(rows=rows, columns=columns)
    run = cross.run(case)
    assert run.faults == ()
    assert cross.difference(case, run, tmp_path).ok
