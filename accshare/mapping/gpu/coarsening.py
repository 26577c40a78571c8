"""Several iterations a work-item: thread coarsening, for instruction-level parallelism (SHARE 3.3.2, Algorithm 1)."""

from __future__ import annotations

from math import prod

from accshare.device import Device
from accshare.mapping.gpu.model import CONFLICT, Estimate, Model
from accshare.mapping.gpu.shapes import (
    MOST_ALONG,
    MOST_GROWTH,
    Freedom,
    Shape,
    factors,
    local_bytes,
    other_strips,
    recut,
    shapes,
)
from accshare.mapping.ir import Coarsening, NestPartition, NestPlacement, NestPlan, Partition, Placement, Plan
from accshare.mapping.patterns import AccessPattern, loops_as_data_decide
from accshare.options import Ilp, Options, Share
from accshare.pragma.ir import ShareBinary, ShareClause, ShareExpr, ShareParam, ShareVague
from accshare.records import dataclass, replace
from accshare.schedule.ir import Kernel, Member, Role, Schedule, bounds_follow, members

#: a choice with more iterations has to be estimated this much faster, for what the model does not know
_WORTH = 1.05
#: and so much longer makes no difference
_ALIKE = 1.02
#: how much more than the least may be moved by what is about as fast
_LITTLE = 1.1
#: the most iterations of a work-item in all
_MOST = 64
#: to which part of the solver's tiles get, where the time that they take decides
_SMALLEST = 4
#: the tiles, of the fastest, for which other strips are tried
_STRIPPED = 8
_NAMES = "xyz"


@dataclass(frozen=True, slots=True)
class Coarsened:
    """What a kernel's work-items get before its tiles are placed anew: the sizes taken, what they take, whether strips
    are fetched ahead, and why."""

    shape: Shape
    registers: int
    resident: int
    ahead: bool
    why: str


def coarsened(placement: Placement, options: Options, lengths: tuple[int, ...] = ()) -> tuple[Coarsened, ...]:
    """Choose how many iterations each work-item of every kernel runs side by side. `lengths` are assumed of the mapped
    loops of each kernel of which nobody knows it, in place of what is usual."""
    partition = placement.partition
    each = zip(placement.nests, lengths or [0] * len(placement.nests), strict=True)
    return tuple(_coarsened(partition.schedule, nest, partition.device, options, length) for nest, length in each)


def resized(partition: Partition, chosen: tuple[Coarsened, ...]) -> Partition:
    """The kernels cut anew; the same partition where none has other sizes."""
    nests = tuple(recut(nest, c.shape) for nest, c in zip(partition.nests, chosen, strict=True))
    same = all(new is nest for new, nest in zip(nests, partition.nests, strict=True))
    return partition if same else replace(partition, nests=nests)


def settled(placed: Placement, anew: Placement, chosen: tuple[Coarsened, ...], options: Options) -> Plan:
    """Each kernel with the sizes chosen for it, whose tiles were placed `anew`. Sizes that bring bank conflicts are not
    taken, unless they were asked for: the kernel stays as it was `placed`."""
    both = zip(placed.nests, anew.nests, chosen, strict=True)
    return Plan(placed, tuple(_settled(old, new, choice, options) for old, new, choice in both))


def _settled(old: NestPlacement, new: NestPlacement, chosen: Coarsened, options: Options) -> NestPlan:
    automatic = options.of_kernel(old.partition.nest.name).ilp.automatic
    wrong = _conflict(new) if automatic and new.partition is not old.partition else ""
    if wrong:
        return _planned(
            old, replace(chosen, shape=Shape.of(old.partition), ahead=False, why=f"other sizes have {wrong}")
        )
    return _planned(new, chosen)


def _planned(placement: NestPlacement, chosen: Coarsened) -> NestPlan:
    padded = {k: tile.layout.padding for k, tile in enumerate(placement.tiles)}
    along = factors(chosen.shape.grid)
    local = local_bytes(chosen.shape, placement.partition.nest.reductions, padded)
    coarsening = Coarsening(along, chosen.registers, local, chosen.resident, chosen.why)
    return NestPlan(placement, coarsening, strips_ahead=chosen.ahead)


