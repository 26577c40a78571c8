"""The picture of two loops that run by fronts: their iterations, which of them are a front or a tile, and what needs
what."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import IntLit
from accshare.order.ir import Ordered, Step, Word
from accshare.report.drawing import INK, Axes, Figure, arrow, box, canvas, line, shade, text

#: inches: between iterations, a square that stands for one, and what is left of and above them
_PITCH, _SQUARE, _LEFT, _ABOVE = 0.3, 0.17, 0.75, 0.45
#: iterations that are drawn of either loop, and of a tile: fronts and iterations of the loop inside
_ROWS, _COLUMNS, _TILE = 8, 14, (6, 4)
_JOINED = "#8c8c8c"


def spaces(ordered: Ordered) -> Iterator[tuple[Figure, str]]:
    """One, and what it shows, for each two loops of a region that run by fronts."""
    for n, step in enumerate(ordered.steps):
        if step.word is Word.SKEWED:
            behind = ordered.steps[n + 1 : n + 2]
            tiled = behind[0] if behind and behind[0].word is Word.TILED else None
            yield space(step, tiled), caption(step, tiled)


def space(skewed: Step, tiled: Step | None) -> Figure:
    """Iterations of the outer loop below one another, of the inner one side by side. Those of a front are joined; what
    has one shade runs in one launch. Arrows lead from an iteration to some of those that need it."""
    outer, inner = skewed.loops
    figure, axes = canvas(_LEFT + _COLUMNS * _PITCH + 0.2, _ABOVE + _ROWS * _PITCH + 0.3)
    numbers = {(i, j): _number(skewed, tiled, i, j) for i in range(_ROWS) for j in range(_COLUMNS)}
    least, most = min(numbers.values()), max(numbers.values())
    _fronts(axes, skewed)
    for (i, j), number in numbers.items():
        x, y = _place(i, j)
        colour, _ = shade((number - least) / max(1, most - least))
        box(axes, (x - _SQUARE / 2, y - _SQUARE / 2), _SQUARE, _SQUARE, facecolor=colour, edgecolor=INK, linewidth=0.4)
    source = _middle(skewed)
    for i, j in (_values(skewed, *distance) for distance in skewed.distances):
        if (source[0] + i, source[1] + j) in numbers:
            arrow(axes, _place(*source), _place(source[0] + i, source[1] + j))
    text(axes, _LEFT + _COLUMNS * _PITCH / 2, 0.15, f"{_way(inner.loop.step)} {inner.iterator.name}", size=9)
    text(axes, 0.3, _ABOVE + _ROWS * _PITCH / 2, f"{_way(outer.loop.step)} {outer.iterator.name}", size=9, rotation=90)
    return figure


def caption(skewed: Step, tiled: Step | None) -> str:
    """What the picture shows, in words."""
    terms = zip(skewed.plane, (loop.iterator.name for loop in skewed.loops), strict=True)
    function = " + ".join(name if factor == 1 else f"{factor}*{name}" for factor, name in terms)
    told = f"Iterations of loops {', '.join(loop.iterator.name for loop in skewed.loops)}; lines join those of a front"
    arrows = "Arrows lead to iterations that need one."
    if tiled is None:
        return f"{told} (the same {function}), and darker ones come later. {arrows}"
    fronts, inside = (value.value for value in tiled.values if isinstance(value, IntLit))
    drawn = f"here {_TILE[0]} by {_TILE[1]}"
    what = f"a shade is a launch of tiles, which have {fronts} fronts by {inside} iterations, {drawn}"
    return f"{told} (the same {function}); {what}. {arrows}"


def _way(step: int) -> str:
    return "loop" if step > 0 else "downwards: loop"


def _values(skewed: Step, i: int, j: int) -> tuple[int, int]:
    """The iterators of what is drawn at a place: loops that count down begin with the greatest."""
    outer, inner = skewed.loops
    return i if outer.loop.step > 0 else -i, j if inner.loop.step > 0 else -j


def _number(skewed: Step, tiled: Step | None, i: int, j: int) -> int:
    """The number of the launch that runs an iteration."""
    pair = _values(skewed, i, j)
    front = skewed.plane[0] * pair[0] + skewed.plane[1] * pair[1]
    if tiled is None:
        return front
    place = skewed.loops.index(next(n for n in skewed.loops if n.index == tiled.loops[0].index))
    kept = (i, j)[place]
    return front // _TILE[0] + kept // _TILE[1]


def _fronts(axes: Axes, skewed: Step) -> None:
    """Lines from each iteration to the next one of its front."""
    outer, inner = skewed.plane
    signs = _values(skewed, 1, 1)
    i, j = inner * signs[0], -outer * signs[1]
    if i < 0:
        i, j = -i, -j
    for row in range(_ROWS - i):
        for column in range(_COLUMNS):
            if 0 <= column + j < _COLUMNS:
                line(axes, _place(row, column), _place(row + i, column + j), _JOINED)


def _middle(skewed: Step) -> tuple[int, int]:
    """Where arrows begin, so that they stay within what is drawn."""
    ends = [(0, 0), *(_values(skewed, *distance) for distance in skewed.distances)]
    row, column = (-min(end[k] for end in ends) for k in range(2))
    return min(_ROWS - 1, max(1, row)), min(_COLUMNS - 1, max(_COLUMNS // 2, column))


def _place(i: int, j: int) -> tuple[float, float]:
    return _LEFT + (j + 0.5) * _PITCH, _ABOVE + (i + 0.5) * _PITCH
