"""The compiler on one screen: one line a stage."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import prod

from accshare.data import plan_data
from accshare.data.ir import DataPlan
from accshare.data.together import together
from accshare.device import PRESETS, Device
from accshare.diagnostics import RUNS_ON_HOST, Diagnostic, Kind, Rejected, listed
from accshare.emit import emit
from accshare.emit.identity import identity
from accshare.emit.ir import Hosted, Offload, Output
from accshare.emit.region import Printed, exact, printed
from accshare.frontend.ir import Construct, IntLit, Program, Region
from accshare.frontend.parse import parse
from accshare.kernel import lower
from accshare.kernel.ir import Variant
from accshare.lifetimes import read_early
from accshare.mapping import map_to
from accshare.mapping.devices import agreed, distinct
from accshare.mapping.ir import Partition, Plan
from accshare.once import Once
from accshare.options import AUTO, Options
from accshare.order import Facts, order
from accshare.order.again import in_blocks_of_rows
from accshare.order.ir import ByRows, Ordered, Origin, alike
from accshare.order.row_pass import in_row_pass
from accshare.order.untile import without_tiles
from accshare.poly import model
from accshare.poly.ir import Scop
from accshare.poly.rolled import with_unrolled_loops_rolled
from accshare.poly.updates import may_count
from accshare.pragma import read
from accshare.pragma.ir import DirectiveKind, Pragmas
from accshare.records import dataclass, replace
from accshare.relax import relax
from accshare.schedule import schedule
from accshare.schedule.ir import Schedule
from accshare.schedule.messages import weighed
from accshare.schedule.names import apart, beside
from accshare.schedule.separate import separated
from accshare.source import SourceFile
from accshare.target import adaptation
from accshare.trace import StageError, StageTooCostly, Trace

#: Python's frames for an expression as deep as `frontend` takes it
_DEEPEST = 8000
#: new objects before Python looks for cycles: a file leaves no more than some MB in them, and looking every 700 objects
#: takes a tenth of the time
_GARBAGE = 100_000
_PLAINER = "its kernels use neither local memory nor blocks of iterations"
_NO_NATIVE = "the host compiler can't compile native kernels, so the region runs on the host"
_NO_NATIVE_HINT = "it knows neither GNU C nor C99; --acc-target=opencl compiles for OpenCL devices"
#: regions to try inside of one that stays on the host
_TRIED = 12
#: operations that take less time than asking whether they should run in kernels
_FEW = 1000
_SIMPLER = "make it smaller: fewer statements in a region, simpler subscripts and bounds, a region for each loop nest"


@dataclass(frozen=True, slots=True)
class Arranged:
    """A region in the order that suits some of its `devices`, with what runs in parallel and what moves. `tuned_as` is
    what tuning knows it by."""

    devices: tuple[Device, ...]
    options: Options
    ordered: Ordered
    schedule: Schedule
    data: DataPlan
    tuned_as: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a region. `offload` is None when it stays on the host, and `diagnostics` then says why; else
    `arranged` tells in which orders its loops run, that of native kernels first. It may be `printed` already."""

    region: Region
    diagnostics: tuple[Diagnostic, ...]
    arranged: tuple[Arranged, ...] = ()
    plans: tuple[Plan, ...] = ()
    offload: Offload | None = None
    printed: Printed | None = None

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The partition of each plan."""
        return tuple(plan.partition for plan in self.plans)

    def plans_of(self, arranged: Arranged) -> tuple[Plan, ...]:
        """The plans of the devices that run the region in that order."""
        return tuple(plan for plan in self.plans if plan.partition.device in arranged.devices)

    @property
    def identity(self) -> str:
        """What the region's source comes to; empty where it stays on the host."""
        return identity(self.region, self.offload.plan) if self.offload is not None else ""


#: calls a function for each region, and gives the results in order
Each = Callable[[Callable[[Region], tuple[Outcome, ...]], Sequence[Region]], tuple[tuple[Outcome, ...], ...]]


@dataclass(frozen=True, slots=True)
class Result:
    """A compiled translation unit: its text, what became of every region in source order, all diagnostics, and the
    directives that are no regions. `devices` are the models compiled for, the machine's own first."""

    output: Output
    outcomes: tuple[Outcome, ...]
    diagnostics: tuple[Diagnostic, ...]
    options: Options
    devices: tuple[Device, ...]
    constructs: tuple[Construct, ...] = ()

    @property
    def host(self) -> str:
        """The C text for the host compiler."""
        return self.output.host


