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
#: cases of a subscript behind which rows end in some instances: they multiply those of all that is asked about it
_MOST_CASES = 4


def in_rows(
    values: Sequence[isl.PwAff | None], lengths: Sequence[Expr | None], frame: Frame, span: Span
) -> list[isl.PwAff | None] | None:
    """The subscripts of an element, outermost first, each within its length; the outermost may have none. That they are
    is left to be checked, of subscripts as they stand where there are too many cases. None where it never is, or can't
    be told."""
    plain = [value for value in values if value is not None]
    if len(plain) < len(values):
        return None
    limits = [affine(length, frame) for length in reversed(lengths[1:]) if length is not None]
    facts = frame.domain.intersect_params(frame.parameters.context())
    usual = _usual(facts)
    result, leaving = list(plain), []
    for k, limit in zip(range(len(result) - 1, 0, -1), limits, strict=True):
        outside = _leaving(result[k], limit, facts, frame)
        if _never_right(outside, usual):
            above, below = _ends(result[k], limit, frame)
            shift = above.indicator_function().sub(below.indicator_function())
            result[k] = result[k].sub(limit.mul(shift))
            result[k - 1] = result[k - 1].add(shift)
            if result[k].n_piece() > _MOST_CASES:
                result, leaving = (
                    plain,
                    [_leaving(*pair, facts, frame) for pair in zip(plain[:0:-1], limits, strict=True)],
                )
                break
            outside = _leaving(result[k], limit, facts, frame)
            if _never_right(outside, usual):
                return None
        leaving.append(outside)
    for each in leaving:
        frame.assumptions.forbid(each, "leaves the row that the linearised subscript suggests", span)
    return list(result)


def _leaving(value: isl.PwAff, length: isl.PwAff, facts: isl.Set, frame: Frame) -> isl.Set:
    """The instances in which a subscript is not within its length."""
    above, below = _ends(value, length, frame)
    return above.union(below).intersect(facts)


def _usual(facts: isl.Set) -> isl.Set:
    """The parameters with which there are instances, where loops have more than a few iterations."""
    present = facts.params()
    large = present.intersect(all_large(present, _FEW))
    return present if large.is_empty() else large


def _never_right(bad: isl.Set, usual: isl.Set) -> bool:
    """Whether some instance is in `bad` whatever the parameters are."""
    return not bad.is_empty() and bool(usual.is_subset(bad.params()))


def _ends(value: isl.PwAff, length: isl.PwAff, frame: Frame) -> tuple[isl.Set, isl.Set]:
    return value.ge_set(length), value.lt_set(frame.constant(0))
