"""Rows along which an inner loop goes while lanes have a row each: windows of them in registers.

``for (j…) A[i][j] = A[i - 1][j] + A[i][j - 1] + A[i][j + 1]`` with i in lanes would put a vector of each element
together, line by line. A strip of as many iterations as there are lanes reads squares instead and turns them. What an
iteration leaves for those after it stays in registers, and so does what they read of the same row: a window has the
elements from the first to the last one that the strip's iterations touch, and goes on with them. Rows may be gone
through backwards, as solvers do on their way back.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from accshare.frontend.ir import INT, Array, Assign, Declare, Expr, Storage, Subscript, Symbol, Var
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Stmt, own
from accshare.kernel.uses import instead, rewritten, stored, used_expressions
from accshare.kernel.vectors.lanes import Lanes, NotVector
from accshare.kernel.vectors.strips import counted
from accshare.kernel.vectors.transpose import Matrix, TransposeTile, check_plain, strided_elements
from accshare.linear import sum_of
from accshare.records import dataclass, field
from accshare.reference import root
from accshare.source import Span
from accshare.tree import expressions, rewrite

_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Windows:
    """Statements of an inner loop with variables of their own for the elements that windows hold. `own` are the vectors
    of these; `first` fills what a strip finds in the windows, `before` reads the rest, `after` stores what the strip
    wrote, and moves on."""

    body: tuple[Stmt, ...]
    own: dict[Symbol, Expr] = field(default_factory=dict)
    first: tuple[Stmt, ...] = ()
    before: tuple[Stmt, ...] = ()
    after: tuple[Stmt, ...] = ()


def windows(stmts: tuple[Stmt, ...], square: TransposeTile, begin: Expr, lanes: Lanes) -> Windows:
    """`stmts`, which have no loops, for strips of an inner loop that begins at `begin`. Raises `NotVector` where rows
    are written otherwise than element by element."""
    check_plain(stmts)
    groups: dict[object, list[Subscript]] = {}
    for element in dict.fromkeys(strided_elements(stmts, square)):
        used = [e for part in (element.base, element.index) for e in expressions(part)]
        if any(isinstance(e, Subscript) or (isinstance(e, Var) and e.symbol in lanes.own) for e in used):
            raise NotVector
        groups.setdefault((element.base, sum_of(element.index).key[1]), []).append(element)
    written = stored(stmts)
    found = Windows(stmts)
    near = (rows for group in groups.values() for rows in _rows(group, square))
    for number, group in enumerate(near):
        if root(group[0]) in written:
            every = {e for e in used_expressions(stmts) if isinstance(e, Subscript) and root(e) == root(group[0])}
            if every != set(group):
                raise NotVector
        found = _Window(group, stmts, square, number).into(found, begin, lanes)
    return found


def _rows(group: list[Subscript], square: TransposeTile) -> Iterator[list[Subscript]]:
    """Elements of rows that are a constant apart, those of a window each, in the order in which iterations come to an
    element by them, the last one first."""
    places = {element: _place(element, square) for element in group}
    ordered = sorted(group, key=places.__getitem__)
    apart = (places[after] - places[before] for before, after in pairwise(ordered))
    ends = [k for k, distance in enumerate(apart, 1) if distance > square.lanes]
    for first, end in zip((0, *ends), (*ends, len(ordered)), strict=True):
        yield ordered[first:end]


def _place(element: Subscript, square: TransposeTile) -> int:
    """How many iterations from now another one comes to what an iteration has of a row, but for a constant."""
    return sum_of(element.index).constant * (Lanes(square.row, square.lanes, {}).stride(element.index) or 1)


class _Window:
    """The elements of a row that iterations of a strip touch, by how far they are from the first one."""

    def __init__(self, group: list[Subscript], stmts: tuple[Stmt, ...], square: TransposeTile, number: int) -> None:
        self._group = group
        self._low = _place(group[0], square)
        self._square = square
        self._span = _place(group[-1], square) - self._low
        targets = [s.target for s in stmts if isinstance(s, Assign) and s.target in group]
        self._targets = tuple(dict.fromkeys(targets))
        last = self._group[-1]
        self._reads = last in _loads(stmts)
        if self._span > square.lanes or len(self._targets) > 1:
            raise NotVector
        self._matrix = Matrix(self._group[-1], square, number)
        name = f"{self._matrix.vectors.unique}_window"
        type_ = Array(self._matrix.kind, literal(square.lanes + self._span, INT))
        self._held = Symbol(name, name, type_, Storage.INNER)

    def into(self, found: Windows, begin: Expr, lanes: Lanes) -> Windows:
        """What is found of other rows, and this one."""
        held, body = dict(found.own), found.body
        if not self._span and not self._targets:  # nothing stays
            matrix = self._matrix
            held[matrix.element] = matrix.row(variable(derived(self._square.row, "nth", INT)), matrix.rounds)
            body = tuple(rewritten(s, instead(self._group[0], matrix.element)) for s in body)
            before = (*found.before, Declare(matrix.vectors, None, _NOWHERE), *matrix.read())
            return Windows(body, held, found.first, before, found.after)
        nth = variable(derived(self._square.row, "nth", INT))
        for element in self._group:
            past = _place(element, self._square) - self._low
            name = f"{self._held.unique}{past}"
            symbol = Symbol(name, name, element.type, Storage.INNER)
            held[symbol] = self._at(binary("+", nth, literal(past, INT), INT))
            body = tuple(rewritten(s, instead(element, symbol)) for s in body)
        first = (*found.first, Declare(self._held, None, _NOWHERE), *self._filled(begin, lanes))
        before = (*found.before, Declare(self._matrix.vectors, None, _NOWHERE), *self._read())
        return Windows(body, held, first, before, (*found.after, *self._left()))

    def _at(self, number: Expr) -> Expr:
        return Subscript(variable(self._held), number, self._matrix.kind, _NOWHERE)

    def _filled(self, begin: Expr, lanes: Lanes) -> Iterator[Stmt]:
        """What the first strip finds, lane by lane."""
        element = self._group[0]
        for past in range(self._span):
            here = binary("+", begin, literal(past, INT), INT)
            index = rewrite(element.index, partial(self._moved, here))
            value = lanes.of(Subscript(element.base, index, element.type, element.span))
            yield Assign(self._at(literal(past, INT)), "=", value, _NOWHERE)

    def _moved(self, here: Expr, expr: Expr) -> Expr | None:
        return here if isinstance(expr, Var) and expr.symbol == self._square.row else None

    def _read(self) -> Iterator[Stmt]:
        """What a strip adds to the window, unless it is only written."""
        if not self._reads:
            return
        yield from self._matrix.read()
        nth = derived(self._square.column, "nth", INT)
        past = binary("+", variable(nth), literal(self._span, INT), INT)
        turned = self._matrix.row(variable(nth), self._matrix.rounds)
        yield counted(nth, self._square.lanes, (Assign(self._at(past), "=", turned, _NOWHERE),))

    def _left(self) -> Iterator[Stmt]:
        """What a strip writes, stored, and what it leaves for the next one."""
        nth = derived(self._square.column, "nth", INT)
        for target in self._targets:
            past = _place(target, self._square) - self._low
            value = self._at(binary("+", variable(nth), literal(past, INT), INT))
            place = self._matrix.row(variable(nth), 0)
            yield counted(nth, self._square.lanes, (Assign(place, "=", value, _NOWHERE),))
            yield from Matrix(target, self._square, self._matrix.number).written()
        for past in range(self._span):
            after = self._at(literal(past + self._square.lanes, INT))
            yield Assign(self._at(literal(past, INT)), "=", after, _NOWHERE)


def _loads(stmts: tuple[Stmt, ...]) -> set[Expr]:
    """What statements read."""
    tops = [e for s in stmts for e in own(s) if not (isinstance(s, Assign) and s.op == "=" and e is s.target)]
    return {e for top in tops for e in expressions(top)}
