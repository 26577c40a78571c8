"""The banks stage: the layout of tiles in local memory, free of bank conflicts (SHARE 3.3.1)."""

from __future__ import annotations

from accshare.banks.channels import in_channels
from accshare.banks.code import restructured
from accshare.banks.degrees import Touched
from accshare.banks.ir import NestPlacement, Placement, TilePlacement
from accshare.banks.order import is_associative
from accshare.banks.tiles import plain
from accshare.banks.tree import Decision, reorganised
from accshare.options import Options
from accshare.partition.ir import NestPartition, Partition

__all__ = ["place"]


def place(partition: Partition, options: Options) -> Placement:
    """Choose how the tiles of every kernel lie in local memory, and which work-item does what in it.

    Where local memory has no banks, all stays as it is.
    """
    if partition.device.banks < 2:
        return Placement(partition, tuple(_plain(nest) for nest in partition.nests))
    return Placement(partition, tuple(_placed(nest, partition, options) for nest in partition.nests))


def _plain(nest: NestPartition) -> NestPlacement:
    return NestPlacement(nest, tuple(TilePlacement(staged, plain(staged)) for staged in nest.staged))


def _placed(nest: NestPartition, partition: Partition, options: Options) -> NestPlacement:
    device = partition.device
    touched = tuple(Touched(nest, staged, device) for staged in nest.staged)
    spare = _most_local(nest, partition) - sum(t.bytes(plain(t.staged)) for t in touched)
    decisions: tuple[Decision, ...] = ()
    for one in touched:
        decisions = (*decisions, reorganised(one, spare))
        spare -= one.bytes(decisions[-1].layout) - one.bytes(plain(one.staged))
    decisions, moves = restructured(
        decisions, nest, device, lambda loop: is_associative(loop, nest.nest, partition.mapping, options)
    )
    tiles = (TilePlacement(d.touched.staged, d.layout, d.before, d.after.worst, d.path, d.change) for d in decisions)
    rotated = tuple(s.loop for s in nest.strips if s.loop.index in moves.rotated)
    channels, diagonal = in_channels(nest, device)
    return NestPlacement(nest, tuple(tiles), moves.remap, rotated, diagonal, channels)


def _most_local(nest: NestPartition, partition: Partition) -> int:
    """The local memory that the tiles may take together (9)."""
    device = partition.device
    share = nest.solution.delta_s * device.local_per_unit if nest.solution is not None else device.local_bytes
    return int(min(share, device.local_bytes))
