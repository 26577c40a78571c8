"""The decision tree of SHARE's Fig. 4: which way out of bank conflicts is taken, and that it is one."""

from dataclasses import replace

import pytest
from placing import SAMPLES, kernel, measured, placements, predicted, preprocessed, tile, untouched

from accshare.mapping.ir import Change, GroupOrder, Layout
from accshare.options import Choice, Share

TURNED = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[i][j] = A[j][i];"
MATRICES = "int n, float A[n][n], float B[n][n]"
FILTER = (
    "for (int i = 0; i < n; i++) {{ {0} s = 0;"
    " for (int k = 0; k < m; k++) s += w[k] * in[8 * i + k]; out[i] = s; }}".format
)
LINES = "int n, int m, {0} *restrict in, {0} *restrict w, {0} *restrict out".format


def sample(name, device="generic-gpu", **choices):
    (placement,) = placements(preprocessed(SAMPLES / "banks" / f"{name}.c"), device, **choices)
    return placement


def floating(**more):
    return kernel(FILTER("float"), LINES("float"), "in[*], w[*]", **more)


# --- one sample for each transformation -------------------------------------------------------------------------------


def test_structs_become_tiles_of_members():
    placement = sample("aos")
    one = tile(placement, "B", "re")
    assert (one.change, one.before, one.after) == (Change.SOA, 2, 1)
    assert one.path == ("AOS? yes: member re is staged by itself",)
    assert measured(placement, n=64) == predicted(placement)


def test_rows_of_another_length_than_the_stride_are_padded():
    placement = sample("padding")
    one = tile(placement, "signal")
    assert (one.change, one.before, one.after) == (Change.PADDING, 16, 2)  # of the copies, which store vectors apart
    assert one.path == (
        "AOS? no",
        "2-D and strided? yes: neighbouring work-items are 96 elements apart",
        "stride == width? no: rows have 32 elements",
        "padding: 2 elements more a row",
    )


def test_padding_is_the_smallest_that_works():
    placement = sample("padding")
    assert tile(placement, "signal").layout.padding == 2
    nest = next(nest for nest in placement.nests if nest.tiles)
    narrower = replace(nest.tiles[0], layout=Layout((0, 1, 2), 1))
    others = (other for other in placement.nests if other is not nest)
    one_less = replace(placement, nests=(replace(nest, tiles=(narrower,)), *others))
    assert measured(one_less, n=64, m=64)["signal"] > 1


def test_columns_that_are_as_far_apart_as_rows_are_long_are_transposed():
    placement = sample("transpose")
    one = tile(placement, "P")
    assert (one.change, one.before, one.after) == (Change.TRANSPOSE, 32, 1)
    assert one.layout == Layout((1, 0))
    assert one.path[-2:] == (
        "stride == width? yes: rows have 32 elements",
        "transpose, and copies of single elements",
    )


def test_work_items_of_what_has_no_rows_and_no_sum_go_along_diagonals():
    placement = sample("remap")
    one = tile(placement, "in")
    assert (one.change, one.before, one.after) == (Change.REMAP, 16, 4)
    assert placement.nests[0].remap == ((1, 0), (1, 1))
    assert one.path == (
        "AOS? no",
        "2-D and strided? no: it has one dimension",
        "associative? no: its tile is loaded on entry",
        "thread remap: (x, x + y)",
    )


def test_sums_are_reordered():
    placement = sample("reorder")
    one = tile(placement, "in")
    assert (one.change, one.before, one.after) == (Change.REORDER, 8, 1)
    assert [loop.iterator.name for loop in placement.nests[0].rotated] == ["k"]
    assert one.path[2:] == (
        "associative? yes: the iterations of k may run in any order",
        "access reorder: work-items begin each at their own place",
    )


# --- what decides -----------------------------------------------------------------------------------------------------


def test_nothing_changes_without_conflicts():
    placement = kernel(
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
        " for (int k = 0; k < n; k++) s += A[i][k] * B[k][j]; C[i][j] = s; }",
        "int n, float A[n][n], float B[n][n], float C[n][n]",
    )
    assert placement == untouched(placement)
    assert {t.path for nest in placement.nests for t in nest.tiles} == {("no conflicts",)}


