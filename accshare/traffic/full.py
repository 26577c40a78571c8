"""Where code generation makes a phase twice: for tiles and strips in which every iteration exists, and for others."""

from __future__ import annotations

import islpy as isl

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
    spans = [(m.number, m.size - m.threads + 1) for m in part.nest.grid]
    spans += [(f"i{m.loop.depth}", m.size) for m in own.around]
    if all(length == 1 for _, length in spans):
        return None
    hosts = [f"h{k}" for k in range(len(part.nest.host))]
    starts = [f"f{k}" for k in range(len(spans))]
    places = ", ".join(f"t{k}" for k in range(len(spans)))
    given = f"[{', '.join([*hosts, *starts])}]"
    inside = " and ".join(f"f{k} <= t{k} < f{k} + {length}" for k, (_, length) in enumerate(spans))
    box = isl.Map(f"{{ {given} -> [{places}] : {inside} }}")
    present = isl.Map(f"{{ {given} -> [{places}] : 1 = 0 }}")
    for statement in own.statements:
        iterators = f"[{', '.join(f'i{k}' for k in range(len(statement.loops)))}]"
        same = " and ".join(f"{host} = i{k}" for k, host in enumerate(hosts)) or "1 = 1"
        launched = isl.Map(f"{{ {given} -> {iterators} : {same} }}")
        launched = launched.intersect_range(statement.domain.reset_tuple_id())
        values = ", ".join(value for value, _ in spans)
        present = present.union(launched.apply_range(isl.Map(f"{{ {iterators} -> [{values}] }}")))
    full = box.subtract(present).domain().complement().coalesce()
    return None if full.is_empty() or full.n_basic_set() != 1 else full
