"""Arrays whose last dimension is short, ``image[h][w][3]``, as arrays of long rows: ``image[y][3 * x + c]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from accshare.frontend.ir import (
    INT,
    LONG,
    Array,
    Block,
    Cast,
    Expr,
    IntLit,
    Member,
    Pointer,
    Region,
    Scalar,
    Storage,
    Subscript,
    Var,
)
from accshare.islexpr import binary, literal
from accshare.records import replace
from accshare.reference import rank, root, strip
from accshare.tree import all_expressions, rewrite, rewrite_statement


def with_channels_in_rows(region: Region, most: int) -> Region:
    """`region` with such arrays subscripted so, where it subscripts them wholly and no ``share`` counts dimensions; the
    last one has `most` elements at most."""
    every = list(all_expressions(region.body))
    tables = {table for table, _ in region.rows}
    uses = Counter(every)
    whole = Counter(base for expr in every if (base := _base(expr, most)) is not None)
    chosen = {base for base, count in whole.items() if count == uses[base] and base not in tables}
    if region.shares or not chosen:
        return region

    def change(expr: Expr) -> Expr | None:
        return _in_row(expr, lambda e: rewrite(e, change)) if _base(expr, most) in chosen else None

    body = rewrite_statement(region.body, change)
    assert isinstance(body, Block)
    return replace(region, body=body)


def _base(expr: Expr, most: int) -> Expr | None:
    """The array of pixels that `expr` is a channel of; None where it is none."""
    match expr:
        case Subscript(Subscript(Subscript() as row, _, Array(_, IntLit(count))), type=Scalar()) if 1 < count <= most:
            length = row.type.length if isinstance(row.type, Array) else None
        case _:
            return None
    base: Expr = row
    subscripts = 2
    while isinstance(base, Subscript):
        base, subscripts = base.base, subscripts + 1
        if isinstance(base.type, Pointer):
            break
    symbol = root(base)
    whole = isinstance(base, Var) or (isinstance(base, Member) and isinstance(base.type, Pointer))
    named = whole and symbol is not None and symbol.storage is not Storage.INNER
    dimensions = 1 + rank(base.type.target) if isinstance(base.type, Pointer) else rank(base.type)
    known = length is not None and isinstance(strip(length), IntLit | Var)
    return base if named and known and subscripts == dimensions else None


def _in_row(expr: Expr, changed: Callable[[Expr], Expr]) -> Expr:
    """A channel as an element of a row of channels."""
    assert isinstance(expr, Subscript)
    assert isinstance(expr.base, Subscript)
    pixel, row = expr.base, expr.base.base
    assert isinstance(row, Subscript)
    assert isinstance(row.type, Array)
    assert isinstance(pixel.type, Array)
    assert row.type.length is not None
    assert isinstance(pixel.type.length, IntLit)
    count = pixel.type.length.value
    long = Array(expr.type, binary("*", literal(count, INT), strip(row.type.length), LONG))
    place = binary("*", Cast(changed(pixel.index), LONG, True, pixel.index.span), literal(count, LONG), LONG)
    place = binary("+", place, Cast(changed(expr.index), LONG, True, expr.index.span), LONG)
    whole = replace(row, base=changed(row.base), index=changed(row.index), type=long)
    return replace(expr, base=whole, index=replace(place, span=expr.index.span))
