"""Where code generation makes a phase twice: for tiles and strips in which every iteration exists, and for others."""

from __future__ import annotations

import islpy as isl

from accshare.islbuild import equal, pairs, points, quotient, within
from accshare.mapping.ir import NestPartition, PhaseAt


def uniform_loops(part: NestPartition) -> dict[int, int]:
    """The loops that a work-group runs together, by `LoopNode.index`, with the size of their strips: those that are cut
    into strips, and at 1 those around them."""
    return {member.loop.index: member.size for own in part.phases for member in own.around}


def full_tiles(part: NestPartition, own: PhaseAt) -> isl.Set | None:
    """Where every iteration exists of a work-item's tile and of the strips, so that it runs loops without tests.

    The dimensions are the host loops' iterators, the number of the work-item's first iteration along each mapped loop,
    and the first iteration of the strip of each uniform loop. None where there is no such code.
    """
    lengths = [m.full_length for m in part.nest.grid] + [m.size for m in own.around]
    if all(length == 1 for length in lengths):
        return None
    hosts = len(part.nest.host)
    tile = pairs(hosts + len(lengths), len(lengths))
    firsts = [*tile.source[hosts:]]
    for k, member in enumerate(part.nest.grid):
        if member.chosen_together:
            firsts[k] = member.size * quotient(firsts[k] - member.begin, member.size) + member.begin
    box = tile.where(*map(within, tile.target, firsts, lengths))
    present = tile.nothing
    for statement in own.statements:
        run = pairs(hosts + len(lengths), len(statement.loops))
        launched = run.where(*map(equal, run.source[:hosts], run.target[:hosts]))
        launched = launched.intersect_range(statement.domain.reset_tuple_id())
        every = points(len(statement.loops))
        values = [m.number(every.coordinates) for m in part.nest.grid]
        values += [every.coordinates[m.loop.depth] for m in own.around]
        present = present.union(launched.apply_range(every.to(values)))
    full = box.subtract(present).domain().complement().coalesce()
    return None if full.is_empty() or full.n_basic_set() != 1 else full
