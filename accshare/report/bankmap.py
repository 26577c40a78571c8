"""The picture of the banks: where the words lie that the work-items of one request want, before and after."""

from __future__ import annotations

from collections import Counter

from accshare.report.banks import called
from accshare.report.drawing import INK, Axes, Figure, box, canvas, line, text
from accshare.report.model import BankedFact, BankFact

#: a word that comes alone from its bank, and those that wait for each other; colour-blind readers can tell them apart
COLOURS = {"alone": "#0072b2", "waits": "#d55e00"}
_GRID, _PAPER = "#e2e2de", "#fbfbf9"
#: inches: the width of a map, the most its lines are high together and one by one, and what stands around it
_WIDTH, _HEIGHT, _LINE = 3.6, 2.6, 0.16
_LEFT, _ABOVE, _BELOW, _GAP, _MARGIN = 0.15, 0.62, 0.36, 0.5, 0.1


def bankmap(fact: BankFact) -> Figure | None:
    """For each tile that had conflicts two maps, before and after: a column a bank, a line of words below the other.
    None where no tile had any."""
    tiles = [tile for tile in fact.tiles if tile.words_before]
    if not tiles:
        return None
    heights = [_ABOVE + max(map(_height, _maps(tile, fact.banks))) + _BELOW for tile in tiles]
    figure, axes = canvas(2 * (_LEFT + _WIDTH) + _GAP + _MARGIN, sum(heights))
    for k, tile in enumerate(tiles):
        top = sum(heights[:k])
        text(axes, _LEFT, top + 0.16, called(tile), size=10, weight="bold", align="left")
        after = f"after {tile.change}" if tile.change else "left as it is"
        for column, (words, said) in enumerate(
            ((tile.words_before, f"before: degree {tile.before}"), (tile.words_after, f"{after}: degree {tile.after}"))
        ):
            left = _LEFT + column * (_LEFT + _WIDTH + _GAP)
            text(axes, left, top + 0.42, said, align="left")
            _map(axes, words, fact.banks, (left, top + _ABOVE))
    return figure


def _maps(tile: BankedFact, banks: int) -> tuple[int, int]:
    """How many lines of all banks each map shows."""
    return max(tile.words_before) // banks + 1, max(tile.words_after) // banks + 1


def _height(lines: int) -> float:
    return min(_HEIGHT, lines * _LINE)


def _map(axes: Axes, words: tuple[int, ...], banks: int, corner: tuple[float, float]) -> None:
    left, top = corner
    lines = max(words) // banks + 1
    width, height = _WIDTH / banks, _height(lines) / lines
    box(axes, corner, _WIDTH, height * lines, facecolor=_PAPER, edgecolor="none")
    for bank in range(1, banks):
        line(axes, (left + bank * width, top), (left + bank * width, top + height * lines), _GRID, dotted=False)
    wanted = Counter(word % banks for word in set(words))
    for word in sorted(set(words)):
        colour = COLOURS["waits" if wanted[word % banks] > 1 else "alone"]
        place = (left + word % banks * width, top + word // banks * height)
        box(axes, place, width, height, facecolor=colour, edgecolor=_PAPER, linewidth=0.4)
    box(axes, corner, _WIDTH, height * lines, facecolor="none", edgecolor=INK, linewidth=0.9)
    below = top + height * lines + 0.14
    text(axes, left, below, "bank 0", align="left")
    text(axes, left + _WIDTH, below, f"bank {banks - 1}", align="right")
