"""The steps of an ablation as stacked bars, in the shape of SHARE's Fig. 7; needs matplotlib (the ``html`` extra)."""

from __future__ import annotations

from pathlib import Path

from accshare.report.drawing import Figure, svg
from accshare.run.bench.ablation import Ablation

#: light to dark, told apart by colour-blind readers and in print
_COLOURS = ("#d9d9d9", "#c7e9b4", "#7fcdbb", "#41b6c4", "#2c7fb8", "#253494")


def plot(ablations: list[Ablation], path: Path) -> None:
    """Writes the figure as SVG. Raises `OSError`."""
    steps = list(ablations[0].seconds)
    figure = Figure(figsize=(1.6 + 1.1 * len(ablations), 3.6), layout="constrained")
    axes = figure.subplots()
    axes.set_ylabel("speed-up over the naive kernel")
    axes.set_title(f"{ablations[0].target} kernels on {ablations[0].device}", fontsize=9)
    for place, one in enumerate(ablations):
        height = 0.0
        for colour, step in zip(_COLOURS, steps, strict=False):
            gain = one.speedup(step) - height
            if gain > 0:  # a step that loses adds no height; its number stands in the table
                axes.bar(place, gain, 0.6, height, color=colour, edgecolor="white", linewidth=0.5)
                height += gain
        axes.annotate(f"{height:.1f}x", (place, height), ha="center", va="bottom", fontsize=8)
    axes.set_xticks(range(len(ablations)), [one.sample for one in ablations])
    axes.axhline(1, color="black", linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    for colour, step in zip(_COLOURS, steps, strict=False):
        axes.bar(0, 0, color=colour, label=step)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    path.write_text(svg(figure, "ablation") + "\n")
