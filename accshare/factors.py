"""What elements of an array are always multiplied by: ``alpha`` in ``alpha * A[i][k] * B[k][j]``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from accshare.frontend.ir import Binary, Cast, Expr, FloatLit, IntLit, Symbol, Unary, Var
from accshare.tree import expressions


def common_factor(
    tops: Iterable[Expr], is_element: Callable[[Expr], bool], is_fixed: Callable[[Symbol], bool]
) -> Expr | None:
    """What every one of some elements in `tops` is multiplied by before anything else happens to it, where that is the
    same throughout and made of constants and variables that are fixed; None otherwise."""
    elements = 0
    found: list[Expr] = []
    for top in tops:
        for expr in expressions(top):
            elements += is_element(expr)
            found += _factors(expr, is_element)
    if not found or len(found) != elements or any(factor != found[0] for factor in found):
        return None
    parts = tuple(expressions(found[0]))
    fixed = all(isinstance(part, Var | IntLit | FloatLit | Unary | Binary | Cast) for part in parts)
    return found[0] if fixed and all(is_fixed(p.symbol) for p in parts if isinstance(p, Var)) else None


def _factors(expr: Expr, is_element: Callable[[Expr], bool]) -> Iterator[Expr]:
    """What a product multiplies an element by, if it is one."""
    if isinstance(expr, Binary) and expr.op == "*":
        for element, factor in ((expr.rhs, expr.lhs), (expr.lhs, expr.rhs)):
            if is_element(element) and element.type == expr.type and not is_element(factor):
                yield factor


def without_factor(expr: Expr, is_element: Callable[[Expr], bool]) -> Expr | None:
    """The element that a product consists of, beside its factor; None for other expressions."""
    if isinstance(expr, Binary) and expr.op == "*" and any(_factors(expr, is_element)):
        return expr.rhs if is_element(expr.rhs) else expr.lhs
    return None
