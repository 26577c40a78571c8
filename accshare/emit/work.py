"""The work of a region as C text: what the program evaluates each time, to decide where the region runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.cprint import HostPrinter
from accshare.data.ir import Work
from accshare.records import dataclass


@dataclass(frozen=True, slots=True)
class WorkText:
    """The iterations of each loop, and the numbers of ``accshare_work`` as sums of products of them: ``double``
    arithmetic, so that nothing can overflow."""

    trips: tuple[str, ...]
    operations: str
    longest: str
    launches: str
    atomics: str
    outermost: str


def work_text(work: Work, printer: HostPrinter) -> WorkText:
    """The C text; loops are ``__acc_trips0`` and so on."""
    return WorkText(
        tuple(printer.text(count) for count in work.trips),
        _sum((s.operations, s.lane, s.loops) for s in work.statements),
        _sum((s.operations, 0, s.serial) for s in work.statements),
        _sum((1.0, 0, loops) for loops in work.launches),
        " + ".join((_sum((s.atomics, 0, s.loops) for s in work.statements), *_gathered(work, printer))),
        "__acc_trips0" if work.trips else "1.0",
    )


def _gathered(work: Work, printer: HostPrinter) -> Iterator[str]:
    """The changes that copies of arrays may take."""
    for statement in work.statements:
        for factor, length in statement.gathered:
            yield f"__accshare_gathered({_product(factor, 0, statement.loops)}, (double)({printer.text(length)}))"


def _sum(products: Iterable[tuple[float, int, tuple[int, ...]]]) -> str:
    """Each factor, times its lane's part of a vector if it has one, times the iterations of its loops. Products of the
    same loops are added up here."""
    total: dict[tuple[int, tuple[int, ...]], float] = {}
    for factor, lane, loops in products:
        total[lane, loops] = total.get((lane, loops), 0.0) + factor
    terms = (_product(factor, *key) for key, factor in total.items() if factor)
    return " + ".join(terms) or "0.0"


def _product(factor: float, lane: int, loops: tuple[int, ...]) -> str:
    rounded = str(float(f"{factor * max(1, lane):.4g}"))
    scaled = f"{rounded} / __ACCSHARE_VECTOR" if lane else rounded
    return " * ".join((scaled, *(f"__acc_trips{k}" for k in loops)))
