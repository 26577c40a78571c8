"""Arrays of one dimension that a program subscripts as if they had more: ``static float a[N * N]; a[i * n + j]``, also
those that are members, ``grid->cells[i * n + j]``.

Their length says nothing of rows, so that they are read as what a pointer leads to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.frontend.ir import (
    Array,
    Binary,
    Block,
    Expr,
    For,
    IntLit,
    Member,
    Pointer,
    Region,
    Scalar,
    Stmt,
    Storage,
    Struct,
    Subscript,
    Var,
)
from accshare.poly.running import named_by_clauses
from accshare.pragma.ir import CText, DataClause, DataVar, Directive, Section
from accshare.records import replace
from accshare.reference import changed, root, spelling, strip
from accshare.tree import all_expressions, expressions, rewrite_statement, statements, with_blocks


def with_flat_arrays(region: Region) -> Region:
    """`region` with such arrays as pointers, and clauses that mean a whole one with how much that is."""
    elements = (e for e in all_expressions(region.body) if isinstance(e, Subscript) and _is_linear(e.index))
    bases = {strip(e.base): strip(e.base).type for e in elements}
    arrays = {base: type_ for base, type_ in bases.items() if isinstance(type_, Array) and _may_be_flat(base, region)}
    if not arrays:
        return region
    named = {*named_by_clauses(region), *_whole(region, arrays)}
    flat = {base: _pointer(base, type_) for base, type_ in arrays.items() if spelling(base) not in named}
    lengths = {spelling(base): type_.length for base, type_ in arrays.items()}

    def pointed(expr: Expr) -> Expr | None:
        new = flat.get(expr) if isinstance(expr, Var | Member) else None
        return None if new is None else replace(new, span=expr.span)

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
    symbols = {base.symbol: new.symbol for base, new in flat.items() if isinstance(base, Var) and isinstance(new, Var)}
    own = tuple(symbols.get(s, s) for s in region.symbols)
    known = ((flat[base], type_.length) for base, type_ in arrays.items() if base in flat)
    whole = tuple((base, length.value) for base, length in known if isinstance(length, IntLit))
    return replace(region, construct=construct, body=replace(body, statements=made), symbols=own, lengths=whole)


def _may_be_flat(base: Expr, region: Region) -> bool:
    """Whether it is an array of numbers from outside of the region, and stays where it is."""
    symbol = root(base)
    if symbol is None or symbol.storage is Storage.INNER or symbol.on_device or symbol.volatile:
        return False
    path = base
    while isinstance(path, Member):
        owner = strip(path.base)
        if isinstance(owner.type, Struct) and owner.type.union:
            return False
        path = (
            strip(owner.base)
            if isinstance(owner, Subscript) and owner.index == IntLit(0, owner.index.type, owner.span)
            else owner
        )
    steady = isinstance(base, Var) or (isinstance(path, Var) and symbol not in changed(region.body))
    return steady and isinstance(base.type, Array) and isinstance(base.type.element, Scalar)


def _pointer(base: Expr, array: Array) -> Var | Member:
    """An array as a pointer to its first element."""
    type_ = Pointer(array.element, False, False)
    if isinstance(base, Var):
        return Var(replace(base.symbol, type=type_), base.span)
    assert isinstance(base, Member)
    return replace(base, type=type_)


def _whole(region: Region, arrays: Mapping[Expr, Array]) -> Iterator[str]:
    """The arrays of a length that is computed, of which clauses mean the whole."""
    computed = {spelling(base) for base, type_ in arrays.items() if not isinstance(type_.length, IntLit)}
    directives = [s.directive for s in statements(region.body) if isinstance(s, For) and s.directive is not None]
    clauses = (c for d in (region.construct, *directives) for c in d.clauses if isinstance(c, DataClause))
    yield from (v.name for c in clauses for v in c.vars if not v.sections and v.name in computed)


def _is_linear(index: Expr) -> bool:
    """Whether a subscript has a product of what are no constants."""
    products = (e for e in expressions(index) if isinstance(e, Binary) and e.op == "*")
    return any(not isinstance(strip(e.lhs), IntLit) and not isinstance(strip(e.rhs), IntLit) for e in products)


def _with_lengths(directive: Directive, lengths: Mapping[str, Expr | None]) -> Directive:
    """A directive whose data clauses say how long arrays are that they only name."""

    def told(var: DataVar) -> DataVar:
        length = lengths.get(var.name)
        if var.sections or not isinstance(length, IntLit):
            return var
        whole = Section(CText("0", var.span), CText(str(length.value), var.span))
        return replace(var, sections=(whole,))

    clauses = tuple(
        replace(c, vars=tuple(map(told, c.vars))) if isinstance(c, DataClause) else c for c in directive.clauses
    )
    return directive if clauses == directive.clauses else replace(directive, clauses=clauses)
