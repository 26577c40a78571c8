"""Iterators of blocks as ``long``: compilers then add up addresses once.

Rows of a stencil load elements whose addresses differ by constants. Where iterators are ``int``, each ``x + u - 2`` is
computed and widened by itself, and LLVM is left without registers for what it loads.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import INT, LONG, Binary, Cast, Expr, Subscript, Symbol, Unary, Var
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, each, own, parts, within
from accshare.kernel.uses import rewritten
from accshare.records import replace
from accshare.tree import expressions, operands, rewrite

_ARITHMETIC = {"+", "-", "*", "/", "%"}


def widened(loop: Loop, iterators: tuple[Symbol, ...]) -> Loop:
    """`loop` with those of its `iterators` as ``long`` that only tell where elements are."""
    told = (e for p in parts(loop) if not isinstance(p, Loop) for top in own(p) for e in _outside(top, p))
    plain = {e.symbol for e in told if isinstance(e, Var)}
    wide = {i: replace(i, type=LONG) for i in iterators if i.type == INT and i not in plain}
    return _counting(loop, wide) if wide else loop


def _outside(expr: Expr, stmt: Stmt) -> Iterator[Expr]:
    """`expr` of a statement and everything below it that is not an index; all of it where code generation wrote it."""
    if isinstance(stmt, Define | Guarded):
        yield from expressions(expr)
        return
    yield expr
    for part in (expr.base,) if isinstance(expr, Subscript) else operands(expr):
        yield from _outside(part, stmt)


def _counting(loop: Loop, wide: dict[Symbol, Symbol]) -> Loop:
    """`loop` with other iterators, in its expressions and as what loops count."""
    changed = _renamed(rewritten(loop, lambda e: retyped(e, wide)), wide)
    assert isinstance(changed, Loop)
    return changed


def _renamed(stmt: Stmt, wide: dict[Symbol, Symbol]) -> Stmt:
    def one(stmt: Stmt) -> Stmt:
        if isinstance(stmt, Loop):
            stmt = replace(stmt, iterator=wide.get(stmt.iterator, stmt.iterator))
        return within(stmt, each(one))

    return one(stmt)


def retyped(expr: Expr, wide: dict[Symbol, Symbol]) -> Expr:
    """`expr` with other `wide` iterators, and the types that C then gives to sums and products."""
    match expr:
        case Var(symbol):
            return replace(expr, symbol=wide.get(symbol, symbol))
        case Binary(op, lhs, rhs):
            sides = retyped(lhs, wide), retyped(rhs, wide)
            type_ = LONG if op in _ARITHMETIC and LONG in (sides[0].type, sides[1].type) else expr.type
            return replace(expr, lhs=sides[0], rhs=sides[1], type=type_)
        case Unary("-" | "+", operand):
            inside = retyped(operand, wide)
            return replace(expr, operand=inside, type=LONG if inside.type == LONG else expr.type)
        case Cast(operand, type_):
            inside = retyped(operand, wide)
            return inside if inside.type == type_ == LONG else replace(expr, operand=inside)
    return rewrite(expr, lambda e: None if e is expr else retyped(e, wide))
