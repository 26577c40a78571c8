"""What a choice of sizes is estimated to take: registers, local memory, and time (SHARE 3.3.2).

`docs/ilp.md` has the sources of the constants.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from math import prod

from accshare.device import Device
from accshare.frontend.ir import Expr, Scalar, Var
from accshare.mapping.gpu.shapes import Shape, factors, local_bytes
from accshare.mapping.gpu.work import Counted, Time, Work, reached
from accshare.mapping.ir import UNROLLED, NestPlacement
from accshare.mapping.patterns import AccessPattern, trips
from accshare.operations import operations
from accshare.options import Options
from accshare.poly.ir import Mode, VariableKind
from accshare.records import dataclass, field
from accshare.schedule.ir import Schedule

#: registers that every kernel takes, each array's address, and what loops load, as assemblers load ahead
_BASE, _ADDRESS, _HELD = 20, 2, 3
#: the part of a work-item's registers that can be estimated with, and where strips are on their way, of which
#: assemblers take more than that
_SAFE, _SAFE_AHEAD = 0.85, 0.8
#: the most registers of a work-item in which a strip is on its way
_AHEAD = 96
#: the greatest bank conflict degree of a tile that still counts as good
CONFLICT = 2
#: instructions that a work-item's code should have at most between its loops
_CODE = 512


@dataclass(frozen=True)
class Estimate:
    """A choice of sizes with what it takes. `registers` are of 32 bits a work-item, `resident` counts work-items of a
    compute unit; strips may be fetched `ahead`. `wrong` says why it can't be taken, empty where it can: the time of
    those that can't is hardly asked for, so each is `timed` only then."""

    shape: Shape
    registers: int
    resident: int
    local: int
    ahead: bool
    wrong: str
    timed: Callable[[], Time] = field(compare=False, repr=False)

    @cached_property
    def launch(self) -> Time:
        """What a launch takes."""
        return self.timed()

    @property
    def time(self) -> float:
        """The clocks that an iteration takes."""
        return self.launch.each

    @property
    def factors(self) -> tuple[int, int, int]:
        return factors(self.shape.grid)

    @property
    def staged(self) -> int:
        """The elements of its tiles."""
        return sum(prod(s.lengths) for s in self.shape.staged)

    @property
    def iterations(self) -> int:
        """The iterations of one work-item."""
        return prod(self.factors)


class Model:
    """Estimates the choices for one kernel on one device; what does not depend on sizes is found out once. `length` is
    that of mapped loops of which nobody knows it, 0 for what is usually assumed."""

    def __init__(
        self,
        schedule: Schedule,
        placement: NestPlacement,
        device: Device,
        options: Options,
        pipelines: bool,
        length: int = 0,
    ) -> None:
        self._placement, self._device, self._pipelines = placement, device, pipelines
        self._nest = placement.partition.nest
        self._options = options
        self._work = Work(placement, device, options.contract, length)
        self._several = prod(factors(self._nest.grid))
        self._known: dict[tuple[int, int, int], int] = {}
        self._padded = {k: tile.layout.padding for k, tile in enumerate(placement.tiles)}
        self._scalars = [
            v.element.bytes
            for v in schedule.scop.variables
            if v.name in self._nest.private and isinstance(v.base, Var) and isinstance(v.element, Scalar)
        ]

    @property
    def patterns(self) -> tuple[AccessPattern, ...]:
        """What an iteration accesses."""
        return self._work.patterns

    def estimate(self, shape: Shape) -> Estimate:
        """What a choice of sizes takes, with strips fetched ahead where that gains time."""
        known: Counted = {}
        plain = self._estimate(shape, 0, known)
        words = self._work.registers_ahead(shape) if self._pipelines else 0
        if not 0 < words <= _AHEAD:
            return plain
        ahead = self._estimate(shape, words, known)
        return plain if (ahead.wrong and not plain.wrong) or ahead.time >= plain.time else ahead

    def _estimate(self, shape: Shape, ahead: int, known: Counted) -> Estimate:
        """With so many registers for what is fetched ahead, and what is `known` of the shape's groups."""
        device = self._device
        items = prod(m.threads for m in shape.grid)
        along = factors(shape.grid)
        registers = ahead + (self._known.get(along) or self._known.setdefault(along, self._registers(along)))
        local, several = local_bytes(shape, self._nest.reductions, self._padded), prod(along)
        groups = min(
            device.registers_per_unit // (registers * items),
            device.max_threads_per_unit // items,
            device.max_groups_per_unit,
            device.local_per_unit // local if local else device.max_groups_per_unit,
        )
        wrong = ""
        most = min(device.registers_per_item, device.registers_per_unit // items)
        if registers > (_SAFE_AHEAD if ahead else _SAFE) * most:
            wrong = "take more registers than is safe"
        elif local > self._local_limit:
            wrong = "take more local memory than a work-group should"
        elif self._work.conflicts(shape) > CONFLICT:
            wrong = "bring bank conflicts"
        elif groups < (2 if several > 1 and not ahead else 1):
            wrong = "leave a compute unit with a single work-group"
        elif several > 1 and self._straight * several > _CODE:
            wrong = "be more code than instruction caches hold"
        few = self._work.iterations / several < device.compute_units * device.lanes
        if not wrong and few and several > self._several:
            wrong = "leave compute units without work"
        timed = partial(self._work.time, shape, along, local, groups, ahead > 0, known)
        return Estimate(shape, registers, groups * items, local, ahead > 0, wrong, timed)

    @property
    def _local_limit(self) -> int:
        """The local bytes of a work-group, of which a compute unit should hold two or more (9)."""
        part = 0.5 if self._options.delta_s is None else self._options.delta_s
        return int(min(part * self._device.local_per_unit, self._device.local_bytes))

    def _registers(self, along: tuple[int, int, int]) -> int:
        """A work-item's: variables and elements that it has for each iteration, operands that its iterations share,
        addresses."""
        loads = [(r, max(1, r.bytes // 4) * reached(along, r)) for r in self.patterns]
        kept = sum(held for r, held in loads if r.stores and not r.inner and r.access.reference in self._updated)
        words = sum(max(1, size // 4) for size in self._scalars) * prod(along) + kept
        inside = sum(held for r, held in loads if r.inner and not r.stores)
        outside = max((held for r, held in loads if not r.inner and not r.stores), default=0)
        return (
            _BASE
            + words
            + max(_HELD * inside, outside - words)
            + _ADDRESS * len({r.access.variable.name for r, _ in loads})
        )

    @cached_property
    def _updated(self) -> frozenset[Expr]:
        """What is written in loops inside: an element that these leave the same is in registers as long as they run."""
        deep = (s for s in self._nest.statements if len(s.loops) > self._nest.depth)
        return frozenset(a.reference for s in deep for a in s.accesses if a.mode is Mode.WRITE)

    @cached_property
    def _straight(self) -> float:
        """The instructions of an iteration's code, its short loops unrolled."""
        outside = self._nest.depth
        return sum(
            prod(n for n in map(trips, s.loops[outside:]) if n <= UNROLLED)
            * (
                operations(s.body, self._options.contract)
                + sum(a.variable.kind is VariableKind.MEMORY for a in s.accesses)
            )
            for s in self._nest.statements
        )
