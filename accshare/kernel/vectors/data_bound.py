"""Vectors along loops whose length the data decide: rows of a sparse matrix, which are whole statements of a kernel.

Each lane combines for itself, beginning with the value that changes nothing; what is left behind the last whole vector
runs one by one. Short rows run as they are: how long one is would be guessed wrong too often.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from accshare.combining import operator_of
from accshare.conversions import alike
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Cast,
    Declare,
    Expr,
    For,
    Scalar,
    Subscript,
    Symbol,
    Var,
)
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.reduce import identity
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, each, within
from accshare.kernel.vectors.folding import folded
from accshare.kernel.vectors.lanes import Lanes, NotVector, vector_of
from accshare.kernel.vectors.strips import scalar_of
from accshare.mapping.ir import DataBoundLoop
from accshare.pragma.ir import ReductionOp
from accshare.source import Span
from accshare.tree import expressions, own_expressions, statements

_NOWHERE = Span(0, 0)
_UNSIGNED = Scalar("unsigned long", 8, False, False)
#: vectors that a row must fill
_LONG = 4


def along_data(
    stmts: tuple[Stmt, ...], loops: tuple[DataBoundLoop, ...]
) -> tuple[tuple[Stmt, ...], tuple[DataBoundLoop, ...]]:
    """`stmts` with vectors along `loops`, and those of them along which there are some."""
    made = {loop.header: loop for loop in loops}

    def in_vectors(stmt: Stmt) -> Stmt:
        if isinstance(stmt, For) and stmt.header in made:
            try:
                return _in_vectors(stmt, made[stmt.header].lanes)
            except NotVector:
                del made[stmt.header]
        return within(stmt, each(in_vectors))

    return (tuple(map(in_vectors, stmts)) if loops else stmts), tuple(made.values())


def _in_vectors(loop: For, lanes: int) -> Stmt:
    """The loop in vectors where it is long, as it is where it is not. Raises `NotVector`."""
    iterator, type_ = loop.iterator, scalar_of(loop.iterator)
    first = loop.first if alike(loop.first.type, type_) else Cast(loop.first, type_, False, loop.first.span)
    loop = replace(loop, first=first)
    inside = tuple(statements(loop.body))
    own = {s.symbol: s for s in inside if isinstance(s, Declare)}
    changed = dict.fromkeys(s.target.symbol for s in inside if isinstance(s, Assign) and isinstance(s.target, Var))
    ops = {symbol: _operator(loop, symbol) for symbol in changed if symbol not in own}
    held = {symbol: _held(symbol, lanes) for symbol in ops}
    end, rest = derived(iterator, "end", type_), derived(iterator, "rest", type_)
    behind = binary("+", loop.bound, literal(1, INT), type_) if loop.relation == "<=" else loop.bound
    left = binary("%", _count(loop.first, variable(end)), literal(lanes, _UNSIGNED), _UNSIGNED)
    many = (Declare(s, None, _NOWHERE) for s in held.values())
    starts = (Assign(variable(held[s]), "=", identity(op, scalar_of(s)), _NOWHERE) for s, op in ops.items())
    last = binary("-", variable(end), literal(lanes, INT), type_)
    whole = Binary("<=", variable(iterator), last, INT, _NOWHERE)
    body = tuple(_lanes_of(loop, lanes, held, own, changed))
    ends = (f for s, op in ops.items() for f in folded(op, variable(s), (variable(held[s]),), held[s], scalar_of(s)))
    fewer = Binary("<", variable(iterator), variable(end), INT, _NOWHERE)
    vectors = (
        Define(end, behind),
        *many,
        *starts,
        Loop(iterator, loop.first, whole, lanes, body, 1, loop.span),
        *ends,
        Define(rest, binary("-", variable(end), Cast(left, type_, False, _NOWHERE), type_)),
        Loop(iterator, variable(rest), fewer, 1, loop.body.statements, 1, loop.span, remainder=True),
    )
    goes_on = Binary(loop.relation, variable(iterator), loop.bound, INT, _NOWHERE)
    short = Loop(iterator, first, goes_on, 1, loop.body.statements, 1, loop.span, remainder=True)
    return Guarded(_is_long(loop, lanes), vectors, (short,))


def _operator(loop: For, symbol: Symbol) -> ReductionOp:
    op = operator_of(list(loop.body.statements), variable(symbol))
    if op is None:
        raise NotVector
    return op


def _held(symbol: Symbol, lanes: int) -> Symbol:
    """A vector of a variable's values."""
    kind = vector_of(symbol.type, lanes)
    return Symbol(symbol.name, f"{symbol.unique}_x{lanes}", kind, symbol.storage)


def _count(first: Expr, end: Expr) -> Expr:
    """How many there are before `end`, which is behind `first`: no difference of integers is too large for that."""
    far, near = (Cast(side, _UNSIGNED, False, _NOWHERE) for side in (end, first))
    return binary("-", far, near, _UNSIGNED)


def _is_long(loop: For, lanes: int) -> Expr:
    """Whether a row fills so many vectors."""
    if scalar_of(loop.iterator).bytes < LONG.bytes:  # so that the difference is none of two numbers that are far apart
        far, near = (Cast(side, LONG, False, _NOWHERE) for side in (loop.bound, loop.first))
        return Binary(">=", binary("-", far, near, LONG), literal(_LONG * lanes, LONG), INT, _NOWHERE)
    some = Binary("<", loop.first, loop.bound, INT, _NOWHERE)
    enough = Binary(">=", _count(loop.first, loop.bound), literal(_LONG * lanes, _UNSIGNED), INT, _NOWHERE)
    return Binary("&&", some, enough, INT, _NOWHERE)


def _lanes_of(
    loop: For, lanes: int, held: Mapping[Symbol, Symbol], own: Mapping[Symbol, Declare], changed: Mapping[Symbol, None]
) -> Iterator[Stmt]:
    """An iteration in each lane. What tells where an element is, is computed lane by lane. Raises `NotVector`."""
    used = {e.symbol for part in statements(loop.body) for e in _in_subscripts(part) if isinstance(e, Var)}
    places: dict[Symbol, Expr] = {}
    vectors: dict[Symbol, Symbol] = {}
    for symbol, declared in own.items():
        known = (
            {e.symbol for e in expressions(declared.init) if isinstance(e, Var)} if declared.init else changed.keys()
        )
        if symbol in used and changed.keys().isdisjoint({symbol, *known}) and declared.init is not None:
            value = Lanes(loop.iterator, lanes, {}, places).spelled(declared.init)
            places[symbol] = Cast(value, symbol.type, False, declared.span)
        else:
            vectors[symbol] = _held(symbol, lanes)
    yield from (Declare(symbol, None, _NOWHERE) for symbol in vectors.values())
    inside = Lanes(loop.iterator, lanes, {s: variable(v) for s, v in (*held.items(), *vectors.items())}, places)
    for stmt in loop.body.statements:
        if not (isinstance(stmt, Declare) and stmt.symbol in places):
            yield from inside.statement(stmt)


def _in_subscripts(stmt: SourceStmt) -> Iterator[Expr]:
    every = (e for top in own_expressions(stmt) for e in expressions(top))
    return (e for element in every if isinstance(element, Subscript) for e in expressions(element.index))
