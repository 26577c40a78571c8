"""Proof that staging keeps every value where its references look for it.

A reference that goes to a tile finds its element there if the tile has room for all that the work-group touches while
it holds the tile, each in a place of its own, and has loaded what is not written there first. An array that is
written must have no other way in: every reference of the kernel goes through the one tile, and exactly what the
work-group wrote is stored. What one work-item does in its order on the tile is then what it would do on the array; that
copies are ordered against statements is for the race check to see.
"""

from __future__ import annotations

import islpy as isl

from accshare.diagnostics import Rejected, broken
from accshare.frontend.ir import Var
from accshare.islbuild import all_maps, multiple, points, quotient, sizes
from accshare.kernel.local.tiles import Tile, inside
from accshare.lastwrite import last_writes
from accshare.poly.ir import Mode
from accshare.schedule.ir import Schedule


def check_footprints(tiles: tuple[Tile, ...], schedule: Schedule) -> None:
    """Raise `Rejected` (ACC902) for a tile through which a reference might see another value."""
    for tile in tiles:
        staged, nest = tile.staged, tile.space.partition.nest
        box, space = tile.box, staged.accesses[0].space
        for mode in Mode:
            if not tile.touched(mode).intersect_params(tile.known).is_subset(box):
                raise _broken(tile, "is too small")
        for statement, _ in tile.uses:
            if not all(uniform.member.loop in statement.loops for uniform in tile.around):
                raise _broken(tile, "is used outside the loop that fills it")
        if sorted(tile.layout.order) != list(range(len(tile.staged.lengths))) or tile.layout.padding < 0:
            raise _broken(tile, "has one place for several elements")
        if not staged.reads and not _read_first(tile).is_empty():
            raise _broken(tile, "is read before anything is in it")
        if tile.width > 1 and not _moves_whole_vectors(tile):
            raise _broken(tile, "would be filled by vectors that are not all there")
        writes = [a for s in nest.statements for a in s.accesses if a.space == space and a.mode is Mode.WRITE]
        if not writes:
            continue
        every = [a for s in nest.statements for a in s.accesses if a.space == space and not a.relation.is_empty()]
        if not all(map(staged.holds, every)) or not staged.writes:
            raise _broken(tile, "is written, and not everything goes through it")
        if not all(a.exact for a in writes):
            raise _broken(tile, "would store elements that nobody wrote")
        if any(one.dependence.source_access.variable == staged.variable for one in schedule.assumed):
            raise _broken(tile, "stands for an array whose dependences are not all proved")


def _read_first(tile: Tile) -> isl.UnionSet:
    """The instances that read an element of the tile which the work-group has not written there before."""
    empty = all_maps(())
    accesses, order = dict.fromkeys(Mode, empty), empty
    for statement, access in tile.uses:
        relation = access.relation.intersect_domain(inside(tile.space.grouped(statement), tile.around))
        if access.mode is Mode.READ or access.exact:
            accesses[access.mode] = accesses[access.mode].union(relation.to_union_map())
        order = order.union(statement.time.to_union_map())
    found = last_writes(accesses[Mode.READ], accesses[Mode.WRITE], empty, order)
    return found.unsure.domain().intersect_params(tile.known)


def _moves_whole_vectors(tile: Tile) -> bool:
    """Whether the tile's rows begin and end between vectors of the array's rows, and where one element of a vector is
    loaded all are."""
    staged, width, last = tile.staged, tile.width, len(tile.lower) - 1
    known, row = tile.begins, staged.variable.shape[-1] if last else None
    if isinstance(row, Var):
        known = known.intersect(multiple(sizes(row.symbol.unique).parameters[0], width))
    begin = tile.lower[last].mod_val(isl.Val(width)).intersect_params(known)
    zero = isl.PwAff.zero_on_domain(isl.LocalSpace.from_space(begin.domain().get_space()))
    if staged.writes or staged.lengths[last] % width or not begin.ne_set(zero).is_empty():
        return False
    every = points(last + 1)
    vector = every.to([*every.coordinates[:last], quotient(every.coordinates[last], width)])
    loaded = tile.loaded.intersect_params(known)
    return bool(loaded.apply(vector).apply(vector.reverse()).is_subset(loaded))


def _broken(tile: Tile, what: str) -> Rejected:
    message = f"the local tile of {tile.staged.variable.name} {what}"
    return broken(message, tile.staged.accesses[0].span)
