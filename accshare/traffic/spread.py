"""How the iterations around a reference spread over moments and the work-items that run side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import islpy as isl

from accshare.device import Device
from accshare.islbuild import points, within
from accshare.mapping.ir import NestPartition, PhaseAt
from accshare.records import dataclass
from accshare.schedule.ir import Member
from accshare.traffic.lattice import Form
from accshare.traffic.uses import Use

Item = tuple[int, int, int]
#: where a work-item's iteration is in its group, for its own place along x and y
Matrix = tuple[tuple[int, int], tuple[int, int]]

#: the lanes' coordinates along z, y and x
INNER = ("l2", "l1", "l0")


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The iterations that run side by side: `widths` of them along x, y, z, which are parts of a group that begin at
    multiples of them, each with the number of its warp."""

    widths: Item
    warps: Mapping[Item, int]


def side_by_side(part: NestPartition, device: Device, remap: Matrix | None) -> SideBySide:
    """A warp, where it lies along x; else a whole work-group."""
    x, y, z = part.work_group
    warp = min(device.simd_width, x * y * z)
    if remap is None and x % warp == 0:
        return SideBySide((warp, 1, 1), {(k, 0, 0): 0 for k in range(warp)})
    (a, b), (c, d) = remap or ((1, 0), (0, 1))
    items = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    return SideBySide(
        (x, y, z), {((a * i + b * j) % x, (c * i + d * j) % y, k): n // warp for n, (i, j, k) in enumerate(items)}
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """Iterators in terms of moments and lanes: `terms` has the coefficients of `names` for each and `begins` the
    constant, `relation` the same as a map. `origins` maps to what the work-item's tile and strips begin with, as
    `parts.full_tiles` has it."""

    names: tuple[str, ...]
    terms: tuple[dict[str, int], ...]
    begins: tuple[int, ...]
    relation: isl.Map
    origins: isl.Map | None

    @property
    def outer(self) -> int:
        """How many of the names are those of a moment."""
        return len(self.names) - len(INNER)

    def composed(self, row: Form) -> Form:
        """A form over the iterators as one over `names`."""
        totals = dict.fromkeys(self.names, 0)
        for weight, term in zip(row.coefficients, self.terms, strict=True):
            for name, factor in term.items():
                totals[name] += weight * factor
        moved = sum(weight * begin for weight, begin in zip(row.coefficients, self.begins, strict=True))
        return Form(tuple(totals.values()), row.constant + moved)


def spread(part: NestPartition, use: Use, lanes: SideBySide, branching: PhaseAt | None) -> Spread:
    """Spread the iterators of a use; with origins where it stands in a part that branches."""
    dimensions = {d.loop.index: d for d in part.nest.grid}
    sizes = {m.loop.index: m.size for m in branching.around} if branching is not None else {}
    shared = {m.loop.index: m for m in part.nest.threads}
    outer: list[str] = []
    terms: list[dict[str, int]] = []
    counts = {f"l{axis}": width for axis, width in enumerate(lanes.widths)}
    if shared and use.statement not in part.nest.repeated and not any(n.index in shared for n in use.loops):
        counts["l0"] = 1  # the first one of a row does it
    origins: dict[int, dict[str, int]] = {}
    for k, loop in enumerate(use.loops):
        dimension, size = dimensions.get(loop.index), sizes.get(loop.index, 1)
        if dimension is not None:
            own, origins[loop.index] = _mapped(k, dimension, lanes, branching is not None, counts)
            step = abs(loop.loop.step)
            outer += [name for name in own if not name.startswith("l")]
            terms.append({name: step * factor for name, factor in own.items()})
            if step > 1:  # tiles begin at multiples of the step, iterations perhaps a little later
                outer.append(f"r{k}")
                counts[f"r{k}"] = step
                terms[-1][f"r{k}"] = 1
        elif loop.index in shared:  # counted from where it begins
            threads, width = shared[loop.index].threads, lanes.widths[0]
            outer += [f"o{k}", f"w{k}"]
            counts[f"w{k}"] = threads // width
            places = {f"o{k}": threads, f"w{k}": width, "l0": 1}
            terms.append({name: loop.loop.step * factor for name, factor in places.items()})
            origins[loop.index] = {f"o{k}": 1}
        elif size > 1 and not (use.strip and k + 1 == use.count):
            outer += [f"s{k}", f"q{k}"]
            counts[f"q{k}"] = size
            terms.append({f"s{k}": size, f"q{k}": 1})
            origins[loop.index] = {f"s{k}": size}
        else:
            outer.append(f"o{k}")
            terms.append({f"o{k}": 1})
            origins[loop.index] = {f"o{k}": size}
    names = (*outer, *INNER)
    every = points(len(names))
    of = dict(zip(names, every.coordinates, strict=True))

    def composed(forms: Iterable[tuple[Mapping[str, int], int]]) -> isl.Map:
        return every.to([sum((n * of[name] for name, n in form.items()), every.function(k)) for form, k in forms])

    limited = every.where(*(within(of[name], 0, count) for name, count in counts.items()))
    starts = {d.loop.index: d.begin for d in part.nest.grid}
    begins = tuple(starts.get(loop.index, 0) for loop in use.loops[: use.count])
    relation = composed(zip(terms, begins, strict=True)).intersect_domain(limited)
    if branching is None:
        return Spread(names, tuple(terms), begins, relation, None)
    order = [n.index for n in part.nest.host] + [d.loop.index for d in part.nest.grid]
    order += [m.loop.index for m in branching.around]
    firsts = composed((origins[index], starts.get(index, 0)) for index in order)
    return Spread(names, tuple(terms), begins, relation, firsts)


def _mapped(
    k: int, dimension: Member, lanes: SideBySide, branching: bool, counts: dict[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """The number of an iteration of a mapped loop, and of the first one of its work-item; `counts` gets what
    limits them."""
    axis = dimension.axis
    if axis >= len(lanes.widths):
        return {f"o{k}": 1}, {f"o{k}": 1}  # one iteration a work-group
    width = lanes.widths[axis]
    if not branching or dimension.single:
        own = {f"o{k}": width, f"l{axis}": 1}
        return own, own
    first = {f"g{k}": dimension.size, f"w{k}": width, f"l{axis}": 1}
    counts[f"w{k}"] = dimension.threads // width
    counts[f"n{k}"] = dimension.size // dimension.threads
    return {**first, f"n{k}": dimension.threads}, first
