"""Linearised subscripts that run over the end of a row: ``A[i * n + j + 1]`` may be in the next one.

``A[i * n + j]`` is read as ``A[i][j]``, which is right where j stays in its row. Where it never does in all of its
instances, what is too much by one row goes to the subscript in front.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from accshare.frontend.ir import Expr
from accshare.islexpr import all_large
from accshare.poly.affine import Frame, affine
from accshare.source import Span

#: sizes that don't count as those of loops worth offloading
_FEW = 8


def in_rows(
    values: Sequence[isl.PwAff | None], lengths: Sequence[Expr | None], frame: Frame, span: Span
) -> list[isl.PwAff | None] | None:
    """The subscripts of an element, outermost first, each within its length; the outermost may have none. That they are
    is left to be checked. None where it never is, or can't be told."""
    result = [value for value in values if value is not None]
    if len(result) < len(values):
        return None
    leaving = []
    for k in range(len(result) - 1, 0, -1):
        length = lengths[k]
        assert length is not None
        limit = affine(length, frame)
        if _never_right(_outside(result[k], limit, frame), frame):
            above, below = (part.indicator_function() for part in _ends(result[k], limit, frame))
            shift = above.sub(below)
            result[k] = result[k].sub(limit.mul(shift))
            result[k - 1] = result[k - 1].add(shift)
        leaving.append(_outside(result[k], limit, frame))
    if any(_never_right(each, frame) for each in leaving):
        return None
    for each in leaving:
        frame.assumptions.forbid(each, "leaves the row that the linearised subscript suggests", span)
    return list(result)


def _outside(value: isl.PwAff, length: isl.PwAff, frame: Frame) -> isl.Set:
    """The instances of which a subscript is not within its length."""
    above, below = _ends(value, length, frame)
    return above.union(below).intersect(_facts(frame))


def _never_right(bad: isl.Set, frame: Frame) -> bool:
    """Whether some instance is in `bad` whatever the parameters are, where loops have more than a few iterations."""
    present = _facts(frame).params()
    large = present.intersect(all_large(present, _FEW))
    return not bad.is_empty() and bool((present if large.is_empty() else large).is_subset(bad.params()))


def _facts(frame: Frame) -> isl.Set:
    return frame.domain.intersect_params(frame.parameters.context())


def _ends(value: isl.PwAff, length: isl.PwAff, frame: Frame) -> tuple[isl.Set, isl.Set]:
    return value.ge_set(length), value.lt_set(frame.leaf("0"))
