"""Pieces of access relations: parts of types, of references, of domains."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from accshare.frontend.ir import Array, Binary, Cast, Expr, Member, Stmt, Struct, Subscript, Type, Var
from accshare.islbuild import at_least, at_most, pairs, points
from accshare.poly.affine import Frame, NotAffine, affine, affine_condition
from accshare.poly.ir import Access, Mode
from accshare.poly.survey import scalar_use
from accshare.records import replace
from accshare.reference import strip


def narrowed(condition: Expr, frame: Frame) -> Frame:
    """`frame` with what the affine parts of a condition say; the others are left open."""
    match condition:
        case Binary("&&", lhs, rhs):
            return narrowed(rhs, narrowed(lhs, frame))
        case Cast(operand):
            return narrowed(operand, frame)
    try:
        return replace(frame, domain=affine_condition(condition, frame))
    except NotAffine:
        return frame


def leaves(type_: Type) -> Iterator[tuple[tuple[str, ...], tuple[Expr | None, ...]]]:
    """The scalars in a type: the path of member names, and the lengths of the arrays on it."""
    if isinstance(type_, Array):
        for path, lengths in leaves(type_.element):
            yield path, (type_.length, *lengths)
    elif isinstance(type_, Struct) and not type_.union:
        for member in type_.fields:
            for path, lengths in leaves(member.type):
                yield (member.name, *path), lengths
    else:
        yield (), ()


def indices(expr: Expr) -> Iterator[Expr]:
    """The subscripts of a reference."""
    node = strip(expr)
    while isinstance(node, Subscript | Member):
        if isinstance(node, Subscript):
            yield node.index
        node = strip(node.base)


def anywhere(length: Expr | None, frame: Frame) -> isl.Map:
    """Any index, within the extent where it is known."""
    anything = isl.Map.from_domain_and_range(frame.domain, points(1).everything)
    if length is None:
        return anything
    try:
        limit = isl.Map.from_pw_aff(affine(length, frame))
    except NotAffine:
        return anything
    both = pairs(1, 1)
    (extent,), (index,) = both.source, both.target
    return anything.intersect(limit.apply_range(both.where(at_least(index, 0), at_most(index, extent - 1))))


def as_a_whole(stmt: Stmt, access: Access) -> Access | None:
    """An access of a compound statement to a scalar: none where it reads only what it has written itself, exact where
    it writes on every path."""
    if access.subscripts or not isinstance(access.reference, Var):
        return access
    use = scalar_use(stmt, access.reference.symbol)
    if access.mode is Mode.READ:
        return access if use.exposed else None
    return replace(access, exact=use.defined)
