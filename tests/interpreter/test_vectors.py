"""Tiles that are filled by vectors: what the test of alignment decides, and that vectors lie where they may."""

from dataclasses import replace

import pytest
from interpreting import PROGRAMS, compiled, sample
from tiers import every

from accshare.frontend.ir import INT, IntLit
from accshare.kernel.ir import Copy, Define, Guarded, Loop
from accshare.run.interpreter import FaultKind
from accshare.source import Span

WHOLE = {"m": 32, "n": 32, "k": 32}
RAGGED = {"m": 32, "n": 34, "k": 35}
#: functions of `rows.c`
ALONG_ROWS = ("of_float_in_l", "of_char_in_l", "operators_l", "normalised_l")


def copies(stmts):
    """How wide the copies are."""
    for stmt in stmts:
        match stmt:
            case Copy(width=width):
                yield width
            case Loop(body=body):
                yield from copies(body)
            case Guarded(then=then, other=other):
                yield from copies((*then, *other))


@pytest.fixture(scope="module")
def gemm():
    region = sample("gemm")
    (kernel,) = region.variant.variant.kernels
    assert set(copies(kernel.body)) == {1, 4}
    return region


@pytest.mark.parametrize("alignment", [4, 16, 128])
@pytest.mark.parametrize("sizes", [WHOLE, RAGGED])
def test_aligned_or_not_the_result_is_the_same(gemm, sizes, alignment, tmp_path):
    case = gemm.case(**sizes)
    run = gemm.run(case, alignment=alignment)
    assert run.faults == ()
    assert gemm.difference(case, run, tmp_path).ok


def changed(gemm, **parts):
    variant = gemm.variant.variant
    return replace(variant, kernels=tuple(replace(kernel, **parts) for kernel in variant.kernels))


def faults(gemm, variant, sizes):
    return {fault.kind for fault in gemm.run(gemm.case(**sizes), variant).faults}


def test_a_tile_for_vectors_is_aligned_to_them(gemm):
    (kernel,) = gemm.variant.variant.kernels
    variant = changed(gemm, local=tuple(replace(local, alignment=1) for local in kernel.local))
    assert faults(gemm, variant, WHOLE) == {FaultKind.ALIGNMENT}
    assert faults(gemm, variant, RAGGED) == set()


def test_rows_for_vectors_are_whole_vectors(gemm):
    (kernel,) = gemm.variant.variant.kernels
    always = IntLit(1, INT, Span(0, 0))
    wide = [s for s in kernel.body if isinstance(s, Define) and s.symbol.unique.endswith("_wide")]
    assert len(wide) == 2
    body = tuple(replace(s, value=always) if s in wide else s for s in kernel.body)
    assert faults(gemm, changed(gemm, body=body), WHOLE) == set()
    assert FaultKind.ALIGNMENT in faults(gemm, changed(gemm, body=body), RAGGED)


@pytest.fixture(scope="module")
def along_rows():
    """Regions with vectors along the rows of a matrix."""
    return [r for r in compiled(PROGRAMS / "rows.c", "--acc-target=generic-cpu") if r.name.startswith(ALONG_ROWS)]


@pytest.mark.parametrize("sizes", every(3, [{"m": 11, "n": 33}, {"m": 3, "n": 8}, {"m": 9, "n": 1}]))
def test_vectors_along_rows_stay_in_them_and_give_the_same_result(along_rows, sizes, tmp_path):
    assert all(any(r.name.startswith(name) for r in along_rows) for name in ALONG_ROWS)
    for region in along_rows:
        assert all(kernel.register_tile.reduction for kernel in region.variant.variant.kernels[:1])
        case = region.case(**sizes)
        run = region.run(case)
        assert run.faults == ()
        assert region.difference(case, run, tmp_path).ok
