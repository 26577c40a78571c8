"""How the work-items of a group share the elements of a tile that they copy: rows of it by teams of neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, prod

from accshare.records import dataclass

#: work-items of a warp, or of half a wavefront
_WARP = 32


@dataclass(frozen=True, slots=True)
class Panel:
    """The columns ``[first, first + width)`` of a tile with so many `rows`. A row is copied by a `team` of neighbouring
    work-items, who take the next columns and then those a team further on; as many rows are copied `at_once` as the
    group has teams. Columns may be those of vectors."""

    first: int
    width: int
    rows: int
    team: int
    at_once: int

    @property
    def down(self) -> int:
        """How often a team goes on to another row."""
        return ceil(self.rows / self.at_once)

    @property
    def across(self) -> int:
        """How often it goes on in a row."""
        return ceil(self.width / self.team)

    @property
    def times(self) -> int:
        """How often a work-item copies."""
        return self.down * self.across

    def turns(self) -> Iterator[tuple[tuple[int, int, int], ...]]:
        """The elements that are copied together, turn by turn: the work-item, the row and the column of each."""
        for top in range(0, self.rows, self.at_once):
            for left in range(0, self.width, self.team):
                rows = range(top, min(top + self.at_once, self.rows))
                columns = range(left, min(left + self.team, self.width))
                yield tuple(
                    ((row - top) * self.team + column - left, row, self.first + column)
                    for row in rows
                    for column in columns
                )

    def copier(self, row: int, column: int) -> tuple[int, int]:
        """Which turn copies an element of the panel, and which work-item of the group."""
        down, team = divmod(row, self.at_once)
        across, place = divmod(column - self.first, self.team)
        return down * self.across + across, team * self.team + place


def panels(lengths: Sequence[int], items: int) -> tuple[Panel, ...]:
    """The panels of a tile of such lengths, of elements or vectors, which `items` work-items copy one after the other.

    Nobody divides more than its own number: that alone says which row and column it begins with. Teams are as long as
    a row, or a little longer, with some who have nothing to do. Where rows are a little longer than teams could be, as
    those of stencils are, what is left over of all of them is a panel of its own if that takes no more turns; shorter
    rows than a warp have their neighbours' lines in it, which should not be asked for twice.
    """
    width, rows = lengths[-1], prod(lengths[:-1])
    if rows == 1:
        return (Panel(0, width, 1, items, 1),)
    if width <= items:
        whole = _panel(0, width, rows, items)
        longest = max(n for n in _divisors(items) if n <= width)
        if whole.down == 1 or longest < _WARP or longest == width:
            return (whole,)
    else:
        whole, longest = Panel(0, width, rows, items, 1), items
    rest = width % longest
    main = Panel(0, width - rest, rows, longest, items // longest)
    split = (main, _panel(width - rest, rest, rows, items)) if rest else (main,)
    return min(split, (whole,), key=lambda some: sum(panel.times for panel in some))


def _panel(first: int, width: int, rows: int, items: int) -> Panel:
    """Columns that a team covers at once; what a warp does alone, it does without gaps."""
    if width * rows <= min(_WARP, items):
        return Panel(first, width, rows, width, items // width)
    team = min(n for n in _divisors(items) if n >= width)
    return Panel(first, width, rows, team, items // team)


@cache
def _divisors(number: int) -> tuple[int, ...]:
    return tuple(n for n in range(1, number + 1) if number % n == 0)
