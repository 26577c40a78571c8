"""The layout of tiles in local memory, free of bank conflicts (SHARE 3.3.1)."""

from __future__ import annotations

from accshare.device import Device
from accshare.mapping.gpu.banks.code import is_associative, restructured
from accshare.mapping.gpu.banks.degrees import Moves, Touched
from accshare.mapping.gpu.banks.tiles import plain
from accshare.mapping.gpu.banks.tree import Decision, padded, reorganised, unchanged
from accshare.mapping.gpu.channels import in_channels
from accshare.mapping.ir import NestPartition, NestPlacement, Partition, Placement, TilePlacement
from accshare.options import Options

__all__ = ["place"]


def place(partition: Partition, options: Options) -> Placement:
    """Choose how the tiles of every kernel lie in local memory, and which work-item does what in it.

    Where local memory has no banks, and where nobody wants it (``--acc-banks=off``), all stays as it is.
    """
    if partition.device.banks < 2:
        return Placement(partition, tuple(_plain(nest) for nest in partition.nests))
    if not options.banks:
        return Placement(partition, tuple(_unchanged(nest, partition.device) for nest in partition.nests))
    return Placement(partition, tuple(_placed(nest, partition, options) for nest in partition.nests))


def _plain(nest: NestPartition) -> NestPlacement:
    return NestPlacement(nest, tuple(TilePlacement(staged, plain(staged)) for staged in nest.staged))


def _unchanged(nest: NestPartition, device: Device) -> NestPlacement:
    decisions = (unchanged(Touched(nest, staged, device)) for staged in nest.staged)
    return NestPlacement(nest, tuple(_tile(decision, Moves()) for decision in decisions))


def _placed(nest: NestPartition, partition: Partition, options: Options) -> NestPlacement:
    device = partition.device
    touched = tuple(Touched(nest, staged, device) for staged in nest.staged)
    spare = _spare(sum(t.bytes(plain(t.staged)) for t in touched), nest, device)
    choice = options.choice(nest.nest.name)
    padding = choice.of("PAD") if choice is not None else None
    decisions: tuple[Decision, ...] = ()
    for one in touched:
        decisions = (*decisions, reorganised(one, spare) if padding is None else padded(one, padding, spare))
        spare -= one.bytes(decisions[-1].layout) - one.bytes(plain(one.staged))
    decisions, moves = restructured(
        decisions, nest, device, spare, lambda loop: is_associative(loop, nest.nest, partition.schedule, options)
    )
    tiles = (_tile(decision, moves) for decision in decisions)
    rotated = tuple(s.loop for s in nest.strips if s.loop.index in moves.rotated)
    channels, order = in_channels(nest, device)
    return NestPlacement(nest, tuple(tiles), moves.remap, rotated, order, channels)


def _tile(d: Decision, moves: Moves) -> TilePlacement:
    return TilePlacement(d.touched.staged, d.layout, d.before, d.after.worst, d.path, d.change, d.worst(moves))


def _spare(used: int, nest: NestPartition, device: Device) -> int:
    """How many more bytes of local memory the tiles may take together: within (9), and else as many as cost no more
    than a quarter of the work-groups that a compute unit holds."""
    share = nest.solution.delta_s * device.local_per_unit if nest.solution is not None else 0
    groups = max(1, device.local_per_unit // max(1, used))
    most = max(int(share), device.local_per_unit // -(-3 * groups // 4))
    return min(most, device.local_bytes) - used
