"""The host's part of a region: its tables, the code around its loops, and the function that runs it on a device.

That function is one of its own, so that host compilers find the user's as small as it was written."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Mapping

from accshare.conversions import size
from accshare.cprint import HostPrinter
from accshare.data.ir import DataPlan, Datum, IndexLook, NumberCheck, Overlap
from accshare.device import PRESETS
from accshare.emit.constructs import clearing
from accshare.emit.ir import BUILD_OPTIONS, Carried, Flag, Offload, RegionText, VariantText
from accshare.emit.passed import Argument, Passed, PassedPrinter, passed, unless_null
from accshare.emit.replay import replay
from accshare.emit.templates import render
from accshare.emit.text import Insertion, after, before, flat, literal, statement_end
from accshare.emit.work import WorkText, work_text
from accshare.frontend.ir import Type, Var
from accshare.inputs import describe, integers
from accshare.islexpr import variable
from accshare.kernel.ir import UNITS, HostBlock, HostIf, HostLoop, HostStmt, Launch, Value, Variant
from accshare.numbers import ends, without
from accshare.options import Options
from accshare.poly.ir import Guard
from accshare.records import dataclass
from accshare.source import SourceFile
from accshare.tree import expressions


@dataclass(frozen=True, slots=True)
class _Arg:
    """A kernel argument: for a value, its declaration and text; else the index of the datum or scratch."""

    kind: str
    index: int = 0
    declaration: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    """A `HostStmt` as the template wants it: `word` is ``launch``, ``for``, ``if`` or ``block``, the rest C text."""

    word: str
    kernel: int = 0
    name: str = ""
    line: int = 0
    groups: tuple[str, ...] = ()
    local: tuple[int, ...] = ()
    args: tuple[_Arg, ...] = ()
    declaration: str = ""
    first: str = ""
    condition: str = ""
    step: str = ""
    body: tuple[_Step, ...] = ()
    ways: tuple[tuple[_Step, ...], ...] = ()


def tables(region: RegionText, source: SourceFile) -> str:
    """The region's kernels and what they need, as static data at file scope."""
    place = source.locate(region.offload.region.span.start)
    return render(
        "tables.c.j2",
        name=region.offload.region.name,
        file=literal(place.file),
        line=place.line,
        function=literal(region.offload.region.function),
        inputs=[literal(describe(leaf)) for leaf in integers(region.offload.plan)],
        variants=[
            {
                "target": literal(one.target),
                "kind": literal(one.kind),
                "source": literal(one.source) if one.source else "",
                "options": literal(one.options),
                "kernels": [literal(name) for name in one.kernels],
                "work_group": one.work_group,
                "local_bytes": one.local_bytes,
                "flags": [f"__ACCSHARE_{flag.name}" for flag in Flag if flag in one.flags],
            }
            for one in region.carried
        ],
    )


def carried(texts: tuple[VariantText, ...], plan: DataPlan, options: Options) -> tuple[Carried, ...]:
    """A region's variants as the object has them."""
    return tuple(
        Carried(
            target=text.variant.target.name,
            kind=_kind(text.variant, texts, options),
            source="" if text.native else text.opencl,
            options=text.variant.target.isa if text.native else BUILD_OPTIONS,
            kernels=tuple(kernel.name for kernel in text.variant.kernels),
            work_group=text.needs.work_group,
            local_bytes=text.needs.local_bytes,
            flags=_flags(text, plan),
        )
        for text in texts
    )


def _kind(variant: Variant, texts: tuple[VariantText, ...], options: Options) -> str:
    """A target the user names runs wherever it fits; of several kinds each stays with its own."""
    kinds = {text.variant.target.kind for text in texts}
    return "any" if options.named and len(kinds) == 1 else variant.target.kind.value


def _flags(text: VariantText, plan: DataPlan) -> Flag:
    """What its vectors and blocks are made for is one CPU, unless that is a model known by name."""
    target = text.variant.target
    if target.native:
        extent = Flag(0) if plan.unchecked is None else Flag.ANY_EXTENT
        return Flag.NATIVE | extent | (Flag(0) if _asks_for_units(text.variant.host) else Flag.ANY_THREADS)
    asked = {
        Flag.NEEDS_FP64: text.needs.fp64,
        Flag.NEEDS_ATOMICS64: text.needs.atomics64,
        Flag.ONE_CPU: not target.lockstep and target.name not in PRESETS,
        Flag.NEEDS_SOUND_BARRIERS: text.needs.sound_barriers,
        Flag.IN_PARTS: text.needs.in_parts,
    }
    return functools.reduce(operator.or_, (flag for flag, is_set in asked.items() if is_set), Flag(0))


