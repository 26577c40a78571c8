"""Pointers to rows, ``float **A``, as what a region sees of them: arrays of rows a pitch apart.

The pointers themselves stay on the host. A kernel gets one buffer for all rows, and the pitch when it runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from accshare.frontend.ir import (
    LONG,
    Array,
    Block,
    Expr,
    IntLit,
    Member,
    Pointer,
    Region,
    Scalar,
    Storage,
    Struct,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.records import replace
from accshare.reference import root, strip
from accshare.tree import all_expressions, expressions, rewrite, rewrite_statement


def with_pitches(region: Region) -> Region:
    """`region` with pointers to arrays for tables of pointers to rows, if it does nothing but subscript these."""
    everything = list(all_expressions(region.body))
    uses = Counter(everything)
    accessed = [use for use in everything if _element(use) is not None]
    tables = Counter(_table(use) for use in accessed)
    moving = {_table(use) for use in accessed if not isinstance(strip(_row(use).index), IntLit)}
    rows = []
    taken = {symbol.unique for symbol in region.symbols}
    for table in (t for t, count in tables.items() if t in moving and count == uses[t]):
        symbol = root(table)
        assert symbol is not None
        pitch = _pitch(symbol, taken)
        taken.add(pitch.unique)
        rows.append((_retyped(table, pitch), pitch))
    return _with(region, tuple(rows)) if rows else region


def _element(expr: Expr) -> Type | None:
    """The type of the elements of the rows that `expr` subscripts through a table; None for any other expression."""
    if not isinstance(expr, Subscript) or not isinstance(expr.base, Subscript):
        return None
    table = expr.base.base
    if not isinstance(table, Var | Member):
        return None
    row = table.type.target if isinstance(table.type, Pointer) else getattr(table.type, "element", None)
    if not isinstance(row, Pointer) or not isinstance(row.target, Scalar | Struct):
        return None
    symbol = root(table)
    fixed = all(isinstance(strip(p.index), IntLit) for p in expressions(table) if isinstance(p, Subscript))
    return row.target if fixed and symbol is not None and symbol.storage is not Storage.INNER else None


def _row(access: Expr) -> Subscript:
    assert isinstance(access, Subscript)
    assert isinstance(access.base, Subscript)
    return access.base


def _table(access: Expr) -> Expr:
    return _row(access).base


def _pitch(table: Symbol, taken: set[str]) -> Symbol:
    name, number = f"{table.unique}_pitch", 1
    while name in taken:
        number += 1
        name = f"{table.unique}_pitch_{number}"
    return Symbol(name, name, LONG, Storage.LOCAL)


def _retyped(table: Expr, pitch: Symbol) -> Expr:
    """`table` as a pointer to arrays."""
    row = table.type.target if isinstance(table.type, Pointer) else getattr(table.type, "element", None)
    assert isinstance(row, Pointer)
    assert isinstance(table, Var | Member)
    type_ = Pointer(Array(row.target, Var(pitch, table.span)), False, False)
    if isinstance(table, Member):
        return replace(table, type=type_)
    return Var(replace(table.symbol, type=type_), table.span)


def _with(region: Region, rows: tuple[tuple[Expr, Symbol], ...]) -> Region:
    tables = {table: table for table, _ in rows}

    def change(expr: Expr) -> Expr | None:
        if _element(expr) is None or _table(expr) not in tables:
            return None
        assert isinstance(expr, Subscript)
        row, table = _row(expr), tables[_table(expr)]
        assert isinstance(table.type, Pointer)
        return replace(
            expr,
            base=replace(row, base=table, index=rewrite(row.index, change), type=table.type.target),
            index=rewrite(expr.index, change),
        )

    body = rewrite_statement(region.body, change)
    assert isinstance(body, Block)
    return replace(region, body=body, symbols=tuple(_symbols(region, rows)), rows=rows)


def _symbols(region: Region, rows: tuple[tuple[Expr, Symbol], ...]) -> Iterator[Symbol]:
    tables = {table.symbol: table.symbol for table, _ in rows if isinstance(table, Var)}
    yield from (tables.get(symbol, symbol) for symbol in region.symbols)
    yield from (pitch for _, pitch in rows)
