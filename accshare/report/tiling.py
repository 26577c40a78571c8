"""The picture of the tiles: each array as a rectangle, not to scale, with what one work-group touches of it."""

from __future__ import annotations

from math import sqrt

from accshare.records import dataclass
from accshare.report.drawing import INK, Axes, Figure, arrow, box, canvas, line, text
from accshare.report.model import ArrayFact, AxisFact, StagingFact

#: seed, inferred, left alone: told apart by colour-blind readers, and by their lightness
COLOURS = {"seed": "#0072b2", "inferred": "#e69f00", "left": "#8c8c8c"}
_GRID, _PAPER = "#a8a8a8", "#fbfbf9"
#: inches: a panel, the longer side of an array in it, and what stands above an array
_PANEL, _SIDE, _ABOVE, _BELOW = 2.75, 1.6, 0.78, 0.42
_MOST_COLUMNS = 4
#: an array is drawn as this many tiles along a side; a halo is this part of one
_TILES, _HALO = 4, 0.26


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a drawn array in inches: its length, the tile's place and halo, all that strips make of it."""

    length: float
    tile: tuple[float, float]
    halo: tuple[float, float]
    band: tuple[float, float]
    cuts: tuple[float, ...]


def tiling(staging: StagingFact) -> Figure | None:
    """A panel an array; the last two subscripts of those with more. None where no array has subscripts."""
    arrays = [array for array in staging.arrays if array.tile]
    if not arrays:
        return None
    columns = min(len(arrays), _MOST_COLUMNS)
    rows = [arrays[k : k + columns] for k in range(0, len(arrays), columns)]
    heights = [_ABOVE + max(_sides(array)[1].length for array in row) + _BELOW for row in rows]
    figure, axes = canvas(_PANEL * columns, sum(heights))
    for k, row in enumerate(rows):
        for column, array in enumerate(row):
            _panel(axes, array, _name(array, staging), _PANEL * (column + 0.55), sum(heights[:k]))
    return figure


def _name(array: ArrayFact, staging: StagingFact) -> str:
    """``A[n][m]``, or the reference meant where there are several."""
    if sum(other.name == array.name for other in staging.arrays) > 1:
        return array.references[0]
    return array.name + "".join(f"[{axis.extent or ''}]" for axis in array.tile)


def _sides(array: ArrayFact) -> tuple[_Side, _Side]:
    """Along the last subscript, and along the one before it."""
    along, down = array.tile[-1], array.tile[-2] if len(array.tile) > 1 else None
    if down is None:
        return _side(along, _SIDE), _side(None, _SIDE / _TILES)
    ratio = min(2.5, max(0.5, sqrt(along.length / down.length)))
    return _side(along, _SIDE * min(1, ratio)), _side(down, _SIDE / max(1, ratio))


def _side(axis: AxisFact | None, length: float) -> _Side:
    if axis is None or axis.runs == "whole":
        return _Side(length, (0, length), (0, length), (0, length), ())
    step = length / _TILES
    halo = (step * (1 - _HALO * (axis.lower > 0)), step * (2 + _HALO * (axis.upper > 0)))
    band = (0, length) if axis.runs == "strip" else halo
    return _Side(length, (step, 2 * step), halo, band, tuple(step * k for k in range(1, _TILES)))


def _panel(axes: Axes, array: ArrayFact, name: str, middle: float, top: float) -> None:
    along, down = _sides(array)
    left, upper = middle - along.length / 2, top + _ABOVE
    colour = COLOURS[array.role if array.staged else "left"]
    text(axes, middle, top + 0.2, name, size=10, weight="bold")
    text(axes, middle, top + 0.4, f"{array.role}, {'in local memory' if array.staged else 'left alone'}")

    def part(across: tuple[float, float], downward: tuple[float, float], **look: object) -> None:
        corner = (left + across[0], upper + downward[0])
        box(axes, corner, across[1] - across[0], downward[1] - downward[0], **look)

    part((0, along.length), (0, down.length), facecolor=_PAPER, edgecolor=INK, linewidth=1.1)
    for x in along.cuts:
        line(axes, (left + x, upper), (left + x, upper + down.length), _GRID)
    for y in down.cuts:
        line(axes, (left, upper + y), (left + along.length, upper + y), _GRID)
    part(along.band, down.band, facecolor=colour, alpha=0.22, linewidth=0)
    if (along.halo, down.halo) != (along.tile, down.tile):
        part(along.halo, down.halo, facecolor="#ffffff", edgecolor=colour, hatch="//////", linewidth=0.9)
    part(along.tile, down.tile, facecolor=colour, edgecolor=INK, linewidth=0.9)
    _lengths(axes, array, (along, down), (left, upper))


def _lengths(axes: Axes, array: ArrayFact, sides: tuple[_Side, _Side], corner: tuple[float, float]) -> None:
    """What the tile measures, above and left of the array; the way strips go, below and right of it."""
    (left, upper), (along, down) = corner, sides
    last = array.tile[-1]
    text(axes, left + sum(along.tile) / 2, upper - 0.1, _length(last))
    if last.runs == "strip":
        low = upper + down.length + 0.12
        arrow(axes, (left, low), (left + along.length, low))
        text(axes, left + along.length / 2, low + 0.14, f"strips of loop {last.iterator}")
    if len(array.tile) == 1:
        return
    before = array.tile[-2]
    text(axes, left - 0.07, upper + sum(down.tile) / 2, _length(before), align="right")
    if before.runs == "strip":
        right = left + along.length + 0.12
        arrow(axes, (right, upper), (right, upper + down.length))
        text(axes, right + 0.14, upper + down.length / 2, f"strips of loop {before.iterator}", rotation=90)


def _length(axis: AxisFact) -> str:
    """``i: 8``, or ``i: 1+8+1`` with a halo."""
    core = axis.length - axis.lower - axis.upper
    measure = "+".join(str(part) for part in (axis.lower, core, axis.upper) if part)
    return f"{axis.iterator}: {measure}" if axis.iterator else measure
