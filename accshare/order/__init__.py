"""The order stage: the loops of a region in the order that suits it best, whatever order they were written in."""

from __future__ import annotations

from itertools import groupby

from accshare.device import Device
from accshare.options import AUTO, Options
from accshare.order.block import blocked
from accshare.order.carry import rearranged
from accshare.order.choose import Judge, Order, chosen, joined
from accshare.order.facts import Facts
from accshare.order.ir import Ordered, Origin
from accshare.order.sizes import Sizes
from accshare.order.widen import widened
from accshare.poly.ir import Scop
from accshare.pragma.ir import DirectiveKind

__all__ = ["order"]

#: constructs in which the compiler tells which loops are parallel
_OURS = (DirectiveKind.KERNELS, DirectiveKind.KERNELS_LOOP)


def order(scop: Scop, device: Device, options: Options) -> Ordered:
    """Expand what iterations use again, and distribute, interchange and fuse the loops of a region where that is legal
    and gains on a device; elsewhere they stay as they were written."""
    if options.plain or options.schedule == Origin.SOURCE.value or scop.region.construct.kind not in _OURS:
        return Ordered(scop, scop)
    only = None if options.schedule == AUTO else Origin(options.schedule)
    wide, expansions = widened(Judge(Facts(scop), device, Sizes(), only))
    whole = wide
    found: list[Order] = []
    for _, run in groupby(wide.statements, lambda s: s.loops[0].index if s.loops else None):
        nest = tuple(run)
        blocks = blocked(whole, nest)
        if blocks is not None:
            whole = blocks.scop
            found.append(Order(blocks.places, (blocks.step,)))
        else:
            found.append(chosen(Judge(Facts(whole), device, Sizes(), only), nest))
    best = joined(found)
    steps = (*expansions, *best.steps)
    return Ordered(rearranged(whole, best.places), scop, steps, best.kept, best.verdicts)
