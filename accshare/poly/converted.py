"""Values as C converts them where they are assigned."""

from __future__ import annotations

from accshare.frontend.ir import Cast, Expr, Scalar, Type


def as_type(value: Expr, type_: Type) -> Expr:
    """A number in the type of what it is assigned to; what is no number stays as it is."""
    return value if value.type == type_ or not isinstance(type_, Scalar) else Cast(value, type_, True, value.span)
