"""The picture of time steps in bands: which rows of a sweep run in which of the two launches, and what needs what."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.mapping.ir import InBands, Plan
from accshare.report.drawing import INK, Axes, Figure, arrow, box, canvas, shade, text
from accshare.report.order import in_bands

#: inches: the drawn rows together, from sweep to sweep, a sweep's bar, and what is left of and above them
_ACROSS, _PITCH, _BAR, _LEFT, _ABOVE = 5.4, 0.27, 0.2, 0.75, 0.45
#: sweeps that are drawn, more only of a longer step; rows of a band at least; bands, and half of one at either side
_SWEEPS, _ROWS, _BANDS = 8, 8, 2


def pictures(plans: tuple[Plan, ...]) -> Iterator[tuple[Figure, str]]:
    """One, and what it shows, for each loop over time whose steps run in bands."""
    plan = in_bands(plans)
    for one in () if plan is None else plan.bands:
        yield picture(one), caption(one)


def picture(one: InBands) -> Figure:
    """Sweeps below one another in the order of time, their rows side by side. Arrows lead from a row to the outermost
    ones that have to come later."""
    steps, rows = _drawn(one)
    sweeps = len(one.low.offsets)
    figure, axes = canvas(_LEFT + _ACROSS + 0.2, _ABOVE + steps * sweeps * _PITCH + 0.3)
    scale = _ACROSS / (_BANDS * rows)
    for number in range(steps * sweeps):
        for start in range(0, _BANDS * rows + 1, rows):
            low, high = _missing(one, number)
            ends = (start - high, start + low, start + rows - high)
            before, first, behind = (scale * max(0, min(_BANDS * rows, row)) for row in ends)
            _bar(axes, number, before, first, 1)
            _bar(axes, number, first, behind, 0)
    for reach in one.reaches:
        middle = rows + rows // 2 + 0.5
        sink = reach.steps // one.loop.loop.step * sweeps + reach.sink
        if sink < steps * sweeps:
            for row in sorted(set(reach.rows)):
                arrow(axes, _place(reach.source, scale * middle), _place(sink, scale * (middle + row)))
    text(axes, _LEFT + _ACROSS / 2, 0.15, f"loop {one.along.iterator.name}", size=9)
    height = _ABOVE + steps * sweeps * _PITCH / 2
    text(axes, 0.3, height, f"loop {one.loop.iterator.name}", size=9, rotation=90)
    return figure


def caption(one: InBands) -> str:
    """What the picture shows, in words."""
    steps, rows = _drawn(one)
    time, along = one.loop.iterator.name, one.along.iterator.name
    each = "sweep" if len(one.low.offsets) == 1 else f"{len(one.low.offsets)} sweeps"
    return (
        f"Steps of loop {time}, of {each} each, in bands of loop {along}: the first launch runs what is light, all of"
        f" a band in one go, the second one what is dark. Drawn are {steps} of {one.steps} steps, and {rows} of"
        f" {one.rows} iterations of a band. Arrows lead from an iteration to the outermost ones that must come later."
    )


def _drawn(one: InBands) -> tuple[int, int]:
    """Steps, and rows of a band that leave it half of them in the last step."""
    sweeps = len(one.low.offsets)
    steps = min(one.steps, max(2, _SWEEPS // sweeps))
    return steps, min(one.rows, max(_ROWS, 2 * sum(_missing(one, steps * sweeps - 1))))


def _missing(one: InBands, number: int) -> tuple[int, int]:
    """The rows that a band has left out at either end when it comes to a sweep."""
    step, sweep = divmod(number, len(one.low.offsets))
    past = step * one.loop.loop.step
    low, high = (edge.slope * past + edge.offsets[sweep] for edge in (one.low, one.high))
    return low, high


def _bar(axes: Axes, number: int, first: float, behind: float, launch: int) -> None:
    """Rows of a sweep, in the first launch (0) or in the second."""
    if behind > first:
        x, y = _place(number, first)
        colour, _ = shade(0.15 + 0.6 * launch)
        box(axes, (x, y - _BAR / 2), behind - first, _BAR, facecolor=colour, edgecolor=INK, linewidth=0.4)


def _place(number: int, across: float) -> tuple[float, float]:
    return _LEFT + across, _ABOVE + (number + 0.5) * _PITCH
