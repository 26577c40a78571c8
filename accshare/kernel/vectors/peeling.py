"""Where tiles of columns begin so that their vectors lie in one line of a cache each, as far as rows allow that."""

from __future__ import annotations

from accshare.builtins import past as buffer_past
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Cast,
    Conditional,
    Declare,
    Expr,
    Scalar,
    Subscript,
    Var,
)
from accshare.islexpr import binary, conjunction, literal, step, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Loop, parts
from accshare.kernel.vectors.lines import mostly_beside
from accshare.kernel.vectors.shape import Rows
from accshare.reference import in_memory
from accshare.source import Span
from accshare.tree import named, rewrite

_NOWHERE = Span(0, 0)
#: register tiles of a row that are worth one more
_LONG_ROW = 8


def past(loop: Loop, rows: Rows, high: Expr, width: int, lanes: int) -> Define | None:
    """By how many elements the first column of `loop` stores past a multiple of `lanes`, in the first of `rows`; 0
    where rows begin at different places, or have few tiles of `width`. None where nothing that it stores tells, or
    most of what it loads is in other columns, which straddles lines all the same."""
    if rows.row is None or rows.start is None:
        return None
    inside = {p.symbol for s in (*rows.names, *loop.body) for p in parts(s) if isinstance(p, Declare | Define)}
    places = {rows.row: variable(rows.start), loop.iterator: loop.first}
    for store in (p for s in loop.body for p in parts(s) if isinstance(p, Assign)):
        target = store.target
        if not isinstance(target, Subscript) or not in_memory(target) or not isinstance(target.type, Scalar):
            continue
        if not mostly_beside(loop, target):
            continue
        apart = step(target.index, rows.row)
        if apart is None or step(target.index, loop.iterator) != literal(1, LONG):
            continue
        index = rewrite(target.index, lambda e: places.get(e.symbol) if isinstance(e, Var) else None)
        if inside & named(index):
            continue
        count = literal(lanes, LONG)
        begins = buffer_past(target.base, target.type.bytes, lanes)
        value = binary("%", binary("+", begins, index, LONG), count, LONG)
        alike_rows = binary("==", binary("%", apart, count, LONG), literal(0, LONG), INT)
        long = Binary(">=", binary("-", high, loop.first, INT), literal(_LONG_ROW * width, INT), INT, _NOWHERE)
        condition = conjunction((alike_rows, long) if rows.count > 1 else (long,))
        assert condition is not None
        either = Conditional(condition, Cast(value, INT, False, _NOWHERE), literal(0, INT), INT, _NOWHERE)
        return Define(derived(loop.iterator, "past", INT), either)
    return None
