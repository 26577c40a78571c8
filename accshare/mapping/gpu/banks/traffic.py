"""Global memory as a warp touches it, when its work-items run other iterations than those of their own place."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.device import Device
from accshare.mapping.gpu.banks.degrees import Moves
from accshare.mapping.gpu.banks.tiles import Motion, motion, moved, warps
from accshare.mapping.ir import NestPartition
from accshare.poly.ir import Access, Statement, VariableKind
from accshare.subscripts import AffineReference, Linear, affine


def stays_coalesced(part: NestPartition, moves: Moves, device: Device) -> bool:
    """Whether no reference to global memory touches more segments than without the moves."""
    sizes = {s.loop.index: s.size for s in part.strips}
    for statement, access in left_alone(part):
        reference = affine(access, statement)
        if reference is not None and _segments(part, reference, moves, sizes, device) > (
            _segments(part, reference, Moves(), sizes, device)
        ):
            return False
    return True


def left_alone(part: NestPartition) -> Iterator[tuple[Statement, Access]]:
    """The references to arrays that don't go through local memory."""
    staged = {id(access) for s in part.staged for access in s.accesses}
    for statement in part.nest.statements:
        for access in statement.accesses:
            if access.variable.kind is VariableKind.MEMORY and access.subscripts and id(access) not in staged:
                yield statement, access


def _segments(
    part: NestPartition,
    reference: AffineReference,
    moves: Moves,
    sizes: dict[int, int],
    device: Device,
) -> int:
    """Segments that all warps of a group touch, each counted by itself."""
    walk = motion(part, [reference], None)
    turned = [(n.index, sizes[n.index]) for n in reference.statement.loops if n.index in moves.rotated]
    bytes_ = reference.element_bytes
    return sum(len(set(found)) for found in _touched(part, walk, reference.rows, turned, moves, bytes_, device))


def _touched(
    part: NestPartition,
    walk: Motion,
    subscripts: tuple[Linear, ...],
    turned: list[tuple[int, int]],
    moves: Moves,
    bytes_: int,
    device: Device,
) -> Iterator[list[tuple[int, ...]]]:
    for warp in warps(part.work_group, device):
        found = []
        for item in warp:
            place = moved(item, moves.remap, part.work_group)
            at = [sum(walk.items[axis][k] * place[axis] for axis in range(3)) for k in range(len(subscripts))]
            for index, length in turned:
                at = [a + row.of(index) * (item[0] % length) for a, row in zip(at, subscripts, strict=True)]
            found.append((*at[:-1], at[-1] * bytes_ // device.transaction_bytes))
        yield found
