"""The compiler itself, called by the process that `translate` sets apart for it. Loads everything heavy."""

from __future__ import annotations

import gc
import json
import pickle

from accshare.driver.side_by_side import side_by_side
from accshare.driver.translation import Translation, pack
from accshare.pipeline import Result, compile_unit
from accshare.records import asdict
from accshare.source import SourceFile


def work(job: bytes) -> bytes:
    """Runs the pipeline over the translation unit of a pickled job; the translation as JSON."""
    source, devices, options, runtime = pickle.loads(job)  # of our own making
    gc.freeze()  # what was loaded is no garbage: looking at it takes as long as any stage of a small file
    watched = options.report or options.dump or options.time
    result = compile_unit(source, devices, options, runtime, each=None if watched else side_by_side)
    opencl = [r.carried for r in result.output.regions if any(one.source for one in r.carried)]
    kernels = json.dumps(opencl, default=asdict) if options.prebuild else ""
    report = _report(result, source) if options.report else ""
    packed = pack(Translation(result.host, result.diagnostics, report, kernels))
    return json.dumps(packed).encode("ascii")


def _report(result: Result, source: SourceFile) -> str:
    from accshare.report import explain_briefly  # noqa: PLC0415 - a tenth of all that is loaded, and rarely asked for

    return explain_briefly(result, source)
