"""The order stage: the loops of a region in the order that suits it best, whatever order they were written in."""

from __future__ import annotations

from accshare.options import Options
from accshare.order.carry import rearranged
from accshare.order.choose import chosen
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
    best = chosen(Facts(scop), scop.statements)
    return Ordered(rearranged(scop, best.places), scop, best.steps, best.kept)
