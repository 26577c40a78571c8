"""Recognising reductions: scalars that a loop only combines values into."""

from __future__ import annotations

from accshare.combining import combined, is_exact
from accshare.frontend.ir import Scalar, Var
from accshare.poly.ir import LoopNode, Statement, Variable
from accshare.pragma.ir import Clause, ReductionClause
from accshare.schedule.ir import Reduction


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
    ops = {combined(user.body, variable.base) for user in users}
    if len(ops) != 1:
        return None
    op = ops.pop()
    if op is None:
        return None
    promised = any(
        isinstance(c, ReductionClause) and c.op is op and any(v.base.text == symbol.name for v in c.vars)
        for c in clauses
    )
    if not promised and not all(is_exact(user.body) for user in users) and not reassociate:
        return None
    return Reduction(variable, op)


def has_combining_form(variable: Variable, users: tuple[Statement, ...]) -> bool:
    """Whether a clause would make it a reduction; for the explanation."""
    return isinstance(variable.base, Var) and None not in {combined(u.body, variable.base) for u in users}


def clauses_of(loops: tuple[LoopNode, ...], construct: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """The clauses of the construct and of the directives on `loops`."""
    own = (n.loop.directive.clauses for n in loops if n.loop.directive is not None)
    return (*construct, *(c for clauses in own for c in clauses))
