"""Calls of mathematical functions on vectors become calls of our own functions."""

from __future__ import annotations

from accshare.builtins import lane
from accshare.frontend.ir import Call, Cast, Expr, Function, Scalar
from accshare.kernel.ir import Stmt
from accshare.kernel.uses import rewritten, used_expressions
from accshare.records import replace
from accshare.tree import rewrite
from accshare.vectormath import is_worth_it, plain, vector_functions


def with_vector_functions(stmts: tuple[Stmt, ...], fuses: bool) -> tuple[tuple[Stmt, ...], tuple[Function, ...]]:
    """Statements that call them, and the functions. The iterations that are left over from vectors call them too, so
    that a result does not depend on where its element lies. `fuses` is the device's."""
    wide: dict[tuple[str, Scalar], Scalar] = {}
    for expr in used_expressions(stmts):
        name = plain(expr) if isinstance(expr, Call) else None
        if name is None or not isinstance(expr.type, Scalar) or expr.type.lanes == 1:
            continue
        if is_worth_it(name, expr.type, fuses):
            wide.setdefault((name, replace(expr.type, lanes=1)), expr.type)
    if not wide:
        return stmts, ()
    called: dict[tuple[str, Scalar], tuple[Function, ...]] = {}

    def of(name: str, type_: Scalar) -> str:
        return called.setdefault((name, type_), vector_functions(name, type_, fuses))[-1].name

    def on(expr: Expr) -> Expr | None:
        if not isinstance(expr, Call) or not isinstance(expr.type, Scalar):
            return None
        name = plain(expr)
        if name is None:
            return None
        args = tuple(rewrite(a, on) for a in expr.args)
        type_ = wide.get((name, replace(expr.type, lanes=1)))
        if type_ is None:
            return None
        if expr.type.lanes > 1:
            return replace(expr, callee=of(name, expr.type), args=args)
        vectors = tuple(Cast(Cast(a, expr.type, True, a.span), type_, False, a.span) for a in args)
        whole = Call(of(name, type_), vectors, type_, expr.span)
        return lane(whole, 0, expr.span)

    return tuple(rewritten(s, on) for s in stmts), tuple(f for functions in called.values() for f in functions)
