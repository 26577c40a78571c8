"""What a region's source comes to, whatever it is called and wherever it stands."""

from __future__ import annotations

import hashlib
import re

from accshare.data.ir import DataPlan
from accshare.emit.reference import reference
from accshare.frontend.ir import Region

_SPAN = re.compile(r"span=Span\(start=\d+, end=\d+\)")


def identity(region: Region, plan: DataPlan) -> str:
    """The same for two regions only if their loops, types, called functions and directives are. Raises `Rejected` as
    `reference` does."""
    loops = re.sub(rf"\b{re.escape(region.name)}\b", "region", reference(region, plan))
    directives = _SPAN.sub("", repr((region.construct, region.shares)))
    return hashlib.sha256((loops + directives).encode("utf-8", "surrogateescape")).hexdigest()[:32]
