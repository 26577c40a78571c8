"""How hints steer the search: F^-1, halos, axes, several seeds (SHARE 3.2.1)."""

import pytest
from solving import array, kernel, partitions, staged, strips, tiles
from test_solver import CROSS, LINE, PRODUCT, TRANSPOSE

NEAR = "for (int i = 1; i < n - 1; i++) q[i] = p[i - 1] + p[i] + p[i + 1];"


@pytest.mark.parametrize(
    ("length", "tile", "items"),
    [
        ("TB_X + 2", 1024, 1024),  # the constant pays for the halo
        ("TB_X", 1024, 1024),  # taken literally: the hull is longer
        ("TB_X * 2 + 4", 2048, 1024),  # what is left over is not used
        ("TB_X * 4", 4096, 1024),
        ("66", 64, 64),
        ("*", 1024, 1024),
    ],
)
def test_a_length_fixes_the_iterations(length, tile, items):
    nest = kernel(NEAR, f"p[{length}]", LINE)
    assert tiles(nest) == {"i": ("x", tile, items)}
    assert staged(nest) == [("p", (tile + 2,), None)]


def test_half_a_block_is_half_as_many_work_items():
    nest = kernel(NEAR, "p[TB_X / 2]", LINE)
    assert tiles(nest) == {"i": ("x", 512, 512)}


def test_constants_are_taken_as_they_are():
    nest = kernel(CROSS, "A[12][66]")
    assert {i: size for i, (_, size, _) in tiles(nest).items()} == {"i": 10, "j": 64}
    assert staged(nest) == [("A", (12, 66), None)]
    assert nest.solution.binding


def test_a_constant_on_a_sequential_loop_is_the_strip():
    nest = kernel(PRODUCT, "A[TB_Y][48], B[*][TB_X]")
    assert strips(nest) == {"k": 48}
    assert [lengths for name, lengths, _ in staged(nest) if name == "B"] == [(48, 32)]


def test_a_parameter_can_be_the_strip_too():
    nest = kernel(PRODUCT, "B[TB_Y][TB_X]")
    assert strips(nest) == {"k": tiles(nest)["i"][1]}


def test_the_names_say_the_axes():
    assert tiles(kernel(TRANSPOSE, "A[TB_X][TB_Y]"))["i"][0] == "y"
    nest = kernel(TRANSPOSE, "A[TB_Y][TB_X]")
    assert tiles(nest)["i"][0] == "x"
    assert array(nest, "A").coalesced
    assert [name for name, _, _ in staged(nest)] == ["B"]


def test_a_name_without_an_axis_means_the_loop_it_stands_for():
    assert tiles(kernel(NEAR, "p[TB_Y * 2 + 2]", LINE)) == {"i": ("x", 2048, 1024)}


def test_two_loops_that_claim_one_axis_are_tried_one_after_the_other():
    nest = kernel(PRODUCT.replace("B[k][j]", "A[j][k]"), "A[TB_Y][*]")
    sizes = {i: tile for i, (_, tile, _) in tiles(nest).items()}
    assert sorted(name for name, _, _ in staged(nest)) == ["A", "A"]
    assert sizes["i"] * sizes["j"] == 1024


def test_of_seeds_that_contradict_each_other_the_more_profitable_wins():
    nest = kernel(PRODUCT, "A[TB_Y][8], B[32][TB_X]")
    assert strips(nest) == {"k": 32}
    sizes = {dict(plan.sizes).get("k") for plan in nest.solution.plans}
    assert sizes >= {8, 32}


def test_only_what_depends_on_a_seed_is_a_candidate():
    text = (
        "void f(int n, float A[n][n], float B[n][n], float C[n][n], float D[n][n]) {\n"
        "#pragma acc kernels\n#pragma acc share(A[TB_Y + 2][TB_X + 2])\n"
        f"{{ {CROSS} {CROSS.replace('B[', 'D[').replace('A[', 'C[')} }}\n}}\n"
    )
    (found,) = partitions(text)
    first, second = found.nests
    assert {a.variable.name: a.role.value for a in first.solution.arrays} == {"A": "seed", "B": "inferred"}
    assert [name for name, _, _ in staged(first)] == ["A"]
    assert second.solution.arrays == second.staged == ()


def test_without_a_hint_every_array_is_a_seed():
    assert {a.role.value for a in kernel(PRODUCT).solution.arrays} == {"seed"}


def test_coalesce_skips_the_test_for_neighbours_but_not_the_count():
    body = "for (int i = 0; i < n; i++) q[i] = p[32 * i];"
    assert kernel(body, "p[*]", LINE).staged == ()
    nest = kernel(body, "p[*]:coalesce", LINE, device="generic-gpu", delta_s=1.0)
    assert [name for name, _, _ in staged(nest)] == ["p"]
    assert array(nest, "p").transactions == tiles(nest)["i"][1]


def test_a_hint_on_one_of_two_kernels_says_nothing_of_the_other():
    text = (
        "void f(int n, float A[n][n], float B[n][n]) {\n#pragma acc kernels\n#pragma acc share(A[TB_Y + 2][TB_X + 2])\n"
        f"{{ {CROSS} for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = 0; }}\n}}\n"
    )
    (found,) = partitions(text)
    assert [name for name, _, _ in staged(found.nests[0])] == ["A"]
    assert found.diagnostics == ()
