"""What a region declares, counts with, assigns and uses first, before anything is modelled."""

from __future__ import annotations

from accshare.frontend.ir import (
    Assign,
    Declare,
    Expr,
    For,
    GeneralFor,
    If,
    Pointer,
    Region,
    Stmt,
    Subscript,
    Symbol,
    Var,
)
from accshare.reference import root, strip
from accshare.tree import expressions, own_expressions, statements, substatements


def counters(region: Region) -> frozenset[Symbol]:
    """The iterators of the region's counting loops."""
    return frozenset(s.iterator for s in statements(region.body) if isinstance(s, For))


def declared(region: Region) -> frozenset[Symbol]:
    """The symbols declared inside the region."""
    return frozenset(s.symbol for s in statements(region.body) if isinstance(s, Declare))


def assigned(region: Region) -> tuple[Expr, ...]:
    """Everything the region assigns to."""
    return tuple(s.target for s in statements(region.body) if isinstance(s, Assign))


def written(region: Region) -> frozenset[Symbol]:
    """The variables whose own memory the region assigns; what they point to doesn't count."""
    roots = (root(target) for target in assigned(region) if not through_pointer(target))
    return frozenset(symbol for symbol in roots if symbol is not None)


def through_pointer(expr: Expr) -> bool:
    """Whether a reference reaches its memory through a pointer."""
    return any(isinstance(p, Subscript) and isinstance(strip(p.base).type, Pointer) for p in expressions(expr))


def first_use(stmt: Stmt, symbol: Symbol) -> bool | None:
    """What `stmt` does first to a scalar. True: overwrites it; False: may read it, or overwrites it only perhaps; None:
    doesn't mention it."""

    def mentions(expr: Expr) -> bool:
        return any(isinstance(e, Var) and e.symbol == symbol for e in expressions(expr))

    match stmt:
        case Assign(Var(target), "=", value) if target == symbol:
            return not mentions(value)
        case Declare(own, init) if own == symbol:
            return init is not None and not mentions(init)
    if any(mentions(e) for e in own_expressions(stmt)) and not isinstance(stmt, GeneralFor):
        return False
    if isinstance(stmt, For | GeneralFor | If) or not hasattr(stmt, "statements"):
        for part in stmt.init if isinstance(stmt, GeneralFor) else ():
            first = first_use(part, symbol)
            if first is not None:
                return first
        inner = [first_use(p, symbol) for p in substatements(stmt)]
        if any(mentions(e) for e in own_expressions(stmt)):
            return False
        return False if any(f is not None for f in inner) else None
    for part in substatements(stmt):
        first = first_use(part, symbol)
        if first is not None:
            return first
    return None
