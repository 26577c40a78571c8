"""Iterators that live on behind their loop: ``for (i = 0; i < n; i++) …; last = i;``.

Such a loop counts with a variable of its own, and the iterator becomes what the loop would leave in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
    IntLit,
    Region,
    Stmt,
    Storage,
    Symbol,
    Var,
    While,
)
from accshare.islexpr import binary, literal
from accshare.poly.names import unused
from accshare.poly.survey import counters
from accshare.records import replace
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
    return Symbol(symbol.name, unused(f"{symbol.unique}_counted", taken), symbol.type, Storage.INNER)


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


def wide(expr: Expr) -> Expr:
    """An integer as ``long``."""
    plain = expr.operand if isinstance(expr, Cast) and expr.implicit else expr
    return literal(plain.value, LONG) if isinstance(plain, IntLit) else Cast(expr, LONG, True, expr.span)


def runs(loop: For) -> Expr:
    """Whether a loop runs at all."""
    relation = loop.relation if loop.relation != "!=" else "<" if loop.step > 0 else ">"  # as its domain has it
    return Binary(relation, wide(loop.first), wide(loop.bound), INT, loop.header)


def trips(loop: For) -> Expr:
    """How often a loop runs, if at all."""
    low, high = (wide(loop.first), wide(loop.bound))[:: 1 if loop.step > 0 else -1]
    size = abs(loop.step)
    whole = 1 if loop.relation in {"<=", ">="} else 0  # the bound is one of the iterations
    count = binary("+", binary("-", high, low, LONG), literal(size - 1 + whole, LONG), LONG)
    return count if size == 1 else binary("/", count, literal(size, LONG), LONG)


def _final(loop: For) -> Expr:
    """The iterator's value behind the loop."""
    first = wide(loop.first)
    if loop.relation == "!=":
        return wide(loop.bound)
    moved = binary("*", trips(loop), literal(abs(loop.step), LONG), LONG)
    return Conditional(runs(loop), binary("+" if loop.step > 0 else "-", first, moved, LONG), first, LONG, loop.header)
