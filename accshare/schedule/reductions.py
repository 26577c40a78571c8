"""Recognising reductions: scalars and elements that a loop only combines values into."""

from __future__ import annotations

from accshare.combining import combined, is_exact, sets_constant
from accshare.frontend.ir import Expr, Member, Scalar, Subscript, Symbol, Var
from accshare.poly.ir import LoopNode, Mode, Role, Scop, Statement, Variable
from accshare.pragma.ir import Clause, ReductionClause, ReductionOp
from accshare.reference import strip
from accshare.schedule.ir import Reduction
from accshare.tree import expressions


def reduction(
    variable: Variable, users: tuple[Statement, ...], clauses: tuple[Clause, ...], reassociate: bool
) -> Reduction | None:
    """The reduction that `users`, all statements of a loop nest that touch the scalar `variable`, make of it.

    A ``reduction`` clause or `reassociate` allows floating-point operators; integers need neither, their operators are
    associative. None when a statement does something else with the variable, or nothing allows the reordering.
    """
    if not isinstance(variable.base, Var) or not isinstance(variable.element, Scalar):
        return None
    return _reduction(variable, variable.base, users, clauses, reassociate)


def element_reduction(
    scop: Scop,
    array: Variable,
    node: LoopNode,
    users: tuple[Statement, ...],
    clauses: tuple[Clause, ...],
    reassociate: bool,
) -> Reduction | None:
    """The reduction that `users`, all statements of the loop `node` that touch `array`, make of one element of it.

    The element is the same in all iterations. Allowed as `reduction` says; a clause names the array.
    """
    accesses = [a for user in users for a in user.accesses if a.variable == array]
    place = strip(accesses[0].reference)
    if array.role is not Role.MEMORY or not isinstance(array.element, Scalar) or not isinstance(place, Subscript):
        return None
    if any(strip(a.reference) != place for a in accesses) or not all(_is_fixed(e, scop, node) for e in _indices(place)):
        return None
    return _reduction(array, place, users, clauses, reassociate)


def _indices(place: Expr) -> list[Expr]:
    """All subscripts of an element."""
    found = []
    while isinstance(place, Subscript):
        found.append(place.index)
        place = strip(place.base)
    return found


def _is_fixed(index: Expr, scop: Scop, node: LoopNode) -> bool:
    """Whether a subscript has the same value throughout the loop, seen from its text alone."""
    inside = {n.iterator for s in scop.statements if node in s.loops for n in s.loops[node.depth :]}
    return not any(
        isinstance(e, Subscript | Member) or (isinstance(e, Var) and e.symbol in inside | _written(scop))
        for e in expressions(index)
    )


def _written(scop: Scop) -> set[Symbol]:
    """The scalars that the region writes."""
    writes = (a.variable.base for s in scop.statements for a in s.accesses if a.mode is Mode.WRITE)
    return {base.symbol for base in writes if isinstance(base, Var)}


def _reduction(
    variable: Variable,
    target: Expr,
    users: tuple[Statement, ...],
    clauses: tuple[Clause, ...],
    reassociate: bool,
) -> Reduction | None:
    ops = {combined(user.body, target) for user in users}
    op = ops.pop() if len(ops) == 1 else None
    if op is None:
        return None
    promised = isinstance(variable.base, Var) and _is_named(variable.base.symbol, op, clauses)
    bodies = [user.body for user in users]
    if not promised and not all(map(is_exact, bodies)) and not (reassociate and not any(map(sets_constant, bodies))):
        return None
    return Reduction(variable, op, target)


def _is_named(symbol: Symbol, op: ReductionOp, clauses: tuple[Clause, ...]) -> bool:
    """Whether a ``reduction`` clause says it."""
    return any(
        isinstance(c, ReductionClause) and c.op is op and any(v.base.text == symbol.name for v in c.vars)
        for c in clauses
    )


def missing_clause(variable: Variable, users: tuple[Statement, ...]) -> ReductionOp | None:
    """The operator of the clause that would make a variable a reduction; for the explanation."""
    ops = {combined(u.body, variable.base) for u in users} if isinstance(variable.base, Var) else set()
    return ops.pop() if len(ops) == 1 else None


def sets_flag(users: tuple[Statement, ...]) -> bool:
    """Whether statements only set a variable to a constant, under conditions."""
    return all(sets_constant(u.body) for u in users)


def clauses_of(loops: tuple[LoopNode, ...], construct: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """The clauses of the construct and of the directives on `loops`."""
    own = (n.loop.directive.clauses for n in loops if n.loop.directive is not None)
    return (*construct, *(c for clauses in own for c in clauses))
