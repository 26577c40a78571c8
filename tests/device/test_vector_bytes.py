"""No vector of a kernel is wider than those of the CPU it is made for, whatever a statement computes with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accshare.device import PRESETS
from accshare.run.sources import compile_file

PROGRAMS = Path(__file__).parents[1] / "middle" / "programs"
BYTES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8}
BYTES |= {"float": 4, "double": 8}
VECTOR = re.compile(rf"\b(?:convert_)?({'|'.join(BYTES)})(2|4|8|16)\b")
MIXED = """\
void scale(int n, int m, float a[n][m], float b[n][m], signed char c[n][m])
{
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) {
        float x = a[k][j] * 0.1;
        sum += c[k][j] > 3 ? x : -x;
      }
      b[i][j] = sum;
    }
}
"""


def widths(path, target):
    """Bytes of the vector types in the kernels that a file gets for a device model."""
    regions = compile_file(str(path), (f"--acc-target={target}",)).result.output.regions
    found = {m for region in regions for text in region.variants for m in VECTOR.findall(text.opencl)}
    return {BYTES[name] * int(lanes) for name, lanes in found}


@pytest.mark.parametrize("target", ["generic-cpu", "xeon-8480"])
def test_numbers_of_several_sizes(target, tmp_path):
    source = tmp_path / "mixed.c"
    source.write_text(MIXED)
    assert max(widths(source, target)) == 4 * PRESETS[target].simd_width


@pytest.mark.parametrize("target", ["generic-cpu", "xeon-8480"])
@pytest.mark.parametrize("name", ["blocks", "reductions"])
def test_programs(name, target):
    assert max(widths(PROGRAMS / f"{name}.c", target)) <= 4 * PRESETS[target].simd_width


def test_compilers_are_left_no_function_to_call_for_every_vector():
    """Loads, stores and choices are operators; some compilers call the built-in functions for them."""
    regions = compile_file(str(PROGRAMS / "blocks.c"), ("--acc-target=generic-cpu",)).result.output.regions
    texts = [text.opencl for region in regions for text in region.variants]
    assert not any(re.search(r"\b(vload|vstore|select)\d*\(", text) for text in texts)
    assert any(" ? (float8)" in text or " ? (int8)" in text for text in texts)
