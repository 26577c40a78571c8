"""Rows that a stencil reads next, asked for while it runs on others.

Processors fetch ahead along rows. Where rows of a box are short, and every tile goes along many of them, they lose
their track too often, and memory waits.
"""

from __future__ import annotations

from accshare.frontend.ir import INT, Binary, Cast, Declare, Expr, IntLit, Scalar, Subscript, Symbol, Var
from accshare.islexpr import binary, literal
from accshare.kernel.ir import Define, Loop, Prefetch, parts
from accshare.kernel.uses import stored, used_expressions
from accshare.kernel.vectors.shape import Rows
from accshare.records import replace
from accshare.reference import in_memory
from accshare.tree import expressions, mentions, rewrite

#: bytes of a line of a cache, of which a vector asks for one
_LINE = 64
#: what every size is taken for, to tell which of several elements lies last
_SIZE = 64


def rows_below(columns: Loop, loop: Loop, rows: int, lanes: int) -> tuple[Prefetch, ...]:
    """The elements that a `loop` inside of `columns` reaches so many `rows` later; none where vectors of so many
    `lanes` are no whole lines."""
    inside = {p.symbol for s in loop.body for p in parts(s) if isinstance(p, Declare | Define)}
    found: dict[Subscript, None] = {}
    for expr in used_expressions(loop.body):
        match expr:
            case Subscript(base=Var(), index=index, type=Scalar(bytes=size)) if (
                in_memory(expr) and size * lanes == _LINE
            ):
                fixed = not inside & {e.symbol for e in expressions(index) if isinstance(e, Var)}
                if fixed and mentions(index, loop.iterator) and mentions(index, columns.iterator):
                    found[expr] = None
    return tuple(_ahead(element, loop.iterator, rows) for element in found)


def next_rows(columns: Loop, rows: Rows, lanes: int) -> tuple[Prefetch, ...]:
    """For each array that iterations of `columns` only read, the element behind all others of it in the tile after that
    of `rows`; none where vectors of so many `lanes` are no whole lines."""
    inside = {p.symbol for s in (*rows.names, *columns.body) for p in parts(s) if isinstance(p, Declare | Define)}
    written = stored(columns.body)
    last: dict[Symbol, Subscript] = {}
    for expr in used_expressions(columns.body):
        match expr:
            case Subscript(base=Var(symbol), index=index, type=Scalar(bytes=size)) if (
                rows.row is not None and in_memory(expr) and symbol not in written and size * lanes == _LINE
            ):
                fixed = not inside & {e.symbol for e in expressions(index) if isinstance(e, Var)}
                both = mentions(index, rows.row) and mentions(index, columns.iterator)
                if fixed and both and (symbol not in last or _place(index) > _place(last[symbol].index)):
                    last[symbol] = expr
    return tuple(_ahead(element, rows.row, rows.count) for element in last.values() if rows.row is not None)


def _ahead(element: Subscript, row: Symbol, count: int) -> Prefetch:
    def later(expr: Expr) -> Expr | None:
        if not isinstance(expr, Var) or expr.symbol != row:
            return None
        assert isinstance(expr.type, Scalar)
        return binary("+", expr, literal(count, INT), expr.type)

    assert isinstance(element.base, Var)
    return Prefetch(replace(element, index=rewrite(element.index, later)))


def _place(index: Expr) -> int:
    """Where an element would lie."""
    match index:
        case IntLit(value):
            return value
        case Cast(operand):
            return _place(operand)
        case Binary("+", lhs, rhs):
            return _place(lhs) + _place(rhs)
        case Binary("-", lhs, rhs):
            return _place(lhs) - _place(rhs)
        case Binary("*", lhs, rhs):
            return _place(lhs) * _place(rhs)
    return _SIZE
