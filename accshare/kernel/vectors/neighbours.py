"""Elements beside one another in the rows of a stencil: every vector of a row is loaded once, and shifted.

``b[i][j] = a[i][j - 1] + a[i][j] + a[i][j + 1]`` loads three vectors from a row, of which two at least straddle lines
of the cache. A register tile loads the one that lies last, and makes the others of it and of that which the tile before
has loaded. Nothing is loaded that the iterations don't ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.builtins import lanes_of, shuffle
from accshare.frontend.ir import (
    INT,
    Assign,
    Binary,
    Call,
    Conditional,
    Expr,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Unary,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.kernel.ir import Define, Stmt
from accshare.kernel.vectors.shape import Rows
from accshare.linear import sum_of
from accshare.records import dataclass, replace
from accshare.reference import in_memory, root
from accshare.source import Span
from accshare.tree import expressions, operands, rewrite

_NOWHERE = Span(0, 0)
#: bytes of the vectors that most loads bring from two lines of a cache, and of which one instruction makes any that
#: lies across two
_LINE = 64
#: clocks in which a core loads or stores one of them; it begins an operation on others in each, and a product beside
_CLOCKS = 2


@dataclass(frozen=True, slots=True)
class Shifted:
    """The code of a register tile, `body`, which finds what the tile before has left, and what it finds in the first
    one, `before`."""

    before: tuple[Stmt, ...]
    body: tuple[Stmt, ...]


def shifted(stmts: tuple[Stmt, ...], rows: Rows, column: Symbol, first: Expr) -> Shifted | None:
    """Register tiles of `rows` that go along `column` from `first` on, of which each row runs `stmts` in one vector;
    None where that is no shorter."""
    if rows.row is None or rows.start is None or rows.names:
        return None
    every = [s for nth in range(rows.count) for s in in_row(stmts, rows.row, rows.start, nth)]
    if len(every) < rows.count * len(stmts):
        return None
    values = [s.value for s in every]
    loads = dict.fromkeys(e for v in values for e in expressions(v) if isinstance(e, Subscript) and _is_whole(e))
    found = [_Window(some, number) for number, some in enumerate(_windows(loads))]
    if not _pays(sum(len(window.loads) for window in found), len(found), values):
        return None
    before = tuple(s for window in found for s in window.before(column, first))
    return Shifted(before, (*_loading(every, found), *(s for window in found for s in window.left)))


def _loading(stmts: list[Assign], windows: list[_Window]) -> Iterator[Stmt]:
    """Statements, each behind what it is the first one to ask for, so that few vectors wait at a time."""
    held = {load: (window, vector) for window in windows for load, vector in window.vectors}
    done: set[Symbol] = set()
    for stmt in stmts:
        for window, vector in (held[e] for e in expressions(stmt.value) if e in held):
            for made in window.made(vector):
                if made.symbol not in done:
                    done.add(made.symbol)
                    yield made
        yield replace(stmt, value=rewrite(stmt.value, lambda e: variable(held[e][1]) if e in held else None))


def in_row(stmts: tuple[Stmt, ...], row: Symbol, start: Symbol, nth: int) -> Iterator[Assign]:
    """What a row of the tile runs, of statements that store a vector in any case."""

    def there(expr: Expr) -> Expr | None:
        if not isinstance(expr, Var) or expr.symbol != row:
            return None
        assert isinstance(expr.type, Scalar)
        return binary("+", variable(start), literal(nth, INT), expr.type)

    for stmt in stmts:
        match stmt:
            case Assign(target, "=", value) if in_memory(target):
                if not any(isinstance(e, Conditional) for e in expressions(value)):
                    yield replace(stmt, target=rewrite(target, there), value=rewrite(value, there))


def _is_whole(load: Subscript) -> bool:
    """Whether it loads a vector of whole registers."""
    return in_memory(load) and isinstance(load.type, Scalar) and load.type.bytes * load.type.lanes == _LINE


def _windows(loads: Iterable[Subscript]) -> Iterator[dict[int, list[Subscript]]]:
    """Loads of a row by where they are in it, the last ones first, as many as two vectors hold."""
    rows: dict[object, dict[int, list[Subscript]]] = {}
    for load in loads:
        constant, terms = sum_of(load.index).key
        rows.setdefault((load.base, terms), {}).setdefault(constant, []).append(load)
    for row in rows.values():
        window: dict[int, list[Subscript]] = {}
        for place in sorted(row, reverse=True):
            if window and max(window) - place > lanes_of(row[place][0]):
                yield window
                window = {}
            window[place] = row[place]
        yield window


class _Window:
    """Elements of a row that a register tile loads, in vectors that begin less than one apart."""

    def __init__(self, loads: dict[int, list[Subscript]], number: int) -> None:
        self.loads = loads
        self._first, self._last = min(loads), max(loads)
        self._lanes = lanes_of(loads[self._last][0])
        self._number = number
        self._now, self._past = self._symbol("now"), self._symbol("past")

    def _symbol(self, word: str) -> Symbol:
        load = self.loads[self._last][0]
        buffer = root(load)
        assert buffer is not None
        name = f"{buffer.unique}_{word}{self._number}"
        return Symbol(name, name, load.type, Storage.INNER)

    def _at(self, place: int) -> Symbol:
        """The vector that begins there."""
        return self._now if place == self._last else self._symbol(f"by{self._last - place}_")

    @property
    def vectors(self) -> Iterator[tuple[Expr, Symbol]]:
        """What stands for each load."""
        for place, same in self.loads.items():
            for load in same:
                yield load, self._at(place)

    def before(self, column: Symbol, first: Expr) -> Iterator[Stmt]:
        """What a tile before the first one would have loaded, as far as anybody asks for it."""
        if self._first == self._last:
            return
        load = self.loads[self._first][0]
        index = rewrite(load.index, lambda e: first if isinstance(e, Var) and e.symbol == column else None)
        loaded = self._symbol("first")
        turned = [(lane + self._last - self._first) % self._lanes for lane in range(self._lanes)]
        yield Define(loaded, replace(load, index=index))
        yield Define(self._past, shuffle(variable(loaded), variable(loaded), turned), mutable=True)

    def made(self, vector: Symbol) -> Iterator[Define]:
        """How to come by one of the vectors."""
        yield Define(self._now, self.loads[self._last][0])
        for place in self.loads:
            if vector == self._at(place) != self._now:
                begin = self._lanes - (self._last - place)
                taken = range(begin, begin + self._lanes)
                yield Define(vector, shuffle(variable(self._past), variable(self._now), taken))

    @property
    def left(self) -> Iterator[Stmt]:
        """What the next tile finds."""
        if self._first < self._last:
            yield Assign(variable(self._past), "=", variable(self._now), _NOWHERE)


def _pays(loads: int, windows: int, values: list[Expr]) -> bool:
    """Whether loads and stores take longer than operations do, with those that take the place of loads."""
    computed = (e for value in values for e in _computed(value))
    operations = sum(isinstance(e, Call | Unary) or (isinstance(e, Binary) and e.op != "*") for e in computed)
    return windows < loads and _CLOCKS * (loads + len(values)) >= operations + loads - windows


def _computed(expr: Expr) -> Iterator[Expr]:
    """`expr` and what is below it, but for the places of elements."""
    yield expr
    if not isinstance(expr, Subscript):
        for part in operands(expr):
            yield from _computed(part)
