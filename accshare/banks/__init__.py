"""The banks stage: the layout of tiles in local memory, free of bank conflicts (SHARE 3.3.1)."""

from __future__ import annotations

from accshare.banks.ir import Layout, NestPlacement, Placement, TilePlacement
from accshare.options import Options
from accshare.partition.ir import NestPartition, Partition

__all__ = ["place"]


def place(partition: Partition, options: Options) -> Placement:
    """Choose how the tiles of every kernel lie in local memory."""
    return Placement(partition, tuple(_placed(nest) for nest in partition.nests))


def _placed(nest: NestPartition) -> NestPlacement:
    tiles = (TilePlacement(s, Layout(tuple(range(len(s.lengths))))) for s in nest.staged)
    return NestPlacement(nest, tuple(tiles))
