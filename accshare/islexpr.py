"""From isl's sets and AST expressions to C expressions, and back."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from accshare.builtins import floor_div, maximum, minimum
from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Builtin,
    Cast,
    Conditional,
    Expr,
    For,
    IntLit,
    Intrinsic,
    Scalar,
    Storage,
    Symbol,
    Unary,
    Var,
)
from accshare.islbuild import COMPARISONS, sizes
from accshare.source import Span
from accshare.tree import expressions, mentions

_PARAM = isl.dim_type.param
_NOWHERE = Span(0, 0)
_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "pdiv_q": "/",
    "pdiv_r": "%",
    "zdiv_r": "%",
    "le": "<=",
    "lt": "<",
    "ge": ">=",
    "gt": ">",
    "eq": "==",
    "and_": "&&",
    "and_then": "&&",
    "or_": "||",
    "or_else": "||",
}
_LOGICAL = {"<=", "<", ">=", ">", "==", "&&", "||"}
#: comparisons with their sides changed
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CALLS = {"max": maximum, "min": minimum}
_ARITHMETIC = {
    "+": isl.PwAff.add,
    "-": isl.PwAff.sub,
    "*": isl.PwAff.mul,
    "/": isl.PwAff.tdiv_q,
    "%": isl.PwAff.tdiv_r,
}
_INTRINSICS = {Builtin.MIN: isl.PwAff.min, Builtin.MAX: isl.PwAff.max}


def literal(value: int, type_: Scalar) -> IntLit:
    """An integer constant that stands nowhere in the source."""
    return IntLit(value, type_, _NOWHERE)


def variable(symbol: Symbol) -> Var:
    """A use of `symbol` that stands nowhere in the source."""
    return Var(symbol, _NOWHERE)


def binary(op: str, lhs: Expr, rhs: Expr, type_: Scalar) -> Expr:
    """``lhs op rhs`` that stands nowhere in the source, with integer constants folded."""
    if isinstance(lhs, IntLit) and isinstance(rhs, IntLit) and op in "+-*":
        a, b = lhs.value, rhs.value
        return literal(a + b if op == "+" else a - b if op == "-" else a * b, type_)
    sign = {"+": 1, "-": -1}
    sums = isinstance(lhs, Binary) and {op, lhs.op} <= set(sign)
    if sums and isinstance(lhs, Binary) and isinstance(lhs.rhs, IntLit) and isinstance(rhs, IntLit):
        total = sign[lhs.op] * lhs.rhs.value + sign[op] * rhs.value
        return binary("+", lhs.lhs, literal(total, type_), type_)
    if isinstance(rhs, IntLit) and (rhs.value, op) in {(0, "+"), (0, "-"), (1, "*")}:
        return lhs
    if isinstance(lhs, IntLit) and (lhs.value, op) in {(0, "+"), (1, "*")}:
        return rhs
    if isinstance(lhs, Unary) and lhs.op == "-" and op == "+":
        return binary("-", rhs, lhs.operand, type_)
    if isinstance(rhs, IntLit) and rhs.value < 0 and op in "+-":
        return binary("-" if op == "+" else "+", lhs, literal(-rhs.value, type_), type_)
    return Binary(op, lhs, rhs, INT if op in _LOGICAL else type_, _NOWHERE)


def length(loop: For) -> Expr:
    """How far a loop counts up, as ``long``; it has no iterations where that is negative."""
    count = binary("-", _long(loop.bound), _long(loop.first), LONG)
    return binary("+", count, literal(1, LONG), LONG) if loop.relation == "<=" else count


def _long(expr: Expr) -> Expr:
    if isinstance(expr, IntLit):
        return literal(expr.value, LONG)
    return expr if expr.type == LONG else Cast(expr, LONG, False, _NOWHERE)


def comparison(op: str, lhs: Expr, rhs: Expr, type_: Scalar) -> Expr:
    """``lhs op rhs`` as a person would write it: what varies on the left, ``<`` rather than ``<= … - 1``."""
    if isinstance(lhs, IntLit) or (not _varies(lhs) and _varies(rhs)):
        return comparison(FLIPPED[op], rhs, lhs, type_) if not isinstance(rhs, IntLit) else binary(op, lhs, rhs, INT)
    if op == ">=" and isinstance(rhs, Binary) and rhs.op == "+" and isinstance(rhs.rhs, IntLit):
        return binary(">", lhs, binary("+", rhs.lhs, literal(rhs.rhs.value - 1, type_), type_), INT)
    if op == "<=" and isinstance(lhs, Binary) and lhs.op == "+" and isinstance(lhs.rhs, IntLit):
        return binary("<", binary("+", lhs.lhs, literal(lhs.rhs.value - 1, type_), type_), rhs, INT)
    if op == "<=" and isinstance(rhs, Binary) and rhs.op in "+-" and isinstance(rhs.rhs, IntLit):
        return binary("<", lhs, binary("+", rhs, literal(1, type_), type_), INT)
    return binary(op, lhs, rhs, INT)


def _varies(expr: Expr) -> bool:
    """Whether it mentions a kernel's own variable rather than parameters alone."""
    return any(isinstance(e, Var) and e.symbol.storage is Storage.INNER for e in expressions(expr))


def step(expr: Expr, row: Symbol) -> Expr | None:
    """By how much `expr` grows with `row`, as ``long``; None where that is no product of what it mentions."""
    if not mentions(expr, row):
        return literal(0, LONG)
    match expr:
        case Var():
            return literal(1, LONG)
        case Cast(operand):
            return step(operand, row)
        case Binary("+" | "-" as op, lhs, rhs):
            left, right = step(lhs, row), step(rhs, row)
            return None if left is None or right is None else binary(op, left, right, LONG)
        case Binary("*", lhs, rhs) if not mentions(rhs, row):
            left = step(lhs, row)
            return None if left is None else binary("*", left, rhs, LONG)
    return None


