"""What is staged, in which tiles, for programs of all shapes."""

import pytest
from solving import array, kernel, partitions, sample, staged, strips, tiles

from accshare.options import Share

pytestmark = pytest.mark.quick

TRANSPOSE = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[i][j] = A[j][i];"
CROSS = (
    "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
    " B[i][j] = A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];"
)
PRODUCT = (
    "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
    " for (int k = 0; k < n; k++) s += A[i][k] * B[k][j]; C[i][j] = s; }"
)
LINE = "int n, float *restrict p, float *restrict q"


# --- the samples ------------------------------------------------------------------------------------------------------


def test_a_transposition_copies_rows_and_reads_columns():
    nest = sample("mt")
    assert tiles(nest) == {"i": ("y", 32, 32), "j": ("x", 32, 32)}
    assert staged(nest) == [("A", (32, 32), None)]
    assert not array(nest, "A").coalesced


def test_where_groups_are_small_a_work_item_takes_several_rows_of_a_transposition():
    nest = sample("mt", device="generic-gpu")
    assert tiles(nest) == {"i": ("y", 32, 8), "j": ("x", 32, 32)}
    assert staged(nest) == [("A", (32, 32), None)]


def test_a_matrix_vector_product_stages_both_in_strips_that_coalesce():
    nest = sample("mv")
    (matrix, vector) = staged(nest)
    rows = tiles(nest)["i"][1]
    assert strips(nest) == {"j": 32}
    assert matrix == ("A", (rows, 32), "j")
    assert vector == ("x", (32,), "j")
    assert nest.solution.binding.startswith("local memory (9)")


def test_a_stencil_has_its_halo():
    nest = sample("hotspot")
    (_, height, _), (_, width, _) = tiles(nest)["i"], tiles(nest)["j"]
    assert staged(nest) == [("now", (height + 2, width + 2), None)]
    assert array(nest, "power").why == "each element is used once, and it already coalesces"


def test_the_weights_of_a_filter_are_no_array_to_stage():
    nest = sample("gauss")
    (_, height, _), (_, width, _) = tiles(nest)["y"], tiles(nest)["x"]
    assert {name: lengths for name, lengths, _ in staged(nest)} == {"in": (height + 4, width + 4)}
    assert "weight" not in {one.variable.name for one in nest.solution.arrays}


def test_what_pays_nothing_keeps_the_sizes_of_a_kernel_without_local_memory():
    nest, plain = sample("reduction"), sample("reduction", share=Share.OFF)
    assert nest.nest.grid == plain.nest.grid
    assert nest.staged == nest.strips == nest.solution.plans == ()
    assert plain.solution is None


# --- shapes -----------------------------------------------------------------------------------------------------------


def test_one_dimension():
    nest = kernel("for (int i = 1; i < n - 1; i++) q[i] = p[i - 1] + p[i] + p[i + 1];", parameters=LINE)
    width = tiles(nest)["i"][1]
    assert staged(nest) == [("p", (width + 2,), None)]