def compile_unit(
    source: SourceFile,
    devices: tuple[Device, ...],
    options: Options,
    runtime: str,
    only: str = "",
    each: Each | None = None,
) -> Result:
    """Compile preprocessed C for `devices`; a region that can't be offloaded keeps its host loops and a diagnostic.

    `only` names the one region to look at, where the others don't matter. With `each`, which calls a function for each
    region in any process, outcomes have nothing but what goes into the text.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEEPEST))
    gc.set_threshold(_GARBAGE)
    trace = Trace(options)
    pragmas = trace("pragma", read, source)
    program = trace("frontend", parse, source, pragmas.directives, options.machine.limited)
    regions = tuple(region for region in program.regions if only.startswith(region.name) or not only)

    exactly = exact(source, options)

    def found(region: Region) -> tuple[Outcome, ...]:
        whole = compile_region(region, devices, options, trace)
        inside = _inside(whole, program, devices, options, trace)
        every = (_with_note(whole, inside, source), *inside)
        return every if each is None else tuple(_as_text(one, source, program, exactly) for one in every)

    every = tuple(map(found, regions)) if each is None else each(found, regions)
    outcomes = tuple(one for outcomes in every for one in outcomes if only in ("", one.region.name))
    offloads = tuple(o.printed or o.offload for o in outcomes if o.offload is not None)
    hosted = tuple(_hosted(pragmas, program, outcomes))
    native = any(device.native for device in devices)
    output = trace("emit", emit, source, pragmas.spans, program, offloads, options, runtime, hosted, native)
    notes = (d for outcome in outcomes for d in outcome.diagnostics)
    diagnostics = (*pragmas.diagnostics, *program.diagnostics, *notes, *output.diagnostics)
    return Result(output, outcomes, tuple(sorted(diagnostics, key=_place)), options, devices, program.constructs)


def _inside(
    whole: Outcome, program: Program, devices: tuple[Device, ...], options: Options, trace: Trace
) -> tuple[Outcome, ...]:
    """The loops inside of a region that stays on the host which have kernels of their own: native ones, that work in
    the same memory as the host's loops around them."""
    native = tuple(device for device in devices if device.native)
    if whole.offload is not None or not native or whole.diagnostics[0].kind is not Kind.LIMITATION:
        return ()
    found, left, tried = list[Outcome](), list(program.within(whole.region)), 0
    while left and tried < _TRIED:
        one, tried = compile_region(left.pop(0), native, options, trace), tried + 1
        if one.offload is None:
            left = [*program.within(one.region), *left]
        elif not _is_little(one.offload.plan):
            found.append(one)
    return tuple(found)


def _is_little(plan: DataPlan) -> bool:
    """Whether a region is known to do less than asking the runtime takes."""
    work = plan.work
    if work is None or not all(isinstance(count, IntLit) for count in work.trips):
        return False
    trips = [count.value for count in work.trips if isinstance(count, IntLit)]
    return sum(s.operations * prod(trips[k] for k in s.loops) for s in work.statements) < _FEW


def _with_note(whole: Outcome, inside: tuple[Outcome, ...], source: SourceFile) -> Outcome:
    """What became of a region, with a word about the loops `inside` that have kernels."""
    if not inside:
        return whole
    lines = sorted({source.locate(one.region.span.start).line for one in inside})
    places = f"line{'s' * (len(lines) > 1)} {listed([str(line) for line in lines])}"
    message = f"what is inside of it in {places} runs in native kernels of its own"
    note = Diagnostic("ACC408", message, whole.region.construct.span)
    return replace(whole, diagnostics=(*whole.diagnostics, note))


def _as_text(outcome: Outcome, source: SourceFile, program: Program, options: Options) -> Outcome:
    """An outcome with the text of its kernels alone; one that can't be printed is `emit`'s to refuse."""
    text = None
    if outcome.offload is not None:
        with suppress(Rejected):
            text = printed(outcome.offload, source, program, options)
    return replace(outcome, arranged=(), plans=(), printed=text)


def _place(diagnostic: Diagnostic) -> int:
    """Where a diagnostic belongs in the order of the source; what has no place comes first."""
    return -1 if diagnostic.span is None else diagnostic.span.start


