"""Arrays that a register tile accesses with a stride: it moves vectors of their rows and transposes them in registers.

``B[i][j] = A[j][i]`` in vectors along j would put each vector of A together from as many cache lines as it has lanes.
A square tile reads as many vectors along i instead, from lines that it uses whole, and turns rows into columns by
rounds of interleaving vectors. Rows may run backwards (``A[j][n - i]``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from accshare.builtins import shuffle
from accshare.frontend.ir import (
    INT,
    Array,
    Assign,
    Binary,
    Conditional,
    Declare,
    Expr,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Loop, Stmt
from accshare.kernel.uses import instead, rewritten, used_expressions
from accshare.kernel.vectors.lanes import Lanes, NotVector, vector_of
from accshare.kernel.vectors.strips import counted, scalar_of
from accshare.linear import sum_of
from accshare.records import dataclass, field
from accshare.reference import in_memory, root
from accshare.source import Span
from accshare.tree import expressions, rewrite

_NOWHERE = Span(0, 0)
#: bytes of a vector between whose elements one instruction moves most cheaply
_BLOCK = 16


@dataclass(frozen=True, slots=True)
class TransposeTile:
    """`lanes` iterations of the loop over `row`, from `start` on, by as many from `column` on."""

    column: Symbol
    row: Symbol
    start: Symbol
    lanes: int


@dataclass(frozen=True, slots=True)
class Transposed:
    """Statements of a register tile with variables of their own for the elements they go through strided. `own` are the
    vectors along x of these in a row; `before` loads and transposes what they read, `after` transposes and stores what
    they write."""

    body: tuple[Stmt, ...]
    own: dict[Symbol, Expr] = field(default_factory=dict)
    before: tuple[Stmt, ...] = ()
    after: tuple[Stmt, ...] = ()


def transposed(stmts: tuple[Stmt, ...], square: TransposeTile) -> Transposed:
    """`stmts`, which have no loops, transposed where they go strided. Raises `NotVector` where the order of loads and
    stores would matter."""
    strided = tuple(dict.fromkeys(strided_elements(stmts, square)))
    if not strided:
        return Transposed(stmts)
    _check(stmts, strided)
    targets = {s.target for s in stmts if isinstance(s, Assign)}
    own: dict[Symbol, Expr] = {}
    before: list[Stmt] = []
    after: list[Stmt] = []
    for number, element in enumerate(strided):
        matrix = Matrix(element, square, number)
        stores = element in targets
        own[matrix.element] = matrix.row(variable(derived(square.row, "nth", INT)), 0 if stores else matrix.rounds)
        if stores:
            before.append(Declare(matrix.vectors, None, _NOWHERE))
            after += matrix.written()
        else:
            before += (Declare(matrix.vectors, None, _NOWHERE), *matrix.read())
        stmts = tuple(rewritten(s, instead(element, matrix.element)) for s in stmts)
    return Transposed(stmts, own, tuple(before), tuple(after))


def strided_elements(stmts: tuple[Stmt, ...], square: TransposeTile) -> Iterator[Subscript]:
    """The elements whose neighbours along y lie side by side, forwards or backwards, and those along x don't."""
    down, along = Lanes(square.row, square.lanes, {}), Lanes(square.column, square.lanes, {})
    for expr in used_expressions(stmts):
        if not isinstance(expr, Subscript) or not in_memory(expr) or not isinstance(expr.type, Scalar):
            continue
        if along.stride(expr.index) is None and down.stride(expr.index) in {1, -1}:
            yield expr


def _check(stmts: tuple[Stmt, ...], strided: tuple[Subscript, ...]) -> None:
    """Raises `NotVector` unless the elements may be loaded before everything and stored after it."""
    check_plain(stmts)
    if any(isinstance(s, Assign) and s.op != "=" and not isinstance(s.target, Var) for s in stmts):
        raise NotVector
    stored = [s.target for s in stmts if isinstance(s, Assign) and not isinstance(s.target, Var)]
    buffers = [root(e) for e in used_expressions(stmts) if isinstance(e, Subscript)]
    for element in strided:
        own = root(element)
        targets = [target for target in stored if root(target) == own]
        stores_once = buffers.count(own) == len(targets) and all(_are_apart(*pair) for pair in combinations(targets, 2))
        if any(isinstance(e, Subscript) for e in expressions(element.index)) or not (not targets or stores_once):
            raise NotVector


def _are_apart(one: Expr, other: Expr) -> bool:
    """Whether two elements are never the same in one iteration; in different ones nothing is stored twice."""
    if not (isinstance(one, Subscript) and isinstance(other, Subscript)) or one.base != other.base:
        return False
    distance = sum_of(one.index).plus(sum_of(other.index), -1)
    return not distance.terms and distance.constant != 0


def check_plain(stmts: tuple[Stmt, ...]) -> None:
    """Raises `NotVector` unless every iteration computes, loads and stores all there is."""
    plain = all(isinstance(s, Declare | Assign) or (isinstance(s, Define) and not s.mutable) for s in stmts)
    if not plain or any(isinstance(e, Conditional) or _logical(e) for e in used_expressions(stmts)):
        raise NotVector


def _logical(expr: Expr) -> bool:
    return isinstance(expr, Binary) and expr.op in {"&&", "||"}