def variant_name(offload: Offload, number: int) -> str:
    """What a variant is called in names of C."""
    target = offload.variants[number].target.name
    return f"{offload.region.name}_{re.sub(r'[^A-Za-z0-9]', '_', target)}"


#: behind the host loops, which have all registers meanwhile: `__acc_timed` is in memory
_ENDED = "if ({})\n  __accshare_ended(&__acc_region_{});\n"


@dataclass(frozen=True, slots=True)
class Around:
    """The code around a region's loops, and the function it calls, for file scope."""

    insertions: tuple[Insertion, ...]
    function: str


def around(
    offload: Offload, texts: tuple[VariantText, ...], source: SourceFile, named: frozenset[str], plain: bool
) -> Around:
    """What a region becomes, in `plain` C or GNU C; `named` are the variables that data directives name. Raises
    `Rejected` (ACC402) when counters live on that can't be replayed."""
    region, plan = offload.region, offload.plan
    names: dict[str, str] = {}
    arguments: dict[str, Argument] = {}
    parameters = []
    pitches = {d.rows.pitch.unique: f"__acc_rows[{k}].pitch" for k, d in enumerate(_tables(plan)) if d.rows}
    for parameter in plan.parameters:
        if parameter.symbol.unique in pitches:
            continue
        name = f"__acc_p_{parameter.symbol.unique}"
        text = HostPrinter(names).converted(parameter.value, parameter.symbol.type)
        text = unless_null(parameter.value, text, HostPrinter(names))
        declaration = f"const {HostPrinter(names).declaration(parameter.symbol.type, name)}"
        parameters.append(f"{declaration} = {text};")
        arguments[name] = Argument(declaration, name)
        names[parameter.symbol.unique] = name
    looked = {symbol.unique: symbol.unique for look in plan.indices for symbol in (look.low, look.high)}
    known = {**names, **pitches, **looked, UNITS.unique: "__acc_units"}
    printer = PassedPrinter(known, HostPrinter(dict(names)), arguments)
    data = passed(plan.data, printer, named, plain)
    work = None if plan.work is None else work_text(plan.work, printer)
    function = _function(offload, texts, data, work, printer, source, plain)
    opening = render(
        "region.c.j2",
        name=region.name,
        condition=f"({flat(plan.condition)})" if plan.condition else "",
        clearing=clearing(region.construct, source, plain, "__acc_wanted" if plan.condition else "1"),
        plain=plain,
        work=work,
        parameters=parameters,
        data=data,
        copies=any(d.copy for d in data),
        arguments=[a.text for a in arguments.values()],
        replay=replay(region, plan, source),
    )
    span = statement_end(source, region.span)
    directive = region.construct.span
    timed = "__acc_timed" if plain else "__builtin_expect(__acc_timed, 0)"
    closing = f"{_ENDED.format(timed, region.name)}}}\n}}" if work else "}\n}"
    return Around((before(span, directive, opening), after(span, directive, closing)), function)


