"""Conflict degrees: (20) and (21) of SHARE, the simulation of a warp, and what the interpreter counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from placing import SAMPLES, measured, placements, predicted, preprocessed, untouched
from tiers import every

from accshare.device import PRESETS
from accshare.mapping.gpu.banks.requests import closed_form, degree, request_lanes
from accshare.options import Share
from accshare.run.interpreter.warps import bank_degrees

BANKED = sorted(name for name, device in PRESETS.items() if device.banks > 1)
#: 32 banks of 4 bytes; banks of 8; wavefronts of 64; 128 banks
DEVICES = ["generic-gpu", "gtx-690", "hd-7850", "intel-max-1100"]

#: sizes that fill whole work-groups and strips, as the predictions do
SAMPLE_SIZES = {
    "mt": {"rows": 72, "columns": 72},
    "gemm": {"m": 70, "n": 70, "k": 64},
    "mv": {"rows": 72, "columns": 64},
    "gauss": {"width": 140, "height": 70},
    "banks/aos": {"n": 64},
    "banks/padding": {"n": 100, "m": 64},
    "banks/transpose": {"n": 100, "m": 64},
    "banks/remap": {"n": 130},
    "banks/reorder": {"n": 260, "taps": 256},
}


def function(parameters, body, hint=""):
    share = f"#pragma acc share({hint})\n" if hint else ""
    return f"void f({parameters}) {{\n#pragma acc kernels loop\n{share}{body}\n}}\n"


COLUMNS = (
    "for (int i = 0; i < n; i++) {{ {0} s = 0; for (int k = 0; k < n; k++) s += A[i][k] * x[k]; y[i] = s; }}".format
)
TURNED = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[i][j] = A[j][i];"
PROGRAMS = {
    "doubles by column": function("int n, double A[n][n], double x[n], double y[n]", COLUMNS("double")),
    "bytes by column": function(
        "int n, unsigned char A[n][n], int x[n], int y[n]", COLUMNS("int"), "A[TB_X][*]:coalesce"
    ),
    "structs by column": "struct c { double re, im; };\n"
    + function(
        "int n, struct c A[n][n], double x[n], double y[n]",
        "for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < n; k++)"
        " s += A[i][k].re * x[k] + A[i][k].im; y[i] = s; }",
        "A[TB_X][*]:coalesce",
    ),
    "shorts turned": function("int n, short A[n][n], short B[n][n]", TURNED),
    "doubles turned": function("int n, double A[n][n], double B[n][n]", TURNED),
    "downwards": function(
        "int n, float A[n][n], float B[n][n]",
        "for (int i = n - 1; i >= 0; i--) for (int j = n - 1; j >= 0; j--) B[i][j] = A[j][i];",
    ),
    "in steps of two": function(
        "int n, float A[n][n], float B[n][n]",
        "for (int i = 1; i < n; i += 2) for (int j = 1; j < n; j += 2) B[i][j] = A[j][i] + A[j - 1][i];",
        "A[*][*]:coalesce",
    ),
    "every second": function(
        "int n, float A[2 * n][2 * n], float B[n][n]",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
        " B[i][j] = A[2 * i][2 * j] + A[2 * i + 1][2 * j] + A[2 * i][2 * j + 1] + A[2 * i + 1][2 * j + 1];",
    ),
    "every third, backwards": function(
        "int n, float *restrict a, float *restrict w, float *restrict b",
        "for (int i = 0; i < n; i++) { float s = 0;"
        " for (int k = 0; k < n; k++) s += w[k] * a[3 * i + n - 1 - k]; b[i] = s; }",
    ),
    "two rows": function(
        "int n, float A[2 * n][n], float y[n]",
        "for (int i = 0; i < n; i++) { float s = 0;"
        " for (int k = 0; k < n; k++) s += A[2 * i][k] * A[2 * i + 1][k]; y[i] = s; }",
        "A[2 * TB_X][*]:coalesce",
    ),
    "written and read": function(
        "int n, float A[n][n], float B[n][n]",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { A[j][i] += 1; B[i][j] = A[j][i]; }",
        "A[TB_X][TB_Y]:coalesce",
    ),
}


# --- one request ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("device", "size", "stride", "expected"),
    [
        ("tesla-c2050", 4, 1, 1),  # one bank each
        ("tesla-c2050", 4, 2, 2),  # GCD(2, 32)
        ("tesla-c2050", 4, 3, 1),
        ("tesla-c2050", 4, 32, 32),
        ("tesla-c2050", 4, 33, 1),
        ("tesla-c2050", 4, 48, 16),
        ("tesla-c2050", 4, 0, 1),  # one word for all
        ("tesla-c2050", 1, 1, 1),  # four work-items a word
        ("tesla-c2050", 8, 1, 1),  # half a warp at a time
        ("tesla-c2050", 8, 16, 16),
        ("gtx-titan", 4, 2, 1),  # banks of 8 bytes
        ("gtx-titan", 4, 64, 32),
        ("gtx-titan", 8, 2, 2),
        ("hd-7850", 4, 32, 32),  # half a wavefront at a time
        ("intel-max-1100", 4, 32, 8),  # 128 banks: every fourth work-item shares one
    ],
)
def test_the_degree_of_a_constant_stride(device, size, stride, expected):
    model = PRESETS[device]
    offsets = [size * stride * k for k in range(model.simd_width)]
    assert closed_form(stride, size, request_lanes(model.simd_width, size, model), model) == expected
    assert degree(offsets, size, model) == expected


@pytest.mark.parametrize("device", BANKED)
def test_the_formula_says_what_a_simulation_gives(device):
    model = PRESETS[device]
    for size in (1, 2, 4, 8):
        lanes = request_lanes(model.simd_width, size, model)
        for stride in range(-70, 140):
            known = closed_form(stride, size, lanes, model)
            start = 70 * size * model.simd_width  # no element before the tile
            simulated = degree([start + size * stride * k for k in range(model.simd_width)], size, model)
            assert known in (None, simulated), (size, stride)


@given(st.sampled_from(BANKED), st.sampled_from([1, 2, 4, 8]), st.data())
@settings(deadline=None, max_examples=300)
def test_the_interpreter_counts_the_same(device, size, data):
    model = PRESETS[device]
    one = st.integers(0, 300)
    places = data.draw(st.lists(one, min_size=model.simd_width, max_size=model.simd_width))
    offsets = np.array([[size * place for place in places]])
    counted = bank_degrees(offsets, np.ones(offsets.shape, dtype=bool), size, model)
    assert degree([size * place for place in places], size, model) == counted.max()


# --- whole kernels ----------------------------------------------------------------------------------------------------


def check(text, device, share=Share.ON, **sizes):
    for placement in placements(text, device, share=share):
        found = measured(placement, **sizes)
        assert found == found | predicted(placement)
        if not any(t.staged.members for nest in placement.nests for t in nest.tiles):
            found = measured(untouched(placement), **sizes)
            assert found == found | predicted(placement, before=True)


@pytest.mark.parametrize("device", every(2, DEVICES))
@pytest.mark.parametrize("name", SAMPLE_SIZES)
def test_the_samples_have_the_degrees_that_were_predicted(name, device):
    check(preprocessed(SAMPLES / f"{name}.c"), device, **SAMPLE_SIZES[name])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_kernels_of_all_kinds_have_the_degrees_that_were_predicted(name, device):
    check(PROGRAMS[name], device, n=192)


@pytest.mark.slow
@pytest.mark.parametrize("device", BANKED)
@pytest.mark.parametrize("name", PROGRAMS)
def test_whatever_can_be_staged_has_the_degrees_that_were_predicted(name, device):
    check(PROGRAMS[name], device, Share.FORCE, n=192)
