"""A region as text: its kernels for each device, and what stands around it in the program."""

from __future__ import annotations

import re

from accshare.emit import constructs, host
from accshare.emit.ir import Offload, RegionText, VariantText
from accshare.emit.native import NativePrinter, fuses, native
from accshare.emit.needs import needs
from accshare.emit.opencl import opencl
from accshare.emit.plain import PlainPrinter
from accshare.emit.reference import reference
from accshare.frontend.ir import Program
from accshare.kernel.ir import Variant
from accshare.options import Options
from accshare.records import dataclass, replace
from accshare.source import SourceFile

#: C's own way to forbid that operations are fused; what a block says holds for the whole file
_EXACT = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+STDC[ \t]+FP_CONTRACT[ \t]+OFF\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Printed:
    """A region's kernels as text, and what stands around it."""

    text: RegionText
    around: host.Around


def printed(offload: Offload, source: SourceFile, program: Program, options: Options) -> Printed:
    """A region as text, with the options of a file that are `exact`; raises `Rejected` where it can't be printed."""
    texts = tuple(_text(v, host.variant_name(offload, k), source, options) for k, v in enumerate(offload.variants))
    around = host.around(offload, texts, source, constructs.names(program), options.machine.plain)
    carried = host.carried(texts, offload.plan, options)
    return Printed(RegionText(offload, texts, reference(offload.region, offload.plan), carried), around)


def exact(source: SourceFile, options: Options) -> Options:
    """`options`, with no operations fused where the file forbids it."""
    return replace(options, contract=False) if _EXACT.search(source.text) else options


def _text(variant: Variant, name: str, source: SourceFile, options: Options) -> VariantText:
    if variant.target.native:
        printer = (PlainPrinter if options.machine.plain else NativePrinter)(variant, name, options)
        text = native(printer, source, options)
        return VariantText(variant, "", needs(variant), text, fuses(variant, options))
    return VariantText(variant, opencl(variant, source, options), needs(variant), None, options.contract)
