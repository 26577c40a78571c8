"""Structs from outside a region that are copied as a whole, ``p[i] = background;``: kernels get their members."""

from __future__ import annotations

from accshare.frontend.ir import Assign, Expr, Member, Scalar, Storage, Struct, Var
from accshare.source import Span


def by_members(target: Expr, value: Expr, span: Span) -> tuple[Assign, ...] | None:
    """The assignment of such a struct, one for each number in it; None where it is no such struct, or has other
    members."""
    outer = isinstance(value, Var) and value.symbol.storage is not Storage.INNER
    return _members(target, value, span) if outer and isinstance(value.type, Struct) else None


def _members(target: Expr, value: Expr, span: Span) -> tuple[Assign, ...] | None:
    if isinstance(value.type, Scalar):
        return (Assign(target, "=", value, span),)
    if not isinstance(value.type, Struct) or value.type.union:
        return None
    found: list[Assign] = []
    for field in value.type.fields:
        to, own = (Member(end, field.name, field.type, span) for end in (target, value))
        assigned = _members(to, own, span)
        if assigned is None:
            return None
        found += assigned
    return tuple(found)
