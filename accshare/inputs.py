"""What a region takes from the program around it: the places its sizes come from, as their author calls them."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.data.ir import DataPlan
from accshare.frontend.ir import (
    Binary,
    Call,
    Cast,
    Conditional,
    Expr,
    FloatLit,
    IntLit,
    Intrinsic,
    Member,
    Scalar,
    Subscript,
    Unary,
    Var,
)
from accshare.tree import operands


def inputs(plan: DataPlan) -> tuple[Expr, ...]:
    """The variables and other places that a region's parameters, sections and guards are computed from, each once."""
    known = {p.symbol.unique for p in plan.parameters}
    found: dict[str, Expr] = {}
    for parameter in plan.parameters:
        for leaf in _leaves(parameter.value):
            found.setdefault(describe(leaf), leaf)
    beside = [e for d in plan.data if d.length is not None for e in (d.lower, d.length)] + [
        g.condition for g in plan.guards
    ]
    for expr in beside:
        for leaf in _leaves(expr):
            if not (isinstance(leaf, Var) and leaf.symbol.unique in known):
                found.setdefault(describe(leaf), leaf)
    return tuple(found.values())


def integers(plan: DataPlan) -> tuple[Expr, ...]:
    """Those of the inputs that hold whole numbers."""
    return tuple(leaf for leaf in inputs(plan) if isinstance(leaf.type, Scalar) and not leaf.type.floating)


def describe(expr: Expr) -> str:
    """A place of the program as its author would name it: ``n``, ``grid->width``, ``sizes[0]``."""
    match expr:
        case Var(symbol):
            return symbol.name
        case Member(Subscript(base, IntLit(0)), name):
            return f"{describe(base)}->{name}"
        case Member(base, name):
            return f"{describe(base)}.{name}"
        case Subscript(base, index):
            return f"{describe(base)}[{describe(index)}]"
        case IntLit(value):
            return str(value)
        case FloatLit(text):
            return text
        case Unary(op, operand):
            return f"{op}{describe(operand)}"
        case Cast(operand):
            return describe(operand)
        case Binary(op, lhs, rhs):
            return f"{describe(lhs)} {op} {describe(rhs)}"
        case Conditional(condition, then, other):
            return f"{describe(condition)} ? {describe(then)} : {describe(other)}"
        case Call(callee, args):
            return f"{callee}({', '.join(map(describe, args))})"
        case Intrinsic(function, args):
            return f"{function.value}({', '.join(map(describe, args))})"


def _leaves(expr: Expr) -> Iterator[Expr]:
    """The outermost sub-expressions that read the program's memory."""
    if isinstance(expr, (Var, Member, Subscript)):
        yield expr
        return
    for part in operands(expr):
        yield from _leaves(part)
