"""Tiles with halos, which begin where loops do and are filled by rows: results, and traffic as it was predicted."""

import pytest
from interpreting import function

from accshare.run.bench.traffic import told

SIZES = [(1, 1), (2, 4), (3, 5), (18, 132), (19, 133), (36, 70)]


def stencil(element):
    """Nine elements, of `element`, from row 1 and column 2 on; there are none of them in the smallest arrays."""
    around = " + ".join(f"a[i + {di}][j + {dj}]" for di in (-1, 0, 1) for dj in (-2, 0, 2))
    return f"""
void f(int rows, int columns, {element} a[rows][columns], {element} b[rows][columns])
{{
#pragma acc kernels loop copyin(a[0:rows][0:columns]) copy(b[0:rows][0:columns])
#pragma acc share(a[TB_Y + 2][TB_X + 4])
  for (int i = 1; i < rows - 1; i++)
    for (int j = 2; j < columns - 2; j++)
      b[i][j] = {around};
}}
"""


@pytest.mark.parametrize("flag", ["--acc-share=on", "--acc-share=force"])
@pytest.mark.parametrize("element", ["float", "double", "unsigned char"])
def test_whatever_is_left_over(tmp_path, element, flag):
    region = function(tmp_path, stencil(element), flag)
    assert region.partition.nests[0].staged
    for rows, columns in SIZES:
        case = region.case(rows=rows, columns=columns)
        run = region.run(case)
        assert run.faults == ()
        assert region.difference(case, run, tmp_path).ok
        assert all(one.exact and one.counted == one.predicted for one in told(region.text, region.plan, case))


def test_iterations_of_one_tile_are_one_group(tmp_path):
    """It loads each element once, although the loops begin in the middle of rows."""
    region = function(tmp_path, stencil("float"), "--acc-share=on")
    down, across = (member.size for member in region.partition.nests[0].nest.grid)
    case = region.case(rows=down + 2, columns=across + 4)
    loads = {one.variable: one.counted.loads for one in told(region.text, region.plan, case)}
    assert loads["a"] == (down + 2) * (across + 4)
