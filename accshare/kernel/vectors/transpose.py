"""Arrays that a register tile accesses with a stride: it moves vectors of their rows and transposes them in registers.

``B[i][j] = A[j][i]`` in vectors along j would put each vector of A together from as many cache lines as it has lanes.
A square tile reads as many vectors along i instead, from lines that it uses whole, and turns rows into columns by
rounds of interleaving vectors.
"""

from __future__ import annotations

from collections.abc import Iterator

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
from accshare.kernel.vectors.strips import counted
from accshare.records import dataclass, field
from accshare.reference import in_memory, root
from accshare.source import Span
from accshare.tree import expressions, rewrite

_NOWHERE = Span(0, 0)


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
        own[matrix.element] = matrix.at(variable(derived(square.row, "nth", INT)), 0 if stores else matrix.rounds)
        if stores:
            before.append(Declare(matrix.vectors, None, _NOWHERE))
            after += matrix.written()
        else:
            before += (Declare(matrix.vectors, None, _NOWHERE), *matrix.read())
        stmts = tuple(rewritten(s, instead(element, matrix.element)) for s in stmts)
    return Transposed(stmts, own, tuple(before), tuple(after))


def strided_elements(stmts: tuple[Stmt, ...], square: TransposeTile) -> Iterator[Subscript]:
    """The elements whose neighbours along y lie side by side, and those along x don't."""
    down, along = Lanes(square.row, square.lanes, {}), Lanes(square.column, square.lanes, {})
    for expr in used_expressions(stmts):
        if not isinstance(expr, Subscript) or not in_memory(expr) or not isinstance(expr.type, Scalar):
            continue
        if along.stride(expr.index) is None and down.stride(expr.index) == 1:
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
        loads_only = own not in map(root, stored)
        stores_once = stored.count(element) == 1 and buffers.count(own) == 1
        if any(isinstance(e, Subscript) for e in expressions(element.index)) or not (loads_only or stores_once):
            raise NotVector


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
        name = f"{buffer.unique}_transposed{number or ''}"
        self.vectors = Symbol(name, name, Array(self.kind, literal(2 * square.lanes, INT)), Storage.INNER)
        self.element = Symbol(f"{name}_element", f"{name}_element", reference.type, Storage.INNER)

    def at(self, number: Expr, rounds: int) -> Expr:
        """A vector after some rounds of turning."""
        if rounds % 2:
            number = binary("+", number, literal(self.square.lanes, INT), INT)
        return Subscript(variable(self.vectors), number, self.kind, _NOWHERE)

    def read(self) -> tuple[Stmt, ...]:
        """It loaded, and turned."""
        return self._load(), self._transpose()

    def written(self) -> tuple[Stmt, ...]:
        """It turned, and stored."""
        return self._transpose(), self._store()

    def _load(self) -> Loop:
        """The vectors along y, one for each column."""
        k = derived(self.square.column, "nth", INT)
        return counted(k, self.square.lanes, (Assign(self.at(variable(k), 0), "=", self._place(k), _NOWHERE),))

    def _store(self) -> Loop:
        """What `_load` loads, stored."""
        k = derived(self.square.column, "nth", INT)
        whole = self.at(variable(k), self.rounds)
        return counted(k, self.square.lanes, (Assign(self._place(k), "=", whole, _NOWHERE),))

    def _place(self, k: Symbol) -> Subscript:
        def moved(e: Expr) -> Expr | None:
            if not isinstance(e, Var):
                return None
            if e.symbol == self.square.row:
                return variable(self.square.start)
            if e.symbol == self.square.column and isinstance(e.type, Scalar):
                return binary("+", e, variable(k), e.type)
            return None

        index = rewrite(self.reference.index, moved)
        return Subscript(self.reference.base, index, self.kind, self.reference.span)

    def _transpose(self) -> Loop:
        """Rows become columns: each round interleaves the first half of the vectors with the second."""
        half = self.square.lanes // 2
        stem = self.vectors.unique
        round_, pair = (Symbol(f"{stem}_{n}", f"{stem}_{n}", INT, Storage.INNER) for n in ("round", "pair"))
        sides = [Symbol(f"{stem}_{n}", f"{stem}_{n}", self.kind, Storage.INNER) for n in ("one", "other")]
        odd = binary("%", variable(round_), literal(2, INT), INT)
        here = binary("*", odd, literal(self.square.lanes, INT), INT)
        there = binary("-", literal(self.square.lanes, INT), here, INT)
        first = binary("+", here, variable(pair), INT)
        target = binary("+", there, binary("*", variable(pair), literal(2, INT), INT), INT)
        body = (
            Define(sides[0], self.at(first, 0)),
            Define(sides[1], self.at(binary("+", first, literal(half, INT), INT), 0)),
            Assign(self.at(target, 0), "=", self._interleaved(sides, 0), _NOWHERE),
            Assign(
                self.at(binary("+", target, literal(1, INT), INT), 0), "=", self._interleaved(sides, half), _NOWHERE
            ),
        )
        return counted(round_, self.rounds, (counted(pair, half, body),))

    def _interleaved(self, sides: list[Symbol], start: int) -> Expr:
        """The lanes of two vectors from `start` on, as many as one has, by turns."""
        lanes = self.square.lanes
        numbers = [lane + past for lane in range(start, start + lanes // 2) for past in (0, lanes)]
        return shuffle(variable(sides[0]), variable(sides[1]), numbers)
