"""What the compiler decided and why, for people and for programs."""

from __future__ import annotations

import json

from accshare.pipeline import Result
from accshare.records import asdict
from accshare.report.brief import brief_of
from accshare.report.gather import gather
from accshare.report.text import said_of, text_of
from accshare.source import SourceFile

__all__ = ["explain", "explain_briefly", "to_json"]


def explain(result: Result, source: SourceFile) -> str:
    """All of the report as text in the manner of ``-Minfo=accel``: functions, and under each its lines in source
    order."""
    return text_of(gather(result, source), said_of)


def explain_briefly(result: Result, source: SourceFile) -> str:
    """The same without other targets than this machine's and without figures."""
    return text_of(gather(result, source), brief_of)


def to_json(result: Result, source: SourceFile) -> str:
    """The report as JSON; ``docs/report-schema.md`` describes every key."""
    return json.dumps(asdict(gather(result, source)), indent=2, ensure_ascii=False) + "\n"
