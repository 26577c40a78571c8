"""What the host must know and move where kernels run a region in several orders."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.data.ir import DataPlan, Datum
from accshare.records import replace


def together(plans: tuple[DataPlan, ...]) -> DataPlan:
    """The first of the plans, which decides what is looked at before the region begins, with what kernels of the others
    need. All run the same statements, so that an array's section is the same in each; but one may give iterations a
    scalar of their own that another one keeps in memory."""
    first = plans[0]
    every = [guard for plan in plans for guard in plan.guards]
    return replace(
        first,
        parameters=tuple(dict.fromkeys(p for plan in plans for p in plan.parameters)),
        data=tuple(_data(plans)),
        guards=tuple({guard.condition: guard for guard in reversed(every)}.values())[::-1],
        overlaps=tuple(dict.fromkeys(one for plan in plans for one in plan.overlaps)),
        diagnostics=tuple(dict.fromkeys(d for plan in plans for d in plan.diagnostics)),
    )


def _data(plans: tuple[DataPlan, ...]) -> Iterator[Datum]:
    every: dict[str, list[Datum]] = {}
    for plan in plans:
        for datum in plan.data:
            every.setdefault(datum.name, []).append(datum)
    for same in every.values():
        written = next((datum for datum in same if datum.writes), same[0])
        reads = any(datum.reads for datum in same)
        yield replace(same[0], movement=written.movement, reads=reads, writes=written.writes)
