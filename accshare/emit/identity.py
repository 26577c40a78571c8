"""What a region's source comes to, whatever it is called and wherever it stands."""

from __future__ import annotations

import hashlib
import re

from accshare.emit.ir import Offload
from accshare.emit.reference import reference

_SPAN = re.compile(r"span=Span\(start=\d+, end=\d+\)")


def identity(offload: Offload) -> str:
    """The same for two regions only if their loops, types, called functions and directives are. Raises `Rejected` as
    `reference` does."""
    region = offload.region
    loops = re.sub(rf"\b{re.escape(region.name)}\b", "region", reference(offload))
    directives = _SPAN.sub("", repr((region.construct, region.shares)))
    return hashlib.sha256((loops + directives).encode("utf-8", "surrogateescape")).hexdigest()[:32]
