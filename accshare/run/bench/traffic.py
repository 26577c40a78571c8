"""What local memory saves: global loads and transactions of the samples' kernels, predicted and counted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from accshare.device import Device
from accshare.driver.paths import runtime_library
from accshare.driver.targets import devices_for
from accshare.emit.ir import RegionText
from accshare.mapping.gpu.banks.tiles import copy_width
from accshare.mapping.ir import NestPartition, NestPlacement, Plan, cut
from accshare.pipeline import Result, compile_unit
from accshare.records import dataclass, replace
from accshare.run.bench.programs import Failed
from accshare.run.dtypes import dtype_of
from accshare.run.evaluate import Unknown
from accshare.run.generate import sections
from accshare.run.host import HostTrouble
from accshare.run.interpreter import Run, interpret
from accshare.run.memory import known_length
from accshare.run.sizes import Case, NoCase, cases
from accshare.run.sources import Unreadable, read_file
from accshare.schedule.ir import only_updated, versions
from accshare.traffic.predict import predict

#: sample -> the sizes it is counted at: whole tiles, and sizes that no tile divides
COUNTED: dict[str, tuple[Mapping[str, int], ...]] = {
    "mt": ({"rows": 1024, "columns": 1024}, {"rows": 1001, "columns": 517}),
    "gemm": ({"m": 256, "n": 256, "k": 256}, {"m": 101, "n": 151, "k": 83}),
    "mv": ({"rows": 1024, "columns": 1024}, {"rows": 1001, "columns": 517}),
    "gauss": ({"height": 512, "width": 512}, {"height": 333, "width": 517}),
    "hotspot": ({"rows": 512, "columns": 512}, {"rows": 333, "columns": 517}),
}
_NAIVE, _SHARE = "--acc-share=off", "--acc-share=on"


@dataclass(frozen=True, slots=True)
class Moved:
    """Elements loaded from and stored to global memory by all kernels of a region, and the transactions this takes."""

    loads: int
    stores: int
    transactions: int

    def __add__(self, other: Moved) -> Moved:
        return Moved(self.loads + other.loads, self.stores + other.stores, self.transactions + other.transactions)


@dataclass(frozen=True, slots=True)
class Told:
    """What was predicted of a variable and what was counted; equal where the prediction is `exact`."""

    kernel: str
    variable: str
    predicted: Moved
    counted: Moved
    exact: bool


@dataclass(frozen=True, slots=True)
class Saving:
    """A region at one size, naive and with what it shares, each predicted and counted. `least` are the transactions
    that remain if every segment of every array moves once each way."""

    region: str
    size: str
    device: str
    naive: tuple[Moved, Moved]
    share: tuple[Moved, Moved]
    least: int
    exact: bool

    @property
    def agrees(self) -> bool:
        """Whether all that could be predicted exactly was."""
        return not self.exact or all(predicted == counted for predicted, counted in (self.naive, self.share))


def told(region: RegionText, plan: Plan, case: Case) -> tuple[Told, ...]:
    """Prediction and count for each variable of the region's kernels. Raises `Unknown`."""
    run = _interpreted(region, plan.partition.device, case)
    return tuple(_told(run, plan, case))


def _told(run: Run, plan: Plan, case: Case) -> Iterator[Told]:
    values = {name: int(value) for name, value in case.values.names.items() if isinstance(value, int)}
    forms = {nest.name for both in versions(plan.partition.schedule.tree) for nest in (both.plain, both.split)}
    nests = [nest for one in _both(plan) for nest in one.nests]
    sizes = [both for nest in nests if nest.small for both in (nest, nest.small.plan)]
    every = {nest.placement.partition.nest.name: nest for nest in (*nests, *sizes)}
    forms |= {nest.placement.partition.nest.name for nest in sizes}
    idle = (every.keys() if plan.others else forms) - {count.kernel for count in run.counts}
    for name, nest in every.items():
        if name in idle:
            continue
        part = _placed(nest.placement)
        # groups may have copies of these in local memory
        copied = {variable.name for variable, _ in only_updated(part.nest.statements)}
        # a CPU's register tiles load less
        exact = (nest.coarsening is not None or bool(part.nest.threads)) and not nest.placement.rotated
        for traffic in predict(part, plan.partition.device, values, nest.placement.remap):
            counted = run.traffic(traffic.variable, part.nest.name)
            yield Told(
                part.nest.name,
                traffic.variable,
                Moved(traffic.loads, traffic.stores, traffic.transactions),
                Moved(counted.loads, counted.stores, counted.transactions),
                traffic.exact and exact and traffic.variable not in copied,
            )


