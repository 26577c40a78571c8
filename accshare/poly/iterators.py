"""Iterators that live on behind their loop: ``for (i = 0; i < n; i++) …; last = i;``.

Such a loop counts with a variable of its own, and the iterator becomes what the loop would leave in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Atomic,
    Binary,
    Block,
    Cast,
    Conditional,
    Expr,
    For,
    GeneralFor,
    If,
    Region,
    Stmt,
    Storage,
    Symbol,
    Var,
    While,
)
from accshare.islexpr import binary, literal
from accshare.poly.survey import counters
from accshare.tree import expressions, own_expressions, rewrite_statement, substatements


def with_final_values(region: Region) -> Region:
    """`region` with such iterators assigned, in front of the loop: nothing in the loop reads them then."""
    shared = counters(region) & frozenset(_outside(region.body, frozenset()))
    if not shared:
        return region
    taken = {symbol.unique for symbol in region.symbols}
    own = {symbol: _own(symbol, taken) for symbol in sorted(shared, key=lambda s: s.unique)}
    return replace(region, body=_block(region.body, own), symbols=(*region.symbols, *own.values()))


def _outside(stmt: Stmt, inside: frozenset[Symbol]) -> Iterator[Symbol]:
    """The variables used where no loop around counts with them."""
    for top in own_expressions(stmt):
        yield from (e.symbol for e in expressions(top) if isinstance(e, Var) and e.symbol not in inside)
    if isinstance(stmt, For):
        inside = inside | {stmt.iterator}
    for part in substatements(stmt):
        yield from _outside(part, inside)


def _own(symbol: Symbol, taken: set[str]) -> Symbol:
    unique = f"{symbol.unique}_counted"
    while unique in taken:
        unique += "_"
    return Symbol(symbol.name, unique, symbol.type, Storage.INNER)


def _block(block: Block, own: Mapping[Symbol, Symbol]) -> Block:
    return replace(block, statements=tuple(made for s in block.statements for made in _statement(s, own)))


def _statement(stmt: Stmt, own: Mapping[Symbol, Symbol]) -> tuple[Stmt, ...]:
    match stmt:
        case For(iterator=iterator, body=body) if iterator in own and not _reads(stmt, iterator):
            counter = own[iterator]
            inner = rewrite_statement(body, lambda e: Var(counter, e.span) if e == Var(iterator, e.span) else None)
            assert isinstance(inner, Block)
            target = Var(iterator, stmt.header)
            final = Assign(target, "=", Cast(_final(stmt), iterator.type, True, stmt.header), stmt.header)
            return final, replace(stmt, iterator=counter, body=_block(inner, own))
        case Block():
            return (_block(stmt, own),)
        case For(body=body) | GeneralFor(body=body) | While(body=body) | Atomic(body=body):
            return (replace(stmt, body=_block(body, own)),)
        case If(then=then, other=other):
            return (replace(stmt, then=_block(then, own), other=None if other is None else _block(other, own)),)
    return (stmt,)


def _reads(loop: For, symbol: Symbol) -> bool:
    """Whether the loop's own start or bound is told from its iterator."""
    return any(isinstance(e, Var) and e.symbol == symbol for top in own_expressions(loop) for e in expressions(top))


def _final(loop: For) -> Expr:
    """The iterator's value behind the loop."""
    first, bound = (Cast(end, LONG, True, end.span) for end in (loop.first, loop.bound))
    if loop.relation == "!=":
        return bound
    size, up = abs(loop.step), loop.step > 0
    low, high = (first, bound) if up else (bound, first)
    whole = 0 if loop.relation in {"<", ">"} else 1  # the bound is one of the iterations
    trips = binary(
        "/", binary("+", binary("-", high, low, LONG), literal(size - 1 + whole, LONG), LONG), literal(size, LONG), LONG
    )
    moved = binary("+" if up else "-", first, binary("*", trips, literal(size, LONG), LONG), LONG)
    runs = Binary(loop.relation, first, bound, INT, loop.header)
    return Conditional(runs, moved, first, LONG, loop.header)