def _coarsened(
    schedule: Schedule, placement: NestPlacement, device: Device, options: Options, length: int
) -> Coarsened:
    """Pick the iterations of a work-item, and with them tiles and work-groups."""
    choice = options.choice(placement.partition.nest.name)
    ilp = options.ilp if choice is None else choice.ilp
    model = Model(schedule, placement, device, options, device.sound_barriers and ilp != Ilp(False), length)
    base = model.estimate(Shape.of(placement.partition))
    why = _unfit(placement)
    if not why and ilp == Ilp(False):
        why = "it was asked for"
    if not why and ilp.automatic:
        why = _bad_access(placement, model.patterns)
    if why:
        return _taken(base, why)
    asked = None if ilp.automatic else _asked(ilp, placement.partition)
    free = _axes(placement)
    own = factors(placement.partition.nest.grid)
    along = {a: _to_try(own[a], asked[a] if asked else 0, a in free) for a in range(3)}
    fixed = _has_fixed_lengths(schedule)
    most = MOST_ALONG**3 if asked else max(_MOST, prod(own))
    by_time = options.share is Share.AUTO and choice is None
    shrink = 1 if fixed else MOST_GROWTH if asked else _SMALLEST if by_time else 1
    freedom = Freedom(along, not fixed, shrink, asked is not None, device.max_work_group, most)
    found = [model.estimate(shape) for shape in shapes(base.shape, freedom, device)]
    if asked:
        return _as_asked(asked, base, found, device, choice is not None)
    if by_time and not fixed:
        good = sorted((r for r in found if not r.wrong), key=lambda r: r.time)
        found += [model.estimate(shape) for r in good[:_STRIPPED] for shape in other_strips(r.shape)]
    return _best(base, found)


def _asked(ilp: Ilp, partition: NestPartition) -> tuple[int, int, int]:
    """The iterations along each axis; a number alone is for y, or for x where there is no other axis."""
    several = [max(n, 1) for n in ilp.axes]
    if ilp.several > 1:
        used = {d.axis for d in partition.nest.grid}
        several[1 if 1 in used else 0] = ilp.several
    return several[0], several[1], several[2]


def _to_try(own: int, asked: int, free: bool) -> tuple[int, ...]:
    """Iterations along an axis: those asked for, else powers of two; those it has where no other are possible."""
    if not free or asked == 1:
        return (own,)
    if asked:
        return (asked,)
    powers = (1 << k for k in range(MOST_ALONG.bit_length()))
    return tuple(sorted({own, *powers}))


def _taken(taken: Estimate, why: str) -> Coarsened:
    return Coarsened(taken.shape, taken.registers, taken.resident, taken.ahead, why)


def _as_asked(
    asked: tuple[int, int, int], base: Estimate, found: list[Estimate], device: Device, grown: bool
) -> Coarsened:
    """The best of those with the iterations asked for, if need be with more than is good; tiles of the solver's size
    first, or `grown` ones, whose work-groups are of the solver's size."""
    possible = [r for r in found if r.resident and r.local <= device.local_bytes]
    if not possible:
        return _taken(base, "what was asked for does not fit the device")

    def sizes(r: Estimate) -> list[int]:
        grid = r.shape.grid
        return [member.threads for member in grid] if grown else [prod(member.size for member in grid)]

    def key(r: Estimate) -> tuple[float, ...]:
        apart = sum(max(size / own, own / size) for size, own in zip(sizes(r), sizes(base), strict=True))
        return apart, r.time

    taken = min(possible, key=key)
    given = ", ".join(f"{_NAMES[k]} {n}" for k, n in enumerate(asked) if n > 1 and taken.factors[k] != n)
    return _taken(taken, "asked for" + (f", but not along {given}" if given else ""))


