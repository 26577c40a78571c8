"""Recognising reductions: scalars that a loop only combines values into."""

from __future__ import annotations

from collections.abc import Callable

from accshare.frontend.ir import Assign, Binary, Block, Call, Conditional, Expr, If, Scalar, Stmt, Symbol, Var
from accshare.poly.ir import LoopNode, Statement, Variable
from accshare.pragma.ir import Clause, ReductionClause, ReductionOp
from accshare.reference import strip
from accshare.schedule.ir import Reduction
from accshare.tree import expressions

Test = Callable[[Expr], bool]

_BY_SPELLING = {op.value: op for op in ReductionOp if op not in (ReductionOp.MAX, ReductionOp.MIN)}
_EXTREMES = {
    "fmax": ReductionOp.MAX,
    "fmaxf": ReductionOp.MAX,
    "fmin": ReductionOp.MIN,
    "fminf": ReductionOp.MIN,
}
_OPPOSITE = {ReductionOp.MAX: ReductionOp.MIN, ReductionOp.MIN: ReductionOp.MAX}
_UPWARD = {">", ">="}
_DOWNWARD = {"<", "<="}


def reduction(
    variable: Variable, users: tuple[Statement, ...], clauses: tuple[Clause, ...], reassociate: bool
) -> Reduction | None:
    """The reduction that `users`, all statements of a loop nest that touch `variable`, make of it.

    A ``reduction`` clause or `reassociate` allows floating-point operators; integers need neither, their operators are
    associative. None when a statement does something else with the variable, or nothing allows the reordering.
    """
    if not isinstance(variable.base, Var) or not isinstance(variable.element, Scalar):
        return None
    symbol = variable.base.symbol
    ops = {_operator(user.body, symbol) for user in users}
    if len(ops) != 1:
        return None
    op = ops.pop()
    if op is None:
        return None
    promised = any(
        isinstance(c, ReductionClause) and c.op is op and any(v.base.text == symbol.name for v in c.vars)
        for c in clauses
    )
    if not promised and variable.element.floating and not reassociate:
        return None
    return Reduction(variable, op)


def has_combining_form(variable: Variable, users: tuple[Statement, ...]) -> bool:
    """Whether a clause would make it a reduction; for the explanation."""
    return isinstance(variable.base, Var) and None not in {_operator(u.body, variable.base.symbol) for u in users}


def clauses_of(loops: tuple[LoopNode, ...], construct: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """The clauses of the construct and of the directives on `loops`."""
    own = (n.loop.directive.clauses for n in loops if n.loop.directive is not None)
    return (*construct, *(c for clauses in own for c in clauses))


def _operator(stmt: Stmt, symbol: Symbol) -> ReductionOp | None:
    """The operator with which `stmt` combines a value into `symbol`."""

    def is_symbol(expr: Expr) -> bool:
        expr = strip(expr)
        return isinstance(expr, Var) and expr.symbol == symbol

    def free(expr: Expr) -> bool:
        return not any(is_symbol(e) for e in expressions(expr))

    match stmt:
        case Assign(target, op, value) if is_symbol(target) and op != "=":
            spelled = "+" if op == "-=" else op[:-1]
            return _BY_SPELLING.get(spelled) if free(value) else None
        case Assign(target, "=", value) if is_symbol(target):
            return _combined(strip(value), is_symbol, free)
        case If(condition=Binary(op, lhs, rhs), then=Block(statements=(Assign(target, "=", value),)), other=None):
            if is_symbol(target) and free(value):
                return _extreme(op, lhs, rhs, value, is_symbol)
    return None


def _combined(value: Expr, is_symbol: Test, free: Test) -> ReductionOp | None:
    match value:
        case Binary(op, lhs, rhs) if op in _BY_SPELLING:
            if (is_symbol(lhs) and free(rhs)) or (is_symbol(rhs) and free(lhs)):
                return _BY_SPELLING[op]
        case Binary("-", lhs, rhs) if is_symbol(lhs) and free(rhs):
            return ReductionOp.ADD
        case Call(callee, (one, two)) if callee in _EXTREMES:
            if is_symbol(one) != is_symbol(two) and free(two if is_symbol(one) else one):
                return _EXTREMES[callee]
        case Conditional(Binary(op, lhs, rhs), then, other):
            if is_symbol(other) and free(then):
                return _extreme(op, lhs, rhs, then, is_symbol)
            if is_symbol(then) and free(other):
                flipped = _extreme(op, lhs, rhs, other, is_symbol)
                return None if flipped is None else _OPPOSITE[flipped]
    return None


def _extreme(op: str, lhs: Expr, rhs: Expr, value: Expr, is_symbol: Test) -> ReductionOp | None:
    """``if (value op symbol) symbol = value``."""
    if is_symbol(rhs) and strip(lhs) == strip(value):
        upward = op in _UPWARD
    elif is_symbol(lhs) and strip(rhs) == strip(value):
        upward = op in _DOWNWARD
    else:
        return None
    return None if op not in _UPWARD | _DOWNWARD else ReductionOp.MAX if upward else ReductionOp.MIN
