"""Generic walks over the frozen C AST, shared by every stage that reads or rewrites it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter, is_

from accshare.frontend.ir import (
    Assign,
    Atomic,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declare,
    Expr,
    FloatLit,
    For,
    GeneralFor,
    If,
    IntLit,
    Intrinsic,
    Jump,
    Member,
    Stmt,
    Subscript,
    Symbol,
    Unary,
    Var,
    While,
)
from accshare.records import replace

#: by its type, how to find an expression's direct sub-expressions: compilers look for them more often than for all else
_OPERANDS: dict[type, Callable[..., tuple[Expr, ...]]] = {
    Var: lambda _: (),
    IntLit: lambda _: (),
    FloatLit: lambda _: (),
    Subscript: attrgetter("base", "index"),
    Member: lambda expr: (expr.base,),
    Unary: lambda expr: (expr.operand,),
    Cast: lambda expr: (expr.operand,),
    Binary: attrgetter("lhs", "rhs"),
    Conditional: attrgetter("condition", "then", "other"),
    Call: attrgetter("args"),
    Intrinsic: attrgetter("args"),
}


def operands(expr: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions, in evaluation order."""
    return _OPERANDS[type(expr)](expr)


def expressions(expr: Expr) -> list[Expr]:
    """`expr` and everything below it, parents first."""
    found: list[Expr] = []
    waiting = [expr]
    while waiting:
        one = waiting.pop()
        found.append(one)
        if below := _OPERANDS[type(one)](one):
            waiting += below[::-1]
    return found


def named(expr: Expr) -> set[Symbol]:
    """The variables that `expr` names."""
    return {e.symbol for e in expressions(expr) if isinstance(e, Var)}


def mentions(expr: Expr, symbol: Symbol) -> bool:
    """Whether a variable occurs in an expression."""
    return any(isinstance(e, Var) and e.symbol == symbol for e in expressions(expr))


def rewrite(expr: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """`expr` with every sub-expression for which `change` returns one replaced by it; parents are asked first, and a
    replacement is not looked into again. What has nothing to replace stays the very same."""
    new = change(expr)
    if new is not None:
        return new
    below = operands(expr)
    changed = tuple(rewrite(one, change) for one in below)
    return expr if all(map(is_, below, changed)) else _with_operands(expr, changed)


def _with_operands(expr: Expr, new: tuple[Expr, ...]) -> Expr:
    match expr:
        case Subscript():
            return replace(expr, base=new[0], index=new[1])
        case Member():
            return replace(expr, base=new[0])
        case Unary() | Cast():
            return replace(expr, operand=new[0])
        case Binary():
            return replace(expr, lhs=new[0], rhs=new[1])
        case Conditional():
            return replace(expr, condition=new[0], then=new[1], other=new[2])
        case Call() | Intrinsic():
            return replace(expr, args=new)
        case _:
            return expr


def substatements(stmt: Stmt) -> tuple[Stmt, ...]:
    """The direct sub-statements, in source order."""
    match stmt:
        case Block(statements):
            return statements
        case For(body=body) | While(body=body) | Atomic(body=body):
            return (body,)
        case GeneralFor(init=init, step=step, body=body):
            return (*init, body, *step)
        case If(then=then, other=other):
            return (then,) if other is None else (then, other)
        case _:
            return ()


def with_blocks(stmt: Stmt, change: Callable[[Block], Block]) -> Stmt:
    """`stmt` with the blocks that it is, or that stand in it, changed."""
    match stmt:
        case Block():
            return change(stmt)
        case For(body=body) | While(body=body) | GeneralFor(body=body) | Atomic(body=body):
            return replace(stmt, body=change(body))
        case If(then=then, other=other):
            return replace(stmt, then=change(then), other=None if other is None else change(other))
    return stmt


def statements(stmt: Stmt) -> Iterator[Stmt]:
    """`stmt` and every statement below it, parents first."""
    yield stmt
    for part in substatements(stmt):
        yield from statements(part)


def declared(stmt: Stmt) -> set[Symbol]:
    """The variables that `stmt` declares or counts with."""
    found = (part for part in statements(stmt) if isinstance(part, Declare | For))
    return {part.symbol if isinstance(part, Declare) else part.iterator for part in found}


def branches(stmt: Stmt) -> bool:
    """Whether a statement has conditions or loops in it, so that executions of it may go different ways."""
    return any(isinstance(part, If | For | GeneralFor | While) for part in statements(stmt))


def own_expressions(stmt: Stmt) -> tuple[Expr, ...]:
    """The expressions that stand in a statement itself, not in its sub-statements."""
    match stmt:
        case Assign(target, _, value):
            return (target, value)
        case Declare(init=init):
            return () if init is None else (init,)
        case For(first=first, bound=bound):
            return (first, bound)
        case GeneralFor(condition=condition):
            return () if condition is None else (condition,)
        case If(condition=condition) | While(condition=condition):
            return (condition,)
        case Jump(value=value):
            return () if value is None else (value,)
        case _:
            return ()


def all_expressions(stmt: Stmt) -> Iterator[Expr]:
    """Every expression in a statement and in those below it, parents first."""
    return (e for part in statements(stmt) for own in own_expressions(part) for e in expressions(own))


def rewrite_statement(stmt: Stmt, change: Callable[[Expr], Expr | None]) -> Stmt:
    """`stmt` with `rewrite` applied to every expression in it."""

    def on(expr: Expr) -> Expr:
        return rewrite(expr, change)

    def block(body: Block) -> Block:
        return replace(body, statements=tuple(rewrite_statement(s, change) for s in body.statements))

    match stmt:
        case Block():
            return block(stmt)
        case Assign(target, _, value):
            return replace(stmt, target=on(target), value=on(value))
        case Declare(init=init):
            return stmt if init is None else replace(stmt, init=on(init))
        case For(first=first, bound=bound, body=body):
            return replace(stmt, first=on(first), bound=on(bound), body=block(body))
        case GeneralFor(init=init, condition=condition, step=step, body=body):
            return replace(
                stmt,
                init=tuple(rewrite_statement(s, change) for s in init),
                condition=None if condition is None else on(condition),
                step=tuple(rewrite_statement(s, change) for s in step),
                body=block(body),
            )
        case If(condition=condition, then=then, other=other):
            return replace(
                stmt, condition=on(condition), then=block(then), other=None if other is None else block(other)
            )
        case While(condition=condition, body=body):
            return replace(stmt, condition=on(condition), body=block(body))
        case Atomic(body=body):
            return replace(stmt, body=block(body))
        case Jump(value=value):
            return stmt if value is None else replace(stmt, value=on(value))
        case _:
            return stmt
