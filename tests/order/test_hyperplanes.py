"""Functions of two iterators that bound tiles and count fronts, told from distances."""

from __future__ import annotations

import islpy as isl
import pytest
from calls import explained

from accshare.order.hyperplanes import front, hindering, hyperplanes

#: those of the example of WAVE: flow from A[i] to A[i] and to A[i + 1], anti from A[i + 1] and A[i], output
EXAMPLE = [isl.Set(text) for text in ("{ [1, 0] }", "{ [1, -1] }", "{ [0, 1] }", "{ [1, 0] }", "{ [1, 0] }")]


def test_the_example_of_the_paper_has_its_hyperplanes():
    assert hyperplanes(EXAMPLE) == ((2, 1), (1, 1))
    assert hindering(EXAMPLE, (2, 3, 4)) == (2,)
    assert hyperplanes(EXAMPLE[:2] + EXAMPLE[3:]) == ((1, 0), (1, 1))


@pytest.mark.parametrize(
    ("distances", "plane"),
    [
        ("{ [1, -3]; [0, 1] }", (4, 1)),
        ("{ [-1, 3]; [0, -2] }", (-4, -1)),
        ("{ [a, b] : a > 0 and -2 * a <= b <= a; [0, 1] }", (3, 1)),
        ("{ [a, b] : a > 0 or (a = 0 and b > 0) }", None),
        ("[n] -> { [1, -n] : n > 0; [0, 1] }", None),
        ("{ [2, -3]; [-1, 2] }", None),  # along 5 * i + 3 * j, which keeps neither loop
        ("{ [a, b] : a > 0 and a = 2 * b }", (1, 0)),
    ],
)
def test_fronts_grow_with_every_distance(distances, plane):
    assert front([isl.Set(distances)]) == plane


def test_arrays_are_named_of_which_a_copy_would_allow_other_fronts(tmp_path):
    source = tmp_path / "sweeps.c"
    source.write_text("""
void forwards(int steps, int n, float *restrict A)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++)
      A[i] = 0.5f * (A[i] + A[i + 1]);
}
void both(int steps, int n, float *restrict A)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n; i++)
      A[i] = 0.5f * (A[i - 1] + A[i + 1]);
}
""")
    regions = explained(source, "--acc-target=native", "--acc-schedule=isl")["regions"]
    copies = ["a copy of A" in region["order"]["steps"][0]["sentence"] for region in regions]
    assert copies == [True, False]
