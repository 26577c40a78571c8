"""The order stage: the loops of a region in the order that suits it best, whatever order they were written in."""

from __future__ import annotations

from itertools import chain, groupby

from accshare.options import Options
from accshare.order.block import blocked
from accshare.order.carry import rearranged
from accshare.order.choose import Order, chosen
from accshare.order.facts import Facts
from accshare.order.ir import Ordered
from accshare.poly.ir import Scop
from accshare.pragma.ir import DirectiveKind

__all__ = ["order"]

#: constructs in which the compiler tells which loops are parallel
_OURS = (DirectiveKind.KERNELS, DirectiveKind.KERNELS_LOOP)


def order(scop: Scop, options: Options) -> Ordered:
    """Distribute, interchange and fuse the loops of a region where that is legal and sure to gain; elsewhere they stay
    as they were written."""
    if options.plain or not options.reorder or scop.region.construct.kind not in _OURS:
        return Ordered(scop, scop)
    whole = scop
    found: list[Order] = []
    for _, run in groupby(scop.statements, lambda s: s.loops[0].index if s.loops else None):
        nest = tuple(run)
        blocks = blocked(whole, nest)
        if blocks is not None:
            whole = blocks.scop
        found.append(chosen(Facts(whole), nest) if blocks is None else Order(blocks.places, (blocks.step,)))
    places, steps, kept = (
        tuple(chain(*parts)) for parts in zip(*((o.places, o.steps, o.kept) for o in found), strict=True)
    )
    return Ordered(rearranged(whole, places), scop, steps, kept)
