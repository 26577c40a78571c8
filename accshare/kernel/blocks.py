"""Blocks of iterations on a CPU: a work-item runs some rows and columns of its tile at once, columns in vectors.

The loops over a tile become loops over blocks, and what is left at the ends runs in ever smaller ones. In a block, each
run of statements between loops is done for all its iterations before the next (unroll and jam), so that their
accumulators stay in registers and what they load serves them all. Iterations of mapped loops do not depend on one
another, which is all this asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from accshare.frontend.ir import (
    INT,
    Array,
    Assign,
    Binary,
    Cast,
    Declare,
    Expr,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Var,
)
from accshare.ilp.ir import Block
from accshare.islexpr import binary, literal, variable
from accshare.kernel.ir import Define, Guarded, Loop, Stmt
from accshare.kernel.lanes import Lanes, NotVector, vector_of
from accshare.kernel.space import Space, counter, derived
from accshare.kernel.uses import parts, symbols, used_expressions
from accshare.reference import strip
from accshare.source import Span
from accshare.tree import expressions

_NOWHERE = Span(0, 0)
#: the narrowest vectors that are worth their instructions
_NARROWEST = 4


def blocked(stmts: tuple[Stmt, ...], space: Space, block: Block) -> tuple[Stmt, ...]:
    """`stmts` with the loops over own iterations in blocks; as they are where that can't be."""
    axes = {c.dimension.axis: counter(c.dimension.loop, space.index_type) for c in space.coordinates if not c.single}
    return _Blocks(axes.get(0), axes.get(1), block).all_of(stmts, "")


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Puts the loops that `column` and `row` count in blocks."""

    column: Symbol | None
    row: Symbol | None
    block: Block

    def all_of(self, stmts: tuple[Stmt, ...], path: str) -> tuple[Stmt, ...]:
        """Each in its turn; `path` tells what is declared for one from what is for others."""
        several = len(stmts) > 1
        return tuple(s for k, stmt in enumerate(stmts) for s in self.one(stmt, f"{path}{k}" if several else path))

    def one(self, stmt: Stmt, path: str) -> tuple[Stmt, ...]:
        """A statement, its loops in blocks if need be of single rows."""
        match stmt:
            case Loop(iterator=iterator, body=(*before, Loop() as columns)) if (
                iterator == self.row and columns.iterator == self.column and all(map(_is_name, before))
            ):
                for rows in sorted({1, self.block.rows}, reverse=True):
                    try:
                        return _rows(stmt, tuple(before), columns, replace(self.block, rows=rows), path)
                    except NotVector:
                        continue
                return (stmt,)
            case Loop(iterator=iterator) if iterator == self.column:
                try:
                    return _columns(stmt, _Rows(), self.block, path)
                except NotVector:
                    return (stmt,)
            case Loop(body=body):
                return (replace(stmt, body=self.all_of(body, path)),)
            case Guarded(then=then, other=other):
                return (replace(stmt, then=self.all_of(then, f"{path}t"), other=self.all_of(other, f"{path}e")),)
        return (stmt,)


def _is_name(stmt: Stmt) -> bool:
    """Whether it only gives a value of the iterator a name."""
    return isinstance(stmt, Define) and not stmt.mutable and isinstance(strip(stmt.value), Var)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a block, `count` from `start` on; `names` stand for what is computed from the iterator `row`."""

    row: Symbol | None = None
    start: Symbol | None = None
    count: int = 1
    names: tuple[Stmt, ...] = ()


def _rows(loop: Loop, before: tuple[Stmt, ...], columns: Loop, block: Block, path: str) -> tuple[Stmt, ...]:
    """Blocks of rows, then single rows. Raises `NotVector`."""
    if block.rows == 1:
        return (replace(loop, body=(*before, *_columns(columns, _Rows(), block, path))),)
    fixed = {loop.iterator, *(d.symbol for d in before if isinstance(d, Define))}
    bounds = (*expressions(columns.first), *expressions(columns.condition))
    if any(isinstance(e, Var) and e.symbol in fixed for e in bounds):
        raise NotVector
    high, type_ = _last(loop), _scalar(loop.iterator)
    many = _strided(loop, loop.first, high, block.rows)
    rest = derived(loop.iterator, f"rest{path}", type_)
    rows = _Rows(loop.iterator, many.iterator, block.rows, before)
    single = (*before, *_columns(columns, _Rows(), block, path))
    return (
        replace(many, body=_columns(columns, rows, block, path)),
        Define(rest, _after(loop.first, high, block.rows, type_)),
        replace(loop, first=variable(rest), unroll=1, body=single),
    )


