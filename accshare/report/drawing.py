"""The one place that knows matplotlib: figures in the page's manner, as SVG that can stand inside HTML."""

from __future__ import annotations

import io
import re

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

__all__ = ["INK", "Axes", "Figure", "arrow", "box", "canvas", "line", "shade", "svg", "text"]

INK = "#1b1b1b"
#: what matplotlib brings along and measures with; a reader's browser takes the first of the others it has
_FONT, _FONTS = "'DejaVu Sans'", "'DejaVu Sans', Verdana, 'Helvetica Neue', Arial, sans-serif"


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of that many inches, with one bare plane in which a unit is an inch and y goes down."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(height, 0))
    return figure, axes


def box(axes: Axes, corner: tuple[float, float], width: float, height: float, **look: object) -> None:
    """A rectangle; `look` as matplotlib's."""
    axes.add_patch(Rectangle(corner, width, height, zorder=2, **look))  # type: ignore[arg-type]


def line(axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str, *, dotted: bool = True) -> None:
    """A thin line."""
    style = (0, (2, 3)) if dotted else "solid"
    axes.plot([start[0], end[0]], [start[1], end[1]], color=colour, linewidth=0.7, linestyle=style, zorder=2)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """A thin arrow."""
    look = {"arrowstyle": "->", "color": INK, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end, start, arrowprops=look)


def text(
    axes: Axes,
    x: float,
    y: float,
    words: str,
    *,
    size: float = 8.5,
    colour: str = INK,
    align: str = "center",
    weight: str = "normal",
    rotation: float = 0,
) -> None:
    """Words around a point; `align` is horizontal."""
    font = {"family": _FONT.strip("'"), "size": size, "weight": weight}
    axes.text(x, y, words, color=colour, ha=align, va="center", rotation=rotation, zorder=3, fontdict=font)


def shade(value: float) -> tuple[str, str]:
    """A colour for 0 (light) to 1 (dark) that colour-blind readers can tell apart, and one for text on it."""
    red, green, blue, _ = matplotlib.colormaps["YlGnBu"](0.05 + 0.8 * value)
    light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.55
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}", INK if light else "#ffffff"


def svg(figure: Figure, name: str) -> str:
    """The figure as an ``<svg>`` element, the same bytes each time, its text as text.

    `name` keeps its ids apart from those of other figures of the page.
    """
    file = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "hatch.linewidth": 0.7, "svg.hashsalt": name}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    element = file.getvalue()
    element = element[element.index("<svg") :]
    element = re.sub(r"\s*<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    element = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", element)
    return element.replace(_FONT, _FONTS).replace("<svg ", '<svg role="img" ', 1)