def test_a_transposed_tile_would_be_filled_with_conflicts():
    one = tile(kernel(TURNED, MATRICES), "A")
    assert one.change is Change.PADDING
    assert "transpose would leave degree 32, of the copies" in one.path


def test_floating_point_sums_keep_their_order():
    placement = floating()
    assert placement.nests[0].rotated == ()
    assert "associative? no: the iterations of k have an order" in tile(placement, "in").path


def test_the_user_may_allow_another_order():
    assert tile(floating(reassociate=True), "in").change is Change.REORDER


def test_a_reduction_clause_allows_another_order():
    body = FILTER("float").replace("for (int k", "\n#pragma acc loop reduction(+:s)\nfor (int k")
    (clause,) = placements(
        f"void f({LINES('float')}) {{\n#pragma acc kernels loop\n#pragma acc share(in[*], w[*])\n{body}\n}}\n"
    )
    assert tile(clause, "in").change is Change.REORDER


def test_a_recurrence_keeps_its_order():
    body = FILTER("int").replace("s += w[k] * in[8 * i + k]", "s = 3 * s + w[k] * in[8 * i + k]")
    placement = kernel(body, LINES("int"), "in[*], w[*]")
    assert placement.nests[0].rotated == ()


def test_what_is_written_in_order_keeps_it():
    body = FILTER("int").replace("out[i] = s;", "").replace("s += ", "{ s += ").replace("+ k];", "+ k]; out[i] = s; }")
    assert kernel(body, LINES("int"), "in[*], w[*]").nests[0].rotated == ()


def test_work_items_that_move_bring_other_tiles_along():
    """Of rows of 39 elements, those along a diagonal lie in four banks; of rows of 40, in 32."""
    (placement,) = placements(
        "int f(int n, int in[16 * n], int curve[16][n + 7]) {\nint sum = 0;\n#pragma acc kernels loop\n"
        "#pragma acc share(in[*]:coalesce, curve[8][39])\n"
        "for (int c = 0; c < 16; c++) for (int t = 0; t < n; t++)"
        " sum += in[16 * t + c] * (curve[c][t] + curve[c][t + 3] + curve[c][t + 5] + curve[c][t + 7]);\n"
        "return sum; }\n"
    )
    assert tile(placement, "in").change is Change.REMAP
    assert tile(placement, "curve").layout == Layout((0, 1), 1)
    found = measured(placement, n=130)
    assert found == found | {"in": 4, "curve": 1}


def test_work_items_stay_where_they_write_rows():
    """Along diagonals they would write one element of 32 rows each."""
    body = "for (int c = 0; c < 16; c++) for (int t = 0; t < n; t++) row[c][t] = in[16 * t + c];"
    placement = kernel(body, "int n, int in[16 * n], int row[16][n]", "in[*]:coalesce")
    assert placement.nests[0].remap is None
    assert "thread remap would not help" in tile(placement, "in").path


@pytest.mark.parametrize("device", ["generic-cpu", "xeon-8480"])
@pytest.mark.parametrize("share", list(Share))
def test_a_cpu_gains_nothing(device, share):
    placement = kernel(TURNED, MATRICES, device=device, share=share)
    assert placement == untouched(placement)
    assert placement.nests[0].order is GroupOrder.ROWS


def test_tiles_can_be_left_as_they_are():
    placement = kernel(TURNED, MATRICES, banks=False)
    assert placement == untouched(placement)
    one = tile(placement, "A")
    assert (one.before, one.after, one.change) == (32, 32, None)
    assert one.path == ("left as it is: --acc-banks=off",)


# --- sizes that are asked for -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("padding", [0, 1, 2, 5])
def test_padding_can_be_asked_for(padding):
    placement = kernel(TURNED, MATRICES, choices=(Choice("f_l2_0", (("PAD", padding),)),))
    assert placement.nests[0].partition.nest.name == "f_l2_0"
    assert tile(placement, "A").layout.padding == padding
    assert measured(placement, n=64) == {"A": tile(placement, "A").after} == {"A": {0: 32, 1: 1, 2: 2, 5: 1}[padding]}
