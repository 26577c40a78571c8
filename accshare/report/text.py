"""The report for people, in the manner of nvc's ``-Minfo=accel``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from accshare.device.native import NATIVE
from accshare.diagnostics import listed
from accshare.report.banks import bank_lines
from accshare.report.chosen import staging_lines
from accshare.report.ilp import ilp_lines
from accshare.report.model import (
    DataFact,
    FiguresFact,
    HintFact,
    KernelFact,
    LoopFact,
    Message,
    OrderFact,
    Place,
    RegionFact,
    Report,
    SizeFact,
    TransferFact,
)

_WIDTH = 7
#: a condition longer than this explains less than its reason does
_LONG = 60

#: said where an array is said to be left alone, rather than by itself
_UNPAID = "ACC507"

#: what is said at a line: the place, and text; more text goes below
Said = tuple[Place, list[str]]


def text_of(report: Report, told: Callable[[RegionFact, Iterable[DataFact]], list[Said]]) -> str:
    """All functions with what is `told` of their regions, then what belongs to no region."""
    lines: list[str] = []
    for function in report.functions:
        lines.append(f"{function}:")
        data = [one for one in report.data if one.function == function]
        parts: list[tuple[Place, list[Said]]] = [(one.place, [(one.place, data_lines(one))]) for one in data]
        for region in report.regions:
            if region.function == function:
                parts.append((region.place, told(region, report.data)))
        for place, said in sorted(parts, key=lambda part: part[0].line):
            lines += _lines(said, place.file, report.source)
    if report.messages:
        lines.append(f"{report.source}:")
        for m in report.messages:
            lines += _lines([(m.place or Place(report.source, 0, 0), message_lines(m))], report.source, report.source)
    return "".join(f"{line}\n" for line in lines)


def _lines(said: Iterable[Said], file: str, source: str) -> Iterator[str]:
    """A line number in front of the first text of each place; texts of other files name them."""
    last = None
    for place, texts in said:
        at = f"{place.line}," if place.file in (file, source) else f"{place.file}:{place.line},"
        for k, text in enumerate(texts):
            lead = at if k == 0 and place.line and at != last else ""
            yield f"{lead:>{_WIDTH}} {text}"
        last = at


def said_of(region: RegionFact, data: Iterable[DataFact], *, staging: bool = True) -> list[Said]:
    """All that is said of a region in the order of its lines, with or without what local memory holds."""
    around = [one for one in data if region.name in one.regions]
    return sorted(_region(region, around, staging), key=lambda said: said[0].line)


def data_lines(data: DataFact) -> list[str]:
    """``data: copyin a[0:n]; copy b, c``."""
    moved = (
        f"{movement} {', '.join(section.name for section in sections)}"
        for movement, sections in groupby(data.sections, key=lambda section: section.movement)
    )
    return [f"{data.directive}: {'; '.join(moved)}" if data.sections else data.directive]


def _region(region: RegionFact, around: list[DataFact], staging: bool) -> Iterator[Said]:
    yield region.place, list(_head(region, around))
    yield from order_lines(region.order)
    yield from verdict_lines(region.order)
    for order in region.other_orders:
        yield from _elsewhere(order, region.place)
    for loop in region.loops:
        yield loop.place, loop_lines(loop, region)
    for kernel in region.kernels:
        yield innermost(kernel, region), list(_kernel(kernel))
        found = [line for one in kernel.staging for line in staging_lines(one, unpaid(region))] if staging else []
        found += [line for one in kernel.banking for line in bank_lines(one)] if staging else []
        found += [line for one in kernel.ilp for line in ilp_lines(one)]
        yield innermost(kernel, region), [f"    {line}" for line in found]
    yield from remarks(region)


def _elsewhere(order: OrderFact, region: Place) -> Iterator[Said]:
    """What is said of an order on targets that another one is not for."""
    targets = listed(order.targets)
    if not order.steps:
        yield region, [f"    on {targets}, loops run as they are written"]
    said: dict[Place, list[str]] = {}
    for place, texts in (*order_lines(order), *verdict_lines(order)):
        said.setdefault(place, [f"on {targets}:"]).extend(f"    {text}" for text in texts)
    yield from said.items()


def order_lines(order: OrderFact | None) -> Iterator[Said]:
    """What was done to the order of loops, and behind the last of it the nests as they run."""
    if order is None:
        return
    for step in (*order.kept, *order.steps):
        yield step.place, [f"{step.word}: {step.sentence}"]
    if order.steps:
        yield order.steps[-1].place, [f"    {line}" for line in order.nests]


def verdict_lines(order: OrderFact | None) -> Iterator[Said]:
    """Where the order of each nest is from that was chosen, and what the next best one would have cost."""
    for one in () if order is None else order.verdicts:
        words = f"{one.winner.origin} order on {one.target}: {_cost(one.winner)}"
        yield one.place, [words, f"    next best, {one.runner_up.origin}: {_cost(one.runner_up)}"]


def _cost(figures: FiguresFact) -> str:
    """``1 launch of 1.0 M iterations, 590 k lines, 30 M cycles``."""
    plural = "" if figures.launches == 1 else "es"
    each = f" of {_many(figures.parallel)} iterations" + (" each" if plural else "")
    runs = f"{_many(figures.launches)} launch{plural}{each}" if figures.launches else "on the host"
    return f"{runs}, {_many(figures.lines)} lines, {_many(figures.cycles)} cycles"


def _many(value: float) -> str:
    """A figure of a model, with no more digits than it is worth."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e4, " k")):
        if value >= size:
            part = value / min(size, 1e3) if unit == " k" else value / size
            return f"{part:.1f}{unit}" if part < 10 else f"{part:.0f}{unit}"
    return f"{value:.0f}"


