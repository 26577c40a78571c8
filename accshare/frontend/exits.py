"""Jumps out of a list of statements, replaced by branches: what they skip goes where it is not reached."""

from __future__ import annotations

from collections.abc import Callable

from accshare.frontend.ir import (
    INT,
    Assign,
    Block,
    Declare,
    Expr,
    For,
    GeneralFor,
    If,
    IntLit,
    Jump,
    Stmt,
    Symbol,
    Unary,
    Var,
    While,
)
from accshare.frontend.walks import substatements
from accshare.records import replace
from accshare.source import Span

Statements = tuple[Stmt, ...]
#: what a jump does before it leaves, such as keeping the value that is returned
Before = Callable[[Jump], Statements]


def without_jumps(
    stmts: Statements, word: str, flag: Callable[[], Symbol], before: Before = lambda _: ()
) -> Statements:
    """`stmts` without the ``break``, ``continue`` or ``return`` (`word`) that leave them.

    What follows ``if (c) return;`` becomes its other branch. Where no such nesting does, as out of a loop, a `flag`
    tells that they have been left.
    """
    if not any(has_jump(stmt, word) for stmt in stmts):
        return stmts
    nested = _nested(stmts, word, before)
    if nested is not None:
        return nested
    left = flag()
    span = stmts[0].span
    return (Declare(left, IntLit(0, INT, span), span), *_Flagged(word, before, left).sequence(stmts, False))


def has_jump(stmt: Stmt, word: str) -> bool:
    """Whether a jump leaves `stmt`; those inside a loop that leave only the loop don't."""
    if isinstance(stmt, Jump):
        return stmt.word == word
    if word != "return" and isinstance(stmt, For | GeneralFor | While):
        return False
    return any(has_jump(part, word) for part in substatements(stmt))


def leaves(stmts: Statements) -> bool:
    """Whether what follows `stmts` is never reached."""
    if not stmts:
        return False
    match stmts[-1]:
        case Jump():
            return True
        case Block(inner):
            return leaves(inner)
        case If(then=then, other=Block(other)):
            return leaves(then.statements) and leaves(other)
    return False


def denied(condition: Expr) -> Expr:
    """``!condition``."""
    return Unary("!", condition, INT, condition.span)


def branch(condition: Expr, then: Statements, other: Statements, span: Span) -> Statements:
    """An ``if`` without empty sides; nothing where both are."""
    if not then and not other:
        return ()
    if not then:
        condition, then, other = denied(condition), other, ()
    return (If(condition, Block(then, span), Block(other, span) if other else None, span),)


def unless(test: Expr) -> Statements:
    """``if (!test) break;``"""
    return branch(denied(test), (Jump("break", None, test.span),), (), test.span)


def tested(before: Statements, test: Expr, body: Block) -> Block:
    """A loop's body behind its condition."""
    return replace(body, statements=(*before, *unless(test), *body.statements))


def _nested(stmts: Statements, word: str, before: Before) -> Statements | None:
    """With branches alone; None where they don't suffice."""
    for k, stmt in enumerate(stmts):
        if not has_jump(stmt, word):
            continue
        head, rest = stmts[:k], stmts[k + 1 :]
        match stmt:
            case Jump():
                return (*head, *before(stmt))
            case Block(inner):
                tail = _nested((*inner, *rest), word, before)
                return None if tail is None else (*head, *tail)
            case If(condition, then, other):
                yes, no = then.statements, () if other is None else other.statements
                if leaves(yes):
                    no = (*no, *rest)
                elif leaves(no):
                    yes = (*yes, *rest)
                elif rest:
                    return None
                one, two = _nested(yes, word, before), _nested(no, word, before)
                return None if one is None or two is None else (*head, *branch(condition, one, two, stmt.span))
        return None
    return stmts


class _Flagged:
    """Sets `left` where a jump was, and asks for it behind every statement that may have jumped."""

    def __init__(self, word: str, before: Before, left: Symbol) -> None:
        self._word = word
        self._before = before
        self._left = left

    def sequence(self, stmts: Statements, in_loop: bool) -> Statements:
        """`in_loop`: the statements are in a loop that has to end with them."""
        found: list[Stmt] = []
        for k, stmt in enumerate(stmts):
            if not has_jump(stmt, self._word):
                found.append(stmt)
                continue
            found += self._statement(stmt, in_loop)
            rest = stmts[k + 1 :]
            left = Var(self._left, stmt.span)
            if isinstance(stmt, Jump):
                return tuple(found)
            if in_loop and isinstance(stmt, GeneralFor | While):
                found.append(If(left, Block((Jump("break", None, stmt.span),), stmt.span), None, stmt.span))
            elif rest and not in_loop:
                found.append(If(denied(left), Block(self.sequence(rest, False), stmt.span), None, stmt.span))
                return tuple(found)
        return tuple(found)

    def _statement(self, stmt: Stmt, in_loop: bool) -> Statements:
        match stmt:
            case Jump(span=span):
                mark = Assign(Var(self._left, span), "=", IntLit(1, INT, span), span)
                return (*self._before(stmt), mark, *((Jump("break", None, span),) if in_loop else ()))
            case Block(inner, span):
                return (Block(self.sequence(inner, in_loop), span),)
            case If(then=then, other=other):
                yes = Block(self.sequence(then.statements, in_loop), then.span)
                no = None if other is None else Block(self.sequence(other.statements, in_loop), other.span)
                return (replace(stmt, then=yes, other=no),)
            case GeneralFor(body=body) | While(body=body):
                return (replace(stmt, body=Block(self.sequence(body.statements, True), body.span)),)
        return (stmt,)
