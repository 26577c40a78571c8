"""Proof that what a kernel reads of an array under another name it writes nowhere in the same launch."""

from __future__ import annotations

import islpy as isl

from accshare.diagnostics import broken
from accshare.kernel.generate.space import Space
from accshare.poly.ir import Access, Mode, Statement


def check_parts(space: Space) -> None:
    """Raise `Rejected` (ACC902) where a kernel writes an element that compilers are told to be read only."""
    every = [(s, a) for s in space.partition.nest.statements for a in s.accesses]
    for statement, access in every:
        if not access.variable.part_of:
            continue
        read = _elements(space, statement, access)
        for other, write in every:
            shared = write.variable.memory == access.variable.part_of and write.mode is Mode.WRITE
            if shared and not read.intersect(_elements(space, other, write)).is_empty():
                raise broken(
                    f"a launch would write what it reads of {access.variable.part_of} as if it did not", access.span
                )


def _elements(space: Space, statement: Statement, access: Access) -> isl.Set:
    """What an access reaches in one launch."""
    reached = access.relation.intersect_domain(space.launched(statement)).range()
    return reached.set_tuple_name(access.variable.memory).intersect_params(space.scop.context)
