"""The order stage: the loops of a region in the order that suits it best, whatever order they were written in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from accshare.device import Device
from accshare.instances import check_instances
from accshare.options import AUTO, Options
from accshare.order.align import neighbours
from accshare.order.block import blocked
from accshare.order.carry import as_written
from accshare.order.choose import Judge, Order, chosen, in_places, joined
from accshare.order.copies import with_copies
from accshare.order.cost import figures
from accshare.order.facts import Facts
from accshare.order.in_place import in_place
from accshare.order.ir import Candidate, Ordered, Origin, Step, Verdict, may_change
from accshare.order.nests import each_nest
from accshare.order.one_pass import OnePass, in_one_pass
from accshare.order.permute import permuted
from accshare.order.remade import Remade, best_remade, ordered
from accshare.order.rows import or_with_rows
from accshare.order.sizes import Sizes
from accshare.order.split import splits
from accshare.order.squares import in_squares
from accshare.order.tiles import Tile, in_tiles, tile_for
from accshare.order.untile import without_tiles
from accshare.order.upwards import upwards
from accshare.order.waves import in_fronts
from accshare.order.widen import widened
from accshare.poly.ir import Scop, Statement
from accshare.records import replace

__all__ = ["Facts", "order"]

#: by how much isl's orders have to be faster than others: nobody knows how many cores wait for fronts
_SURE = 1.5


def order(facts: Facts, device: Device, options: Options, tested: bool = False) -> Ordered:
    """Expand what iterations use again, and distribute, interchange and fuse the loops of a region where that is legal
    and gains on a device; elsewhere they stay as they were written. `tested` says that kernels run where the region can
    look at the numbers that it begins with."""
    scop = facts.scop
    if not may_change(scop, options):
        return Ordered(scop, scop)
    only = None if options.schedule == AUTO else Origin(options.schedule)
    blocks = _Blocks()
    up, reversed_ = upwards(scop)
    facts = facts if up is scop else facts.after(up)
    judging = Judge(facts, device, Sizes(), only, options.reassociate, tested)
    plain, again = without_tiles(facts)
    judging = judging.of(plain)
    if scop.region.construct.kind.is_parallel:
        return _within(judging, scop, (*reversed_, *again))
    source, elements = _in_place(judging, blocks)
    elements = (*reversed_, *again, *elements)
    placed = source.facts.scop
    judge, expansions = widened(source)
    if device.lockstep:
        judge, expansions = or_with_rows(source, (judge, expansions))
    found: list[Order] = []
    for nest in each_nest(judge.facts.scop.statements):
        whole, order_ = _of_nest(judge, nest, blocks)
        judge = judge.of(whole)
        found.append(order_)
    best = joined(found)
    result = OnePass(in_places(judge.facts, best.places))
    if only in (None, Origin.SUPER):
        result = in_one_pass(judge.of(result.scop))
    check_instances(placed, result.scop)
    steps = (*elements, *expansions, *best.steps, *result.steps)
    weighed = {verdict.loop.index for verdict in result.verdicts}
    verdicts = (*(v for v in best.verdicts if v.loop.index not in weighed), *result.verdicts)
    return Ordered(result.scop, scop, steps, best.kept, verdicts)


def _within(judge: Judge, source: Scop, before: tuple[Step, ...]) -> Ordered:
    """A region in which the user tells what is parallel: what is inside of those loops may have another order. So much
    has been done to the `source` before."""
    scop = judge.facts.scop
    best = joined([chosen(judge, nest) for nest in each_nest(scop.statements)])
    found = in_places(judge.facts, best.places)
    check_instances(scop, found)
    return Ordered(found, source, (*before, *best.steps), best.kept, best.verdicts)


def _in_place(judge: Judge, blocks: _Blocks) -> tuple[Judge, tuple[Step, ...]]:
    """The judge of the region with elements for scalars in nests that run by blocks then, and what is said of it."""
    steps: list[Step] = []
    for nest in each_nest(judge.facts.scop.statements) if judge.only in (None, Origin.BLOCKS) else ():
        found = in_place(judge.facts, nest)
        if found is not None:
            placed = judge.of(found.scop)
            by_blocks = blocks.of(placed, found.nest)
            if by_blocks is not None and _by_blocks(judge, nest, by_blocks).winner is by_blocks.candidate:
                judge, steps = placed, [*steps, found.step]
    return judge, tuple(steps)


class _ByBlocks(NamedTuple):
    """The region with a nest by blocks, its order and what it takes."""

    scop: Scop
    order: Order
    candidate: Candidate


class _Blocks:
    """Nests by blocks, each of which is looked for once."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[Facts, _ByBlocks | None]] = {}

    def of(self, judge: Judge, nest: tuple[Statement, ...]) -> _ByBlocks | None:
        """A nest by blocks; None where it can't be, or has none to be."""
        key = id(judge.facts), *(s.name for s in nest)
        if key not in self._known:
            self._known[key] = judge.facts, self._found(judge, nest)
        return self._known[key][1]

    def _found(self, judge: Judge, nest: tuple[Statement, ...]) -> _ByBlocks | None:
        blocks = blocked(judge.facts, nest)
        if blocks is None:
            return None
        found = Order(blocks.places, (blocks.step,))
        pieces = judge.of(blocks.scop).weighed(blocks.pieces, 0, Origin.BLOCKS, found)
        return _ByBlocks(blocks.scop, found, pieces)


