"""The compiler itself, called by the process that `translate` sets apart for it. Loads everything heavy."""

from __future__ import annotations

from accshare.device import Device
from accshare.diagnostics import Kind, render
from accshare.driver.translation import Translation
from accshare.emit.ir import RegionText
from accshare.options import Options
from accshare.pipeline import compile_unit
from accshare.source import SourceFile


def work(source: SourceFile, devices: tuple[Device, ...], options: Options, runtime: str) -> Translation:
    """Runs the pipeline over one translation unit."""
    result = compile_unit(source, devices, options, runtime)
    lines = [_offloaded(region, source) for region in result.output.regions]
    lines += [render(d, source) for d in result.diagnostics if d.kind is Kind.NOTE]
    return Translation(result.host, result.diagnostics, "".join(f"{line}\n" for line in lines))


def _offloaded(text: RegionText, source: SourceFile) -> str:
    region = text.offload.region
    place = source.locate(region.construct.span.start)
    kernels = [kernel.name for kernel in text.variants[0].variant.kernels]
    devices = ", ".join(variant.variant.target.name for variant in text.variants)
    return f"{place}: {region.function}: offloaded as {', '.join(kernels)} (variants: {devices})"