def remarks(region: RegionFact) -> Iterator[Said]:
    """What is said of a region besides its loops and kernels."""
    for remark in region.not_affine:
        yield remark.place, [f"not affine: {remark.message} [ACC301]"]
    for message in region.messages if region.offloaded else region.messages[1:]:
        if message.code != _UNPAID or not any(kernel.staging for kernel in region.kernels):
            yield message.place or region.place, message_lines(message)
    if not region.offloaded and region.messages:
        for note in region.messages[0].notes:
            yield note.place, [note.message]


def unpaid(region: RegionFact) -> set[str]:
    """The hinted arrays that some target leaves in global memory because local memory does not pay."""
    places = [message.place for message in region.messages if message.code == _UNPAID]
    return {hint.array for hint in region.hints if hint.place in places}


def _head(region: RegionFact, around: list[DataFact]) -> Iterator[str]:
    what = f"{region.construct} region {region.name}"
    if not region.offloaded:
        yield f"{what} stays on the host"
        for message in region.messages[:1]:
            where = message.place
            line = f"line {where.line}: " if where is not None and where.line != region.place.line else ""
            yield f"    {line}{message.message} [{message.code}]"
            yield from _help(message)
        return
    yield f"{what} offloaded: {counted(len(region.kernels), 'kernel')}; targets {', '.join(region.targets)}"
    yield from transfer_lines(region, around)
    for first, second in region.overlap_tests:
        yield f"    tested at run time: {first} and {second} do not overlap in memory [ACC304]"
    yield from looks_text(region)
    for guard in region.guards:
        condition = f"{guard.condition}, else " if len(guard.condition) <= _LONG else ""
        yield f"    checked at run time: {condition}{guard.reason} [ACC305]"
    yield from proofs(region)
    for said, hints in groupby(region.hints, key=_followed):
        yield f"    share({', '.join(hint.array for hint in hints)}) {said}"


def looks_text(region: RegionFact) -> Iterator[str]:
    """What native kernels look at to know how far arrays reach."""
    for look in region.looks:
        verb = "reach" if len(look.reached) > 1 else "reaches"
        yield f"    looks at {look.array} first, which tells how far {listed(look.reached)} {verb}"