def _hosted(pragmas: Pragmas, program: Program, outcomes: tuple[Outcome, ...]) -> Iterator[Hosted]:
    """The pragmas that should have opened a region and did not, each with the reason."""
    for outcome in outcomes:
        if outcome.offload is None:
            yield Hosted(outcome.region.construct.span, outcome.diagnostics[0].message, outcome.region.construct)
    known = {region.construct.span for region in program.regions}
    others = [d.span for d in pragmas.directives if d.kind.is_compute or d.kind is DirectiveKind.SHARE]
    said = [d for d in (*pragmas.diagnostics, *program.diagnostics) if d.span is not None]
    for pragma in (*others, *pragmas.lost):
        if pragma not in known:
            about = (d.message for d in said if d.span is not None and pragma.start <= d.span.start <= pragma.end)
            written = next((d for d in pragmas.directives if d.span == pragma), None)
            yield Hosted(pragma, next(about, "the compiler could not use its directive"), written)


def compile_region(region: Region, devices: tuple[Device, ...], options: Options, trace: Trace) -> Outcome:
    """Compile one region for each device; where it would be the host's, without what may be unlikely in it, or with
    updates in one piece, as long as groups make them in copies of their own."""
    outcome = _compiled(region, devices, options, trace)
    if outcome.offload is None and region.plainer is not None:
        return _compiled(region.plainer, devices, options, trace)
    if _one_by_one(outcome) and may_count(region):
        counting = _compiled(replace(region, counts=True), devices, options, trace)
        if counting.offload is not None and _in_copies(counting.offload, counting.arranged):
            return counting
    return outcome


def _one_by_one(outcome: Outcome) -> bool:
    """Whether loops run on the host, or in one work-item, as none of theirs is parallel."""
    return outcome.offload is None or not all(kernel.grid for kernel in outcome.arranged[0].schedule.kernels)


def _in_copies(offload: Offload, arranged: tuple[Arranged, ...]) -> bool:
    """Whether groups make all updates that nobody asked for in copies of their own, on every device."""
    statements = (s for one in arranged for kernel in one.schedule.kernels for s in kernel.statements)
    updates = (a for s in statements for a in s.accesses if a.atomic is not None and a.atomic.kind == "inferred")
    names = {update.variable.name for update in updates}
    return all(names <= {c.buffer.name for k in variant.kernels for c in k.copies} for variant in offload.variants)


def _compiled(region: Region, devices: tuple[Device, ...], options: Options, trace: Trace) -> Outcome:
    """A region as it stands, more plainly where the stages would spend too much on it."""
    span = region.construct.span
    if not devices:
        return Outcome(region, (Diagnostic("ACC705", _NO_NATIVE, span, _NO_NATIVE_HINT),))
    try:
        scop = trace("poly", _modelled, region)
        try:
            return _planned(region, scop, devices, options, trace)
        except StageTooCostly as costly:
            outcome = _planned(region, scop, devices, options.plainer, trace)
            message = f"the region is too complicated for stage {costly.stage} to do all it could: {_PLAINER}"
            note = Diagnostic("ACC405", message, span, _SIMPLER)
            return replace(outcome, diagnostics=(*outcome.diagnostics, note))
    except Rejected as why:
        return Outcome(region, (why.diagnostic,))
    except StageTooCostly as costly:
        message = f"the region is too complicated for stage {costly.stage}{RUNS_ON_HOST}"
        return Outcome(region, (Diagnostic("ACC404", message, span, _SIMPLER),))
    except StageError as broken:
        hint = "the host loops run instead; please report this"
        return Outcome(region, (Diagnostic("ACC901", str(broken), span, hint),))


def _modelled(region: Region) -> Scop:
    """A region in the polyhedral model, with loops that were unrolled by hand rolled up, where they can be whole."""
    rolled, iterators = with_unrolled_loops_rolled(region)
    if not iterators:
        return _set_before(region)
    try:
        scop = _set_before(rolled)
        whole, _ = without_tiles(Facts(scop))
    except Rejected:
        return _set_before(region)
    left = {loop.iterator for statement in whole.statements for loop in statement.loops}
    return scop if iterators.isdisjoint(left) else _set_before(region)


def _set_before(region: Region) -> Scop:
    """A region in the polyhedral model, where what iterations have of their own is written before it is read."""
    scop = model(region)
    early = read_early(scop)
    return model(region, early) if early else scop


