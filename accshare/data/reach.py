"""How far subscripts can reach at most, told from the types and operators that they are made of: ``bins[pixel[i]]`` has
256 elements where pixels are unsigned bytes, or fewer."""

from __future__ import annotations

from functools import reduce

from accshare.data.ir import Section
from accshare.frontend.ir import LONG
from accshare.islexpr import literal
from accshare.poly.ir import Scop, Variable
from accshare.ranges import Interval, interval_of

#: more elements tell nothing: every index has a type
_MOST = 1 << 16


def reach(scop: Scop, variable: Variable) -> Section | None:
    """A section of an array that all accesses are in; None where their subscripts don't tell."""
    accesses = [a for s in scop.statements for a in s.accesses if a.variable == variable]
    if any(len(a.subscripts) != 1 for a in accesses):
        return None
    ranges = [interval_of(a.subscripts[0], {}) for a in accesses]
    known = [one for one in ranges if one is not None]
    if not known or len(known) < len(ranges):
        return None
    all_of_them = reduce(Interval.hull, known)
    length = all_of_them.high - all_of_them.low + 1
    return Section(literal(all_of_them.low, LONG), literal(length, LONG)) if length <= _MOST else None
