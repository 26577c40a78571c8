"""Iterations that all update the same row of elements, as ``s[j] += r[i] * A[i][j]`` does for every ``i``.

Each work-group updates a copy of its own, so that there can be vectors along the row, and some iterations run side by
side: what they update is loaded and stored once for all of them.
"""

from __future__ import annotations

from math import prod

from accshare.conversions import size
from accshare.frontend.ir import Atomic, IntLit
from accshare.mapping.ir import RegisterTile, VectorReduction
from accshare.mapping.patterns import known_trips, lies_along, stays
from accshare.poly.ir import Statement
from accshare.pragma.ir import ReductionOp
from accshare.records import replace
from accshare.schedule.ir import Band, Kernel, Member, Role, bounds_mention, members, only_updated

#: operators that vectors have
_OPERATORS = {ReductionOp.ADD, ReductionOp.MUL, ReductionOp.BIT_AND, ReductionOp.BIT_OR, ReductionOp.BIT_XOR}


def sums_columns(nest: Kernel, room: int) -> bool:
    """Whether all that is atomic in a kernel over one loop is such updates, each array's in one statement: lanes of a
    loop inside, and iterations of the grid, may then do them in any order. Copies have `room` for so many bytes."""
    if len(nest.grid) != 1 or nest.reductions or nest.finalize is not None or nest.aliased:
        return False
    updating = [s for s in nest.statements if any(a.atomic is not None for a in s.accesses)]
    arrays = [variable.name for variable, op in only_updated(nest.statements) if op in _OPERATORS]
    updated = [next(a.variable.name for a in s.accesses if a.atomic is not None) for s in updating]
    if not updated or sorted(arrays) != sorted(updated) or not all(_updates_row(s, nest) for s in updating):
        return False
    return sum(map(_known_bytes, updating)) <= room


def _known_bytes(statement: Statement) -> int:
    """Those of the row that a statement updates, as far as they are known."""
    variable = next(a.variable for a in statement.accesses if a.atomic is not None)
    extents = [extent.value for extent in variable.shape if isinstance(extent, IntLit)]
    declared = prod(extents) if len(extents) == len(variable.shape) else 0
    return size(variable.element) * (known_trips(statement.loops[-1]) or declared)


def _updates_row(statement: Statement, nest: Kernel) -> bool:
    """Whether a statement updates elements side by side in a loop inside, the same ones in each iteration."""
    (own,) = nest.grid
    inside = {member.loop.index: member for member in nest.reassociable}
    member = inside.get(statement.loops[-1].index)
    if member is None or not isinstance(statement.body, Atomic) or bounds_mention(member, {own.loop.iterator}):
        return False
    return all(
        a.exact and lies_along(a, statement, member.loop) and stays(a, statement, own.loop)
        for a in statement.accesses
        if a.atomic is not None
    )


def by_rows(nest: Kernel, room: int) -> Kernel | None:
    """A kernel over two loops, the inner one of which goes along the rows that all iterations of the outer one update,
    as one over the outer one; None where it is another one, or there is no `room` for copies."""
    if len(nest.grid) != 2 or any(members(nest.inside)):
        return None
    outer, along = nest.grid
    row = Member(along.loop, Role.REASSOCIABLE, private=nest.private, coincident=True)
    found = replace(nest, child=Band((replace(outer, axis=0),), Band((row,), nest.inside)))
    return found if sums_columns(found, room) else None


def side_by_side(along: VectorReduction) -> RegisterTile:
    """The register tile of such a kernel, given the vectors that others like it have along loops inside."""
    together = replace(along, rows=1, long=0, copied=True)
    return RegisterTile(1, along.columns, 1, reduction=together)