def transfer_lines(region: RegionFact, around: Iterable[DataFact]) -> Iterator[str]:
    """What moves to the device and back, and the data constructs that spare it."""
    for implied in (False, True):
        moved = [t for t in region.transfers if t.implied is implied]
        if moved:
            yield f"    {_moves(moved)}{' (implied by the accesses)' if implied else ''}"
    for data in around:
        yield f"    inside the data construct of line {data.place.line}: what that names is on the device already"


def _followed(hint: HintFact) -> str:
    if hint.staged:
        return f"staged in local memory on {', '.join(hint.targets)}"
    return "can be followed; nothing is staged in local memory" if hint.checked else "not used"


def proofs(region: RegionFact) -> Iterator[str]:
    """What validation proved."""
    if region.validation is None:
        yield "    dependences not checked: validation is off"
        return
    fact = region.validation
    parts = (
        (fact.dependences, "proved kept"),
        (fact.checked, "kept under what is checked at run time"),
        (fact.trusted, "taken on trust: the loops were promised to be independent"),
    )
    said = [f"{counted(number, 'dependence')} {what}" for number, what in parts if number]
    yield f"    {'; '.join(said) or 'no dependence to keep'}"


def _section(transfer: TransferFact) -> str:
    columns = f"[{transfer.column}:{transfer.width}]" if transfer.width else ""
    return f"[{transfer.lower}:{transfer.length}]{columns}"


def _moves(transfers: list[TransferFact]) -> str:
    """``copyin A[0:n], B[0:n]; copy C[0:n]``."""
    names: dict[str, list[str]] = {}
    for t in transfers:
        section = "" if t.scalar else _section(t) if t.length else " (as much as is used)"
        names.setdefault(t.movement, []).append(t.name + section)
    return "; ".join(f"{movement} {', '.join(which)}" for movement, which in names.items())


def loop_lines(loop: LoopFact, region: RegionFact) -> list[str]:
    """How a loop runs, and why not in parallel."""
    head = f"loop {loop.iterator}"
    alone = any(k.name in loop.kernels and k.dimensions == 0 for k in region.kernels)
    if loop.runs == "grid":
        return [f"{head} parallel: grid {loop.axis}"]
    where = {"host": "on the host, around launches"}.get(loop.runs, "in one work-item" if alone else "in the work-item")
    strips = _strips(loop)
    if loop.reason is None:
        if loop.shared:
            others = "" if set(loop.shared) >= set(region.targets) else "run by each work-item, or "
            return [f"{head} parallel, {others}shared by the work-items of a group ({', '.join(loop.shared)})"]
        return [f"{head} parallel, run {'by each work-item' if where == 'in the work-item' else where}{strips}"]
    why = loop.reason.message.removeprefix(f"{head} is serial: ")
    said = [f"{head} sequential {where}{strips}: {why} [{loop.reason.code}]", *_notes(loop.reason)]
    # Inside a kernel that is parallel already, a way to make one more loop parallel is rarely worth taking.
    return said if where == "in the work-item" else [*said, *_help(loop.reason)]


def _strips(loop: LoopFact) -> str:
    """``, in strips of 32 (generic-gpu)``."""
    targets: dict[int, list[str]] = {}
    for strip in loop.strips:
        targets.setdefault(strip.size, []).append(strip.target)
    return "".join(f", in strips of {size} ({', '.join(dict.fromkeys(t))})" for size, t in targets.items())


def innermost(kernel: KernelFact, region: RegionFact) -> Place:
    """A kernel is described at the last of its parallel loops."""
    own = [loop.place for loop in region.loops if loop.runs == "grid" and kernel.name in loop.kernels]
    return own[-1] if own else kernel.place


