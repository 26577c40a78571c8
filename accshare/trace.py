"""Watching the pipeline: times and dumps of every stage, and the stage's name on whatever breaks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from accshare.diagnostics import Rejected
from accshare.options import Options
from accshare.quota import Quota, QuotaExceeded

P = ParamSpec("P")
T = TypeVar("T")

#: isl's operations for a stage on a region, mostly some seconds; the busiest of everyday regions take half of it, and
#: a tenth outside of `kernel`
_OPERATIONS = {
    "poly": 6_000_000,
    "order": 4_000_000,
    "relax": 4_000_000,
    "schedule": 4_000_000,
    "mapping": 3_000_000,
    "kernel": 12_000_000,
}
_OTHERS = 1_000_000


class StageTooCostly(Exception):  # noqa: N818 - says what happened to the region
    """A stage passed the limit of what it may spend on a region, or of how deep it may go; `stage` is its name."""

    def __init__(self, stage: str) -> None:
        super().__init__(stage)
        self.stage = stage


class StageError(Exception):
    """A stage broke an invariant; the message names the stage."""


class Trace:
    """Calls stages, each within a limit. ``--acc-time`` prints how long each call took, ``--acc-dump=STAGE`` what it
    returned."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def __call__(self, stage: str, run: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        start = time.perf_counter()
        try:
            with Quota(_OPERATIONS.get(stage, _OTHERS)):
                result = run(*args, **kwargs)
        except Rejected:
            raise
        except (QuotaExceeded, RecursionError) as error:
            raise StageTooCostly(stage) from error
        except Exception as error:
            raise StageError(f"stage {stage}: {type(error).__name__}: {error}") from error
        if self._options.time:
            print(f"accshare: {stage:10} {1e3 * (time.perf_counter() - start):8.1f} ms", file=sys.stderr)
        if stage in self._options.dump:
            from rich.pretty import pretty_repr  # noqa: PLC0415 - only for dumps

            print(f"--- {stage}\n{pretty_repr(result, max_width=120)}", file=sys.stderr)
        return result