def _planned(region: Region, scop: Scop, devices: tuple[Device, ...], options: Options, trace: Trace) -> Outcome:
    """A region that is in the polyhedral model, with kernels for each device."""
    arranged, without = _arranged(scop, devices, options, trace)
    plan = together(tuple(one.data for one in arranged))
    once = Once()
    plans: list[Plan] = []
    notes: list[Diagnostic] = []
    for one in arranged:
        split = trace("schedule", separated, one.schedule)
        rows = tuple(_by_rows(one, plan, trace))
        for device in one.devices:
            own, tuned = _chosen(one, device)
            plans.append(trace("mapping", map_to, split, device, own, plan.unchecked, once, rows))
            notes += tuned
    plans.sort(key=lambda one: devices.index(one.partition.device))
    made, faults = _lowered(tuple(distinct(tuple(plans))), plan, options, trace, once)
    mapped, variants = tuple(p for p, _ in made), tuple(v for _, v in made)
    said = (*without, *arranged[0].schedule.diagnostics, *_of_extents(plan, devices))
    diagnostics = (*said, *agreed(tuple(p.partition for p in mapped)), *notes, *faults)
    offload = Offload(region, plan, variants)
    return Outcome(region, tuple(dict.fromkeys(diagnostics)), arranged, mapped, offload)


def _arranged(
    scop: Scop, devices: tuple[Device, ...], options: Options, trace: Trace
) -> tuple[tuple[Arranged, ...], tuple[Diagnostic, ...]]:
    """A region in the orders that suit the devices of each kind, where these differ, and what is said of devices that
    it has no kernels for. The first order is that of native kernels, if there are any: what the host does before it
    runs a region follows from that. Raises `Rejected` where no device has kernels."""
    native = {device.kind for device in devices if device.native}
    kinds = sorted(dict.fromkeys(device.kind for device in devices), key=lambda kind: kind not in native)
    facts, found = Facts(scop), list[Arranged]()
    refused: list[tuple[tuple[Device, ...], Diagnostic]] = []
    for kind in kinds:
        own, known = tuple(device for device in devices if device.kind is kind), found[0] if found else None
        try:
            one = _in_order(facts, own, options, known, trace)
        except Rejected as why:
            if why.diagnostic.kind is Kind.USER:
                raise
            refused.append((own, why.diagnostic))
        except StageTooCostly:  # an order of their own is more than they need
            if known is None or known.ordered.scop.tests:
                raise
            found[0] = replace(known, devices=(*known.devices, *own))
        else:
            if known is not None and one.schedule is known.schedule:
                found[0] = one
            else:
                found.append(one if known is None else replace(one, schedule=apart(one.schedule, kind.value)))
    if not found:
        raise Rejected(refused[0][1])
    return tuple(found), tuple(_without(*one) for one in refused)


def _without(devices: tuple[Device, ...], why: Diagnostic) -> Diagnostic:
    """What is said of devices that have no kernels for a region, where others have."""
    names = listed([device.name for device in devices])
    reason = why.message.removesuffix(RUNS_ON_HOST)
    return Diagnostic("ACC407", f"there are no kernels for {names}: {reason}", why.span, why.hint)


def _in_order(
    facts: Facts, devices: tuple[Device, ...], options: Options, known: Arranged | None, trace: Trace
) -> Arranged:
    """A region in the order that suits the first of some devices, or was found best by tuning for it: the one that is
    `known`, with these devices too, if it is the same."""
    arranged = _scheduled(facts, devices, options, known, trace)
    if not options.tuned:
        return arranged
    identity_ = options.tuned_as(identity(facts.scop.region, arranged.data))
    tuned = replace(options, schedule=options.tuned_order(identity_, devices[0].name))
    again = arranged if tuned == options else _scheduled(facts, devices, tuned, None, trace)
    return replace(again, tuned_as=identity_)


def _scheduled(
    facts: Facts, devices: tuple[Device, ...], options: Options, known: Arranged | None, trace: Trace
) -> Arranged:
    """A region in the order that suits the first of some devices, with what runs in parallel and what moves: in the
    program's own where arrays may overlap in whatever way, which promises of independent iterations outweigh as long as
    each of these does what it did."""
    found = _ordered(facts, devices, options, known, trace)
    ordered = found.ordered
    promised = any(ordered.source.promises(loop) for s in ordered.source.statements for loop in s.loops)
    if not promised or ordered.scop is ordered.source or found.data.unchecked == ():
        return found
    own = _ordered(facts, devices, replace(options, schedule=Origin.SOURCE.value), None, trace)
    return found if own.data.unchecked is None else own