def _both(plan: Plan) -> tuple[Plan, ...]:
    """A plan, and those that the host may run instead."""
    return plan, *plan.others


def _placed(placement: NestPlacement) -> NestPartition:
    """The kernel with copies as wide as the layout of its tiles allows."""
    staged = (replace(tile.staged, width=copy_width(tile.staged, tile.layout)) for tile in placement.tiles)
    part = placement.partition
    return replace(part, nest=cut(part.nest, part.nest.grid, part.strips, tuple(staged)))


def _interpreted(region: RegionText, device: Device, case: Case) -> Run:
    variant = next(text.variant for text in region.variants if text.variant.target == device)
    return interpret(variant, sections(region, case.values, 1), case.values, check=False)


def savings(path: Path, target: str, flags: Sequence[str] = ()) -> Iterator[Saving]:
    """What each region of a file saves on a device model, compiled with some flags and without what tuning found.

    The sizes are those of `COUNTED`, or some about a hundred. Raises `Failed`.
    """
    try:
        results = tuple(_compiled(path, [f"--acc-target={target}", *flags, share]) for share in (_NAIVE, _SHARE))
        for place, _ in enumerate(results[0].output.regions):
            for sizes in COUNTED.get(path.stem, ({},)):
                yield _saving(results, place, sizes)
    except (HostTrouble, NoCase, Unknown, Unreadable) as why:
        raise Failed(f"{path}: {why}") from why


def _compiled(path: Path, flags: Sequence[str]) -> Result:
    source, options = read_file(str(path), flags)
    return compile_unit(source, devices_for(options.targets), options, runtime_library())


def _saving(results: tuple[Result, ...], place: int, sizes: Mapping[str, int]) -> Saving:
    sides = []
    found: tuple[Told, ...] = ()
    for result in results:
        region = result.output.regions[place]
        outcome = next(o for o in result.outcomes if o.region.name == region.offload.region.name)
        case = _case(region, sizes)
        (plan,) = outcome.plans
        found = told(region, plan, case)
        sides.append(found)
    nothing = Moved(0, 0, 0)
    naive, share = ((sum((t.predicted for t in one), nothing), sum((t.counted for t in one), nothing)) for one in sides)
    exact = all(t.exact for one in sides for t in one)
    device = plan.partition.device
    least = _least(region, {t.variable for t in found}, device, case)
    return Saving(region.offload.region.name, str(case), device.name, naive, share, least, exact)


def _case(region: RegionText, sizes: Mapping[str, int]) -> Case:
    """Inputs of the wanted sizes, else of about a hundred."""
    if sizes:
        return cases(region.offload.plan, 1, sizes)[0]
    small = [c for c in cases(region.offload.plan, 3, {}) if max(_integers(c), default=0) < _LARGE]
    if not small:
        raise NoCase("no small inputs pass its run-time checks")
    return small[-1]


_LARGE = 1000


def _integers(case: Case) -> list[int]:
    return [value for value in case.named.values() if isinstance(value, int)]


def _least(region: RegionText, variables: Collection[str], device: Device, case: Case) -> int:
    """Transactions that move every variable of the region once in each direction that it moves."""
    total = 0
    for datum in region.offload.plan.data:
        if datum.name in variables:
            size = case.values.integer(known_length(datum)) * dtype_of(datum.element).itemsize
            total += -(-size // device.transaction_bytes) * (datum.reads + datum.writes)
    return total