class Matrix:
    """A square of a matrix in vectors, first along y and after some rounds along x."""

    def __init__(self, reference: Subscript, square: TransposeTile, number: int) -> None:
        buffer = root(reference)
        assert buffer is not None
        assert isinstance(reference.type, Scalar)
        self.kind = vector_of(reference.type, square.lanes)
        self.rounds = square.lanes.bit_length() - 1
        self.reference, self.square, self.number = reference, square, number
        self._backwards = Lanes(square.row, square.lanes, {}).stride(reference.index) == -1
        self._block = min(square.lanes, max(1, _BLOCK // reference.type.bytes))
        name = f"{buffer.unique}_transposed{number or ''}"
        self.vectors = Symbol(name, name, Array(self.kind, literal(2 * square.lanes, INT)), Storage.INNER)
        self.element = Symbol(f"{name}_element", f"{name}_element", reference.type, Storage.INNER)

    def row(self, nth: Expr, rounds: int) -> Expr:
        """The vector along x of an iteration over the rows, after some rounds: none or all."""
        last = literal(self.square.lanes - 1, INT)
        return self._column(binary("-", last, nth, INT) if self._backwards else nth, rounds)

    def read(self) -> tuple[Stmt, ...]:
        """It loaded, and turned."""
        return self._load(), *self._transpose()

    def written(self) -> tuple[Stmt, ...]:
        """It turned, and stored."""
        return *self._transpose(), self._store()

    def _column(self, k: Expr, rounds: int) -> Expr:
        """The k-th vector of all, before or after the rounds, which need and leave them in this order: by their places
        in a block first."""
        inside = literal(self._block, INT)
        place = binary("*", binary("%", k, inside, INT), literal(self.square.lanes // self._block, INT), INT)
        ordered = self._block == self.square.lanes
        return self._at(k if ordered else binary("+", place, binary("/", k, inside, INT), INT), rounds)

    def _at(self, number: Expr, rounds: int) -> Expr:
        """A vector after some rounds of turning."""
        if rounds % 2:
            number = binary("+", number, literal(self.square.lanes, INT), INT)
        return Subscript(variable(self.vectors), number, self.kind, _NOWHERE)

    def _load(self) -> Loop:
        """The vectors along y, one for each column."""
        k = derived(self.square.column, "nth", INT)
        whole = self._column(variable(k), 0)
        return counted(k, self.square.lanes, (Assign(whole, "=", self._place(k), _NOWHERE),))

    def _store(self) -> Loop:
        """What `_load` loads, stored."""
        k = derived(self.square.column, "nth", INT)
        whole = self._column(variable(k), self.rounds)
        return counted(k, self.square.lanes, (Assign(self._place(k), "=", whole, _NOWHERE),))

    def _place(self, k: Symbol) -> Subscript:
        """Where a vector along y is; the first of its elements is the last iteration's where rows run backwards."""
        first: Expr = variable(self.square.start)
        if self._backwards:
            first = binary("+", first, literal(self.square.lanes - 1, INT), scalar_of(self.square.start))

        def moved(e: Expr) -> Expr | None:
            if not isinstance(e, Var):
                return None
            if e.symbol == self.square.row:
                return first
            if e.symbol == self.square.column and isinstance(e.type, Scalar):
                return binary("+", e, variable(k), e.type)
            return None

        index = rewrite(self.reference.index, moved)
        return Subscript(self.reference.base, index, self.kind, self.reference.span)

    def _transpose(self) -> Iterator[Loop]:
        """Rows become columns: each round interleaves the first half of the vectors with the second, elements within
        blocks and then these, since an instruction less does where elements stay within a block of AVX2."""
        inside = self._block.bit_length() - 1
        if inside:
            yield self._rounds(0, inside, self._block, 1)
        if inside < self.rounds:
            yield self._rounds(inside, self.rounds - inside, self.square.lanes, self._block)

    def _rounds(self, first: int, count: int, size: int, unit: int) -> Loop:
        """So many rounds that interleave units of lanes within groups of `size`."""
        half = self.square.lanes // 2
        stem = self.vectors.unique
        round_, pair = (Symbol(f"{stem}_{n}", f"{stem}_{n}", INT, Storage.INNER) for n in ("round", "pair"))
        sides = [Symbol(f"{stem}_{n}", f"{stem}_{n}", self.kind, Storage.INNER) for n in ("one", "other")]
        nth = binary("+", variable(round_), literal(first % 2, INT), INT)
        here = binary("*", binary("%", nth, literal(2, INT), INT), literal(self.square.lanes, INT), INT)
        there = binary("-", literal(self.square.lanes, INT), here, INT)
        start = binary("+", here, variable(pair), INT)
        target = binary("+", there, binary("*", variable(pair), literal(2, INT), INT), INT)
        low, high = (self._interleaved(sides, lane, size, unit) for lane in (0, size // 2))
        body = (
            Define(sides[0], self._at(start, 0)),
            Define(sides[1], self._at(binary("+", start, literal(half, INT), INT), 0)),
            Assign(self._at(target, 0), "=", low, _NOWHERE),
            Assign(self._at(binary("+", target, literal(1, INT), INT), 0), "=", high, _NOWHERE),
        )
        return counted(round_, count, (counted(pair, half, body),))

    def _interleaved(self, sides: list[Symbol], first: int, size: int, unit: int) -> Expr:
        """Half of the lanes of each group of `size`, from its lane `first` on, of two vectors by turns of a unit."""
        lanes = self.square.lanes
        starts = (g + s for g in range(first, lanes, size) for s in range(0, size // 2, unit))
        numbers = [start + past + k for start in starts for past in (0, lanes) for k in range(unit)]
        return shuffle(variable(sides[0]), variable(sides[1]), numbers)
