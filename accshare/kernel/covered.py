"""Proof that staging keeps every value where its references look for it.

A reference that goes to a tile finds its element there if the tile has room for all that the work-group touches while
it holds the tile. An array that is written must have no other way in: every reference of the kernel goes through
the one tile, and exactly what the work-group wrote is stored. What one work-item does in its order on the tile is then
what it would do on the array; that copies are ordered against statements is for `hazards` to see.
"""

from __future__ import annotations

from accshare.diagnostics import Rejected, rejected
from accshare.kernel.tiles import Tile, of_statements
from accshare.poly.ir import Mode
from accshare.schedule.ir import Mapping


def check_tiles(tiles: tuple[Tile, ...], mapping: Mapping) -> None:
    """Raise `Rejected` (ACC902) for a tile through which a reference might see another value."""
    for tile in tiles:
        staged, nest = tile.staged, tile.space.partition.nest
        box, space = tile.box(), staged.accesses[0].space
        for mode in Mode:
            if not tile.touched(mode).intersect_params(tile.known).is_subset(box):
                raise _broken(tile, "is too small")
        for statement, _ in of_statements(staged, tile.space):
            if not all(held.node in statement.loops for held in tile.held):
                raise _broken(tile, "is used outside the loop that fills it")
        writes = [a for s in nest.statements for a in s.accesses if a.space == space and a.mode is Mode.WRITE]
        if not writes:
            continue
        every = [a for s in nest.statements for a in s.accesses if a.space == space]
        if not all(a in staged.accesses for a in every) or not staged.writes:
            raise _broken(tile, "is written, and not everything goes through it")
        if not all(a.exact for a in writes):
            raise _broken(tile, "would store elements that nobody wrote")
        if any(t.dependence.source_access.variable == staged.variable for t in mapping.trusted):
            raise _broken(tile, "stands for an array whose dependences are not all proved")


def _broken(tile: Tile, what: str) -> Rejected:
    message = f"the local tile of {tile.staged.variable.name} {what}"
    return rejected("ACC902", message, tile.staged.accesses[0].span, "please report this; the host loops run instead")
