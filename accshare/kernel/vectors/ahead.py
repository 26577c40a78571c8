"""Rows that a loop inside reads next, asked for while it runs on others."""

from __future__ import annotations

from accshare.frontend.ir import INT, Declare, Expr, Scalar, Subscript, Symbol, Var
from accshare.islexpr import binary, literal
from accshare.kernel.ir import Define, Loop, Prefetch, parts
from accshare.kernel.uses import used_expressions
from accshare.records import replace
from accshare.reference import in_memory
from accshare.tree import mentions, named, rewrite

#: bytes of a line of a cache, of which a vector asks for one
_LINE = 64


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
                fixed = not inside & named(index)
                if fixed and mentions(index, loop.iterator) and mentions(index, columns.iterator):
                    found[expr] = None
    return tuple(_ahead(element, loop.iterator, rows) for element in found)


def _ahead(element: Subscript, row: Symbol, count: int) -> Prefetch:
    def later(expr: Expr) -> Expr | None:
        if not isinstance(expr, Var) or expr.symbol != row:
            return None
        assert isinstance(expr.type, Scalar)
        return binary("+", expr, literal(count, INT), expr.type)

    assert isinstance(element.base, Var)
    return Prefetch(replace(element, index=rewrite(element.index, later)))
