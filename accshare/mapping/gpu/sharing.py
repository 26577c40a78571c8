"""What it is worth that work-items share an inner loop: transactions an iteration, and how much of the device works."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, prod

from accshare.device import Device
from accshare.mapping.ir import NestPlan
from accshare.mapping.patterns import trips
from accshare.poly.ir import Access, LoopNode, Statement, VariableKind
from accshare.schedule.ir import Kernel, Member
from accshare.subscripts import affine

#: more work-items at work are not worth more than so many times the transactions
_MOST = 4
#: what an element costs that goes through local memory
_COPIED = 2


def strides(inside: tuple[Statement, ...], member: Member) -> int:
    """How many accesses to memory coalesce where work-items share a loop with the statements `inside`."""
    return sum(_along(s, a, member.loop) == 1 for s in inside for a in _in_memory(s, member))


def gains_below(plain: NestPlan, phased: Kernel, device: Device) -> float:
    """With how many iterations of its grid for each compute unit, at most, a kernel is estimated to be faster in phases
    than as it was planned: always if that is infinite, never if it is 0. Each way takes its transactions, divided by
    the part of the device that has work: where an iteration is a work-item, there is less of that."""
    lanes = max(member.threads for member in phased.threads)
    alone, shared = _planned(plain, device), _shared(phased, device)
    if shared < alone:
        return inf
    if shared > _MOST * alone or shared >= lanes * alone:
        return 0
    return device.busy_items * alone / shared


def _planned(plain: NestPlan, device: Device) -> float:
    """The transactions that an iteration of the grid takes of a warp's, where work-items have one each."""
    partition = plain.placement.partition
    nest, solution = partition.nest, partition.solution
    arrays = () if solution is None else tuple(a for a in solution.arrays if a.staged)
    ratio = {id(access): max(1.0, a.ratio) for a in arrays for access in a.accesses}
    along = next((m for m in nest.grid if m.axis == 0), None)
    total = 0.0
    for statement in nest.statements:
        for access in _in_memory(statement, None):
            far = 0 if along is None else _along(statement, access, along.loop)
            near = far is not None and far < 2
            lines = 1.0
            if near:  # a cache serves neighbours as well as local memory does
                lines /= device.simd_width
            elif id(access) in ratio:
                lines *= _COPIED / (device.simd_width * ratio[id(access)])
            total += lines * _times(statement, access, nest)
    return total


def _shared(phased: Kernel, device: Device) -> float:
    """The same, where they share the loops that they do."""
    total = 0.0
    for statement in phased.statements:
        member = next((m for m in phased.threads if m.loop in statement.loops), None)
        for access in _in_memory(statement, member):
            far = None if member is None else _along(statement, access, member.loop)
            part = 1.0 if far is None else min(1.0, max(1, far) / device.simd_width)
            total += part * _times(statement, access, phased)
    return total


def _times(statement: Statement, access: Access, nest: Kernel) -> float:
    """How often an iteration of the grid makes an access: what stays the same in a loop is in a register."""
    inside = statement.loops[nest.depth :]
    known = affine(access, statement)
    moving = [k for k, loop in enumerate(inside) if known is None or any(row.of(loop.index) for row in known.rows)]
    return prod(trips(loop) for loop in inside[: max(moving, default=-1) + 1])


def _in_memory(statement: Statement, member: Member | None) -> Iterator[Access]:
    """The accesses to memory that every iteration makes, each element once; what a `member` combines stays in
    registers."""
    combined = {r.variable for r in member.reductions} if member is not None else set()
    found = {
        (a.reference, a.mode): a
        for a in statement.accesses
        if a.variable.kind is VariableKind.MEMORY and a.subscripts and a.variable not in combined
    }
    yield from found.values()


def _along(statement: Statement, access: Access, loop: LoopNode) -> int | None:
    """How far apart neighbouring iterations of a loop find their elements in a row, 0 where it is the same one; None
    elsewhere."""
    reference = affine(access, statement)
    if reference is None or loop not in statement.loops:
        return None
    *outer, last = (row.of(loop.index) for row in reference.rows)
    return abs(last) if not any(outer) and access.space == access.variable.name else None
