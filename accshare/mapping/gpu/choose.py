"""The choice of sizes for one kernel."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from accshare.device import Device
from accshare.mapping.gpu.limits import axes, bad_access, has_fixed_lengths, unfit
from accshare.mapping.gpu.model import Estimate, Model
from accshare.mapping.gpu.shapes import MOST_ALONG, Bounds, Shape, factors, local_bytes, shapes
from accshare.mapping.ir import NestPartition, NestPlacement, NestPlan
from accshare.options import Ilp, Options
from accshare.schedule.ir import Schedule

#: a choice with more iterations has to be estimated this much faster, for what the model does not know
_WORTH = 1.05
#: the most iterations of a work-item in all
_MOST = 64
_NAMES = "xyz"


@dataclass(frozen=True, slots=True)
class Choice:
    """A kernel's plan before its tiles are placed anew: the sizes taken, what they take, and why."""

    shape: Shape
    registers: int
    resident: int
    why: str


def choose(schedule: Schedule, placement: NestPlacement, device: Device, options: Options) -> Choice:
    """Pick the iterations of a work-item, and with them tiles and work-groups."""
    model = Model(schedule, placement, device, options)
    base = model.estimate(Shape.of(placement.partition))
    choice = options.choice(placement.partition.nest.name)
    ilp = options.ilp if choice is None else choice.ilp
    why = unfit(placement, device)
    if not why and ilp == Ilp(False):
        why = "it was asked for"
    if not why and ilp.automatic:
        why = bad_access(placement, model.references)
    if why:
        return _choice(base, why)
    asked = None if ilp.automatic else _asked(ilp, placement.partition)
    free = axes(placement)
    own = factors(placement.partition.nest.grid)
    along = {a: _to_try(own[a], asked[a] if asked else 0, a in free) for a in range(3)}
    fixed = has_fixed_lengths(schedule)
    most = MOST_ALONG**3 if asked else max(_MOST, prod(own))
    bounds = Bounds(along, not fixed, asked is not None and not fixed, device.max_work_group, most)
    found = [model.estimate(shape) for shape in shapes(base.shape, bounds, device)]
    if asked:
        return _as_asked(asked, base, found, device, choice is not None)
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


def _choice(taken: Estimate, why: str) -> Choice:
    return Choice(taken.shape, taken.registers, taken.resident, why)


def _as_asked(
    asked: tuple[int, int, int], base: Estimate, found: list[Estimate], device: Device, grown: bool
) -> Choice:
    """The best of those with the iterations asked for, if need be with more than is good; tiles of the solver's size
    first, or `grown` ones, whose work-groups are of the solver's size."""
    possible = [r for r in found if r.resident and r.local <= device.local_bytes]
    if not possible:
        return _choice(base, "what was asked for does not fit the device")

    def sizes(r: Estimate) -> list[int]:
        grid = r.shape.grid
        return [member.threads for member in grid] if grown else [prod(member.size for member in grid)]

    def key(r: Estimate) -> tuple[float, ...]:
        apart = sum(max(size / own, own / size) for size, own in zip(sizes(r), sizes(base), strict=True))
        return apart, r.time

    taken = min(possible, key=key)
    given = ", ".join(f"{_NAMES[k]} {n}" for k, n in enumerate(asked) if n > 1 and taken.factors[k] != n)
    return _choice(taken, "asked for" + (f", but not along {given}" if given else ""))


def _best(base: Estimate, found: list[Estimate]) -> Choice:
    """The fastest, and among those about as fast the one with the fewest iterations a work-item."""
    good = [r for r in found if not r.wrong]
    if not good:
        missing = next((r.wrong for r in found if r.iterations > base.iterations and r.wrong), "")
        return _choice(base, f"more iterations would {missing}" if missing else "no other size fits the work-group")
    fastest = min(r.time for r in good)
    near = [r for r in good if r.time <= fastest * _WORTH]
    taken = min(near, key=lambda r: (r.iterations, r.staged, r.registers, r.time))
    if base.time <= taken.time * _WORTH and not base.wrong:
        taken = base
    return _choice(taken, _reason(taken, found))


def _reason(taken: Estimate, found: list[Estimate]) -> str:
    """What the kernel waits for, and what keeps the next larger choice away."""
    more = [r for r in found if r.iterations == 2 * taken.iterations and r.time < taken.time]
    bound = f"bound by {taken.bound}"
    if more:
        best = min(more, key=lambda r: r.time)
        if best.wrong:
            return f"{bound}; {best.iterations} iterations would {best.wrong}"
    return (
        f"{bound}; more iterations gain nothing" if taken.iterations > 1 else f"{bound}: no gain from more iterations"
    )


def planned(placement: NestPlacement, choice: Choice) -> NestPlan:
    """The plan of a kernel whose tiles have been placed."""
    padded = {k: tile.layout.padding for k, tile in enumerate(placement.tiles)}
    along = factors(choice.shape.grid)
    local = local_bytes(choice.shape, placement.partition.nest.reductions, padded)
    return NestPlan(placement, along, choice.registers, local, choice.resident, choice.why)
