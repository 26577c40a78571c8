"""Proof that nobody sees what work-items compute for iterations of the grid which don't exist.

A statement may run for them if it writes nothing but private variables and elements in registers, reads nothing but
these and what tiles have room for, and is what it is in the program for every iteration of the grid that has something
to store.
"""

from __future__ import annotations

import islpy as isl

from accshare.diagnostics import Rejected, broken
from accshare.frontend.ir import Expr
from accshare.kernel.generate.space import Space
from accshare.kernel.local.tiles import Tile, has_room
from accshare.poly.ir import Access, Mode, Statement


def check_beyond(
    space: Space, beyond: tuple[tuple[str, isl.Set], ...], tiles: tuple[Tile, ...], registers: frozenset[Expr]
) -> None:
    """Raise `Rejected` (ACC902) where a statement does harm in an iteration that doesn't exist. `beyond` has the
    statements that run there, by name, with all instances that are run; references in `registers` mean elements that
    are stored for iterations which exist."""
    nest = space.partition.nest

    def is_own(access: Access) -> bool:
        return access.variable.name in nest.private - nest.local

    storing = [s for s in nest.statements if any(a.mode is Mode.WRITE and not is_own(a) for a in s.accesses)]
    for name, instances in beyond:
        statement = next(s for s in nest.statements if s.name == name)
        for other in storing:
            iterations = space.numbers(other).intersect_domain(space.launched(other)).range()
            there = space.numbers(statement).intersect_range(iterations).domain()
            if not instances.intersect(there).is_equal(space.launched(statement).intersect(there)):
                raise _broken(statement, "changes what is stored for one that does")
        for access in statement.accesses:
            if is_own(access) or access.reference in registers:
                continue
            held = [t for t in tiles if t.staged.holds(access)]
            if access.mode is Mode.WRITE or not held:
                raise _broken(statement, "needs global memory")
            if not all(has_room(t, statement, access, instances) for t in held):
                raise _broken(statement, "leaves its tile")


def _broken(statement: Statement, what: str) -> Rejected:
    return broken(f"a statement that runs for iterations which don't exist {what}", statement.body.span)
