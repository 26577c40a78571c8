"""All loops of a program in a table: where each ran, what it took, what bounds it, why it stayed on the host."""

from __future__ import annotations

from collections.abc import Sequence

from accshare.records import dataclass
from accshare.report.measured import Measured
from accshare.report.model import RegionFact

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


@dataclass(frozen=True, slots=True)
class Row:
    """A region; what was not measured is empty text. `share` is the part of the time of all regions, `gain` how many
    times faster than the host loops, `slower` that it is less than once, `number` counts the rows."""

    number: int
    region: RegionFact
    anchor: str
    measured: Measured | None
    ran: str
    time: str
    share: float
    once: str
    host: str
    gain: str
    slower: bool
    bound: str
    why: str


def rows(regions: Sequence[tuple[RegionFact, str, Measured | None]]) -> list[Row]:
    """A row each, those that took most first; in the program's order where nothing was measured."""
    whole = sum(measured.total for _, _, measured in regions if measured) or 1.0
    ordered = sorted(regions, key=lambda one: -one[2].total if one[2] else 0.0)
    return [_row(k + 1, *one, whole) for k, one in enumerate(ordered)]


def _row(number: int, region: RegionFact, anchor: str, measured: Measured | None, whole: float) -> Row:
    if measured is None:
        ran = "device" if region.offloaded else "host"
        return Row(number, region, anchor, None, ran, "", 0.0, "", "", "", False, "", _why(region))
    kernels = "native" if measured.device == "native" else "device"
    ran = " and ".join(w for w, n in ((kernels, measured.runs), ("host", measured.host_runs)) if n) or "nowhere"
    return Row(
        number,
        region,
        anchor,
        measured,
        ran,
        duration(measured.total),
        measured.total / whole,
        duration(measured.once),
        duration(measured.on_host),
        "" if measured.gain is None else f"{measured.gain:.3g}×",
        measured.gain is not None and measured.gain < 1,
        _bound(measured),
        "; ".join(f"{reason} ({count}×)" for reason, count in measured.reasons) or _why(region),
    )


def _why(region: RegionFact) -> str:
    """Why a region stays on the host; empty for one that does not."""
    if region.offloaded or not region.messages:
        return ""
    return f"{region.messages[0].message} [{region.messages[0].code}]"


def _bound(measured: Measured) -> str:
    part = measured.of_roof
    if part is None:
        return measured.bound
    return f"{measured.bound}, {'100% or more' if part > 1 else f'{part:.0%}'}"


def duration(seconds: float) -> str:
    """With three digits; empty for none."""
    if seconds <= 0:
        return ""
    size, unit = next((one for one in _UNITS if seconds >= one[0]), _UNITS[-1])
    return f"{seconds / size:.3g} {unit}"
