"""Short loops over integers written out, where compilers are left to find the vectors.

They then see one expression of small integers, for which vectors of small ones do; of loops that they unroll later they
don't.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from accshare.frontend.ir import Assign, Binary, Expr, IntLit, Scalar, Symbol, Var
from accshare.islexpr import literal
from accshare.kernel.ir import Loop, Stmt, parts, within
from accshare.kernel.uses import rewritten

#: statements that a loop may become
_MOST = 64


def unrolled(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Each loop with constant bounds in its place as the statements it runs, if these are few."""
    return tuple(one for stmt in stmts for one in _written_out(within(stmt, unrolled)))


def _written_out(stmt: Stmt) -> Iterator[Stmt]:
    values = _values(stmt) if isinstance(stmt, Loop) and all(map(_is_plain, stmt.body)) else None
    if isinstance(stmt, Loop) and values and len(values) * len(stmt.body) <= _MOST:
        for value in values:
            yield from (rewritten(s, _replacing(stmt.iterator, value)) for s in stmt.body)
    else:
        yield stmt


def _values(loop: Loop) -> range | None:
    """The values of the iterator, where they are known."""
    match loop.first, loop.condition:
        case IntLit(low), Binary("<" | "<=" as op, Var(symbol), IntLit(high)) if symbol == loop.iterator:
            return range(low, high + (op == "<="), loop.step)
    return None


def _is_plain(stmt: Stmt) -> bool:
    """Whether it assigns an integer and nothing else."""
    if not isinstance(stmt, Assign) or len(tuple(parts(stmt))) > 1:
        return False
    return isinstance(stmt.target.type, Scalar) and not stmt.target.type.floating


def _replacing(iterator: Symbol, value: int) -> Callable[[Expr], Expr | None]:
    def change(expr: Expr) -> Expr | None:
        if isinstance(expr, Var) and expr.symbol == iterator and isinstance(expr.type, Scalar):
            return literal(value, expr.type)
        return None

    return change
