"""Watching the pipeline: times and dumps of every stage, and the stage's name on whatever breaks."""

from __future__ import annotations

import pprint
import sys
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from accshare.diagnostics import Rejected
from accshare.options import Options

P = ParamSpec("P")
T = TypeVar("T")


class StageError(Exception):
    """A stage broke an invariant; the message names the stage."""


class Trace:
    """Calls stages. ``--acc-time`` prints how long each call took, ``--acc-dump=STAGE`` what it returned."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def __call__(self, stage: str, run: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        start = time.perf_counter()
        try:
            result = run(*args, **kwargs)
        except Rejected:
            raise
        except Exception as error:
            raise StageError(f"stage {stage}: {type(error).__name__}: {error}") from error
        if self._options.time:
            print(f"accshare: {stage:10} {1e3 * (time.perf_counter() - start):8.1f} ms", file=sys.stderr)
        if stage in self._options.dump:
            print(f"--- {stage}\n{pprint.pformat(result, width=120)}", file=sys.stderr)
        return result
