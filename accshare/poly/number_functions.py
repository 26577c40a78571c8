"""Functions that do nothing but choose a whole number, as ``clamp(i, 0, n - 1)``, are that number where it is an index:
what subscripts and bounds say is known then."""

from __future__ import annotations

from accshare.frontend.ir import Block, Call, Conditional, Expr, Function, If, Jump, Region, Scalar, Stmt, Var
from accshare.records import replace
from accshare.tree import expressions, rewrite, rewrite_statement

#: expressions in what stands for a call
_MOST = 60


def with_numbers_for_calls(region: Region) -> Region:
    """`region` with what such functions of its own choose in place of their calls."""
    values = {function.name: value for function in region.functions if (value := _value(function)) is not None}
    if not values:
        return region
    parameters = {function.name: function.parameters for function in region.functions}

    def change(expr: Expr) -> Expr | None:
        if not isinstance(expr, Call) or expr.callee not in values:
            return None
        args = (rewrite(arg, change) for arg in expr.args)
        given = dict(zip(parameters[expr.callee], args, strict=True))
        inside = rewrite(values[expr.callee], change)
        found = rewrite(inside, lambda e: given.get(e.symbol) if isinstance(e, Var) else None)
        return found if len(expressions(found)) <= _MOST else None

    body = rewrite_statement(region.body, change)
    assert isinstance(body, Block)
    return replace(region, body=body)


def _value(function: Function) -> Expr | None:
    """The whole number that a function returns, if all that it does is to choose it; None for others."""
    whole = isinstance(function.result, Scalar) and not function.result.floating
    return _returned(function.body.statements) if whole else None


def _returned(stmts: tuple[Stmt, ...]) -> Expr | None:
    match stmts:
        case (Jump("return", value), *_):
            return value
        case (If(condition, then, other), *rest):
            sides = _returned(then.statements), _returned((*(other.statements if other else ()), *rest))
            if sides[0] is None or sides[1] is None or sides[0].type != sides[1].type:
                return None
            return Conditional(condition, sides[0], sides[1], sides[0].type, condition.span)
        case (Block(inside), *rest):
            return _returned((*inside, *rest))
    return None
