"""The picture of the roofline: what the machine can do by operations a byte, and where each region is."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from accshare.records import dataclass
from accshare.report.measured import Ceiling
from accshare.report.summary import Row

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BELOW = 720.0, 360.0, 64.0, 16.0, 16.0, 44.0
_CACHE_KIB = 256


@dataclass(frozen=True, slots=True)
class Mark:
    """A region: its place in the picture and its number in the table."""

    x: float
    y: float
    number: int
    words: str


@dataclass(frozen=True, slots=True)
class Roofing:
    """A roof as a polyline, and its name with the place where that is written."""

    points: str
    name: str
    x: float
    y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A line across the picture, with its number."""

    at: float
    words: str


@dataclass(frozen=True, slots=True)
class RoofPlot:
    """Everything in units of the picture, ready to be drawn."""

    width: float
    height: float
    left: float
    top: float
    right: float
    bottom: float
    roofs: list[Roofing]
    marks: list[Mark]
    across: list[Tick]
    up: list[Tick]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Powers of ten to places."""

    first: int
    last: int
    start: float
    end: float

    def at(self, value: float) -> float:
        part = (log10(value) - self.first) / (self.last - self.first)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self) -> list[Tick]:
        return [Tick(self.at(10.0**k), _number(10.0**k)) for k in range(self.first, self.last + 1)]


def roofplot(table: Sequence[Row], ceiling: Ceiling) -> RoofPlot | None:
    """None where no region has operations on floating-point numbers."""
    places = list(_places(table))
    if not places:
        return None
    reals = sorted({real for _, _, real, _ in places})
    peaks = [ceiling.peak[real] for real in reals]
    rates = {"memory": ceiling.bandwidth[max(ceiling.bandwidth)]}
    near = min((kib for kib in ceiling.bandwidth if kib >= _CACHE_KIB), default=max(ceiling.bandwidth))
    rates["cache"] = ceiling.bandwidth[near]
    most = max(max(peaks) / rates["memory"], *(x for x, _, _, _ in places)) * 3
    least = min(min(peaks) / rates["cache"], *(x for x, _, _, _ in places)) / 3
    low = min(least * rates["memory"], *(y for _, y, _, _ in places))
    high = max(max(peaks), *(y for _, y, _, _ in places))
    across = _Scale(floor(log10(least)), ceil(log10(most)), _LEFT, _WIDTH - _RIGHT)
    up = _Scale(floor(log10(low)), ceil(log10(high * 1.2)), _HEIGHT - _BELOW, _TOP)
    roofs = [_slope(name, rate, max(peaks), across, up) for name, rate in rates.items()]
    roofs += [_flat(real, ceiling.peak[real], across, up) for real in reals]
    marks = [Mark(across.at(x), up.at(y), number, _said(x, y)) for x, y, _, number in places]
    sides = (_LEFT, _TOP, _WIDTH - _RIGHT, _HEIGHT - _BELOW)
    ticks = [Tick(tick.at, _number(10.0**k / 1e9)) for k, tick in enumerate(up.ticks(), up.first)]
    return RoofPlot(_WIDTH, _HEIGHT, *sides, roofs, marks, across.ticks(), ticks)


def _places(table: Sequence[Row]) -> list[tuple[float, float, str, int]]:
    """Operations a byte and a second, the type, the number in the table."""
    found = []
    for row in table:
        reach = row.measured.reach if row.measured else None
        if reach is not None and row.measured is not None and reach.operations and reach.bytes and row.measured.once:
            speed = reach.operations / row.measured.once
            found.append((reach.operations / reach.bytes, speed, reach.real, row.number))
    return found


def _slope(name: str, rate: float, peak: float, across: _Scale, up: _Scale) -> Roofing:
    """What so many bytes a second allow, up to the peak."""
    start = max(10.0**across.first, 10.0**up.first / rate)
    end = peak / rate
    points = [(across.at(x), up.at(x * rate)) for x in (start, end)]
    (x, y), (right, top) = points
    middle = (x + 0.25 * (right - x), y + 0.25 * (top - y))
    return Roofing(_line(points), f"{name}: {_giga(rate)} GB/s", *middle, "middle")


def _flat(real: str, peak: float, across: _Scale, up: _Scale) -> Roofing:
    y = up.at(peak)
    right = across.at(10.0**across.last)
    return Roofing(_line([(_LEFT, y), (right, y)]), f"{real}: {_giga(peak)} GFLOP/s", right, y, "end")


def _line(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _said(x: float, y: float) -> str:
    return f"{x:.3g} operations a byte, {_giga(y)} GFLOP/s"


def _giga(value: float) -> str:
    return f"{value / 1e9:.3g}"


def _number(value: float) -> str:
    return f"{value:g}"