def test_three_dimensions_have_a_halo_on_every_side():
    near = [f"A[i + ({a})][j + ({b})][k + ({c})]" for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
    loops = "".join(f"for (int {i} = 1; {i} < n - 1; {i}++) " for i in "ijk")
    nest = kernel(f"{loops}B[i][j][k] = {' + '.join(near)};", parameters="int n, float A[n][n][n], float B[n][n][n]")
    lengths = tuple(tiles(nest)[i][1] + 2 for i in "ijk")
    assert staged(nest) == [("A", lengths, None)]
    assert array(nest, "A").ratio == pytest.approx(27 * 1024 / (lengths[0] * lengths[1] * lengths[2]))


def test_four_dimensions_of_which_two_are_walked_by_sequential_loops():
    body = (
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
        " for (int k = 0; k < n; k++) for (int l = 0; l < n; l++) s += A[i][k][l][0] * p[j]; C[i][j] = s; }"
    )
    nest = kernel(body, parameters="int n, float A[n][n][n][4], float C[n][n], float *restrict p")
    assert ("A", (tiles(nest)["i"][1], 1, strips(nest)["l"], 1), "l") in staged(nest)


def test_linearised_arrays_are_seen_in_the_shape_of_the_hint():
    body = PRODUCT.replace("A[i][k]", "p[i * n + k]").replace("B[k][j]", "q[k * n + j]")
    nest = kernel(body, "p[TB_Y][*], q[*][TB_X]", f"{LINE}, float C[n][n]", delta_s=0.25)
    assert staged(nest) == [("p", (32, 32), "k"), ("q", (32, 32), "k")]


def test_a_triangle_is_counted_by_its_average():
    nest = kernel(PRODUCT.replace("k < n", "k <= i"), delta_s=0.25)
    assert staged(nest) == [("A", (32, 32), "k"), ("B", (32, 32), "k")]
    exact = sum(i + 1 for i in range(1024)) / 1024
    assert array(nest, "B").reuse == pytest.approx(4 * 32 * 32 * exact, rel=0.001)
    assert array(nest, "A").transactions == pytest.approx(32 * exact, rel=0.001)


def test_a_tetrahedron_is_sampled_with_the_error_that_is_stated():
    body = PRODUCT.replace("s += A[i][k] * B[k][j];", "for (int l = 0; l <= k; l++) s += A[i][l] * B[l][j];")
    nest = kernel(body.replace("k < n", "k <= i"))
    exact = sum((k + 1) for i in range(1024) for k in range(i + 1)) / 1024
    points = tiles(nest)["i"][1] * tiles(nest)["j"][1]
    assert array(nest, "B").reuse / (4 * points) == pytest.approx(exact, abs=0.016 * 1024 * 1024 / 2)


def test_sibling_loops_have_strips_of_their_own():
    body = PRODUCT.replace("C[i][j] = s;", "for (int l = 0; l < n; l++) s += B[i][l] * A[l][j]; C[i][j] = s;")
    nest = kernel(body)
    assert set(strips(nest)) == {"k", "l"}
    assert [(name, at) for name, _, at in staged(nest)] == [("A", "k"), ("B", "k"), ("B", "l"), ("A", "l")]


def test_a_loop_that_is_short_is_loaded_whole():
    nest = kernel(PRODUCT.replace("n; k++", "12; k++"))
    assert strips(nest) == {}
    assert [lengths[1] for name, lengths, _ in staged(nest) if name == "A"] == [12]


def test_a_small_problem_gets_small_groups():
    body = PRODUCT.replace("< n", "< 8")
    nest = kernel(body, parameters="float A[8][8], float B[8][8], float C[8][8]")
    assert tiles(nest) == {"i": ("y", 8, 8), "j": ("x", 8, 8)}
    assert staged(nest) == [("A", (8, 8), None), ("B", (8, 8), None)]


def test_two_rows_of_one_array_are_two_tiles():
    nest = kernel(PRODUCT.replace("B[k][j]", "A[j][k]"))
    high, wide, k = tiles(nest)["i"][1], tiles(nest)["j"][1], strips(nest)["k"]
    assert staged(nest) == [("A", (high, k), "k"), ("A", (wide, k), "k")]


def test_elements_with_a_step_between_them_need_room_for_what_lies_between():
    nest = kernel("for (int i = 0; i < n; i++) q[i] = p[2 * i] + p[2 * i + 1];", parameters=LINE)
    assert staged(nest) == [("p", (2 * tiles(nest)["i"][1],), None)]


# --- what is left alone -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "name", "why"),
    [
        ("for (int i = 0; i < n; i++) q[i] = p[i];", "p", "each element is used once, and it already coalesces"),
        ("for (int i = 0; i < n; i++) q[i] = p[i] + p[i + 1];", "p", "reuse 2.0 is not above"),
        ("for (int i = 0; i < n; i++) q[i] = p[i / 2];", "p", "a subscript isn't affine"),
        ("for (int i = 0; i < n; i++) q[i] = p[i] * p[0];", "p", "each element is used once, and it already"),
        ("for (int i = 0; i < n; i++) q[i] = p[i];", "q", "it is written and already coalesces"),
    ],
)
def test_the_reason_is_given(body, name, why):
    nest = kernel(body, parameters=LINE, device="generic-gpu")
    assert nest.staged == ()
    assert array(nest, name).why.startswith(why)