def _function(
    offload: Offload,
    texts: tuple[VariantText, ...],
    data: list[Passed],
    work: WorkText | None,
    printer: PassedPrinter,
    source: SourceFile,
    plain: bool,
) -> str:
    """The region's function; the printer's arguments are complete when it is printed."""
    plan = offload.plan
    position = {d.name: k for k, d in enumerate(plan.data)}
    values = {
        "guards": [(printer.text(g.condition), literal(g.reason)) for g in _guards(plan)],
        "inputs": [printer.text(leaf) for leaf in integers(plan)],
        "tables": [_table(datum, position[datum.name], printer) for datum in _tables(plan)],
        "overlaps": [_overlap(o, plan, position, printer) for o in _overlaps(plan) if not _is_late(o, plan)],
        "late": [_overlap(o, plan, position, printer) for o in _overlaps(plan) if _is_late(o, plan)],
        "indices": [_index_look(look, position, printer) for look in plan.indices],
        "numbers": [_look(check, position, printer) for check in plan.numbers],
        "variants": [
            {
                "units": _asks_for_units(text.variant.host),
                "blocks": _has_blocks(text.variant.host),
                "scratch": [(printer.text(s.length), size(s.element)) for s in text.variant.scratch],
                "steps": _steps(text.variant.host, text.variant, position, printer, source),
                "number": number,
                "native": variant_name(offload, number) if text.native else "",
            }
            for number, text in enumerate(texts)
        ],
    }
    return render(
        "run.c.j2",
        plain=plain,
        name=offload.region.name,
        arguments=[a.declaration for a in printer.arguments.values()],
        data=data,
        work=work,
        **values,
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of pointers to rows as the template wants it."""

    datum: int
    first: str
    count: str
    touched: tuple[str, str]
    written: tuple[str, str]


def _tables(plan: DataPlan) -> list[Datum]:
    """The data whose origins are tables of pointers to rows."""
    return [datum for datum in plan.data if datum.rows is not None]


def _guards(plan: DataPlan) -> list[Guard]:
    """The guards, but for those that the runtime keeps where it chooses a pitch."""
    pitches = {d.rows.pitch for d in plan.data if d.rows is not None}
    return [
        g for g in plan.guards if not any(isinstance(e, Var) and e.symbol in pitches for e in expressions(g.condition))
    ]


@dataclass(frozen=True, slots=True)
class _Look:
    """A look at numbers as the template wants it: at elements, in `lines` of an iterator, where it begins and where it
    ends, or at a value of some type."""

    bytes: int
    low: int
    high: int
    reason: str
    lines: tuple[tuple[str, str, str], ...] = ()
    datum: int = 0
    index: str = ""
    declaration: str = ""
    value: str = ""


def _look(check: NumberCheck, position: Mapping[str, int], printer: PassedPrinter) -> _Look:
    low, high = ends(check.numbers, check.bytes)
    reason = literal(f"{check.name} has {without(check.numbers)}, where greatest and least numbers have an order")
    known = check.bytes, low, high, reason
    if check.parameter is not None:
        declaration = printer.declaration(check.parameter.type, "__acc_number")
        return _Look(*known, declaration=declaration, value=printer.text(variable(check.parameter)))
    assert check.index is not None
    names = {line.iterator.unique: line.iterator.unique for line in check.lines}
    within = printer.within({**printer.names, **names})
    lines = tuple(
        (line.iterator.unique, within.text(line.columns.first), within.text(line.columns.end)) for line in check.lines
    )
    return _Look(*known, lines, position[check.name], within.text(check.index))


@dataclass(frozen=True, slots=True)
class _IndexLook:
    """A look at integers as the template wants it: how, of which datum, and what it finds."""

    function: str
    datum: int
    lower: str
    count: str
    bytes: int
    low: str
    high: str
    rising: bool
    reason: str


def _index_look(look: IndexLook, position: Mapping[str, int], printer: PassedPrinter) -> _IndexLook:
    """A name of C for the type makes the function that looks."""
    return _IndexLook(
        f"__accshare_{'rising' if look.rising else 'ends'}_{look.element.name.replace(' ', '_')}",
        position[look.name],
        printer.text(look.section.lower),
        printer.text(look.section.length),
        look.element.bytes,
        look.low.unique,
        look.high.unique,
        look.rising,
        literal(f"numbers in {look.name} don't rise, where rows begin"),
    )


def _is_late(overlap: Overlap, plan: DataPlan) -> bool:
    """Whether the program has to look at indices before it knows of an overlap."""
    return any(datum.looked_up for datum in plan.data if datum.name in (overlap.first, overlap.second))


def _overlaps(plan: DataPlan) -> list[Overlap]:
    """The overlaps to exclude, but for those of rows with rows, which the runtime finds."""
    tables = {datum.name for datum in _tables(plan)}
    return [o for o in plan.overlaps if o.value is not None or not {o.first, o.second} <= tables]


def _table(datum: Datum, position: int, printer: PassedPrinter) -> _Table:
    rows = datum.rows
    assert rows is not None
    within = printer.within({**printer.names, rows.row.unique: "__acc_row"})
    touched, written = ((within.text(c.first), within.text(c.end)) for c in (rows.touched, rows.written))
    return _Table(position, printer.text(rows.first), printer.text(rows.count), touched, written)


def _overlap(overlap: Overlap, plan: DataPlan, position: Mapping[str, int], printer: PassedPrinter) -> tuple[str, str]:
    """The condition that two objects overlap, and what to say then."""
    reason = literal(f"{overlap.first} and {overlap.second} overlap in memory")
    tables = {d.name: (k, size(d.element)) for k, d in enumerate(_tables(plan))}
    one, two = sorted((overlap.first, overlap.second), key=lambda name: name not in tables)
    if overlap.value is None:
        second = f"__acc_data[{position[two]}]"
        if one in tables:
            start = f"(const char *){second}.origin + {second}.lower"
            return _inside_rows(*tables[one], start, f"{second}.bytes"), reason
        return f"__accshare_overlap(&__acc_data[{position[one]}], &{second})", reason
    values = list(dict.fromkeys(o.value for o in plan.overlaps if o.value is not None))
    name, at = f"__acc_at_{values.index(overlap.value)}", f"&{HostPrinter({}).text(overlap.value, 14)}"
    printer.arguments[name] = Argument(f"const volatile void *{name}", at)
    bytes_ = str(size(overlap.value.type))
    if overlap.first in tables:
        return _inside_rows(*tables[overlap.first], name, bytes_), reason
    return f"__accshare_inside(&__acc_data[{position[overlap.first]}], {name}, {bytes_})", reason


def _inside_rows(table: int, element: int, start: str, bytes_: str) -> str:
    return f"__accshare_rows_inside(&__acc_rows[{table}], {element}, {start}, {bytes_})"


def _asks_for_units(stmts: tuple[HostStmt, ...]) -> bool:
    """Whether launches depend on how many compute units the device has."""
    asked = [s.condition for s in stmts if isinstance(s, HostIf)]
    asked += [e for s in stmts if isinstance(s, Launch) for e in (*s.groups, *s.args) if not isinstance(e, str)]
    if any(isinstance(e, Var) and e.symbol == UNITS for one in asked for e in expressions(one)):
        return True
    return any(_asks_for_units(inside) for s in stmts for inside in _inside(s))


def _has_blocks(stmts: tuple[HostStmt, ...]) -> bool:
    """Whether the runtime is to find out what suits blocks of steps."""
    return any(isinstance(s, HostBlock) or any(map(_has_blocks, _inside(s))) for s in stmts)


def _inside(stmt: HostStmt) -> tuple[tuple[HostStmt, ...], ...]:
    """What a statement runs."""
    match stmt:
        case HostIf(body=body) | HostLoop(body=body):
            return (body,)
        case HostBlock(bands=bands, sweeps=sweeps):
            return bands, sweeps
    return ()


def _steps(
    stmts: tuple[HostStmt, ...],
    variant: Variant,
    data: Mapping[str, int],
    printer: PassedPrinter,
    source: SourceFile,
) -> tuple[_Step, ...]:
    """The launches of a variant and the loops around them; inside, the printer knows the counters of those loops."""
    steps = []
    for stmt in stmts:
        match stmt:
            case Launch():
                steps.append(_launch(stmt, variant, data, printer, source))
            case HostIf(condition, body):
                inner = _steps(body, variant, data, printer, source)
                steps.append(_Step("if", condition=printer.text(condition), body=inner))
            case HostBlock(left, bands, sweeps):
                ways = (_steps(way, variant, data, printer, source) for way in (bands, sweeps))
                steps.append(_Step("block", first=printer.text(left), ways=tuple(ways)))
            case HostLoop(iterator, first, condition, step, body):
                name = f"__acc_p_{iterator.unique}"
                within = printer.within({**printer.names, iterator.unique: name})
                steps.append(
                    _Step(
                        "for",
                        declaration=within.declaration(iterator.type, name),
                        first=f"{name} = {printer.converted(first, iterator.type)}",
                        condition=within.text(condition, 6),
                        step=f"{name} += {step}",
                        body=_steps(body, variant, data, within, source),
                    )
                )
    return tuple(steps)


def _launch(
    launch: Launch, variant: Variant, data: Mapping[str, int], printer: PassedPrinter, source: SourceFile
) -> _Step:
    index = next(k for k, kernel in enumerate(variant.kernels) if kernel.name == launch.kernel)
    kernel = variant.kernels[index]
    scratch = {s.name: k for k, s in enumerate(variant.scratch)}
    args = []
    for position, (param, arg) in enumerate(zip(kernel.params, launch.args, strict=True)):
        if isinstance(arg, str):
            args.append(_Arg("DATUM", data[arg]) if arg in data else _Arg("SCRATCH", scratch[arg]))
        elif isinstance(param, Value):
            type_: Type = param.symbol.type
            declared = printer.declaration(type_, f"__acc_v{position}")
            text = printer.converted(arg, type_)
            args.append(_Arg("VALUE", position, declared, text))
    return _Step(
        "launch",
        kernel=index,
        name=kernel.name,
        line=source.locate(kernel.span.start).line,
        groups=tuple(printer.text(g) for g in launch.groups),
        local=kernel.work_group,
        args=tuple(args),
    )