def _ordered(
    facts: Facts, devices: tuple[Device, ...], options: Options, known: Arranged | None, trace: Trace
) -> Arranged:
    """A region in the order that suits the first of some devices, with what runs in parallel and what moves. It may
    look at the numbers that it begins with where it would leave out no device but such as may be in other machines."""
    tested = all(device.native or (not options.named and device.name in PRESETS) for device in devices)
    ordered = trace("order", order, facts, devices[0], options, tested and devices[0].native)
    if known is not None and known.options == options and alike(known.ordered, ordered):
        return replace(known, devices=(*known.devices, *devices))
    relaxed = trace("relax", relax, ordered.scop, options)
    try:
        scheduled = trace("schedule", schedule, relaxed, options)
    except Rejected as why:
        raise weighed(why, ordered) from why
    data = trace("data", plan_data, scheduled)
    return Arranged(_looking(ordered.scop, devices), options, ordered, scheduled, data)


def _looking(scop: Scop, devices: tuple[Device, ...]) -> tuple[Device, ...]:
    """The devices of a region that may have to look at numbers: native kernels have all in the program's memory."""
    return tuple(device for device in devices if device.native) if scop.tests else devices


def _by_rows(arranged: Arranged, plan: DataPlan, trace: Trace) -> Iterator[tuple[ByRows, Schedule]]:
    """What native kernels may run beside the schedule, what is best first: one pass over the rows of a matrix, or more
    by blocks of them. Nothing where arrays may overlap, or another order was asked for."""
    options = arranged.options
    if plan.unchecked or options.plain or options.schedule != AUTO or not any(d.native for d in arranged.devices):
        return
    scop = arranged.ordered.scop
    once = trace("order", in_row_pass, scop, options.reassociate)
    for form, word in ((once, "once"), (trace("order", in_blocks_of_rows, scop), "rows")):
        if form is None:
            continue
        relaxed = trace("relax", relax, form.scop, options)
        try:
            found = beside(trace("schedule", schedule, relaxed, options), arranged.schedule, word)
        except Rejected:
            continue
        if found is not None:
            yield form, trace("schedule", separated, found)


def _lowered(
    plans: tuple[Plan, ...], data: DataPlan, options: Options, trace: Trace, once: Once
) -> tuple[tuple[tuple[Plan, Variant], ...], tuple[Diagnostic, ...]]:
    """The plans with their kernels, and what is said of those that have none: what one device can't have leaves the
    others alone, and so does a fault of ours in its kernels."""
    made: list[tuple[Plan, Variant]] = []
    refused: list[tuple[Device, Diagnostic]] = []
    for plan in plans:
        device = plan.partition.device
        try:
            made.append((plan, trace("kernel", lower, plan, options, adaptation(device), data.data, once)))
        except Rejected as why:
            if why.diagnostic.kind is Kind.USER:
                raise
            refused.append((device, why.diagnostic))
    if refused and not made:
        raise Rejected(refused[0][1])
    return tuple(made), tuple(_refused(*one) for one in refused)


def _refused(device: Device, why: Diagnostic) -> Diagnostic:
    """What is said of a device whose kernels are refused, where others have theirs."""
    if why.kind is not Kind.BUG:
        return _without((device,), why)
    return replace(why, hint=f"please report this; the region has no kernels for {device.name}, but for others")


def _of_extents(plan: DataPlan, devices: tuple[Device, ...]) -> tuple[Diagnostic, ...]:
    """What is said of arrays of which nobody knows how much is used: little where native kernels need not know."""
    if plan.unchecked is None or not any(device.native for device in devices):
        return plan.diagnostics
    others = not all(device.native for device in devices)
    return tuple(replace(d, code="ACC606") for d in plan.diagnostics if others)


def _chosen(arranged: Arranged, device: Device) -> tuple[Options, tuple[Diagnostic, ...]]:
    """The options with the sizes that were tuned for a region on a device, if it has the order of loops that they are
    for, and a note of it."""
    options, scheduled = arranged.options, arranged.schedule
    found = options.tuned_for(arranged.tuned_as, device.name)
    names = tuple(nest.name for nest in scheduled.kernels)
    if found is None or len(found.kernels) != len(names) or found.order not in ("", options.schedule):
        return options, ()
    order_ = [f"{found.order} order"] if found.order else []
    sizes = " ".join((*order_, *(f"{name}={size}" for kernel in found.kernels for name, size in kernel)))
    message = f"{device.name}: {sizes}, which tuning on {found.device} found {1 / found.part:.2f}x as fast"
    return options.having(found, names), (Diagnostic("ACC510", message, scheduled.scop.region.construct.span),)
