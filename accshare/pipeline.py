"""The compiler on one screen: one line a stage."""

from __future__ import annotations

from dataclasses import dataclass

from accshare.data import plan_data
from accshare.device import Device
from accshare.diagnostics import Diagnostic, Rejected
from accshare.emit import emit
from accshare.emit.ir import Offload, Output
from accshare.frontend import parse
from accshare.frontend.ir import Region
from accshare.kernel import lower
from accshare.kernel.ir import Variant
from accshare.options import Options
from accshare.partition import partition
from accshare.poly import model
from accshare.pragma import read
from accshare.schedule import schedule
from accshare.source import SourceFile
from accshare.trace import Trace


@dataclass(frozen=True, slots=True)
class Result:
    """A compiled translation unit."""

    output: Output
    diagnostics: tuple[Diagnostic, ...]

    @property
    def host(self) -> str:
        """The C text for the host compiler."""
        return self.output.host


def compile_unit(source: SourceFile, devices: tuple[Device, ...], options: Options, runtime: str) -> Result:
    """Compile preprocessed C for `devices`; a region that can't be offloaded keeps its host loops and a diagnostic."""
    trace = Trace(options)
    pragmas = trace("pragma", read, source)
    program = trace("frontend", parse, source, pragmas.directives)
    offloads: list[Offload] = []
    diagnostics = [*pragmas.diagnostics, *program.diagnostics]
    for region in program.regions:
        try:
            offload, notes = compile_region(region, devices, options, trace)
        except Rejected as why:
            diagnostics.append(why.diagnostic)
        else:
            offloads.append(offload)
            diagnostics += notes
    output = trace("emit", emit, source, pragmas.spans, program, tuple(offloads), options, runtime)
    return Result(output, (*diagnostics, *output.diagnostics))


def compile_region(
    region: Region, devices: tuple[Device, ...], options: Options, trace: Trace
) -> tuple[Offload, tuple[Diagnostic, ...]]:
    """Compile one region for each device. Raises `Rejected` when it must stay on the host."""
    scop = trace("poly", model, region)
    mapping = trace("schedule", schedule, scop, options)
    plan = trace("data", plan_data, mapping)
    variants: list[Variant] = []
    diagnostics = mapping.diagnostics
    for device in devices:
        partitioned = trace("partition", partition, mapping, device, options)
        variants.append(trace("kernel", lower, partitioned, options))
        diagnostics += tuple(d for d in partitioned.diagnostics if d not in diagnostics)
    return Offload(region, plan, tuple(variants)), diagnostics
