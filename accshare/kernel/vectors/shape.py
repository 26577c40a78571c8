"""The code of one register tile of iterations: each run of statements between loops, for all its rows and columns.

Accumulators of the tile's iterations are arrays of vectors, which stay in registers once the loops over them, whose
length is constant, are unrolled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby

from accshare.combining import identity
from accshare.frontend.ir import (
    INT,
    Array,
    Assign,
    Cast,
    Declare,
    Expr,
    Subscript,
    Symbol,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Guarded, Loop, Prefetch, Stmt, parts
from accshare.kernel.uses import rewritten, symbols, used_expressions
from accshare.kernel.vectors.folding import folded
from accshare.kernel.vectors.inner import Around, Vectors, in_lanes
from accshare.kernel.vectors.interleaved import Interleaved, interleaved
from accshare.kernel.vectors.lanes import Lanes, NotVector, changed, is_vector, vector_of
from accshare.kernel.vectors.masked import masked, touched
from accshare.kernel.vectors.ragged import in_common
from accshare.kernel.vectors.skewed import Skew, skew_of
from accshare.kernel.vectors.strips import after_strips, at_least, last_of, nths, scalar_of, strided
from accshare.kernel.vectors.transpose import Transposed, TransposeTile, strided_elements, transposed
from accshare.kernel.vectors.windows import windows
from accshare.pragma.ir import ReductionOp
from accshare.records import dataclass, field, replace
from accshare.source import Span
from accshare.tree import expressions

_NOWHERE = Span(0, 0)
#: vectors that the code of a register tile may compute in unrolled loops
_LARGEST = 256


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a tile, `count` from `start` on; `names` stand for what is computed from the iterator `row`."""

    row: Symbol | None = None
    start: Symbol | None = None
    count: int = 1
    names: tuple[Stmt, ...] = ()

    def each(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """`body` for all of them."""
        if self.row is None or self.start is None or not body:
            return body
        return (nths(self.row, self.start, self.count, body),)


@dataclass(frozen=True, slots=True)
class Accumulators:
    """Accumulators of all iterations, one for each lane of a register tile while its loop runs. Where `rows` have
    results of their own, `places` tells where; elsewhere all iterations have the one variable."""

    ops: Mapping[Symbol, ReductionOp]
    vectors: int
    lanes: int
    path: str
    rows: Rows = field(default_factory=Rows)
    places: Mapping[Symbol, Expr] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Vectors of a register tile."""
        return self.rows.count * self.vectors

    def held(self, symbol: Symbol) -> Symbol:
        """The accumulators of a register tile instead of one."""
        kind = vector_of(symbol.type, self.lanes)
        several = Array(kind, literal(self.count, INT)) if self.count > 1 else kind
        word = "v" if self.vectors * self.lanes > 1 else "one"  # both may stand in a block
        return replace(symbol, unique=f"{symbol.unique}_{word}{self.path}", type=several)

    def at(self, symbol: Symbol, number: Expr) -> Expr:
        """The accumulators of one vector of the register tile."""
        held = variable(self.held(symbol))
        return Subscript(held, number, vector_of(symbol.type, self.lanes), _NOWHERE) if self.count > 1 else held

    @property
    def before(self) -> tuple[Stmt, ...]:
        """All of them at the value that changes nothing."""
        result: list[Stmt] = []
        for symbol, op in self.ops.items():
            start = identity(op, scalar_of(symbol))
            ones = (Assign(self.at(symbol, literal(k, INT)), "=", start, _NOWHERE) for k in range(self.count))
            result += (Declare(self.held(symbol), None, _NOWHERE), *ones)
        return tuple(result)

    @property
    def after(self) -> tuple[Stmt, ...]:
        """All of them combined into the one, or those of each row into its own."""
        result: list[Stmt] = []
        first: Expr = literal(0, INT)
        if self.rows.row is not None and self.rows.count > 1:
            nth = variable(derived(self.rows.row, "nth", INT))
            first = binary("*", nth, literal(self.vectors, INT), INT)
        for symbol, op in self.ops.items():
            numbers = (binary("+", first, literal(k, INT), INT) for k in range(self.vectors))
            vectors = tuple(self.at(symbol, number) for number in numbers)
            place = self.places.get(symbol, variable(symbol))
            result += folded(op, place, vectors, self.held(symbol), scalar_of(symbol))
        return tuple(self.rows.each((*self.rows.names, *result)) if result else ())


@dataclass(frozen=True, slots=True)
class Shape:
    """A tile of `rows` by `vectors` times `lanes` columns. Rows of a `stencil` share what short loops load; others may
    have `inner` vectors along theirs. What is `moved` in whole vectors, the variables hold."""

    column: Symbol
    vectors: int
    lanes: int
    rows: Rows
    parts: Accumulators
    stencil: bool
    inner: Vectors | None = None
    skew: Skew | None = None
    moved: Interleaved | None = None

    @property
    def number(self) -> Expr:
        """Of a vector among the register tile's."""
        nths = [
            (self._nth(s), n) for s, n in ((self.rows.row, self.rows.count), (self.column, self.vectors)) if s and n > 1
        ]
        number: Expr = literal(0, INT)
        for nth, n in nths:
            number = binary("+", binary("*", number, literal(n, INT), INT), variable(nth), INT)
        return number

    def _nth(self, symbol: Symbol) -> Symbol:
        return derived(symbol, "nth", INT)

    def body(self, stmts: tuple[Stmt, ...], columns_from: Symbol) -> tuple[Stmt, ...]:
        """The code of a register tile. Raises `NotVector`."""
        strided = Transposed(stmts)
        moved = Interleaved(stmts)
        if not any(map(_has_loop, stmts)):  # no variable lives from one run to another
            moved = interleaved(stmts, self.column, self.lanes)
            strided = self._transposed(moved.body)
            strided = replace(strided, own={**strided.own, **moved.own})
            shared = {*_declared(stmts), *self.parts.ops, *strided.own}
            stmts = (*(Declare(s, None, _NOWHERE) for s in _own(strided.body) if s not in shared), *strided.body)
        runs = tuple(_runs(stmts))
        mentioned = Counter(symbol for run in runs for symbol in symbols(run))
        local = {s for s in _declared(stmts) if mentioned[s] == 1}
        kept = [s for s in _own(stmts) if s not in local and s not in self.parts.ops and s not in strided.own]
        count = self.rows.count * self.vectors
        own: dict[Symbol, Expr] = {symbol: self.parts.at(symbol, self.number) for symbol in self.parts.ops}
        own |= strided.own
        whole = replace(self, moved=moved)
        declares: list[Stmt] = []
        for symbol in (*kept, *local):
            kind = vector_of(symbol.type, self.lanes)
            several = count > 1 and symbol not in local
            held = replace(
                symbol, unique=f"{symbol.unique}_v", type=Array(kind, literal(count, INT)) if several else kind
            )
            own[symbol] = Subscript(variable(held), self.number, kind, _NOWHERE) if several else variable(held)
            if symbol not in local:
                declares.append(Declare(held, None, _NOWHERE))
        names = {d.symbol: _named(d) for d in self.rows.names if isinstance(d, Define)}
        arrays = {symbol: self._array(symbol) for symbol in own_arrays(stmts)}
        declares += (Declare(held, None, _NOWHERE) for held in arrays.values())
        lanes = Lanes(self.column, self.lanes, own, names, arrays)
        return (*declares, *strided.before, *whole._sequence(stmts, lanes, local, columns_from), *strided.after)

    def _transposed(self, stmts: tuple[Stmt, ...]) -> Transposed:
        """Statements without loops; in a square register tile what they access with a stride goes in vectors too."""
        rows = self.rows
        if rows.row is None or rows.start is None or self.vectors > 1 or not 1 < self.lanes == rows.count:
            return Transposed(stmts)
        return transposed(stmts, TransposeTile(self.column, rows.row, rows.start, self.lanes))

    def _array(self, symbol: Symbol) -> Symbol:
        """An array of which every iteration has its own. Raises `NotVector` where there are more than lanes."""
        assert isinstance(symbol.type, Array)
        if self.rows.count * self.vectors > 1 or self.inner or symbol in self.parts.ops:
            raise NotVector
        kind = vector_of(symbol.type.element, self.lanes)
        return replace(symbol, unique=f"{symbol.unique}_v", type=Array(kind, symbol.type.length))

    def _sequence(
        self, stmts: tuple[Stmt, ...], lanes: Lanes, local: set[Symbol], columns_from: Symbol
    ) -> tuple[Stmt, ...]:
        result: list[Stmt] = []
        defined: dict[Symbol, Expr] = {}
        for looped, group in groupby(stmts, _has_loop):
            if not looped:
                result += self._run(tuple(group), lanes, local, columns_from, defined)
                continue
            for stmt in group:
                result += self._around(stmt, replace(lanes, defined={**lanes.defined, **defined}), local, columns_from)
        return tuple(result)

    def _around(self, stmt: Stmt, lanes: Lanes, local: set[Symbol], columns_from: Symbol) -> tuple[Stmt, ...]:
        """A statement with loops in it, which all iterations of the register tile run together."""
        match stmt:
            case Loop(first=first, condition=condition, body=body):
                several = self._of_rows(stmt)
                if several is not None:
                    every = (self._around(one, lanes, local, columns_from) for one in several)
                    return tuple(s for one in every for s in one)
                stmt = replace(stmt, first=self._same(first, lanes), condition=self._same(condition, lanes))
                free = self.inner.along(stmt) if self.inner else None
                if self.inner and free:
                    one = self._sequence(body, lanes, local, columns_from)
                    return in_lanes(stmt, free, self.inner.inner, self._around_it(lanes, columns_from), one)
                many = self._along(stmt, lanes, local, columns_from)
                if many:
                    return many
                whole = self.rows.count * self.vectors * (_unrolled(stmt) or _LARGEST) < _LARGEST
                unroll = stmt.unroll if whole else 1
                skew = skew_of(stmt, self.rows.row) if self.stencil and self.rows.row and not self.skew else None
                if skew and unroll > 1:
                    inside = replace(self, skew=skew)._sequence(body, lanes, local, columns_from)
                    return (skew.loop(stmt, self.rows.count, inside),)
                return (replace(stmt, unroll=unroll, body=self._sequence(body, lanes, local, columns_from)),)
            case Guarded(condition, then, other):
                condition = self._same(condition, lanes)
                sides = [self._sequence(side, lanes, local, columns_from) for side in (then, other)]
                return (Guarded(condition, sides[0], sides[1]),)
        raise NotVector

    def _of_rows(self, loop: Loop) -> tuple[Loop, ...] | None:
        """The loops that rows run together instead of an innermost one whose bounds hang on the row."""
        rows = self.rows
        if rows.row is None or rows.start is None or rows.count == 1 or self.inner or any(map(_has_loop, loop.body)):
            return None
        first = variable(rows.start)
        last = binary("+", first, literal(rows.count - 1, INT), scalar_of(rows.row))
        return in_common(loop, rows.row, first, last)

    def _around_it(self, lanes: Lanes, columns_from: Symbol) -> Around:
        """The register tile as a loop that has vectors of its own sees it."""
        return Around(
            self.rows.count * self.vectors,
            self.number,
            lanes,
            lambda body: self._each(body, columns_from),
            lambda stmts, own: self._straight(stmts, own, set(), {}),
        )

    def _along(self, loop: Loop, lanes: Lanes, local: set[Symbol], columns_from: Symbol) -> tuple[Stmt, ...]:
        """An innermost loop along rows of a matrix in which each lane has its own: strips of it read squares and turn
        them. Nothing where no such matrix is read."""
        if self.lanes == 1 or self.vectors > 1 or loop.step != 1 or any(map(_has_loop, loop.body)):
            return ()
        if lanes.arrays or 1 < loop.unroll < self.lanes:
            return ()
        iterator, high = loop.iterator, last_of(loop)
        type_ = scalar_of(iterator)
        start = derived(iterator, "block", type_)
        try:
            square = TransposeTile(self.column, iterator, start, self.lanes)
            body = _without_names(loop.body, lanes)
            found = windows(body, square, loop.first, lanes)
        except NotVector:
            return ()
        moving = (e for e in used_expressions((*found.first, *found.before)) if isinstance(e, Var))
        if not found.own or any(e.symbol == self.rows.row for e in moving):
            return ()
        inside = replace(lanes, own={**lanes.own, **found.own})
        one = self._sequence(found.body, inside, local, columns_from)
        rows = frozenset(strided_elements(body, square))
        spelled = tuple(_spelled_out(s, rows) for s in body)
        rest = after_strips(loop.first, high, self.lanes, type_)  # unnamed: one source loop may be here in several
        left = replace(loop, first=rest, unroll=1, body=self._sequence(spelled, lanes, local, columns_from))
        many = strided(loop, start, loop.first, high, self.lanes)
        many = replace(many, body=(*found.before, nths(iterator, start, self.lanes, one), *found.after))
        strips: tuple[Stmt, ...] = (many,)
        if found.first:
            strips = (Guarded(at_least(loop.first, high, self.lanes), (*found.first, many)),)
        return (*strips, left)

    def _same(self, expr: Expr, lanes: Lanes) -> Expr:
        """The value of all iterations of the register tile. Raises `NotVector` where they may differ."""
        if self.rows.count * self.vectors * self.lanes == 1:
            return lanes.of(expr)
        if lanes.varies(expr) or any(isinstance(e, Var) and e.symbol == self.rows.row for e in expressions(expr)):
            raise NotVector
        return expr

    def _run(
        self,
        stmts: tuple[Stmt, ...],
        lanes: Lanes,
        local: set[Symbol],
        columns_from: Symbol,
        defined: dict[Symbol, Expr],
    ) -> tuple[Stmt, ...]:
        """Statements without loops, for all iterations of the register tile."""
        before, after = (self.moved.before, self.moved.after) if self.moved else ((), ())
        return self._each((*before, *self._straight(stmts, lanes, local, defined), *after), columns_from)

    def _each(self, body: tuple[Stmt, ...], columns_from: Symbol) -> tuple[Stmt, ...]:
        """`body` for all vectors of the register tile."""
        if self.vectors > 1 and body:
            body = (nths(self.column, columns_from, self.vectors, body, self.lanes),)
        if self.skew and self.rows.row and body:
            body = self.skew.of_row(self._nth(self.rows.row), body)
        return self.rows.each(body)

    def _straight(
        self, stmts: tuple[Stmt, ...], lanes: Lanes, local: set[Symbol], defined: dict[Symbol, Expr]
    ) -> tuple[Stmt, ...]:
        result: list[Stmt] = []
        certain = touched(stmts)
        for stmt in stmts:
            lanes = replace(lanes, defined={**lanes.defined, **defined})
            match stmt:
                case Define(symbol, value, False) if not _is_name(value, lanes):
                    if not self.inner and not self.parts.ops and self.rows.count * self.vectors > 1:
                        raise NotVector
                    found = lanes.of(value)
                    name = replace(symbol, type=found.type) if is_vector(found) else symbol
                    result.append(Define(name, found))
                    lanes = replace(lanes, own={**lanes.own, symbol: variable(name)})
                case Define(symbol, value, False):
                    defined[symbol] = _named(stmt)
                case Guarded(condition, then, other):
                    if lanes.varies(condition) and lanes.count > 1:
                        raise NotVector
                    condition = lanes.of(condition)
                    sides = [self._straight(side, lanes, local, dict(defined)) for side in (then, other)]
                    result.append(Guarded(condition, sides[0], sides[1]))
                case Prefetch():
                    result.append(stmt)
                case Declare(symbol) if symbol in local:
                    held = lanes.own[symbol]
                    assert isinstance(held, Var)
                    result += (Declare(held.symbol, None, stmt.span), *lanes.statement(stmt))
                case _:
                    result += masked(stmt, lanes, certain)
        return tuple(result)


def _is_name(value: Expr, lanes: Lanes) -> bool:
    """Whether it is computed from iterators alone."""
    return not any(
        isinstance(e, Subscript) or (isinstance(e, Var) and e.symbol in lanes.own) for e in expressions(value)
    )


def _without_names(stmts: tuple[Stmt, ...], lanes: Lanes) -> tuple[Stmt, ...]:
    """`stmts` with what names stand for that are computed from iterators alone."""
    names: dict[Symbol, Expr] = {}
    result: list[Stmt] = []
    for stmt in stmts:
        plain = rewritten(stmt, lambda e: names.get(e.symbol) if isinstance(e, Var) else None)
        if isinstance(plain, Define) and not plain.mutable and _is_name(plain.value, lanes):
            names[plain.symbol] = _named(plain)
        else:
            result.append(plain)
    return tuple(result)


def _named(define: Define) -> Expr:
    """The value of a name, in its type."""
    return Cast(define.value, define.symbol.type, False, define.value.span)


def _spelled_out(stmt: Stmt, elements: frozenset[Subscript]) -> Stmt:
    """``a[i] op= x`` as ``a[i] = a[i] op x`` where it is one of the elements of which no two lanes have the same."""
    if not isinstance(stmt, Assign) or stmt.target not in elements:
        return stmt
    return replace(stmt, op="=", value=changed(stmt.target, stmt.op, stmt.value))


def _unrolled(loop: Loop) -> int | None:
    """How often the innermost code of loops that are short runs; None where one is not."""
    if loop.unroll == 1:
        return None
    inside = [_unrolled(part) for stmt in loop.body for part in parts(stmt) if isinstance(part, Loop)]
    known = [n for n in inside if n is not None]
    return loop.unroll * max(known, default=1) if len(known) == len(inside) else None


def _has_loop(stmt: Stmt) -> bool:
    return any(isinstance(part, Loop) for part in parts(stmt))


def _runs(stmts: tuple[Stmt, ...]) -> Iterator[tuple[Stmt, ...]]:
    """The runs of statements between loops."""
    for looped, group in groupby(stmts, _has_loop):
        run = tuple(group)
        if not looped:
            yield run
            continue
        for stmt in run:
            if isinstance(stmt, Loop):
                yield from _runs(stmt.body)
            elif isinstance(stmt, Guarded):
                yield from _runs(stmt.then)
                yield from _runs(stmt.other)


def _declared(stmts: tuple[Stmt, ...]) -> tuple[Symbol, ...]:
    return tuple(p.symbol for s in stmts for p in parts(s) if isinstance(p, Declare))


def _own(stmts: tuple[Stmt, ...]) -> tuple[Symbol, ...]:
    """The variables of which each iteration has its own, but for arrays."""
    found: dict[Symbol, None] = dict.fromkeys(_declared(stmts))
    for stmt in stmts:
        for part in parts(stmt):
            if isinstance(part, Define) and part.mutable:
                found[part.symbol] = None
            elif isinstance(part, Assign) and isinstance(part.target, Var):
                found[part.target.symbol] = None
    return tuple(found)


def own_arrays(stmts: tuple[Stmt, ...]) -> tuple[Symbol, ...]:
    """The arrays of which each iteration has its own."""
    return tuple(s for s in symbols(stmts) if isinstance(s.type, Array))