def conjunction(conditions: tuple[Expr, ...]) -> Expr | None:
    """All of them with ``&&``, or None where there is nothing to test."""
    result: Expr | None = None
    for condition in conditions:
        result = condition if result is None else binary("&&", result, condition, INT)
    return result


def is_true(condition: Expr) -> bool:
    """Whether it is the constant 1."""
    return isinstance(condition, IntLit) and condition.value != 0


def all_large(present: isl.Set, least: int) -> isl.Set:
    """Parameters that bound loops are large, as they are in programs worth offloading; `present` has an instance."""
    large = isl.Set.universe(present.get_space().params())
    for k in range(present.dim(_PARAM)):
        if present.involves_dims(_PARAM, k, 1):
            large = large.lower_bound_val(_PARAM, k, isl.Val(least))
    return large


def of_ast(expr: isl.AstExpr, names: Mapping[str, Expr], type_: Scalar) -> Expr:
    """An isl AST expression as C, computed in `type_`; `names` gives the expression of every identifier.

    Identifiers of another type are converted, so that unsigned variables can't wrap: isl reasons about integers.
    """
    kind = isl.ast_expr_type(expr.get_type())
    if kind == isl.ast_expr_type.id:
        return convert(names[expr.get_id().get_name()], type_)
    if kind == isl.ast_expr_type.int:
        return literal(expr.get_val().to_python(), type_)
    op = isl.ast_expr_op_type(expr.get_op_type()).name
    args = [of_ast(expr.get_op_arg(k), names, type_) for k in range(expr.get_op_n_arg())]
    if op in _BINARY:
        spelled = _BINARY[op]
        if spelled in FLIPPED:
            return comparison(spelled, args[0], args[1], type_)
        return binary(spelled, args[0], args[1], type_)
    if op in _CALLS:
        result = args[0]
        for arg in args[1:]:
            result = _CALLS[op](result, arg, type_)
        return result
    if op == "minus":
        return Unary("-", args[0], type_, _NOWHERE)
    if op == "fdiv_q":
        return floor_div(args[0], args[1], type_)
    if op in {"cond", "select"}:
        return Conditional(args[0], args[1], args[2], type_, _NOWHERE)
    raise NotImplementedError(f"isl AST operator {op}")


def convert(expr: Expr, type_: Scalar) -> Expr:
    """`expr` cast to `type_` unless it has that type already or promotes to it."""
    own = expr.type
    if own == type_ or (isinstance(own, Scalar) and own.signed and not own.floating and own.bytes <= type_.bytes):
        return expr
    return Cast(expr, type_, False, _NOWHERE)


def of_condition(params: isl.Set, context: isl.Set, names: Mapping[str, Expr], type_: Scalar) -> Expr:
    """A parameter set as a C condition, given that `context` holds."""
    known = context.params().align_params(params.get_space().params())
    build = isl.AstBuild.from_context(known)
    params = params.params().align_params(known.get_space())  # isl itself stumbles where there are divisions
    return of_ast(build.expr_from_set(params), names, type_)


def of_value(value: isl.PwAff, context: isl.Set, names: Mapping[str, Expr], type_: Scalar) -> Expr:
    """A piecewise affine function of parameters as a C expression; where it isn't defined the result is arbitrary."""
    known = context.params().align_params(value.get_space().params())
    build = isl.AstBuild.from_context(known)
    value = value.coalesce().align_params(known.get_space())  # isl itself stumbles where there are divisions
    return of_ast(build.expr_from_pw_aff(value), names, type_)


class Unreadable(Exception):  # noqa: N818 - an answer, not a failure
    """An expression that is no affine function."""


def value_of(expr: Expr) -> isl.PwAff:
    """An integer expression as a function of parameters that have the unique names of its variables; nothing wraps
    around. Raises `Unreadable`."""
    match expr:
        case IntLit(value):
            return sizes().function(value).to_pw_aff()
        case Var(symbol):
            return sizes(symbol.unique).parameters[0].to_pw_aff()
        case Cast(operand):
            return value_of(operand)
        case Unary("-", operand):
            return value_of(operand).neg()
        case Binary(op, lhs, rhs) if op in _ARITHMETIC:
            return _computed(op, value_of(lhs), value_of(rhs))
        case Conditional(condition, then, other):
            where = _where(condition)
            return value_of(then).intersect_params(where).union_add(value_of(other).subtract_domain(where))
        case Intrinsic(Builtin.FLOOR_DIV, (dividend, divisor)):
            return value_of(dividend).div(_constant(value_of(divisor))).floor()
        case Intrinsic(function, (one, other)) if function in _INTRINSICS:
            return _INTRINSICS[function](value_of(one), value_of(other))
        case _:
            raise Unreadable


def _computed(op: str, lhs: isl.PwAff, rhs: isl.PwAff) -> isl.PwAff:
    if op == "*" and not lhs.is_cst():
        rhs = _constant(rhs)
    if op in "/%":
        rhs = _constant(rhs)
    return _ARITHMETIC[op](lhs, rhs)


def _constant(value: isl.PwAff) -> isl.PwAff:
    if not value.is_cst():
        raise Unreadable
    return value


def _where(condition: Expr) -> isl.Set:
    match condition:
        case Binary("&&", lhs, rhs):
            return _where(lhs).intersect(_where(rhs))
        case Binary("||", lhs, rhs):
            return _where(lhs).union(_where(rhs))
        case Binary(op, lhs, rhs) if op in COMPARISONS:
            return COMPARISONS[op](value_of(lhs), value_of(rhs))
        case _:
            raise Unreadable
