"""Stores under a condition: what is stored where the element's old value allows it may be stored always.

``if (x < p[i][j]) p[i][j] = x;`` does what ``p[i][j] = x < p[i][j] ? x : p[i][j];`` does: it comes to the element in
any case, and nobody else does at that time.
"""

from __future__ import annotations

from accshare.frontend.ir import Assign, Block, Cast, Conditional, Expr, If, Scalar, Stmt
from accshare.poly.ir import Access, Mode, Scop, Statement
from accshare.records import replace


def stored_always(scop: Scop, nest: tuple[Statement, ...]) -> tuple[Scop, tuple[Statement, ...]]:
    """The region with those statements of a nest that only store an element under a condition, which reads it, storing
    it always; and the nest."""
    statements: dict[str, Statement] = {}
    accesses: dict[int, Access] = {}
    for old in nest:
        body = _always(old.body)
        stores = [a for a in old.accesses if a.mode is Mode.WRITE]
        read = {a.reference for a in old.accesses if a.mode is Mode.READ and a.exact}
        if body is None or [a.reference for a in stores] != [body.target] or body.target not in read:
            continue
        accesses[id(stores[0])] = replace(stores[0], exact=True)
        own = tuple(accesses.get(id(a), a) for a in old.accesses)
        statements[old.name] = replace(old, body=body, accesses=own)
    if not statements:
        return scop, nest
    every = tuple(statements.get(s.name, s) for s in scop.statements)
    dependences = tuple(d.between(statements, accesses) for d in scop.dependences)
    found = replace(scop, statements=every, dependences=dependences)
    return found, tuple(statements.get(s.name, s) for s in nest)


def _always(body: Stmt) -> Assign | None:
    """An assignment that does what one under a condition does; None for other statements."""
    match body:
        case If(condition, Block(statements=(Assign(target, "=", value, span),)), None):
            type_ = target.type
            if isinstance(type_, Scalar):
                new: Expr = value if value.type == type_ else Cast(value, type_, False, span)
                return Assign(target, "=", Conditional(condition, new, target, type_, span), body.span)
    return None
