"""What a choice of sizes is estimated to take: registers, and the time of an iteration (SHARE 3.3.2, MDH).

The time is that of the slowest of four parts, each in clocks of a compute unit an iteration: instructions issued,
local memory, global memory, and waiting. By Little's law, what is in flight at a time is what a unit gets done in a
clock times how long each takes; where the resident work-items have less in flight, they wait. `docs/ilp.md` has the
sources of the constants.
"""

from __future__ import annotations

from functools import cached_property
from math import ceil, prod

from accshare.device import Device
from accshare.frontend.ir import Scalar, Var
from accshare.mapping.gpu.shapes import Shape, element_bytes, factors, local_bytes
from accshare.mapping.gpu.work import SECTOR, Work, reached
from accshare.mapping.ir import UNROLLED, NestPlacement
from accshare.mapping.patterns import AccessPattern, trips
from accshare.operations import operations
from accshare.options import Options
from accshare.poly.ir import VariableKind
from accshare.records import dataclass
from accshare.schedule.ir import Schedule

#: clocks until data is there: from global memory, its cache, local memory; and until a result can be used
_GLOBAL, _CACHE, _LOCAL, _RESULT = 600, 200, 30, 5
#: instructions that a compute unit starts in a clock, counted by work-item, each of which starts one
_LANES = 128
#: loads of one work-item that are under way while its loops go on
_UNROLLED = 4
#: instructions around an iteration of a loop, a copied vector, and a work-item
_LOOP, _COPY, _ITEM = 2, 6, 30
#: the part of what is not the slowest that adds to the time all the same
_OVERLAP = 0.2
#: clocks that a work-group loses at the barriers of a strip
_BARRIERS = 60
#: registers that every kernel takes and each array's address, and the part of a work-item's that can be estimated with
_BASE, _ADDRESS, _SAFE = 20, 2, 0.8
#: instructions that a work-item's code should have at most between its loops
_CODE = 512


@dataclass(frozen=True, slots=True)
class Estimate:
    """A choice of sizes with what it takes. `registers` are of 32 bits a work-item, `resident` counts work-items of a
    compute unit, `time` is in clocks an iteration, `bound` names its greatest part; `wrong` says why it can't be
    taken, empty where it can."""

    shape: Shape
    registers: int
    resident: int
    local: int
    time: float
    bound: str
    wrong: str

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


@dataclass(frozen=True, slots=True)
class _Item:
    """What the iterations of a work-item alone decide: its registers; how often one of them accesses local memory and
    global memory, and how many bytes of the latter."""

    registers: int
    local: float
    outside: float
    bytes: float


class Model:
    """Estimates the choices for one kernel on one device; what does not depend on sizes is found out once."""

    def __init__(self, schedule: Schedule, placement: NestPlacement, device: Device, options: Options) -> None:
        self._placement, self._device = placement, device
        self._nest = placement.partition.nest
        self._options = options
        self._work = Work(placement, device, options.contract)
        self._items: dict[tuple[int, int, int], _Item] = {}
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
        """What a choice of sizes takes."""
        device = self._device
        items = prod(m.threads for m in shape.grid)
        along = factors(shape.grid)
        own = self._items.get(along) or self._items.setdefault(along, self._item(along))
        local, registers, several = local_bytes(shape, self._nest.reductions, self._padded), own.registers, prod(along)
        groups = min(
            device.registers_per_unit // (registers * items),
            device.max_threads_per_unit // items,
            device.max_groups_per_unit,
            device.local_per_unit // local if local else device.max_groups_per_unit,
        )
        wrong = ""
        if registers > _SAFE * device.registers_per_item:
            wrong = "take more registers than is safe"
        elif local > self._local_limit:
            wrong = "take more local memory than a work-group should"
        elif groups < (2 if several > 1 else 1):
            wrong = "leave a compute unit with a single work-group"
        elif several > 1 and self._straight * several > _CODE:
            wrong = "be more code than instruction caches hold"
        launched = self._work.launched(shape)
        busy = min(1.0, launched / device.compute_units)
        resident = max(1, min(groups, ceil(launched / device.compute_units))) * items
        bound, time = self._time(shape, own, items, resident)
        if not wrong and busy < 1:
            wrong = "leave compute units without work"
        return Estimate(shape, registers, groups * items, local, time / busy, bound, wrong)

    @property
    def _local_limit(self) -> int:
        """The local bytes of a work-group, of which a compute unit should hold two or more (9)."""
        part = 0.5 if self._options.delta_s is None else self._options.delta_s
        return int(min(part * self._device.local_per_unit, self._device.local_bytes))

    def _item(self, along: tuple[int, int, int]) -> _Item:
        """A work-item with some iterations along x, y, z."""
        several = prod(along)
        made = [(r, r.times * reached(along, r) / several) for r in self.patterns]
        outside = [(r, times) for r, times in made if not r.local]
        return _Item(
            self._registers(along),
            sum(times for r, times in made if r.local),
            sum(times for _, times in outside),
            sum(self._moved(r) * times for r, times in outside),
        )

    def _moved(self, pattern: AccessPattern) -> float:
        """The bytes that an access moves: a warp that asks for one element moves a sector, all work-items together."""
        return pattern.bytes if 0 in pattern.moves else SECTOR / self._device.simd_width

    def _registers(self, along: tuple[int, int, int]) -> int:
        """A work-item's: variables it has for each iteration, operands that its iterations share, addresses."""
        words = sum(max(1, size // 4) for size in self._scalars) * prod(along)
        loads = [(r, max(1, r.bytes // 4) * reached(along, r)) for r in self.patterns]
        inside = sum(held for r, held in loads if r.inner and not r.stores)
        outside = max((held for r, held in loads if not r.inner and not r.stores), default=0)
        return (
            _BASE
            + words
            + max(2 * inside, outside - words)
            + _ADDRESS * len({r.access.variable.name for r, _ in loads})
        )

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

    def _time(self, shape: Shape, own: _Item, items: int, resident: int) -> tuple[str, float]:
        device = self._device
        points = prod(m.size for m in shape.grid)
        several = points // items
        copied = vectors = waits = 0.0
        for staged in shape.staged:
            fills = self._work.fills(staged)
            elements = prod(staged.lengths) * (staged.reads + staged.writes) * fills
            copied += elements * element_bytes(staged) / points
            vectors += elements / staged.width / points
            waits += fills * (_GLOBAL * ceil(elements / fills / staged.width / items / _UNROLLED) + _BARRIERS)
        instructions = self._work.operations + own.local + own.outside + _COPY * vectors
        instructions += (_LOOP * self._work.steps + _ITEM) / several
        waits += self._waits
        parts = {
            "instructions": instructions / min(_LANES, resident),
            "local memory": 4 * (own.local + copied / 4) / device.local_bandwidth,
            "global memory": (copied + own.bytes) / device.cache_bandwidth,
            "latency": waits / (resident * several),
        }
        bound = max(parts, key=lambda name: parts[name])
        return bound, parts[bound] + _OVERLAP * (sum(parts.values()) - parts[bound])

    @cached_property
    def _waits(self) -> float:
        """The clocks that one iteration by itself waits for what it loads and for its results."""
        loads = [r for r in self.patterns if not r.local and not r.stores]
        waits = _RESULT * self._work.operations
        if any(r.inner for r in loads):
            waits += _CACHE * self._work.steps / _UNROLLED
        elif any(r.local for r in self.patterns):
            waits += _LOCAL * self._work.steps / _UNROLLED
        return waits + (_GLOBAL if loads else 0)
