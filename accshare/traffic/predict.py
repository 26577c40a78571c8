"""What a kernel will move to and from global memory, told from the polyhedral model alone.

Loads and stores count elements; transactions count, for every access that a warp makes at once, the segments of
`Device.transaction_bytes` it touches (SHARE 3.2.2, (7)), taking arrays to start at a segment boundary. Staged arrays
are copied cooperatively, other references are made where they stand, by the rules of `uses`. Boundary tiles, halos and
strips are counted as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from accshare.device import Device
from accshare.mapping.ir import NestPartition, cut
from accshare.poly.ir import Mode
from accshare.records import dataclass, replace
from accshare.schedule.ir import is_ragged
from accshare.traffic.copies import copy_cost
from accshare.traffic.references import reference_cost
from accshare.traffic.spread import Matrix
from accshare.traffic.uses import uses


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a kernel moves of a variable, in all its launches. `exact` is false where data or divergence within a warp
    decides; loads and stores are then those of a run that takes every branch, and every loop that is not affine once.
    """

    variable: str
    loads: int
    stores: int
    transactions: int
    exact: bool


def predict(
    part: NestPartition, device: Device, values: Mapping[str, int], remap: Matrix | None = None
) -> tuple[Traffic, ...]:
    """The traffic of a kernel for values of the region's parameters by `Symbol.unique`, in order of first use.

    `remap` is the placement matrix of thread remap, if there is one (SHARE 3.3.1). Raises `KeyError` for a parameter
    that has no value. Partial results of reductions are not counted.
    """
    found: dict[str, Traffic] = {}

    def add(variable: str, mode: Mode, elements: int, transactions: int, exact: bool) -> None:
        known = found.get(variable, Traffic(variable, 0, 0, 0, True))
        loads, stores = (elements, 0) if mode is Mode.READ else (0, elements)
        found[variable] = Traffic(
            variable,
            known.loads + loads,
            known.stores + stores,
            known.transactions + transactions,
            known.exact and exact,
        )

    # where some of a group's iterations don't exist, the others of it are not those of a row any more
    whole = not part.staged or not is_ragged(part.nest.grid)
    for use in uses(part):
        spent, exact = reference_cost(part, use, device, values, remap)
        add(use.access.variable.memory, use.mode, spent.elements, spent.transactions, exact and whole)
    for staged in part.staged:
        for mode, wanted in ((Mode.READ, staged.reads), (Mode.WRITE, staged.writes)):
            if wanted:
                spent = copy_cost(part, staged, mode, device, values)
                add(staged.variable.memory, mode, spent.elements, spent.transactions, True)
    return tuple(found.values())


def naive(part: NestPartition) -> NestPartition:
    """The same kernel with the same work-groups, but nothing in local memory."""
    return replace(part, nest=cut(part.nest, part.nest.grid))
