"""Split reductions: the finalize kernel, which combines what groups left, and when two kernels beat one (MDH)."""

from __future__ import annotations

from accshare.builtins import maximum, minimum
from accshare.device import Device
from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Conditional,
    Expr,
)
from accshare.islexpr import binary, conjunction, is_true, literal, of_condition
from accshare.kernel.checks.validate import Placed
from accshare.kernel.generate.assemble import assembled
from accshare.kernel.generate.codegen import work
from accshare.kernel.generate.grid import Grid, grid, most_groups
from accshare.kernel.generate.reduce import arguments, by_first, count, gather
from accshare.kernel.generate.space import Space, space_of
from accshare.kernel.ir import KernelFunction, Launch, Param, Value
from accshare.kernel.passes.promote import promote
from accshare.mapping.ir import NestPartition, NestPlacement, RegisterTile, cut
from accshare.records import dataclass, replace
from accshare.source import Span

_NOWHERE = Span(0, 0)
#: iterations of the combining loop in all that are worth the launch of a second kernel
_WORTH = 1 << 17
#: operations of a core that could begin before one of them is done
_WAIT = 4


@dataclass(frozen=True, slots=True)
class Finalize:
    """The kernel that finishes what a split one began, and its launch."""

    kernel: KernelFunction
    launch: Launch
    placed: Placed


def finalized(space: Space, where: Grid, device: Device) -> Finalize:
    """The kernel that combines, for each iteration of the other loops, the results of all parts, and does what is left
    to do with them; `where` is the grid of the parts."""
    nest, own = space.partition.nest, space.partition.nest.finalize
    assert own is not None
    rest = _rest(space)
    at = grid(rest)
    code = work(rest, rest.context.intersect(at.starts))
    work_group = (device.gathering_width, 1, 1)
    gathering = gather(nest.reductions, nest.name, work_group[0], True, nest.span)
    body = (*gathering.body, *by_first(work_group, (*at.defines, *promote(code.body))))
    firsts = tuple(symbol for symbol, _ in at.first)
    kernel = assembled(rest, body, work_group, firsts=firsts, params=gathering.params, local=gathering.local)
    values: dict[Param, Expr] = {Value(symbol): value for symbol, value in at.first}
    values[gathering.params[-1]] = _parts_launched(space, where)
    groups = (literal(1, LONG), at.groups[1], at.groups[2])
    return Finalize(kernel, Launch(kernel.name, groups, arguments(kernel, values)), Placed(rest, code.order))


def _rest(space: Space) -> Space:
    """The finalize kernel's, in which each iteration of the other loops is a group."""
    own = space.partition.nest.finalize
    assert own is not None
    loops = {member.loop.index for member in own.grid}
    grid_ = tuple(replace(m, size=1) for m in space.partition.nest.grid if m.loop.index in loops)
    return space_of(space.scop, NestPlacement(NestPartition(cut(own, grid_))))


def _parts_launched(space: Space, where: Grid) -> Expr:
    """How many parts there are; none where the first kernel is not launched."""
    parts = count((where.groups[0], literal(1, LONG), literal(1, LONG)))
    if not space.partition.cooperative:
        return parts
    condition = of_condition(where.launched.gist(space.context), space.context, space.names, LONG)
    return parts if is_true(condition) else Conditional(condition, parts, literal(0, LONG), LONG, _NOWHERE)


@dataclass(frozen=True, slots=True)
class Version:
    """A kernel as it is, or split, and what a work-item of a CPU runs of its tile at once."""

    space: Space
    tile: RegisterTile | None


def pays(plain: Version, split: Version, device: Device, units: Expr) -> Expr:
    """The condition under which a kernel is better run as a split one: as it is, it leaves much of the device with its
    compute `units` idle, and there is enough to do. A core that combines in vectors, and can't unless it is split,
    gains anyway."""
    (parts_, *_), (_, *rows) = most_groups(split.space), most_groups(_rest(split.space))
    groups = parts_, rows[0], rows[1]
    alone, apart = plain.tile, split.tile
    longest = next(d.size for d in split.space.partition.nest.grid if d.axis == 0)
    enough = Binary(">=", count(groups), literal(-(-_WORTH // longest), LONG), INT, _NOWHERE)
    several = Binary(">", groups[0], literal(1, LONG), INT, _NOWHERE)
    if apart is not None and apart.lanes > 1 and (alone is None or (alone.lanes == 1 and not alone.reduction)):
        idle: Expr = literal(1, INT)
    elif device.lockstep:
        outputs = count((literal(1, LONG), groups[1], groups[2]))
        lanes = max((member.threads for member in plain.space.partition.nest.threads), default=1)
        most = binary("*", units, literal(-(-device.busy_items // lanes), LONG), LONG)
        idle = Binary("<", outputs, most, INT, _NOWHERE)
    else:
        busy = binary("*", count(most_groups(plain.space)), _gain(plain, split, groups), LONG)
        idle = Binary("<", busy, units, INT, _NOWHERE)
    conditions = tuple(c for c in (idle, several, enough) if not is_true(c))
    condition = conjunction(conditions)
    assert condition is not None
    return condition


def _gain(plain: Version, split: Version, groups: tuple[Expr, Expr, Expr]) -> Expr:
    """How much faster a core is with a kernel as it is than with the split one: by the vectors that it has for columns
    and the other has not. Where there are too few rows for a block, each operation waits for the one before."""
    alone, apart = plain.tile, split.tile
    if alone is None or alone.reduction or (apart is not None and apart.lanes > 1):
        return literal(1, LONG)
    axes = {d.loop.index: d.dimension for d in split.space.partition.nest.grid}
    along = {d.axis: groups[axes[d.loop.index]] for d in plain.space.partition.nest.grid}
    lanes = minimum(literal(alone.lanes, LONG), along[0], LONG)
    if 1 not in along or alone.rows == 1:
        return lanes
    waiting = maximum(binary("/", lanes, literal(_WAIT, LONG), LONG), literal(1, LONG), LONG)
    filled = Binary(">=", along[1], literal(alone.rows, LONG), INT, _NOWHERE)
    return Conditional(filled, lanes, waiting, LONG, _NOWHERE)
