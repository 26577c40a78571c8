"""Sizes that are members of structs (``image.width``, ``matrix->rows``) are variables while a region runs that does not
store to them.

What tells loops and subscripts apart knows variables. The host gives them their values when the region begins, as
parameters; stores under other names are elsewhere, or the host's loops run.
"""

from __future__ import annotations

from accshare.frontend.ir import Block, Expr, IntLit, Member, Pointer, Region, Scalar, Subscript, Symbol, Var
from accshare.poly.names import Names
from accshare.poly.survey import assigned, counters, declared, written
from accshare.records import replace
from accshare.reference import root, share, strip
from accshare.tree import all_expressions, expressions, rewrite, rewrite_statement


def with_sizes_named(region: Region) -> Region:
    """`region` with such members as variables, `Region.sizes`."""
    names, sizes = Names(region), dict[Expr, Symbol]()
    stored, changed = assigned(region), written(region)
    inner = declared(region) | counters(region)
    for expr in all_expressions(region.body):
        if isinstance(expr, Member) and expr not in sizes and _is_size(expr):
            symbol = root(expr)
            moves = symbol is None or symbol in inner or (isinstance(symbol.type, Pointer) and symbol in changed)
            if symbol is not None and not moves and not any(share(expr, target) for target in stored):
                sizes[expr] = names.new(f"{symbol.unique}_{expr.name}", expr.type)
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


def _is_size(member: Member) -> bool:
    """Whether a member of one struct is an integer that stays what it is."""
    symbol = root(member)
    whole = isinstance(member.type, Scalar) and not member.type.floating and symbol is not None and not symbol.volatile
    return whole and all(isinstance(strip(e.index), IntLit) for e in expressions(member) if isinstance(e, Subscript))
