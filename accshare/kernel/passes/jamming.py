"""Unroll and jam where compilers are left to find the vectors: rows of a picture that load the same elements.

Sobel's filter reads three rows; of two results one below the other, both need two of these. Written side by side, a
compiler loads and widens them once.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import Assign, Declare, Expr, If, Scalar, Subscript, Symbol, Var
from accshare.islexpr import binary, literal
from accshare.kernel.ir import Define, Loop, Stmt, parts, within
from accshare.kernel.passes.if_conversion import is_innermost
from accshare.kernel.uses import changed, loaded, rewritten, stored, symbols, used_expressions
from accshare.kernel.vectors.lanes import NotVector
from accshare.kernel.vectors.strips import after_strips, last_of, scalar_of, strided
from accshare.linear import sum_of
from accshare.records import replace
from accshare.source import Span
from accshare.tree import named, rewrite

_NOWHERE = Span(0, 0)
#: rows side by side, most first, and the elements that they may load together: code takes time to compile
_ROWS, _LOADS = (4, 2), 64


def jammed(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Loops over own rows whose iterations share what they load, several rows at once."""
    return tuple(one for stmt in stmts for one in _in_rows(stmt))


def _in_rows(stmt: Stmt) -> Iterator[Stmt]:
    rows = _rows(stmt) if isinstance(stmt, Loop) else 1
    if not isinstance(stmt, Loop) or rows == 1:
        yield within(stmt, jammed)
        return
    try:
        high, type_ = last_of(stmt), scalar_of(stmt.iterator)
    except NotVector:
        yield stmt
        return
    body = tuple(_together(s, stmt.iterator, rows) if isinstance(s, Loop) else s for s in stmt.body)
    yield replace(strided(stmt, stmt.iterator, stmt.first, high, rows), body=body)
    rest = after_strips(stmt.first, high, rows, type_)  # unnamed: one source loop may be here in several
    yield replace(stmt, first=rest, unroll=0)


def _rows(loop: Loop) -> int:
    """How many rows of a loop are worth running at once."""
    columns = [s for s in loop.body if isinstance(s, Loop)]
    names = [s for s in loop.body if not isinstance(s, Loop)]
    if loop.own_axis != 1 or not columns or stored((loop,)) & loaded((loop,)):
        return 1
    if any(not isinstance(s, Define) or loop.iterator in symbols((s,)) for s in names):
        return 1
    if any(c.own_axis != 0 or not is_innermost(c) or not _is_plain(c) or loop.iterator in _header(c) for c in columns):
        return 1
    loads = {
        e
        for c in columns
        for e in used_expressions(c.body)
        if isinstance(e, Subscript) and not {loop.iterator, c.iterator}.isdisjoint(named(e.index))
    }
    places = {sum_of(e.index).key: e for e in loads}
    below = [sum_of(rewrite(e.index, lambda e: _moved(e, loop.iterator, 1))).key for e in loads]
    if 3 * sum(key in places for key in below) < len(loads):
        return 1
    return next((n for n in _ROWS if n * len(loads) <= _LOADS), 1)


def _header(loop: Loop) -> set[Symbol]:
    return {symbol for end in (loop.first, loop.condition) for symbol in named(end)}


def _is_plain(loop: Loop) -> bool:
    """Whether every variable that an iteration changes is its own: it begins with an assignment."""
    own: set[Symbol] = set()
    for stmt in loop.body:
        read = {e.symbol for e in used_expressions((stmt,)) if isinstance(e, Var)}
        match stmt:
            case Define(symbol) | Declare(symbol):
                own.add(symbol)
            case Assign(Var(symbol), "=", value):
                if symbol in named(value) - own:
                    return False
                own.add(symbol)
            case Assign() | If() if all(not isinstance(p, Declare) for p in parts(stmt)):
                if not own.issuperset(changed((stmt,))):
                    return False
            case _:
                return False
        if (read - own).intersection(changed(loop.body)):
            return False
    return True


def _moved(expr: Expr, row: Symbol, by: int) -> Expr | None:
    if isinstance(expr, Var) and expr.symbol == row and isinstance(expr.type, Scalar):
        return binary("+", expr, literal(by, expr.type), expr.type)
    return None


def _together(columns: Loop, row: Symbol, rows: int) -> Loop:
    """Columns of several rows; the last one has the variables of the program. Compilers can't know that what one row
    stores is no other's: they would compile the loop once more, for columns one by one."""
    body: list[Stmt] = []
    for by in range(rows):
        own = {s: replace(s, unique=f"{s.unique}_row{by}") for s in changed(columns.body)} if by < rows - 1 else {}
        defined = {p.symbol for p in columns.body if isinstance(p, Define | Declare)}
        body += [Declare(new, None, columns.span or _NOWHERE) for s, new in own.items() if s not in defined]
        body += [_of_row(s, row, by, own) for s in columns.body]
    return replace(columns, body=tuple(body), independent=True)


def _of_row(stmt: Stmt, row: Symbol, by: int, own: dict[Symbol, Symbol]) -> Stmt:
    def change(expr: Expr) -> Expr | None:
        if isinstance(expr, Var) and expr.symbol in own:
            return replace(expr, symbol=own[expr.symbol])
        return _moved(expr, row, by) if by else None

    stmt = rewritten(stmt, change)
    if isinstance(stmt, Define | Declare):
        return replace(stmt, symbol=own.get(stmt.symbol, stmt.symbol))
    return stmt
