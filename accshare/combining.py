"""Statements that combine a value into a variable or an element: ``s += x``, ``s = s * x``, ``s = fmax(s, x)``."""

from __future__ import annotations

from collections.abc import Callable

from accshare.frontend.ir import INT, Assign, Binary, Block, Call, Conditional, Expr, If, Scalar, Stmt
from accshare.pragma.ir import ReductionOp
from accshare.reference import strip
from accshare.source import Span
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


def combined(stmt: Stmt, target: Expr) -> ReductionOp | None:
    """The operator with which `stmt` combines a value into `target`, which the value does not depend on; None when it
    does anything else."""
    place = strip(target)

    def is_target(expr: Expr) -> bool:
        return strip(expr) == place

    def free(expr: Expr) -> bool:
        return not any(is_target(e) for e in expressions(expr))

    match stmt:
        case Assign(written, op, value) if is_target(written) and op != "=":
            spelled = "+" if op == "-=" else op[:-1]
            return _BY_SPELLING.get(spelled) if free(value) else None
        case Assign(written, "=", value) if is_target(written):
            return _combined(strip(value), is_target, free)
        case If(condition=Binary(op, lhs, rhs), then=Block(statements=(Assign(written, "=", value),)), other=None):
            if is_target(written) and free(value):
                return _extreme(op, lhs, rhs, value, is_target)
    return None


def is_exact(stmt: Stmt) -> bool:
    """Whether a statement that combines does so in integers, where the order does not matter. ``i += 0.5`` does not,
    though its target is one."""
    match stmt:
        case Assign(target, _, value):
            return not any(map(_is_floating, (target, value, strip(value))))
        case If(condition=Binary(_, lhs, rhs)):
            return not _is_floating(lhs) and not _is_floating(rhs)
    return False


def combine(op: ReductionOp, target: Expr, value: Expr, element: Scalar, span: Span) -> Assign:
    """``target = target op value``."""
    if op in (ReductionOp.MAX, ReductionOp.MIN):
        compare = ">" if op is ReductionOp.MAX else "<"
        better = Conditional(Binary(compare, value, target, INT, span), value, target, element, span)
        return Assign(target, "=", better, span)
    if op in (ReductionOp.AND, ReductionOp.OR):
        return Assign(target, "=", Binary(op.value, target, value, INT, span), span)
    return Assign(target, f"{op.value}=", value, span)


def _is_floating(expr: Expr) -> bool:
    return isinstance(expr.type, Scalar) and expr.type.floating


def _combined(value: Expr, is_target: Test, free: Test) -> ReductionOp | None:
    match value:
        case Binary(op, lhs, rhs) if op in _BY_SPELLING:
            if (is_target(lhs) and free(rhs)) or (is_target(rhs) and free(lhs)):
                return _BY_SPELLING[op]
        case Binary("-", lhs, rhs) if is_target(lhs) and free(rhs):
            return ReductionOp.ADD
        case Call(callee, (one, two)) if callee in _EXTREMES:
            if is_target(one) != is_target(two) and free(two if is_target(one) else one):
                return _EXTREMES[callee]
        case Conditional(Binary(op, lhs, rhs), then, other):
            if is_target(other) and free(then):
                return _extreme(op, lhs, rhs, then, is_target)
            if is_target(then) and free(other):
                flipped = _extreme(op, lhs, rhs, other, is_target)
                return None if flipped is None else _OPPOSITE[flipped]
    return None


def _extreme(op: str, lhs: Expr, rhs: Expr, value: Expr, is_target: Test) -> ReductionOp | None:
    """``if (value op target) target = value``."""
    if is_target(rhs) and strip(lhs) == strip(value):
        upward = op in _UPWARD
    elif is_target(lhs) and strip(rhs) == strip(value):
        upward = op in _DOWNWARD
    else:
        return None
    return None if op not in _UPWARD | _DOWNWARD else ReductionOp.MAX if upward else ReductionOp.MIN
