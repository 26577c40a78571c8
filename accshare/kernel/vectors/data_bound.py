"""Vectors along loops whose length the data decide: rows of a sparse matrix, which are whole statements of a kernel.

Each lane combines for itself, beginning with the value that changes nothing; what is left behind the last whole vector
runs one by one. Short rows run as they are: how long one is would be guessed wrong too often.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.builtins import half
from accshare.combining import combine, identity, operator_of
from accshare.conversions import alike
from accshare.frontend.ir import (
    INT,
    LONG,
    ULONG,
    Assign,
    Binary,
    Cast,
    Declare,
    Expr,
    For,
    Function,
    Subscript,
    Symbol,
    Var,
)
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, each, within
from accshare.kernel.passes.inlining import with_calls_inlined
from accshare.kernel.uses import rewritten
from accshare.kernel.vectors.folding import folded, merged
from accshare.kernel.vectors.lanes import Lanes, NotVector, vector_of
from accshare.kernel.vectors.masked import masked, touched
from accshare.kernel.vectors.strips import scalar_of
from accshare.mapping.ir import DataBoundLoop
from accshare.pragma.ir import ReductionOp
from accshare.records import replace
from accshare.source import Span
from accshare.tree import expressions, own_expressions, statements

_NOWHERE = Span(0, 0)
_NARROWEST = 4


def along_data(
    stmts: tuple[Stmt, ...],
    loops: tuple[DataBoundLoop, ...],
    shared: frozenset[Symbol],
    functions: tuple[Function, ...],
) -> tuple[tuple[Stmt, ...], tuple[DataBoundLoop, ...]]:
    """`stmts` with vectors along `loops`, and those of them along which there are some. Into the variables in `shared`
    all rows combine; `functions` are the user's."""
    made = {loop.header: loop for loop in loops}

    def in_vectors(stmt: Stmt) -> Stmt:
        if isinstance(stmt, For) and stmt.header in made:
            (*before, flat) = with_calls_inlined((stmt,), functions)
            try:
                if not before and isinstance(flat, For):
                    return _in_vectors(flat, made[stmt.header], shared)
            except NotVector:
                pass
            del made[stmt.header]
        return within(stmt, each(in_vectors))

    return (tuple(map(in_vectors, stmts)) if loops else stmts), tuple(made.values())


def _in_vectors(loop: For, vectors: DataBoundLoop, shared: frozenset[Symbol]) -> Stmt:
    """The loop in vectors where it is long, as it is where it is not. Raises `NotVector`."""
    iterator, type_ = loop.iterator, scalar_of(loop.iterator)
    first = loop.first if alike(loop.first.type, type_) else Cast(loop.first, type_, False, loop.first.span)
    row = _Row(replace(loop, first=first), derived(iterator, "end", type_))
    behind = binary("+", loop.bound, literal(1, INT), type_) if loop.relation == "<=" else loop.bound
    long: list[Stmt] = [Define(row.end, behind), *row.start(vectors.lanes)]
    for lanes in _widths(vectors):
        if lanes < vectors.lanes:
            long += row.halved(lanes)
        rest = derived(iterator, f"from{lanes}", type_)
        long += (row.strips(first, lanes), Define(rest, row.after(lanes)))
        first = variable(rest)
    goes_on = Binary("<", variable(iterator), variable(row.end), INT, _NOWHERE)
    single = Loop(iterator, first, goes_on, 1, loop.body.statements, 1, loop.span, remainder=True)
    as_written = Binary(loop.relation, variable(iterator), loop.bound, INT, _NOWHERE)
    short = row.by_itself(replace(single, first=row.loop.first, condition=as_written), shared)
    return Guarded(_is_long(row.loop, vectors.long), (*long, *row.ends(lanes), single), short)


def _widths(vectors: DataBoundLoop) -> Iterator[int]:
    """The lanes of vectors along a loop, wide ones first; others than the widest where rows need not fill several."""
    lanes = vectors.lanes
    yield lanes
    while vectors.long < vectors.lanes and lanes > _NARROWEST:
        lanes //= 2
        yield lanes