def _columns(loop: Loop, rows: _Rows, block: Block, path: str) -> tuple[Stmt, ...]:
    """Blocks of columns, wide ones first, each as far as they go. Raises `NotVector`."""
    high, first, type_ = _last(loop), loop.first, _scalar(loop.iterator)
    result: list[Stmt] = []
    widths = tuple(_widths(block))
    for vectors, lanes in widths:
        width = vectors * lanes
        if width * rows.count == 1:
            result.append(replace(loop, first=first, unroll=1))
            continue
        many = _strided(loop, first, high, width) if vectors > 1 else replace(loop, first=first, step=width, unroll=1)
        more = binary("+", variable(many.iterator), literal(width - 1, INT), type_)
        condition = Binary("<=", more, high, INT, _NOWHERE)
        shape = _Shape(loop.iterator, vectors, lanes, rows)
        result.append(replace(many, condition=condition, body=shape.body(loop.body, many.iterator)))
        if (vectors, lanes) != widths[-1]:
            rest = derived(loop.iterator, f"from{width}{path}", type_)
            result.append(Define(rest, _after(first, high, width, type_)))
            first = variable(rest)
    return tuple(result)


def _widths(block: Block) -> Iterator[tuple[int, int]]:
    """Vectors and lanes of the blocks of columns."""
    if block.vectors > 1:
        yield block.vectors, block.lanes
    lanes = block.lanes
    while lanes >= _NARROWEST:
        yield 1, lanes
        lanes //= 2
    yield 1, 1


def _scalar(symbol: Symbol) -> Scalar:
    assert isinstance(symbol.type, Scalar)
    return symbol.type


def _strided(loop: Loop, first: Expr, high: Expr, step: int) -> Loop:
    """The loop over blocks of `step` iterations."""
    start = derived(loop.iterator, "block", _scalar(loop.iterator))
    more = binary("+", variable(start), literal(step - 1, INT), _scalar(loop.iterator))
    return replace(
        loop, iterator=start, first=first, condition=Binary("<=", more, high, INT, _NOWHERE), step=step, unroll=1
    )


def _last(loop: Loop) -> Expr:
    """The last value of the iterator. Raises `NotVector` where the condition does not tell."""
    if loop.step != 1:
        raise NotVector
    match loop.condition:
        case Binary("<=", Var(symbol), bound) if symbol == loop.iterator:
            return bound
        case Binary("<", Var(symbol), bound) if symbol == loop.iterator:
            return binary("-", bound, literal(1, INT), _scalar(loop.iterator))
    raise NotVector