def _kernel(kernel: KernelFact) -> Iterator[str]:
    if kernel.dimensions == 0:
        yield f"    kernel {kernel.name}: one work-item, nothing in it is parallel"
    else:
        yield f"    kernel {kernel.name}: {', '.join(map(_size, kernel.sizes))}"
    for size in kernel.sizes:
        yield from (f"    {line}" for line in phases_text(size))
    if kernel.instead_of:
        yield f"    instead of {kernel.instead_of} where its loops don't fill the device, with a finalize kernel"
    copies: dict[tuple[str, ...], list[str]] = {}
    for size in kernel.sizes:
        if size.copies:
            copies.setdefault(size.copies, []).append(size.target)
    for names, targets in copies.items():
        yield f"    {copies_text(names)} ({', '.join(targets)})"
    over = "split" if kernel.instead_of else "over the work-items"
    for reduction in kernel.reductions:
        yield f"    reduction({reduction.operator}:{reduction.variable}) {over}"


def _size(size: SizeFact) -> str:
    group = "x".join(map(str, size.work_group))
    tile = "x".join(map(str, size.tile))
    single = all(n == 1 for n in size.tile)
    what = f"work-group {group}" if single else f"tile {tile} a work-item"
    if not single and any(n != 1 for n in size.work_group):
        what = f"work-group {group}, {what}"
    if size.block:
        what += f", {block_text(size)} at once{sweep_text(size)}"
    if size.inner:
        what += f", vectors of {size.inner} along loops inside"
    return f"{what}{below_text(size)} ({size.target})"


def below_text(size: SizeFact) -> str:
    """Which launches a kernel has these sizes in, if others have other ones."""
    each = "" if size.target.startswith(NATIVE) else " a compute unit"
    return f" with fewer than {size.below} iterations{each}" if size.below else ""


def phases_text(size: SizeFact) -> Iterator[str]:
    """The loops of a work-group whose work-items wait for one another between phases."""
    if size.phases:
        yield f"in phases on {size.target}{below_text(size)}:"
        yield from (f"    {line}" for line in size.phases)


def copies_text(names: Iterable[str]) -> str:
    """What work-groups do with arrays that they only update."""
    return f"each work-group may update a copy of {' and '.join(names)}, and adds that to the array in the end"


def block_text(size: SizeFact) -> str:
    """``8 rows of 2 vectors of 16``, less what is one."""
    rows, vectors, lanes = size.block
    columns = (
        f"{vectors} iteration{'s' if vectors > 1 else ''}"
        if lanes == 1
        else f"{f'{vectors} vectors' if vectors > 1 else 'a vector'} of {lanes}"
    )
    return columns if rows == 1 else f"{rows} {'planes' if size.planes else 'rows'} of {columns}"


def sweep_text(size: SizeFact) -> str:
    """How all columns of a tile go down the rows together, where they do."""
    return f", all of a tile {size.sweep} rows at a time" if size.sweep else ""


def at_once(size: SizeFact) -> str:
    """What a work-item of a CPU runs at once: ``8 rows of 2 vectors of 16``."""
    if not size.inner:
        return block_text(size) + sweep_text(size)
    outside = size.block[0] * size.block[1]
    several = f", {outside} iterations of the loops outside side by side" if outside > 1 else ""
    return f"vectors of {size.inner} along loops inside{several}"


def message_lines(message: Message) -> list[str]:
    """A diagnostic with its notes and its way out."""
    return [f"{message.severity}: {message.message} [{message.code}]", *_notes(message), *_help(message)]


def notes_text(message: Message) -> list[str]:
    """``line 18 writes sum and reads sum``."""
    places = [
        f"line {line} {' and '.join(n.message.removesuffix(' here') for n in notes)}"
        for line, notes in groupby(message.notes, key=lambda note: note.place.line)
    ]
    return ["; ".join(places)] if places else []


def _notes(message: Message) -> list[str]:
    return [f"    {words}" for words in notes_text(message)]


def _help(message: Message) -> list[str]:
    return [f"    help: {message.hint}"] if message.hint else []


def counted(number: int, noun: str) -> str:
    """``3 kernels``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