class _Row:
    """A loop that ends before `end`, and what it combines into."""

    def __init__(self, loop: For, end: Symbol) -> None:
        inside = tuple(statements(loop.body))
        changed = dict.fromkeys(s.target.symbol for s in inside if isinstance(s, Assign) and isinstance(s.target, Var))
        self.loop = loop
        self.end = end
        self._own = tuple(s.symbol for s in inside if isinstance(s, Declare))
        self._changed = frozenset(changed)
        self._ops = {symbol: _operator(loop, symbol) for symbol in changed if symbol not in self._own}

    def start(self, lanes: int) -> Iterator[Stmt]:
        """Vectors of the value that changes nothing."""
        for symbol, op in self._ops.items():
            held = _held(symbol, lanes)
            yield from (
                Declare(held, None, _NOWHERE),
                Assign(variable(held), "=", identity(op, scalar_of(symbol)), _NOWHERE),
            )

    def halved(self, lanes: int) -> Iterator[Stmt]:
        """Vectors of so many lanes from those that have twice as many."""
        for symbol, op in self._ops.items():
            held, whole = _held(symbol, lanes), variable(_held(symbol, 2 * lanes))
            yield from (Declare(held, None, _NOWHERE), Assign(variable(held), "=", half(whole, 0), _NOWHERE))
            yield from merged(op, variable(held), half(whole, 1), scalar_of(symbol), lanes)

    def ends(self, lanes: int) -> Iterator[Stmt]:
        """The vectors combined into the variables."""
        for symbol, op in self._ops.items():
            held = _held(symbol, lanes)
            yield from folded(op, variable(symbol), (variable(held),), held, scalar_of(symbol))

    def by_itself(self, short: Loop, shared: frozenset[Symbol]) -> tuple[Stmt, ...]:
        """A short row, which does not wait for what the row before adds to variables that are `shared`."""
        own = {symbol: derived(symbol, "row", scalar_of(symbol)) for symbol in self._ops if symbol in shared}
        starts = (Define(one, identity(self._ops[s], scalar_of(s)), True) for s, one in own.items())
        ends = (combine(self._ops[s], variable(s), variable(one), scalar_of(s), _NOWHERE) for s, one in own.items())
        changed = (rewritten(stmt, lambda e: _instead(e, own)) for stmt in short.body)
        return (*starts, replace(short, body=tuple(changed)), *ends)

    def after(self, lanes: int) -> Expr:
        """Where whole vectors end."""
        type_ = scalar_of(self.end)
        left = binary("%", _count(self.loop.first, variable(self.end)), literal(lanes, ULONG), ULONG)
        return binary("-", variable(self.end), Cast(left, type_, False, _NOWHERE), type_)

    def strips(self, first: Expr, lanes: int) -> Loop:
        """The loop in vectors of so many lanes. Raises `NotVector`."""
        iterator = self.loop.iterator
        last = binary("-", variable(self.end), literal(lanes, INT), scalar_of(iterator))
        whole = Binary("<=", variable(iterator), last, INT, _NOWHERE)
        return Loop(iterator, first, whole, lanes, tuple(self._body(lanes)), 1, self.loop.span)

    def _body(self, lanes: int) -> Iterator[Stmt]:
        """An iteration in each lane. What tells where an element is, is computed lane by lane."""
        body, iterator = self.loop.body.statements, self.loop.iterator
        used = {e.symbol for part in statements(self.loop.body) for e in _in_subscripts(part) if isinstance(e, Var)}
        places: dict[Symbol, Expr] = {}
        for stmt in body:
            match stmt:
                case Declare(symbol, init) if init is not None and symbol in used:
                    names = {symbol, *(e.symbol for e in expressions(init) if isinstance(e, Var))}
                    if self._changed.isdisjoint(names):
                        value = Lanes(iterator, lanes, {}, places).spelled(init)
                        places[symbol] = Cast(value, symbol.type, False, stmt.span)
        vectors = {s: _held(s, lanes) for s in (*self._ops, *self._own) if s not in places}
        inside = Lanes(iterator, lanes, {s: variable(v) for s, v in vectors.items()}, places)
        certain = touched(body)
        for stmt in body:
            if isinstance(stmt, Declare) and stmt.symbol in vectors:
                yield Declare(vectors[stmt.symbol], None, _NOWHERE)
            if not (isinstance(stmt, Declare) and stmt.symbol in places):
                yield from masked(stmt, inside, certain)


def _operator(loop: For, symbol: Symbol) -> ReductionOp:
    op = operator_of(list(loop.body.statements), variable(symbol))
    if op is None:
        raise NotVector
    return op


def _instead(expr: Expr, own: Mapping[Symbol, Symbol]) -> Expr | None:
    return variable(own[expr.symbol]) if isinstance(expr, Var) and expr.symbol in own else None


def _held(symbol: Symbol, lanes: int) -> Symbol:
    """A vector of a variable's values."""
    kind = vector_of(symbol.type, lanes)
    return Symbol(symbol.name, f"{symbol.unique}_x{lanes}", kind, symbol.storage)


def _count(first: Expr, end: Expr) -> Expr:
    """How many there are before `end`, which is behind `first`: no difference of integers is too large for that."""
    far, near = (Cast(side, ULONG, False, _NOWHERE) for side in (end, first))
    return binary("-", far, near, ULONG)


def _is_long(loop: For, least: int) -> Expr:
    """Whether a row has so many elements."""
    if scalar_of(loop.iterator).bytes < LONG.bytes:  # so that the difference is none of two numbers that are far apart
        far, near = (Cast(side, LONG, False, _NOWHERE) for side in (loop.bound, loop.first))
        return Binary(">=", binary("-", far, near, LONG), literal(least, LONG), INT, _NOWHERE)
    some = Binary("<", loop.first, loop.bound, INT, _NOWHERE)
    enough = Binary(">=", _count(loop.first, loop.bound), literal(least, ULONG), INT, _NOWHERE)
    return Binary("&&", some, enough, INT, _NOWHERE)


def _in_subscripts(stmt: SourceStmt) -> Iterator[Expr]:
    every = (e for top in own_expressions(stmt) for e in expressions(top))
    return (e for element in every if isinstance(element, Subscript) for e in expressions(element.index))
