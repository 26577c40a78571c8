"""How far two results are apart, and how far they may be."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from accshare.records import dataclass
from accshare.run.dtypes import AnyArray, leaves
from accshare.run.memory import Section

_SAFETY = 16


@dataclass(frozen=True, slots=True)
class Difference:
    """`error` is the largest difference over the array's largest value (1 for a wrong integer), `allowed` its limit.

    `place` names the worst element.
    """

    place: str
    error: float
    allowed: float

    @property
    def ok(self) -> bool:
        return self.error <= self.allowed


def compare(expected: Mapping[str, Section], got: Mapping[str, Section], unseen: Collection[str] = ()) -> Difference:
    """The worst difference of all arrays. Integers must be equal. What the `unseen` arrays hold counts nothing.

    The order of a floating-point sum of N terms may differ; rounding errors of random sign then add up to about
    sqrt(N) eps of the largest value. N is at most the number of elements in play.
    """
    terms = max((len(s.elements) for s in expected.values()), default=1)
    worst = Difference("", 0.0, 0.0)
    for name, section in expected.items():
        if not got[name].margins_intact():
            return Difference(f"{name}: written outside of its bounds", math.inf, 0.0)
        if name in unseen:
            continue
        for (path, want), (_, have) in zip(leaves(section.elements), leaves(got[name].elements), strict=True):
            worst = max(worst, _difference(name, path, want, have, terms), key=_badness)
    return worst


def _badness(difference: Difference) -> tuple[bool, float]:
    return not difference.ok, difference.error


def _difference(name: str, path: str, want: AnyArray, have: AnyArray, terms: int) -> Difference:
    if not want.size:
        return Difference("", 0.0, 0.0)
    if want.dtype.kind != "f":
        wrong = want != have
        place = int(np.argmax(wrong))
        return Difference(f"{name}[{place}]{path}", float(wrong.any()), 0.0)
    with np.errstate(all="ignore"):
        apart = np.abs(want.astype(np.float64) - have.astype(np.float64))
        same = (want == have) | (np.isnan(want) & np.isnan(have))
        apart = np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))
        finite = np.abs(want[np.isfinite(want)])
    # What goes in is of order one; in a lone sum that nearly cancels, so are the terms.
    least = 1.0 if want.size == 1 else float(np.finfo(want.dtype).tiny)
    scale = max(float(finite.max()), least) if finite.size else 1.0
    place = int(np.argmax(apart))
    allowed = _SAFETY * float(np.finfo(want.dtype).eps) * math.sqrt(max(1, terms))
    return Difference(f"{name}[{place}]{path}", float(apart.reshape(-1)[place]) / scale, allowed)
