"""The order stage: the loops of a region in the order that suits it best, whatever order they were written in."""

from __future__ import annotations

from itertools import groupby

from accshare.device import Device
from accshare.instances import check_instances
from accshare.options import AUTO, Options
from accshare.order.block import blocked
from accshare.order.carry import as_written, rearranged
from accshare.order.choose import Judge, Order, chosen, joined
from accshare.order.facts import Facts
from accshare.order.ir import Ordered, Origin
from accshare.order.sizes import Sizes
from accshare.order.split import in_parts
from accshare.order.waves import in_fronts
from accshare.order.widen import widened
from accshare.poly.ir import Scop, Statement
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
    judge, expansions = widened(Judge(Facts(scop, turned=device.lockstep), device, Sizes(), only))
    found: list[Order] = []
    for _, run in groupby(judge.facts.scop.statements, lambda s: s.loops[0].index if s.loops else None):
        whole, order_ = _of_nest(judge, tuple(run))
        judge = judge.of(whole)
        found.append(order_)
    best = joined(found)
    steps = (*expansions, *best.steps)
    result = rearranged(judge.facts.scop, best.places)
    check_instances(scop, result)
    return Ordered(result, scop, steps, best.kept, best.verdicts)


def _of_nest(judge: Judge, nest: tuple[Statement, ...]) -> tuple[Scop, Order]:
    """The order of an outermost nest, and the region that it is one of."""
    blocks = blocked(judge.facts, nest)
    if blocks is not None:
        return blocks.scop, Order(blocks.places, (blocks.step,))
    found = chosen(judge, nest)
    parts = in_parts(judge, nest, found) if nest[0].loops and judge.only is not Origin.ISL else None
    if parts is not None:
        return parts
    every = tuple(in_fronts(judge.facts, nest)) if nest[0].loops and judge.only in (None, Origin.ISL) else ()
    if not every:
        return judge.facts.scop, found
    fronts, verdict = judge.against(nest, found, every)
    if verdict.winner.origin is not Origin.ISL:
        return judge.facts.scop, found._replace(verdicts=(verdict, *found.verdicts[1:]))
    return fronts.scop, Order(tuple(map(as_written, fronts.statements)), fronts.steps, (), (verdict,))