def _after(first: Expr, high: Expr, width: int, type_: Scalar) -> Expr:
    """Where blocks of `width` from `first` on end; at most one after `high` where there are none."""
    count = binary("+", binary("-", high, first, type_), literal(1, INT), type_)
    whole = binary("*", binary("/", count, literal(width, INT), type_), literal(width, INT), type_)
    return binary("+", first, whole, type_)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A block of `rows` by `vectors` times `lanes` columns."""

    column: Symbol
    vectors: int
    lanes: int
    rows: _Rows

    @property
    def number(self) -> Expr:
        """Of a vector among the block's."""
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
        """The code of a block. Raises `NotVector`."""
        runs = tuple(_runs(stmts))
        local = {s for s in _declared(stmts) if sum(s in symbols(run) for run in runs) == 1}
        kept = [s for s in _own(stmts) if s not in local]
        count = self.rows.count * self.vectors
        own: dict[Symbol, Expr] = {}
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
        lanes = Lanes(self.column, self.lanes, own, names)
        return (*declares, *self._sequence(stmts, lanes, local, columns_from))

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
                result.append(
                    self._around(stmt, replace(lanes, defined={**lanes.defined, **defined}), local, columns_from)
                )
        return tuple(result)

    def _around(self, stmt: Stmt, lanes: Lanes, local: set[Symbol], columns_from: Symbol) -> Stmt:
        """A statement with loops in it, which all iterations of the block run together."""
        match stmt:
            case Loop(first=first, condition=condition, body=body):
                self._same(first, lanes)
                self._same(condition, lanes)
                return replace(stmt, unroll=1, body=self._sequence(body, lanes, local, columns_from))
            case Guarded(condition, then, other):
                self._same(condition, lanes)
                sides = (self._sequence(side, lanes, local, columns_from) for side in (then, other))
                return Guarded(condition, *sides)
        raise NotVector

    def _same(self, expr: Expr, lanes: Lanes) -> None:
        """Raises `NotVector` where iterations of the block may differ."""
        if lanes.varies(expr) or any(isinstance(e, Var) and e.symbol == self.rows.row for e in expressions(expr)):
            raise NotVector

    def _run(
        self,
        stmts: tuple[Stmt, ...],
        lanes: Lanes,
        local: set[Symbol],
        columns_from: Symbol,
        defined: dict[Symbol, Expr],
    ) -> tuple[Stmt, ...]:
        """Statements without loops, for all iterations of the block."""
        body = self._straight(stmts, lanes, local, defined)
        if self.vectors > 1 and body:
            distance = binary("*", variable(self._nth(self.column)), literal(self.lanes, INT), INT)
            body = (self._nths(self.column, columns_from, distance, self.vectors, body),)
        rows = self.rows
        if rows.row and rows.start and body:
            body = (self._nths(rows.row, rows.start, variable(self._nth(rows.row)), rows.count, body),)
        return body

    def _nths(self, symbol: Symbol, start: Symbol, distance: Expr, count: int, body: tuple[Stmt, ...]) -> Loop:
        place = Define(symbol, binary("+", variable(start), distance, _scalar(symbol)))
        inside = (place, *body) if symbol in symbols(body) else body
        nth = self._nth(symbol)
        return Loop(
            nth, literal(0, INT), Binary("<", variable(nth), literal(count, INT), INT, _NOWHERE), 1, inside, count, None
        )

    def _straight(
        self, stmts: tuple[Stmt, ...], lanes: Lanes, local: set[Symbol], defined: dict[Symbol, Expr]
    ) -> tuple[Stmt, ...]:
        result: list[Stmt] = []
        for stmt in stmts:
            lanes = replace(lanes, defined={**lanes.defined, **defined})
            match stmt:
                case Define(symbol, value, False):
                    if any(
                        isinstance(e, Subscript) or (isinstance(e, Var) and e.symbol in lanes.own)
                        for e in expressions(value)
                    ):
                        raise NotVector
                    defined[symbol] = _named(stmt)
                case Guarded(condition, then, other):
                    if lanes.varies(condition):
                        raise NotVector
                    sides = (self._straight(side, lanes, local, dict(defined)) for side in (then, other))
                    result.append(Guarded(condition, *sides))
                case Declare(symbol) if symbol in local:
                    held = lanes.own[symbol]
                    assert isinstance(held, Var)
                    result += (Declare(held.symbol, None, stmt.span), *lanes.statement(stmt))
                case _:
                    result += lanes.statement(stmt)
        return tuple(result)


def _named(define: Define) -> Expr:
    """The value of a name, in its type."""
    return Cast(define.value, define.symbol.type, False, define.value.span)


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
    """The variables of which each iteration has its own. Raises `NotVector` where one is an array."""
    found: dict[Symbol, None] = dict.fromkeys(_declared(stmts))
    for stmt in stmts:
        for part in parts(stmt):
            if isinstance(part, Define) and part.mutable:
                found[part.symbol] = None
            elif isinstance(part, Assign) and isinstance(part.target, Var):
                found[part.target.symbol] = None
    for expr in used_expressions(stmts):
        if isinstance(expr, Subscript) and isinstance(expr.base, Var) and expr.base.symbol.storage is Storage.INNER:
            raise NotVector
    return tuple(found)
