"""The compiler itself, called by the process that `translate` sets apart for it. Loads everything heavy."""

from __future__ import annotations

import gc
import json

from accshare.device import Device
from accshare.driver.side_by_side import side_by_side
from accshare.driver.translation import Translation
from accshare.options import Options
from accshare.pipeline import Result, compile_unit
from accshare.records import asdict
from accshare.source import SourceFile


def work(source: SourceFile, devices: tuple[Device, ...], options: Options, runtime: str) -> Translation:
    """Runs the pipeline over one translation unit."""
    gc.freeze()  # what was loaded is no garbage: looking at it takes as long as any stage of a small file
    watched = options.report or options.dump or options.time
    result = compile_unit(source, devices, options, runtime, each=None if watched else side_by_side)
    opencl = [r.carried for r in result.output.regions if any(one.source for one in r.carried)]
    kernels = json.dumps(opencl, default=asdict) if options.prebuild else ""
    return Translation(result.host, result.diagnostics, _report(result, source) if options.report else "", kernels)


def _report(result: Result, source: SourceFile) -> str:
    from accshare.report import explain_briefly  # noqa: PLC0415 - a tenth of all that is loaded, and rarely asked for

    return explain_briefly(result, source)
