"""Recognising reductions: scalars and elements that a loop only combines values into."""

from __future__ import annotations

from collections.abc import Callable

from accshare.atomics import in_steps
from accshare.combining import combining_parts, constant_set, is_exact, named_operators, operator_of, sets_constant
from accshare.frontend.ir import Expr, Member, Scalar, Stmt, Subscript, Symbol, Var
from accshare.poly.ir import LoopNode, Mode, Scop, Statement, Variable, VariableKind
from accshare.pragma.ir import Clause, ReductionOp
from accshare.records import dataclass, replace
from accshare.reference import strip
from accshare.relax.ir import Reduction
from accshare.tree import declared, expressions, named


@dataclass(frozen=True, slots=True)
class Freedom:
    """What allows operations with an order to be done in another one: the `clauses` of loops, an option of the
    compiler (`reassociate`), or loops whose iterations were promised to be independent (`promised`, asked last)."""

    clauses: tuple[Clause, ...]
    reassociate: bool
    promised: Callable[[], bool]


def reduction(variable: Variable, users: tuple[Statement, ...], freedom: Freedom) -> Reduction | None:
    """The reduction that `users`, all statements of a loop nest that touch the scalar `variable`, make of it. What is
    atomic asks for no order.

    None when a statement does something else with the variable, or nothing allows the reordering. Operators of integers
    are associative, and neither a maximum nor a minimum has an order.
    """
    if not isinstance(variable.base, Var) or not isinstance(variable.element, Scalar):
        return None
    place, bodies = variable.base, [user.body for user in users]
    plain = [in_steps(body, lambda other: strip(other) == place) for body in bodies]
    if plain != bodies:
        if not variable.element.floating and not all(map(is_exact, _all_parts(plain, place))):
            return None
        atomic = all(one != other for one, other in zip(bodies, plain, strict=True))
        freedom = replace(freedom, reassociate=freedom.reassociate or atomic)
    return _reduction(variable, place, plain, freedom)


def element_reduction(
    scop: Scop, array: Variable, node: LoopNode, users: tuple[Statement, ...], freedom: Freedom
) -> Reduction | None:
    """The reduction that `users`, all statements of the loop `node` that touch `array`, make of one element of it.

    The element is the same in all iterations. Allowed as `reduction` says; a clause names the array.
    """
    accesses = [a for user in users for a in user.accesses if a.variable == array]
    place = strip(accesses[0].reference)
    if (
        array.kind is not VariableKind.MEMORY
        or not isinstance(array.element, Scalar)
        or not isinstance(place, Subscript)
    ):
        return None
    if any(strip(a.reference) != place for a in accesses):
        return None
    inside = {symbol for user in users for symbol in declared(user.body)}
    if not all(_is_fixed(e, scop, node) and not named(e) & inside for e in _indices(place)):
        return None
    return _reduction(array, place, [user.body for user in users], freedom)


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


def _reduction(variable: Variable, target: Expr, bodies: list[Stmt], freedom: Freedom) -> Reduction | None:
    op = operator_of(bodies, target)
    if op is None:
        return None
    named = named_operators(variable.base.symbol, freedom.clauses) if isinstance(variable.base, Var) else set()
    if op.clause in named:
        return Reduction(variable, op, target)
    parts = _all_parts(bodies, target)
    if any(map(sets_constant, parts)):
        return None
    if freedom.reassociate or all(map(is_exact, parts)):
        return Reduction(variable, op, target)
    return Reduction(variable, op, target, inferred=True) if not named and freedom.promised() else None


def _all_parts(bodies: list[Stmt], target: Expr) -> list[Stmt]:
    return [part for body in bodies for part in combining_parts(body, target) or ()]


def missing_clause(variable: Variable, users: tuple[Statement, ...]) -> ReductionOp | None:
    """The operator of the clause that would make a variable a reduction; for the explanation."""
    return operator_of([u.body for u in users], variable.base) if isinstance(variable.base, Var) else None


def constants_set(variable: Variable, users: tuple[Statement, ...]) -> set[int | None]:
    """The constants that statements set a variable to under conditions; None for whatever else they do with it."""
    parts = [combining_parts(user.body, variable.base) for user in users]
    return {None if part is None else constant_set(part) for found in parts for part in (found or (None,))}


def clauses_of(loops: tuple[LoopNode, ...], construct: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """The clauses of the construct and of the directives on `loops`."""
    own = (n.loop.directive.clauses for n in loops if n.loop.directive is not None)
    return (*construct, *(c for clauses in own for c in clauses))
