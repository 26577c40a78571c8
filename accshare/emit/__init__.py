"""The last stage: kernels as OpenCL C, and the program as C that launches them.

The user's text stays as it is, line for line; around each region stands code that asks the runtime to run it and
falls back to the loops themselves.
"""

from __future__ import annotations

from accshare.diagnostics import Rejected
from accshare.emit import constructs, host
from accshare.emit.hosted import calls
from accshare.emit.ir import Hosted, Offload, Output, RegionText
from accshare.emit.region import Printed, exact, printed
from accshare.emit.templates import render
from accshare.emit.text import Insertion, inserted, literal, top
from accshare.frontend.ir import Program
from accshare.options import Options
from accshare.source import SourceFile, Span

__all__ = ["emit"]

#: accshare_abi.h's number
_ABI = 17
#: around functions that prepare launches, and those that go through work-groups: gcc takes half of the time for them,
#: and they not a microsecond more
_SELDOM = '#pragma GCC push_options\n#pragma GCC optimize("O1")\n'
_AS_EVER = "#pragma GCC pop_options\n"


def emit(
    source: SourceFile,
    pragmas: tuple[Span, ...],
    program: Program,
    offloads: tuple[Offload | Printed, ...],
    options: Options,
    runtime_library: str,
    hosted: tuple[Hosted, ...] = (),
    native_target: bool = False,
) -> Output:
    """The finished host program and kernels.

    `pragmas` are the spans of all ``#pragma acc`` lines, which are blanked; `runtime_library` is a path to try at run
    time ("" for none). Where regions would get native kernels (`native_target`), data stay in the program's own memory,
    also if there are none. Before what `hosted` pragmas stand on, the runtime is told. A region that can't be printed
    stays host code like those, and is in `Output.diagnostics`; so do all where the host compiler has no words for a
    directive outside of them.
    """
    options, plain = exact(source, options), options.machine.plain
    problems = list(constructs.diagnostics(program))
    found: list[Printed] = []
    for one in offloads:
        try:
            found.append(one if isinstance(one, Printed) else printed(one, source, program, options))
        except Rejected as rejection:
            problems.append(rejection.diagnostic)
            assert isinstance(one, Offload)
            hosted += (Hosted(one.region.construct.span, rejection.diagnostic.message, one.region.construct),)
    regions = [one.text for one in found]
    try:
        insertions = [i for c in program.constructs for i in constructs.insertions(c, source, plain)]
        told = calls(hosted, program.regions, [r.offload.region for r in regions], source, plain)
    except Rejected as rejection:
        return Output(inserted(source, pragmas, ()), (), (rejection.diagnostic,))
    insertions += (*(i for one in found for i in one.around.insertions), *told.insertions)
    if insertions:
        functions = [one.around.function for one in found]
        text = "\n".join(_generated(regions, functions, told.tables, source, options, runtime_library, native_target))
        insertions.append(Insertion(top(source), (-1, 0, 0), text))
    return Output(inserted(source, pragmas, insertions), tuple(regions), tuple(problems))


def _generated(
    regions: list[RegionText],
    functions: list[str],
    told: tuple[str, ...],
    source: SourceFile,
    options: Options,
    library: str,
    native_target: bool,
) -> tuple[str, ...]:
    """What stands before the program: declarations, tables, kernels, and the functions of regions."""
    tables = [*(host.tables(r, source) for r in regions)]
    found = [text.native for region in regions for text in region.variants if text.native is not None]
    machine = options.machine
    levels = machine.optimizes and machine.gnu and not machine.clang
    prologue = render(
        "prologue.c.j2",
        plain=machine.plain,
        abi=_ABI,
        library=literal(library),
        vector=options.machine.vector,
        native=bool(found) or (native_target and not regions),
        levels=levels,
        numbers=sorted({check.bytes for region in regions for check in region.offload.plan.numbers}),
        integers=sorted({(i.element.name, i.rising) for region in regions for i in region.offload.plan.indices}),
        helpers=sorted({helper for text in found for helper in text.helpers}),
    )
    declared, kernels = [text.declarations for text in found], [text.kernels for text in found]
    around = [*(text.ranges for text in found), *functions]
    started = (_SELDOM, *around, _AS_EVER) if levels and around else around
    return (prologue, *tables, *declared, *started, *told, *kernels)
