"""The host's part of a region: its tables, and the code around its loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from accshare.conversions import size
from accshare.cprint import HostPrinter
from accshare.data.ir import Datum
from accshare.device import PRESETS, DeviceKind
from accshare.emit.ir import BUILD_OPTIONS, Offload, RegionText, VariantText
from accshare.emit.replay import replay
from accshare.emit.templates import render
from accshare.emit.text import Insertion, after, before, flat, literal, statement_end
from accshare.emit.work import work_text
from accshare.frontend.ir import Array, Pointer, Type, Var
from accshare.inputs import describe, integers
from accshare.kernel.ir import UNITS, HostIf, HostLoop, HostStmt, Launch, Value, Variant
from accshare.options import Options
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
    """A `HostStmt` as the template wants it: `word` is ``launch``, ``for`` or ``if``, the rest C text."""

    word: str
    kernel: int = 0
    line: int = 0
    groups: tuple[str, ...] = ()
    local: tuple[int, ...] = ()
    args: tuple[_Arg, ...] = ()
    declaration: str = ""
    first: str = ""
    condition: str = ""
    step: str = ""
    body: tuple[_Step, ...] = ()


@dataclass(frozen=True, slots=True)
class _Datum:
    name: str
    origin: str
    lower: str
    length: str
    element: int
    movement: str


def tables(region: RegionText, source: SourceFile, options: Options) -> str:
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
                "target": literal(text.variant.target.name),
                "kind": literal(_kind(text.variant, region, options)),
                "source": literal(text.opencl),
                "options": literal(BUILD_OPTIONS),
                "kernels": [literal(k.name) for k in text.variant.kernels],
                "work_group": text.needs.work_group,
                "local_bytes": text.needs.local_bytes,
                "flags": list(_flags(text)),
            }
            for text in region.variants
        ],
    )


def _kind(variant: Variant, region: RegionText, options: Options) -> str:
    """A target the user names runs wherever it fits; of several kinds each stays with its own."""
    kinds: set[DeviceKind] = {text.variant.target.kind for text in region.variants}
    return "any" if options.targets != ("auto",) and len(kinds) == 1 else variant.target.kind.value


def _flags(text: VariantText) -> Iterator[str]:
    """What its vectors and blocks are made for is one CPU, unless that is a model known by name."""
    target = text.variant.target
    if text.needs.fp64:
        yield "__ACCSHARE_NEEDS_FP64"
    if target.kind is DeviceKind.CPU and target.name not in PRESETS:
        yield "__ACCSHARE_ONE_CPU"
    if text.needs.pieces:
        yield "__ACCSHARE_PIECES"


def insertions(offload: Offload, texts: tuple[VariantText, ...], source: SourceFile) -> list[Insertion]:
    """The code around the region's loops; raises `Rejected` (ACC402) when counters live on that can't be replayed."""
    region, plan = offload.region, offload.plan
    names: dict[str, str] = {}
    parameters = []
    for parameter in plan.parameters:
        name = f"__acc_p_{parameter.symbol.unique}"
        text = HostPrinter(names).converted(parameter.value, parameter.symbol.type)
        parameters.append(f"const {HostPrinter(names).declaration(parameter.symbol.type, name)} = {text};")
        names[parameter.symbol.unique] = name
    names[UNITS.unique] = "__acc_units"
    printer = HostPrinter(names)
    position = {d.name: k for k, d in enumerate(plan.data)}
    opening = render(
        "region.c.j2",
        name=region.name,
        condition=flat(plan.condition) if plan.condition else "",
        work=None if plan.work is None else work_text(plan.work, printer),
        parameters=parameters,
        guards=[(printer.text(g.condition), literal(g.reason)) for g in plan.guards],
        data=[_datum(d, printer) for d in plan.data],
        inputs=[HostPrinter({}).text(leaf) for leaf in integers(plan)],
        overlaps=[
            (position[o.first], position[o.second], literal(f"{o.first} and {o.second} overlap in memory"))
            for o in plan.overlaps
        ],
        variants=[
            {
                "units": _asks_for_units(text.variant.host),
                "scratch": [(printer.text(s.length), size(s.element)) for s in text.variant.scratch],
                "steps": _steps(text.variant.host, text.variant, position, names, source),
            }
            for text in texts
        ],
        replay=replay(region, plan, source),
    )
    span = statement_end(source, region.span)
    directive = region.construct.span
    return [before(span, directive, opening), after(span, directive, "}\n}")]


def _asks_for_units(stmts: tuple[HostStmt, ...]) -> bool:
    """Whether launches depend on how many compute units the device has."""
    conditions = (s.condition for s in stmts if isinstance(s, HostIf))
    if any(isinstance(e, Var) and e.symbol == UNITS for c in conditions for e in expressions(c)):
        return True
    return any(_asks_for_units(s.body) for s in stmts if isinstance(s, HostIf | HostLoop))


def _datum(datum: Datum, printer: HostPrinter) -> _Datum:
    address = "" if isinstance(datum.origin.type, (Pointer, Array)) else "&"
    element = size(datum.element)
    return _Datum(
        literal(datum.name),
        address + printer.text(datum.origin, 14),
        printer.text(datum.lower),
        printer.text(datum.length),
        element,
        datum.movement.name,
    )


def _steps(
    stmts: tuple[HostStmt, ...],
    variant: Variant,
    data: Mapping[str, int],
    names: Mapping[str, str],
    source: SourceFile,
) -> tuple[_Step, ...]:
    """The launches of a variant and the loops around them; `names` grows by the counters of those loops."""
    printer = HostPrinter(names)
    steps = []
    for stmt in stmts:
        match stmt:
            case Launch():
                steps.append(_launch(stmt, variant, data, printer, source))
            case HostIf(condition, body):
                inner = _steps(body, variant, data, names, source)
                steps.append(_Step("if", condition=printer.text(condition), body=inner))
            case HostLoop(iterator, first, condition, step, body):
                name = f"__acc_p_{iterator.unique}"
                known = {**names, iterator.unique: name}
                within = HostPrinter(known)
                steps.append(
                    _Step(
                        "for",
                        declaration=within.declaration(iterator.type, name),
                        first=f"{name} = {printer.converted(first, iterator.type)}",
                        condition=within.text(condition, 6),
                        step=f"{name} += {step}",
                        body=_steps(body, variant, data, known, source),
                    )
                )
    return tuple(steps)


def _launch(
    launch: Launch, variant: Variant, data: Mapping[str, int], printer: HostPrinter, source: SourceFile
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
        line=source.locate(kernel.span.start).line,
        groups=tuple(printer.text(g) for g in launch.groups),
        local=kernel.work_group,
        args=tuple(args),
    )