def _best(base: Estimate, found: list[Estimate]) -> Coarsened:
    """The fastest, and among those about as fast one that moves little."""
    good = [r for r in found if not r.wrong]
    if not good:
        missing = next((r.wrong for r in found if r.iterations > base.iterations and r.wrong), "")
        return _taken(base, f"more iterations would {missing}" if missing else "no other size fits the work-group")
    fastest = min(r.time for r in good)
    near = [r for r in good if r.time <= fastest * _ALIKE]
    least = min(r.launch.moved for r in near)
    taken = min((r for r in near if r.launch.moved <= least * _LITTLE), key=lambda r: (r.time, r.staged, r.registers))
    if base.time <= taken.time * _WORTH and not base.wrong:
        taken = base
    return _taken(taken, _reason(taken, found))


def _reason(taken: Estimate, found: list[Estimate]) -> str:
    """What the kernel waits for, and what keeps the next larger choice away."""
    more = [r for r in found if r.iterations == 2 * taken.iterations and r.time < taken.time]
    bound = f"bound by {taken.launch.bound}"
    if more:
        best = min(more, key=lambda r: r.time)
        if best.wrong:
            return f"{bound}; {best.iterations} iterations would {best.wrong}"
    return (
        f"{bound}; more iterations gain nothing" if taken.iterations > 1 else f"{bound}: no gain from more iterations"
    )


def _unfit(placement: NestPlacement) -> str:
    """Why a kernel can't have work-items of several iterations at all; empty where it can."""
    if not placement.partition.nest.grid:
        return "one work-item runs it all"
    if placement.partition.packed:
        return "its work-groups are one work-item each, which fills its tiles alone"
    if placement.partition.nest.finalize is not None:
        return "its work-items have a part of a loop that combines"
    if loops_as_data_decide(placement.partition.nest):
        return "data decides how often loops inside run, so iterations side by side would wait for one another"
    if not any(_is_free(d, placement.partition.nest) for d in placement.partition.nest.grid):
        return "the loops inside run to bounds that differ from iteration to iteration"
    return ""


def _bad_access(placement: NestPlacement, patterns: tuple[AccessPattern, ...]) -> str:
    """What is wrong with a kernel's accesses, of those that are made most often; more iterations would only make more
    bad ones (SHARE 3.3.2, Fig. 5)."""
    conflicts = _conflict(placement)
    if conflicts:
        return f"it has {conflicts}"
    inside = any(r.inner for r in patterns)
    often = (r for r in patterns if r.inner or not inside)
    scattered = next((r for r in often if not r.local and not r.coalesced), None)
    return f"accesses to {scattered.access.variable.name} in global memory don't coalesce" if scattered else ""


def _conflict(placement: NestPlacement) -> str:
    """The worst bank conflicts that are left in a kernel's tiles; empty where none are."""
    worst = max(placement.tiles, key=lambda tile: tile.after, default=None)
    if worst is None or worst.after <= CONFLICT:
        return ""
    return f"bank conflicts of degree {worst.after} in {worst.staged.variable.name}"


def _axes(placement: NestPlacement) -> frozenset[int]:
    """The axes along which a work-item may run several iterations side by side."""
    partition = placement.partition
    return frozenset(d.axis for d in partition.nest.grid if _is_free(d, partition.nest))


def _has_fixed_lengths(schedule: Schedule) -> bool:
    """Whether a hint gives tiles a length that is more than a work-group's size and a halo."""
    hints = (c for d in schedule.scop.region.shares for c in d.clauses if isinstance(c, ShareClause))
    return any(not _follows(length) for hint in hints for array in hint.arrays for length in array.lengths)


def _follows(length: ShareExpr) -> bool:
    """Whether a length is ``*``, or a work-group's size but for a constant."""
    match length:
        case ShareVague() | ShareParam():
            return True
        case ShareBinary("+" | "-", lhs, rhs):
            return _follows(lhs) or _follows(rhs)
    return False


def _is_free(member: Member, nest: Kernel) -> bool:
    """Whether iterations along a member run side by side: a loop inside whose bounds differ between them would have to
    be run for one after the other."""
    inside = (inner for inner in members(nest.inside) if inner.role is not Role.OWN)
    bounding = any(bounds_follow(inner, {member.loop.iterator}) for inner in inside)
    return member.loop.loop.step == 1 and not bounding
