"""How tiles lie in the banks of local memory, as values and as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.mapping.ir import Channels, GroupOrder, NestPlacement, Plan, TilePlacement
from accshare.report.model import BankedFact, BankFact, SpreadFact
from accshare.report.readable import Readable
from accshare.report.staging import written_name
from accshare.schedule.ir import Kernel


def bank_facts(nest: Kernel, plans: Iterable[Plan], readable: Readable) -> Iterator[BankFact]:
    """A kernel's on every target where local memory has banks, if it has tiles or global memory has channels."""
    for plan in plans:
        device = plan.partition.device
        for own in plan.nests:
            placed = own.placement
            if placed.partition.nest.name == nest.name and device.banks > 1 and (placed.tiles or placed.channels):
                yield _fact(device.name, device.banks, placed, readable)


def _fact(target: str, banks: int, placed: NestPlacement, readable: Readable) -> BankFact:
    return BankFact(
        target,
        banks,
        tuple(_banked(tile, readable) for tile in placed.tiles),
        None if placed.remap is None else remapped(placed.remap),
        tuple(loop.iterator.name for loop in placed.rotated),
        tuple(_spread(one, readable) for one in placed.channels),
        placed.order is GroupOrder.DIAGONALS,
    )


def _banked(tile: TilePlacement, readable: Readable) -> BankedFact:
    staged = tile.staged
    references = dict.fromkeys(readable.text(access.reference) for access in staged.accesses)
    return BankedFact(
        ".".join((written_name(staged.variable, readable), *staged.members)),
        tuple(references),
        staged.lengths,
        tile.layout.order,
        tile.layout.padding,
        tile.before,
        tile.after,
        tile.path,
        None if tile.change is None else tile.change.value,
        *tile.worst,
    )


def _spread(one: Channels, readable: Readable) -> SpreadFact:
    return SpreadFact(written_name(one.variable, readable), one.before, one.after)


def remapped(matrix: tuple[tuple[int, int], tuple[int, int]]) -> str:
    """Where work-item (x, y) goes: ``(x, x + y)``."""
    rows = (" + ".join(name for name, factor in zip("xy", row, strict=True) if factor) for row in matrix)
    return f"({', '.join(rows)})"


def bank_lines(fact: BankFact) -> Iterator[str]:
    """Degree before, the way through the decision tree, degree after, for each tile; then what work-items do."""
    free = [tile for tile in fact.tiles if tile.before == tile.after == 1 and tile.change is None]
    if fact.tiles:
        yield f"banks of local memory on {fact.target}:{' no conflicts' if len(free) == len(fact.tiles) else ''}"
    for tile in fact.tiles:
        if tile not in free:
            yield f"    {called(tile)}: {degrees(tile)}"
            for step in tile.path:
                yield f"        {step}"
    if free and len(free) < len(fact.tiles):
        yield f"    {', '.join(map(called, free))}: no conflicts"
    if fact.remap is not None:
        yield f"    work-item (x, y) runs the iteration of {fact.remap}"
    for loop in fact.reordered:
        yield f"    each work-item begins the strips of loop {loop} at an iteration of its own"
    yield from _channel_lines(fact)


def _channel_lines(fact: BankFact) -> Iterator[str]:
    camping = [one for one in fact.channels if one.before > 1]
    if not camping:
        return
    said = (f"{one.array} degree {one.before}{f', now {one.after}' if fact.diagonal else ''}" for one in camping)
    how = ": work-groups run along diagonals" if fact.diagonal else ""
    yield f"channels of global memory on {fact.target}: {'; '.join(said)}{how}"


def called(tile: BankedFact) -> str:
    """``A[32][32]``, or ``B.re[32][32]``."""
    return tile.array + "".join(f"[{length}]" for length in tile.tile)


def degrees(tile: BankedFact) -> str:
    """``degree 32 before, 1 after padding``."""
    if tile.before == tile.after:
        return f"degree {tile.before}{f', {tile.change}' if tile.change else ''}"
    return f"degree {tile.before} before, {tile.after} after {tile.change or 'work-items moved'}"
