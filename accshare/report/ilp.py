"""Iterations side by side, as values and as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.mapping.ir import Plan
from accshare.report.chosen import count, size
from accshare.report.model import IlpFact
from accshare.schedule.ir import Kernel


def ilp_facts(nest: Kernel, plans: Iterable[Plan]) -> Iterator[IlpFact]:
    """A kernel's on every target whose compute units run many work-items at a time."""
    for plan in plans:
        target = plan.partition.device.name
        for own in plan.nests:
            part, by = own.placement.partition, own.coarsening
            if part.nest.name == nest.name and part.nest.grid and by is not None:
                tile = tuple(d.size for d in sorted(part.nest.grid, key=lambda d: d.axis))
                ahead = own.strips_ahead
                yield IlpFact(target, by.factors, tile, by.registers, by.local_bytes, by.resident, ahead, by.why)


def ilp_lines(ilp: IlpFact) -> Iterator[str]:
    """``4x8 iterations a work-item side by side on generic-gpu: …``, then why no more."""
    tile = "x".join(map(str, ilp.tile))
    own = "x".join(map(str, ilp.factors[: len(ilp.tile)]))
    ahead = (f"what the next strip needs is fetched while one runs on {ilp.target}",) if ilp.ahead else ()
    if max(ilp.factors) == 1:
        yield f"one iteration a work-item on {ilp.target}: {ilp.why}"
        yield from ahead
        return
    local = f", {size(ilp.local_bytes)} of local memory" if ilp.local_bytes else ""
    yield f"{own} iterations a work-item side by side on {ilp.target}: {tile} a work-group{local}"
    yield f"    about {ilp.registers} registers a work-item; {count(ilp.resident)} work-items fit a compute unit"
    yield f"    {ilp.why}"
    yield from ahead
