"""The picture of the search: what every legal block of iterations would gain."""

from __future__ import annotations

from accshare.report.chosen import size
from accshare.report.drawing import Axes, Figure, box, canvas, line, shade, text
from accshare.report.model import BLOCK, PlanFact, StagingFact
from accshare.report.staging import block

_BEST, _OTHER, _MARK = "#0072b2", "#a6cee3", "#d55e00"
_ILLEGAL = {"facecolor": "#f2f2f0", "edgecolor": "#c9c9c6", "hatch": "////", "linewidth": 0}
#: inches: a cell, the highest bar, what stands left of and below them, around all, between two
_WIDE, _HIGH, _TALL, _LEFT, _BELOW, _EDGE, _GAP = 0.86, 0.52, 1.7, 0.95, 0.62, 0.08, 0.03
_AXIS = dict(zip(BLOCK, "xyz", strict=True))


def surface(staging: StagingFact) -> Figure | None:
    """Gain by block: cells over two sizes, bars over one, None where there is nothing to choose."""
    varied = [name for name in BLOCK if len({_value(plan, name) for plan in staging.surface}) > 1]
    if not varied:
        return None
    return _bars(staging, varied[0]) if len(varied) == 1 else _cells(staging, varied[0], varied[1])


def _value(plan: PlanFact, name: str) -> int:
    return block(plan)[BLOCK.index(name)]


def _powers(values: set[int]) -> list[int]:
    """The values, and the powers of two between them."""
    return sorted(values | {1 << k for k in range(max(values).bit_length()) if min(values) <= 1 << k})


def _mark(staging: StagingFact, plan: PlanFact) -> str:
    """Two plans may differ by the length of a strip only."""
    ranked = (("best", staging.best), ("next", staging.runner_up))
    return ", ".join(word for word, other in ranked if other is not None and block(other) == block(plan))


def _cells(staging: StagingFact, across: str, up: str) -> Figure:
    """Where a third size varies too, its best value counts."""
    columns = _powers({_value(plan, across) for plan in staging.surface})
    rows = _powers({_value(plan, up) for plan in staging.surface})
    best: dict[tuple[int, int], PlanFact] = {}
    for plan in staging.surface:
        best.setdefault((_value(plan, across), _value(plan, up)), plan)
    lowest = min(plan.gain for plan in best.values())
    span = max(1, max(plan.gain for plan in best.values()) - lowest)
    bottom = _EDGE + _HIGH * len(rows)
    figure, axes = canvas(_LEFT + _WIDE * len(columns) + _EDGE, bottom + _BELOW)
    for row, y in enumerate(rows):
        top = bottom - _HIGH * (row + 1)
        text(axes, _LEFT - 0.12, top + _HIGH / 2, str(y), align="right")
        for column, x in enumerate(columns):
            corner = (_LEFT + _WIDE * column, top)
            if (x, y) in best:
                plan = best[x, y]
                _cell(axes, corner, size(plan.gain), (plan.gain - lowest) / span, _mark(staging, plan))
            else:
                box(axes, (corner[0] + _GAP, corner[1] + _GAP), _WIDE - 2 * _GAP, _HIGH - 2 * _GAP, **_ILLEGAL)
    _ticks(axes, columns, across, bottom)
    text(axes, 0.2, (bottom + _EDGE) / 2, _title(up), rotation=90)
    return figure


def _cell(axes: Axes, corner: tuple[float, float], words: str, value: float, mark: str) -> None:
    place, wide, high = (corner[0] + _GAP, corner[1] + _GAP), _WIDE - 2 * _GAP, _HIGH - 2 * _GAP
    colour, ink = shade(value)
    box(axes, place, wide, high, facecolor=colour, linewidth=0)
    text(axes, corner[0] + _WIDE / 2, corner[1] + _HIGH / 2, f"{words}\n{mark}".rstrip(), colour=ink)
    if mark:
        style = "solid" if "best" in mark else (0, (3, 1.5))
        box(axes, place, wide, high, fill=False, edgecolor=_MARK, linewidth=2.2, linestyle=style)


def _bars(staging: StagingFact, name: str) -> Figure:
    plans = {_value(plan, name): plan for plan in reversed(staging.surface)}
    values = _powers(set(plans))
    highest = max(1, max(plan.gain for plan in plans.values()))
    floor = _EDGE + 0.4 + _TALL
    figure, axes = canvas(_LEFT + _WIDE * len(values) + _EDGE, floor + _BELOW)
    for column, value in enumerate(values):
        left, wide = _LEFT + _WIDE * (column + 0.15), _WIDE * 0.7
        plan = plans.get(value)
        if plan is None:
            box(axes, (left, floor - _TALL), wide, _TALL, **_ILLEGAL)
            continue
        mark = _mark(staging, plan)
        tall = _TALL * max(plan.gain, 0) / highest
        box(axes, (left, floor - tall), wide, tall, facecolor=_BEST if "best" in mark else _OTHER, linewidth=0)
        lines = [line for line in (mark, size(plan.gain)) if line]
        text(axes, left + wide / 2, floor - tall - 0.1 * len(lines), "\n".join(lines))
    line(axes, (_LEFT, floor), (_LEFT + _WIDE * len(values), floor), "#8a8a8a", dotted=False)
    _ticks(axes, values, name, floor)
    return figure


def _ticks(axes: Axes, values: list[int], name: str, low: float) -> None:
    for column, value in enumerate(values):
        text(axes, _LEFT + _WIDE * (column + 0.5), low + 0.16, str(value))
    text(axes, _LEFT + _WIDE * len(values) / 2, low + 0.44, _title(name))


def _title(name: str) -> str:
    return f"{name}, iterations along {_AXIS[name]}"