def test_what_stays_in_a_register_is_no_reuse():
    body = (
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
        " for (int k = 0; k < n; k++) s += A[i][j] * p[k * n + j]; C[i][j] = s; }"
    )
    nest = kernel(body, parameters=f"{LINE}, float A[n][n], float C[n][n]")
    assert array(nest, "A").ratio == 1
    assert not array(nest, "A").staged


def test_a_written_array_is_staged_only_where_its_stores_would_scatter():
    scattered = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[j][i] = A[i][j] + C[i][j];"
    (found,) = kernel(scattered).staged
    assert (found.variable.name, found.reads, found.writes) == ("B", False, True)
    assert kernel(scattered.replace("B[j][i]", "B[i][j]")).staged == ()


def test_an_array_too_large_for_local_memory_says_how_large():
    body = "for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < 65536; k += 2) s += p[k]; q[i] = s; }"
    nest = kernel(body, parameters=LINE)
    assert nest.staged == ()
    assert array(nest, "p").why.startswith("takes 256 KB of")


def test_what_another_loop_writes_under_a_condition_of_the_data_is_left_alone():
    body = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (A[i][j] > 0) B[j][i] = 1;"
    assert array(kernel(body, "B[*][*]:coalesce"), "B").why.startswith("it is written under a condition")


# --- devices and options ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [TRANSPOSE, CROSS])
def test_a_cpu_stages_nothing_unless_it_is_forced(body):
    nest = kernel(body, device="generic-cpu")
    assert nest.staged == ()
    assert {a.why for a in nest.solution.arrays} == {"local memory is ordinary memory here"}
    forced = kernel(body, device="generic-cpu", share=Share.FORCE)
    assert {s.variable.name for s in forced.staged} == {a.variable.name for a in forced.solution.arrays}
    assert tiles(forced)["j"][2] >= 32
    x, y, z = forced.work_group
    assert x * y * z <= 256


@pytest.mark.parametrize(
    ("reference", "packed"),
    [
        ("B[k][j]", [("B", (128, 64), "k")]),
        ("B[j][k]", [("B", (64, 128), "k")]),
        ("B[k][j] * B[k][0]", [("B", (128, 64), "k")]),
        ("B[k][j + k]", []),
        ("B[i][k]", []),
        ("x[j]", []),
    ],
)
def test_a_cpu_packs_what_rows_share_and_strips_reach_across(reference, packed):
    parameters = "int n, float A[n][n], float B[n][2 * n], float C[n][n], float *restrict x"
    nest = kernel(PRODUCT.replace("B[k][j]", reference), parameters=parameters, device="generic-cpu")
    assert staged(nest) == packed
    assert nest.work_group == (1, 1, 1)
    assert staged(kernel(PRODUCT, device="generic-cpu", share=Share.OFF)) == []


def test_forced_staging_takes_what_does_not_pay():
    body = "for (int i = 0; i < n; i++) q[i] = p[i];"
    assert kernel(body, parameters=LINE).staged == ()
    assert [name for name, _, _ in staged(kernel(body, parameters=LINE, share=Share.FORCE))] == ["p", "q"]


def test_thresholds_can_be_set():
    body = "for (int i = 0; i < n; i++) q[i] = p[i] + p[i + 1];"
    assert [name for name, _, _ in staged(kernel(body, parameters=LINE, delta_r=1.5))] == ["p"]
    assert kernel(CROSS, delta_r=6.0).staged == ()
    wide, narrow = kernel(PRODUCT, delta_s=0.5), kernel(PRODUCT, delta_s=0.05)
    assert narrow.solution.plans[0].local_bytes <= 0.05 * 49152 < wide.solution.plans[0].local_bytes


def test_partitions_for_alike_devices_are_equal():
    text = f"void f(int n, float A[n][n], float B[n][n]) {{\n#pragma acc kernels loop\n{CROSS}\n}}\n"
    one, other = partitions(text, device="gtx-690"), partitions(text, device="gtx-690", delta_s=0.25)
    assert [p.nests for p in one] == [p.nests for p in other]
    assert [p.nests for p in one] != [p.nests for p in partitions(text, device="generic-cpu")]
