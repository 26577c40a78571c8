"""Arrays of constants whose values the program declares: a kernel has its own, and compilers know what is in it."""

from __future__ import annotations

from math import prod

from accshare.frontend.ir import INT, Array, Binary, Cast, Expr, IntLit, Scalar, Storage, Subscript, Symbol, Var
from accshare.islexpr import literal
from accshare.kernel.generate.body import buffer_symbol, element_of
from accshare.kernel.ir import Private, Stmt
from accshare.kernel.uses import rewritten, stored, symbols
from accshare.poly.ir import Scop, Variable


def tabled(body: tuple[Stmt, ...], variables: tuple[Variable, ...]) -> tuple[tuple[Stmt, ...], tuple[Private, ...]]:
    """`body` with tables of its own instead of buffers whose values are known, and these tables."""
    known = {buffer_symbol(v): v.base.symbol for v in variables if isinstance(v.base, Var) and v.base.symbol.values}
    if not known:
        return body, ()
    unchanged = set(symbols(body)) - stored(body)
    tables = {buffer: _table(symbol) for buffer, symbol in known.items() if buffer in unchanged}
    own = {buffer: Var(table.symbol, table.values[0].span) for buffer, table in tables.items()}

    def change(expr: Expr) -> Expr | None:
        if isinstance(expr, Subscript) and isinstance(expr.base, Var) and expr.base.symbol in tables:
            place, values = constant(expr.index), tables[expr.base.symbol].values
            return values[place] if place is not None and 0 <= place < len(values) else None
        return own.get(expr.symbol) if isinstance(expr, Var) else None

    changed = tuple(rewritten(stmt, change) for stmt in body)
    left = symbols(changed)
    return changed, tuple(table for table in tables.values() if table.symbol in left)


def in_code(scop: Scop) -> tuple[Variable, ...]:
    """The tables that no statement accesses: every place that is read in them is known."""
    read = {a.variable for s in scop.statements for a in s.accesses}
    return tuple(v for v in scop.variables if v not in read and isinstance(v.base, Var) and v.base.symbol.values)


def constant(expr: Expr) -> int | None:
    """The value of a sum of products of integers; None where it is not known."""
    match expr:
        case IntLit(value):
            return value
        case Cast(operand):
            return constant(operand)
        case Binary("+" | "*" as op, lhs, rhs):
            left, right = constant(lhs), constant(rhs)
            if left is not None and right is not None:
                return left + right if op == "+" else left * right
    return None


def _table(symbol: Symbol) -> Private:
    element, lengths = element_of(symbol.type)
    assert isinstance(element, Scalar)
    name = f"{symbol.unique}_table"
    own = Symbol(name, name, Array(element, literal(prod(lengths), INT)), Storage.INNER)
    return Private(own, element, lengths, values=symbol.values)