def _by_blocks(judge: Judge, nest: tuple[Statement, ...], blocks: _ByBlocks) -> Verdict:
    """Whether a nest is better by blocks."""
    return judge.against(nest, _rival(judge, nest), blocks.candidate, 1.0)


def _of_nest(judge: Judge, nest: tuple[Statement, ...], blocks: _Blocks) -> tuple[Scop, Order]:
    """The order of an outermost nest, and the region that it is one of."""
    scop, found = judge.facts.scop, chosen(judge, nest)
    said = list(found.verdicts[:1])
    by_blocks = blocks.of(judge, nest) if judge.only in (None, Origin.BLOCKS) else None
    if by_blocks is not None:
        verdict = _by_blocks(judge, nest, by_blocks)
        if verdict.winner is by_blocks.candidate:
            return by_blocks.scop, by_blocks.order._replace(verdicts=(verdict,))
        said.append(verdict)
    for origin, forms in ((Origin.PARTS, splits), (Origin.SUPER, neighbours)):
        if nest[0].loops and judge.only in (None, origin):
            lost, remade = best_remade(judge, nest, _rival(judge, nest), origin, forms(judge.facts, nest))
            if remade is not None:
                return remade
            said += [] if lost is None else [lost]
    lost, best = _by_fronts(judge, nest)
    if best is not None:
        return best
    said += [] if lost is None else [lost]
    others = [one for one in said if one.runner_up.figures != one.winner.figures] or said
    told = sorted(others, key=lambda one: one.runner_up.figures.cycles)[:1]
    return scop, found._replace(verdicts=(*told, *found.verdicts[1:]))


def _by_fronts(judge: Judge, nest: tuple[Statement, ...]) -> tuple[Verdict | None, tuple[Scop, Order] | None]:
    """What is said of a nest in squares, with copies or in the best of isl's orders, none where there is none; and that
    one, if it is taken."""
    if not nest[0].loops or judge.only not in (None, Origin.ISL, Origin.BLOCKS, Origin.COPIES):
        return None, None
    rival = _rival(judge, nest)
    every: list[_Form] = []
    if judge.only in (None, Origin.ISL):
        fronts = tuple(in_fronts(judge.facts, nest))
        every += [_remade(judge, nest, Origin.ISL, one) for one in fronts]
        every += _tiles(judge, nest, fronts)
    if judge.only in (None, Origin.BLOCKS):
        squares = in_squares(judge.facts, nest, judge.reassociate, judge.tested)
        every += [_remade(judge, nest, Origin.BLOCKS, one) for one in squares]
    if judge.only in (None, Origin.COPIES):
        every += [_with_copies(judge, one) for one in with_copies(judge.facts, nest)]
    launched = judge.weighed(nest, 0, Origin.SOURCE, rival).figures.launches
    if judge.only is Origin.ISL or (judge.only is None and not launched):
        orders = [Order(*one) for one in permuted(judge.facts, nest)]
        every += [_Form(judge.weighed(nest, 0, Origin.ISL, one), _known(judge.facts.scop, one)) for one in orders]
    if not every:
        return None, None
    best = min(every, key=lambda one: one.candidate.figures.cycles)
    verdict = judge.against(nest, rival, best.candidate, _SURE)
    if verdict.winner is not best.candidate:
        return verdict, None
    scop, order_ = best.made()
    return verdict, (scop, order_._replace(verdicts=(verdict,)))


class _Form(NamedTuple):
    """A nest in some form with its figures, and what makes the region that it is one of and its order there."""

    candidate: Candidate
    made: Callable[[], tuple[Scop, Order]]


def _known(scop: Scop, order_: Order) -> Callable[[], tuple[Scop, Order]]:
    return lambda: (scop, order_)


def _in_tiles(fronts: Remade, tile: Tile) -> tuple[Scop, Order]:
    return _as_made(in_tiles(fronts, tile))


def _as_made(made: Remade) -> tuple[Scop, Order]:
    return made.scop, Order(tuple(map(as_written, made.statements)), made.steps)


def _tiles(judge: Judge, nest: tuple[Statement, ...], fronts: tuple[Remade, ...]) -> Iterator[_Form]:
    """A nest in those fronts that tiles can be made of, in tiles."""
    for one in fronts:
        tile = tile_for(judge.facts, one, judge.device)
        if tile is not None:
            form = _remade(judge, nest, Origin.ISL, in_tiles(one, tile, bounded=False))
            yield form._replace(made=partial(_in_tiles, one, tile))


def _remade(judge: Judge, nest: tuple[Statement, ...], origin: Origin, made: Remade) -> _Form:
    """A nest by fronts or in squares."""
    facts = judge.facts.of(made.scop).once(lambda: _alone(made), _alone, made.statements)
    candidate = Candidate(origin, figures(facts, judge.counted(nest), made.statements, 0, judge.device))
    return _Form(candidate, lambda: _as_made(made))


def _alone(made: Remade) -> Facts:
    """The answers about a nest without others, whatever the device."""
    return Facts(replace(made.scop, statements=made.statements))


def _with_copies(judge: Judge, made: Remade) -> _Form:
    """A nest with copies. What keeps its loops in order is no dependence of the program's alone, and not worth
    telling."""
    candidate, order_ = ordered(judge, made, Origin.COPIES)
    return _Form(candidate, _known(made.scop, order_._replace(kept=())))


def _rival(judge: Judge, nest: tuple[Statement, ...]) -> Order:
    """The best of the orders that are found without blocks, parts or isl, even where these are what is wanted."""
    return chosen(judge if judge.only is None else replace(judge, only=None, orders={}), nest)
