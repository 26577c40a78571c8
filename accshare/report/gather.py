"""From the values the stages returned to the report's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from accshare.data.ir import DataPlan, Datum
from accshare.device import Device
from accshare.diagnostics import Diagnostic, Kind
from accshare.emit.ir import Offload
from accshare.frontend.ir import Conditional, Expr, IntLit
from accshare.kernel.ir import KernelFunction
from accshare.mapping.ir import NestPartition, NestPlan, Partition, Plan
from accshare.numbers import without
from accshare.options import Options, Share
from accshare.pipeline import Outcome, Result
from accshare.poly.ir import Guard
from accshare.pragma.ir import ShareArray, ShareClause
from accshare.records import replace
from accshare.report.banks import bank_facts
from accshare.report.directives import data_directives, data_facts, place_of
from accshare.report.ilp import ilp_facts
from accshare.report.model import (
    SCHEMA,
    GuardFact,
    HintFact,
    KernelFact,
    LookFact,
    LoopFact,
    Message,
    OrderFact,
    ReductionFact,
    RegionFact,
    Remark,
    Report,
    SizeFact,
    StepFact,
    StripFact,
    TransferFact,
    ValidationFact,
)
from accshare.report.nests import phase_lines
from accshare.report.order import order_fact
from accshare.report.readable import Readable
from accshare.report.staging import staging, written_name
from accshare.report.text import notes_text
from accshare.schedule.ir import Kernel, Role, Schedule, Serial, members, source_order, versions
from accshare.source import SourceFile, Span, on_one_line

_AXES = "xyz"


def gather(result: Result, source: SourceFile) -> Report:
    """All that the report says about a translation unit."""
    printed = {text.offload.region.name for text in result.output.regions}
    late = {
        outcome.region.name: tuple(d for d in result.output.diagnostics if _inside(d, outcome.region.span))
        for outcome in result.outcomes
        if outcome.region.name not in printed
    }
    told = {d for outcome in result.outcomes for d in outcome.diagnostics} | {d for ds in late.values() for d in ds}
    regions = tuple(_region(outcome, late.get(outcome.region.name), result, source) for outcome in result.outcomes)
    elsewhere = tuple(message(d, source) for d in result.diagnostics if d not in told)
    data = data_facts(result, source)
    starts = [(o.region.construct.span.start, o.region.function) for o in result.outcomes]
    starts += [(c.directive.span.start, c.function) for c in data_directives(result)]
    functions = dict.fromkeys(function for _, function in sorted(starts))
    return Report(SCHEMA, source.path, regions, elsewhere, data, tuple(functions))


def _inside(diagnostic: Diagnostic, span: Span) -> bool:
    return diagnostic.span is not None and span.start <= diagnostic.span.start < span.end


def _region(outcome: Outcome, late: tuple[Diagnostic, ...] | None, result: Result, source: SourceFile) -> RegionFact:
    """`late` holds what emit said about a region it could not print; None for one it did."""
    region = outcome.region
    offload = outcome.offload if late is None else None
    messages = tuple(message(d, source) for d in (*(late or ()), *outcome.diagnostics))
    place = place_of(region.construct.span, source)
    construct = region.construct.kind.value
    if offload is None:
        nothing = ((), (), (), (), (), (), (), ())
        return RegionFact(region.name, region.function, construct, place, False, "", *nothing, None, (), messages)
    options, schedule = result.options, outcome.arranged[0].schedule
    order, *others = _orders(outcome, source)
    has_one = order.steps or order.kept or order.verdicts
    return RegionFact(
        region.name,
        region.function,
        construct,
        place,
        True,
        _here(outcome, result.devices),
        tuple(p.device.name for p in outcome.partitions),
        tuple(_kernels(outcome, offload, source)),
        tuple(_loops(schedule, outcome.partitions, source)),
        _transfers(offload),
        _guards(schedule, offload, source),
        tuple(_tested(outcome, offload)),
        tuple(_looks(outcome, offload.plan)),
        tuple(Remark(o.reason, place_of(o.span, source)) for o in schedule.scop.opaque),
        _validation(schedule) if options.validate else None,
        _hints(outcome, options, source),
        messages,
        order if has_one else None,
        tuple(others),
    )


def _orders(outcome: Outcome, source: SourceFile) -> Iterator[OrderFact]:
    """The orders of a region, what was not done to the loops of the first one being left out of the others."""
    told: set[StepFact] = set()
    for one in outcome.arranged:
        fact = order_fact(one, outcome.plans_of(one), source)
        sequential = {_sequential(serial, source): None for serial in one.schedule.serial}
        kept = (*fact.kept, *sequential) if told else fact.kept
        yield replace(fact, kept=tuple(each for each in kept if each not in told))
        told |= {*fact.kept, *sequential}


def _sequential(serial: Serial, source: SourceFile) -> StepFact:
    """Why a loop is not parallel, as what was not done to it."""
    said = message(serial.diagnostic, source)
    loop = f"loop {serial.loop.iterator.name}"
    why = ": ".join([said.message.removeprefix(f"{loop} is serial: "), *notes_text(said)])
    return StepFact("not parallel", f"{loop}, since {why} [{said.code}]", place_of(serial.loop.loop.header, source))


def _tested(outcome: Outcome, offload: Offload) -> Iterator[tuple[str, str]]:
    """The pairs of arrays that are tested for overlaps wherever the region runs: native kernels leave those out that
    nobody knows enough of."""
    native = any(partition.device.native for partition in outcome.partitions)
    left_out = (offload.plan.unchecked or ()) if native else ()
    return ((o.first, o.second) for o in offload.plan.overlaps if o not in left_out)


def _looks(outcome: Outcome, plan: DataPlan) -> Iterator[LookFact]:
    if not any(partition.device.native for partition in outcome.partitions):
        return
    readable = Readable(plan.parameters)
    named = {datum.name: readable.text(datum.origin) for datum in plan.data}
    sections = [(datum.name, datum.reach) for datum in plan.data if datum.looked_up and datum.reach is not None]
    sections += [(look.name, look.section) for look in plan.indices]
    for look in plan.indices:
        told = {look.low, look.high}
        reached = dict.fromkeys(named[name] for name, section in sections if told & section.variables)
        yield LookFact(named[look.name], tuple(reached))


def _here(outcome: Outcome, devices: tuple[Device, ...]) -> str:
    """The target that serves the first device; a more general model of its kind may stand in for it."""
    kind = devices[0].kind
    served = (p.device.name for p in outcome.partitions if p.device.kind is kind)
    return next(served, outcome.partitions[0].device.name)


def _validation(schedule: Schedule) -> ValidationFact:
    trusted = {id(one.dependence) for one in schedule.assumed if one.promised}
    checked = {id(one.dependence) for one in schedule.assumed} - trusted
    proved = len(schedule.scop.dependences) - len(trusted) - len(checked)
    return ValidationFact(proved, len(checked), len(trusted))


def _kernels(outcome: Outcome, offload: Offload, source: SourceFile) -> Iterator[KernelFact]:
    """The kernels of all orders."""
    for one in outcome.arranged:
        yield from _in_order(one.schedule, outcome.plans_of(one), offload, source)


def _in_order(
    schedule: Schedule, plans: tuple[Plan, ...], offload: Offload, source: SourceFile
) -> Iterator[KernelFact]:
    readable = Readable(offload.plan.parameters)
    made = {(v.target.name, k.name): k for v in offload.variants for k in v.kernels}
    solved = tuple(plan.placement.partition for plan in plans)  # before tiles grew with a work-item's iterations
    forms = {both.split.name: both.plain.name for both in versions(schedule.tree)}
    for nest in schedule.kernels:
        yield KernelFact(
            nest.name,
            place_of(nest.span, source),
            len(nest.grid),
            tuple(ReductionFact(r.variable.name, r.op.clause.value) for r in nest.reductions),
            forms.get(nest.name),
            tuple(_sizes(nest, plans, made, source)),
            tuple(
                staging(target, part, part.solution, readable)
                for target, part in _parts(nest, solved)
                if part.solution is not None and target not in _in_phases(nest, plans)
            ),
            tuple(bank_facts(nest, plans, readable)),
            tuple(ilp_facts(nest, plans)),
        )


def _parts(nest: Kernel, partitions: tuple[Partition, ...]) -> Iterator[tuple[str, NestPartition]]:
    """A kernel as it was cut for every target."""
    return ((p.device.name, part) for p in partitions for part in p.nests if part.nest.name == nest.name)


def _in_phases(nest: Kernel, plans: Iterable[Plan]) -> frozenset[str]:
    """The targets on which a kernel's work-items share inner loops."""
    finals = (plan.partition for plan in plans)
    return frozenset(target for target, part in _parts(nest, tuple(finals)) if part.nest.threads)


