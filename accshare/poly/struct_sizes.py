"""Sizes that are members of structs (``image.width``, ``matrix->rows``) are variables while a region runs that does not
store to them, and so is what pointers to single numbers lead to where loops count so far or variables run along with
them (``last = *n;``, ``at += *step;``).

What tells loops and subscripts apart knows variables. The host gives them their values when the region begins, as
parameters; stores under other names are elsewhere, or the host's loops run.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import (
    Assign,
    Block,
    Declare,
    Expr,
    For,
    IntLit,
    Member,
    Pointer,
    Region,
    Scalar,
    Subscript,
    Symbol,
    Var,
)
from accshare.poly.names import Names
from accshare.poly.survey import assigned, counters, declared, written
from accshare.records import replace
from accshare.reference import root, share, strip
from accshare.tree import all_expressions, expressions, named, rewrite, rewrite_statement, statements


def with_sizes_named(region: Region) -> Region:
    """`region` with such members as variables, `Region.sizes`."""
    names, sizes = Names(region), dict[Expr, Symbol]()
    stored, changed = assigned(region), written(region)
    inner = declared(region) | counters(region)
    for expr in (*_members(region), *_counted_to(region)):
        symbol = root(expr)
        if symbol is None or expr in sizes or not _is_size(expr, symbol):
            continue
        moves = symbol in inner or (isinstance(symbol.type, Pointer) and symbol in changed)
        if not moves and not any(share(expr, target) for target in stored):
            name = expr.name if isinstance(expr, Member) else "number"
            sizes[expr] = names.new(f"{symbol.unique}_{name}", expr.type)
    if not sizes:
        return region
    body = rewrite_statement(region.body, lambda e: Var(sizes[e], e.span) if e in sizes else None)
    assert isinstance(body, Block)
    given = tuple((symbol, expr) for expr, symbol in sizes.items())
    return replace(region, body=body, symbols=(*region.symbols, *names.made), sizes=given)


def with_sizes_told(region: Region) -> Region:
    """`region` with what the host assigns behind it told from the members themselves."""
    members = dict(region.sizes)

    def told(expr: Expr) -> Expr | None:
        return members.get(expr.symbol) if isinstance(expr, Var) else None

    return replace(region, last=tuple((place, rewrite(value, told)) for place, value in region.last))


def _members(region: Region) -> Iterator[Expr]:
    return (expr for expr in all_expressions(region.body) if isinstance(expr, Member))


def _counted_to(region: Region) -> Iterator[Expr]:
    """Elements that variables get up to which loops count, or from which on, and those by which indices move."""
    every = list(statements(region.body))
    ends = {symbol for s in every if isinstance(s, For) for end in (s.first, s.bound) for symbol in named(end)}
    places = (e.index for e in all_expressions(region.body) if isinstance(e, Subscript))
    indices = {symbol for place in places for symbol in named(place)}
    for stmt in every:
        match stmt:
            case Assign(Var(symbol), value=value) | Declare(symbol, value) if value is not None:
                moves = isinstance(stmt, Assign) and stmt.op in {"+=", "-="} and symbol in indices
                if symbol in ends or moves:
                    yield from (e for e in expressions(value) if isinstance(e, Subscript))


def _is_size(place: Expr, symbol: Symbol) -> bool:
    """Whether a member of one struct, or one element, is an integer that stays what it is."""
    whole = isinstance(place.type, Scalar) and not place.type.floating and not symbol.volatile
    return whole and all(isinstance(strip(e.index), IntLit) for e in expressions(place) if isinstance(e, Subscript))
