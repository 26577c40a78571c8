"""Arrays of one dimension that a program subscripts as if they had more: ``static float a[N * N]; a[i * n + j]``.

Their length says nothing of rows, so that they are read as what a pointer leads to.
"""

from __future__ import annotations

from accshare.frontend.ir import (
    Array,
    Binary,
    Block,
    Expr,
    For,
    IntLit,
    Pointer,
    Region,
    Scalar,
    Stmt,
    Storage,
    Subscript,
    Symbol,
    Var,
)
from accshare.poly.running import named_by_clauses
from accshare.pragma.ir import CText, DataClause, DataVar, Directive, Section
from accshare.records import replace
from accshare.reference import strip
from accshare.tree import all_expressions, expressions, rewrite_statement, with_blocks


def with_flat_arrays(region: Region) -> Region:
    """`region` with such arrays as pointers, and clauses that mean a whole one with how much that is."""
    named = named_by_clauses(region)
    found = (_array(e) for e in all_expressions(region.body) if isinstance(e, Subscript) and _is_linear(e.index))
    arrays = {symbol: symbol.type for symbol in found if symbol is not None and symbol.name not in named}
    lengths = {s.name: t.length for s, t in arrays.items() if isinstance(t, Array)}
    if not arrays:
        return region
    flat = {s: replace(s, type=Pointer(t.element, False, False)) for s, t in arrays.items() if isinstance(t, Array)}

    def pointed(expr: Expr) -> Expr | None:
        new = flat.get(expr.symbol) if isinstance(expr, Var) else None
        return None if new is None else Var(new, expr.span)

    def block(inner: Block) -> Block:
        return replace(inner, statements=tuple(map(statement, inner.statements)))

    def statement(stmt: Stmt) -> Stmt:
        made = with_blocks(stmt, block)
        if isinstance(made, For) and made.directive is not None:
            return replace(made, directive=_with_lengths(made.directive, lengths))
        return made

    construct = _with_lengths(region.construct, lengths)
    body = block(region.body)
    made = tuple(rewrite_statement(s, pointed) for s in body.statements)
    symbols = tuple(flat.get(s, s) for s in region.symbols)
    return replace(region, construct=construct, body=replace(body, statements=made), symbols=symbols)


def _array(element: Subscript) -> Symbol | None:
    """The array of numbers, from outside of the region and of a known length, that has an element."""
    base = strip(element.base)
    symbol = base.symbol if isinstance(base, Var) else None
    if symbol is None or symbol.storage is Storage.INNER or symbol.on_device or symbol.volatile:
        return None
    type_ = symbol.type
    numbers = isinstance(type_, Array) and isinstance(type_.element, Scalar) and isinstance(type_.length, IntLit)
    return symbol if numbers else None


def _is_linear(index: Expr) -> bool:
    """Whether a subscript has a product of what are no constants."""
    products = (e for e in expressions(index) if isinstance(e, Binary) and e.op == "*")
    return any(not isinstance(strip(e.lhs), IntLit) and not isinstance(strip(e.rhs), IntLit) for e in products)


def _with_lengths(directive: Directive, lengths: dict[str, Expr | None]) -> Directive:
    """A directive whose data clauses say how long arrays are that they only name."""

    def told(var: DataVar) -> DataVar:
        length = lengths.get(var.base.text)
        if var.sections or not isinstance(length, IntLit):
            return var
        whole = Section(CText("0", var.span), CText(str(length.value), var.span))
        return replace(var, sections=(whole,))

    clauses = tuple(
        replace(c, vars=tuple(map(told, c.vars))) if isinstance(c, DataClause) else c for c in directive.clauses
    )
    return directive if clauses == directive.clauses else replace(directive, clauses=clauses)