def _sizes(
    nest: Kernel, plans: Iterable[Plan], made: Mapping[tuple[str, str], KernelFunction], source: SourceFile
) -> Iterator[SizeFact]:
    """A kernel's sizes for every target, those of small launches behind them; `made` has the finished ones by target
    and name."""
    for plan in plans:
        target = plan.partition.device.name
        for planned in plan.nests:
            if planned.placement.partition.nest.name == nest.name:
                yield _size(target, planned, made, source)
                if planned.small is not None:
                    yield replace(_size(target, planned.small.plan, made, source), below=planned.small.each)


def _size(
    target: str, planned: NestPlan, made: Mapping[tuple[str, str], KernelFunction], source: SourceFile
) -> SizeFact:
    part = planned.placement.partition
    along = sorted((*part.nest.threads[:1], *part.nest.grid), key=lambda d: d.axis)
    kernel = made.get((target, part.nest.name))
    block = kernel.register_tile if kernel else None
    inner = block.reduction if block else None
    at_once: tuple[int, ...] = ()
    if block:
        at_once = (inner.rows, inner.columns, 1) if inner else (block.rows, block.vectors, block.lanes)
    if part.in_planes:
        along[1:3] = along[2], along[1]  # as the report has the loops
    own = tuple(d.size // d.threads for d in along)
    group = tuple(d.threads for d in along)
    copies = tuple(copied.buffer.name for copied in kernel.copies) if kernel else ()
    lanes = [loop.lanes for loop in (*((inner,) if inner else ()), *(kernel.data_bound if kernel else ()))]
    why = "" if lanes else planned.scalar
    phases = tuple(phase_lines(part.nest, source)) if part.nest.threads else ()
    sweep = block.sweep if block else 0
    return SizeFact(target, group, own, at_once, max(lanes, default=0), why, copies, phases, sweep, 0, part.in_planes)


def _loops(schedule: Schedule, partitions: tuple[Partition, ...], source: SourceFile) -> Iterator[LoopFact]:
    """Every loop in source order, with the kernels that hold it."""
    grid = {(nest.name, m.loop.index): _AXES[m.dimension] for nest in schedule.kernels for m in nest.grid}
    serial = {s.loop.index: s.diagnostic for s in schedule.serial}
    around = {m.loop.index for m in members(schedule.tree) if m.role is Role.HOST}
    written = tuple(s for s in schedule.scop.statements if not schedule.scop.is_start(s))
    for node in (member.loop for member in members(source_order(written))):
        nests = [nest for nest in schedule.kernels if node.index in _indices(nest)]
        axis = next((grid[n.name, node.index] for n in nests if (n.name, node.index) in grid), None)
        reason = serial.get(node.index)
        yield LoopFact(
            node.iterator.name,
            place_of(node.loop.header, source),
            reason is None,
            "grid" if axis else "host" if node.index in around else "work-item",
            axis,
            tuple(nest.name for nest in nests),
            None if reason is None else message(reason, source),
            tuple(
                StripFact(nest.name, target, strip.size)
                for nest in nests
                for target, part in _parts(nest, partitions)
                for strip in part.strips
                if strip.loop.index == node.index
            ),
            tuple(
                target
                for nest in nests
                for target, part in _parts(nest, partitions)
                if any(member.loop.index == node.index for member in part.nest.threads)
            ),
        )


def _indices(nest: Kernel) -> set[int]:
    """The loops a kernel is in or holds."""
    return {*(loop.index for loop in nest.host), *(member.loop.index for member in members(nest.child))}


def _transfers(offload: Offload) -> tuple[TransferFact, ...]:
    readable = Readable(offload.plan.parameters)
    return tuple(_transfer(datum, readable) for datum in offload.plan.data)


def _transfer(datum: Datum, readable: Readable) -> TransferFact:
    """A section of which only the present table tells is empty text."""
    rows = datum.rows
    lower, length = (datum.lower, datum.length) if rows is None else (rows.first, rows.count)
    return TransferFact(
        readable.text(datum.origin),
        datum.movement.value,
        datum.clause is None,
        datum.scalar,
        "" if length is None else readable.text(lower),
        "" if length is None else readable.text(_when_it_runs(length)),
        datum.reads,
        datum.writes,
        "" if rows is None else readable.text(rows.column),
        "" if rows is None else readable.text(_when_it_runs(rows.width)),
    )


def _when_it_runs(length: Expr) -> Expr:
    """A length that is none when its loops don't run, as it is when they do."""
    if isinstance(length, Conditional) and isinstance(length.other, IntLit) and length.other.value == 0:
        return length.then
    return length


def _guards(schedule: Schedule, offload: Offload, source: SourceFile) -> tuple[GuardFact, ...]:
    """The model's own assumptions are about the expression they stand on, so it is named."""
    readable = Readable(offload.plan.parameters)

    def fact(guard: Guard) -> GuardFact:
        subject = on_one_line(source.slice(guard.span)) + " " if guard in schedule.scop.assumptions else ""
        return GuardFact(readable.text(guard.condition), subject + guard.reason, place_of(guard.span, source))

    place = place_of(schedule.scop.region.construct.span, source)
    looks = (
        GuardFact(f"{one.name} has no {without(one.numbers)}", "greatest and least numbers have an order", place)
        for one in offload.plan.numbers
    )
    rows = (
        GuardFact(f"no number in {one.name} is less than the one before", "rows don't begin where others end", place)
        for one in offload.plan.indices
        if one.rising
    )
    return (*(fact(guard) for guard in offload.plan.guards), *looks, *rows)


def _hints(outcome: Outcome, options: Options, source: SourceFile) -> tuple[HintFact, ...]:
    wrong = {d.span for d in outcome.diagnostics if d.kind is not Kind.NOTE}
    checked = options.share is not Share.OFF
    readable = Readable(())
    staged = {
        (written_name(one.variable, readable), partition.device.name)
        for partition in outcome.partitions
        for part in partition.nests
        for one in part.staged
    }

    def fact(array: ShareArray) -> HintFact:
        targets = tuple(p.device.name for p in outcome.partitions if (array.name, p.device.name) in staged)
        return HintFact(
            array.name, place_of(array.span, source), checked and array.span not in wrong, bool(targets), targets
        )

    return tuple(
        fact(array)
        for directive in outcome.region.shares
        for clause in directive.clauses
        if isinstance(clause, ShareClause)
        for array in clause.arrays
    )


def message(diagnostic: Diagnostic, source: SourceFile) -> Message:
    """A diagnostic with its places in the user's files."""
    return Message(
        diagnostic.code,
        diagnostic.kind.value,
        diagnostic.message,
        diagnostic.hint,
        None if diagnostic.span is None else place_of(diagnostic.span, source),
        _remarks(((n.message, n.span) for n in diagnostic.notes), source),
    )


def _remarks(notes: Iterable[tuple[str, Span]], source: SourceFile) -> tuple[Remark, ...]:
    return tuple(Remark(text, place_of(span, source)) for text, span in notes)
