"""In place: a scalar that goes from an element's old value to its new one becomes that element.

``w = A[i][j]; for (…) w -= …; A[i][j] = w;`` does what ``for (…) A[i][j] -= …;`` does. Loops are as serial as their
scalars are; dependences of elements tell one from another. What is computed stays the same to the last digit: values
are kept where nobody looks in the meantime.
"""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from accshare.frontend.ir import Assign, Expr, Scalar, Subscript, Var
from accshare.islbuild import like
from accshare.lifetimes import dependences_of
from accshare.order.facts import Facts
from accshare.order.ir import Step, Word
from accshare.poly.ir import Access, Mode, Scop, Statement, Variable, VariableKind
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass, replace
from accshare.reference import strip
from accshare.tree import expressions, rewrite_statement

#: isl's operations for one nest; about a tenth of a second
_OPERATIONS = 200_000


@dataclass(frozen=True, slots=True)
class _Life:
    """What happens to a scalar within an iteration of the loops around a statement: the first of `users` sets it, the
    last one, which stands in the same loops, stores to `element`."""

    scalar: Variable
    users: tuple[Statement, ...]
    element: Access

    @property
    def last(self) -> Statement:
        return self.users[-1]


@dataclass(frozen=True, slots=True)
class InPlace:
    """A region whose `nest` uses elements, and what is said of it."""

    scop: Scop
    nest: tuple[Statement, ...]
    step: Step


def in_place(facts: Facts, nest: tuple[Statement, ...]) -> InPlace | None:
    """The region with elements instead of all scalars that a nest of loops sets; None where these do anything else, or
    there are none."""
    scalars = dict.fromkeys(a.variable for s in nest for a in s.accesses if a.variable.kind is not VariableKind.MEMORY)
    if not scalars or not nest[0].loops or not all(map(_is_plain, scalars)):
        return None
    try:
        with Quota(_OPERATIONS):
            lives: list[_Life] = []
            for scalar in scalars:
                found = _lives(facts, nest, scalar)
                if not found or not all(_is_apart(facts, nest, life) for life in found):
                    return None
                lives += found
            whole = _with_elements(facts.scop, lives)
    except QuotaExceeded:
        return None
    names = {s.name for s in nest}
    left = tuple(s for s in whole.statements if s.name in names)
    elements = ((life.scalar.base.symbol, life.element) for life in lives if isinstance(life.scalar.base, Var))
    return InPlace(whole, left, Step(Word.IN_PLACE, nest[0].loops[:1], (left,), elements=tuple(elements)))


def _is_plain(scalar: Variable) -> bool:
    """Whether a variable is a number to which nothing else leads."""
    if not isinstance(scalar.base, Var) or scalar.shape or not isinstance(scalar.element, Scalar):
        return False
    symbol = scalar.base.symbol
    return not (symbol.volatile or symbol.on_device or symbol.address_taken)


# --- from where to where a scalar stands for an element ------------------------------------------------------------


def _lives(facts: Facts, nest: tuple[Statement, ...], scalar: Variable) -> tuple[_Life, ...]:
    """What the statements of a nest do with a scalar, from one that sets it to one that stores it each time; none where
    they do anything else, or it is needed elsewhere."""
    users = [s for s in nest if any(a.variable == scalar for a in s.accesses)]
    exact = all(a.exact and a.atomic is None for s in users for a in s.accesses if a.variable == scalar)
    if not exact or not facts.is_private(scalar, nest[0].loops[0]):
        return ()
    parts: list[list[Statement]] = [[]]
    for user in users:
        parts[-1].append(user)
        if _stored(facts.scop, user, scalar) is not None and _is_set(parts[-1][0], user, scalar, facts.scop.context):
            parts.append([])
    if parts.pop():
        return ()
    stores = [_stored(facts.scop, part[-1], scalar) for part in parts]
    found = tuple(
        _Life(scalar, tuple(part), store) for part, store in zip(parts, stores, strict=True) if store is not None
    )
    return found if all(_is_within(s, life.last) for life in found for s in life.users) else ()


def _stored(scop: Scop, statement: Statement, scalar: Variable) -> Access | None:
    """The element to which a statement stores what comes of a scalar, if that could have been there all the time."""
    body = statement.body
    modes = [a.mode for a in statement.accesses if a.variable == scalar]
    stores = [a for a in statement.accesses if a.mode is Mode.WRITE]
    if not isinstance(body, Assign) or body.op != "=" or Mode.WRITE in modes or len(stores) != 1:
        return None
    (store,) = stores
    writes = (a.variable.base for s in scop.statements for a in s.accesses if a.mode is Mode.WRITE)
    written = {base.symbol for base in writes if isinstance(base, Var)}
    parts = (e for index in _indices(store.reference) for e in expressions(index))
    fixed = not any(isinstance(e, Var) and e.symbol in written for e in parts)
    same = store.variable.kind is VariableKind.MEMORY and store.variable.element == scalar.element
    whole = store.space == store.variable.name and store.exact and store.atomic is None
    return store if same and whole and fixed and not scop.is_made(store.variable) else None


def _indices(reference: Expr) -> Iterator[Expr]:
    place = strip(reference)
    while isinstance(place, Subscript):
        yield place.index
        place = strip(place.base)


def _is_set(first: Statement, last: Statement, scalar: Variable, context: isl.Set) -> bool:
    """Whether a statement gives a scalar a new value wherever another one, in the same loops, stores it."""
    body = first.body
    if not isinstance(body, Assign) or body.op != "=" or strip(body.target) != scalar.base:
        return False
    alone = not any(a.variable == scalar and a.mode is Mode.READ for a in first.accesses)
    if not alone or [n.index for n in first.loops] != [n.index for n in last.loops]:
        return False
    domains = [s.domain.reset_tuple_id().intersect_params(context) for s in (first, last)]
    return bool(domains[0].is_equal(domains[1]))


def _is_within(statement: Statement, last: Statement) -> bool:
    """Whether a statement runs in the loops around another one, perhaps in more of them."""
    return [n.index for n in statement.loops[: len(last.loops)]] == [n.index for n in last.loops]


def _is_apart(facts: Facts, nest: tuple[Statement, ...], life: _Life) -> bool:
    """Whether every statement that uses the scalar has the element, and none that runs in the meantime reaches it."""
    context = facts.scop.context
    if any(not s.domain.intersect_params(context).is_subset(_element(life, s).domain()) for s in life.users):
        return False
    places = {s.name: place for place, s in enumerate(nest)}
    first, last = places[life.users[0].name], places[life.last.name]
    for statement in nest[first + 1 : last + 1]:
        for access in statement.accesses:
            if access.variable == life.element.variable and access is not life.element:
                met = access.relation.intersect(_element(life, statement)).intersect_params(context)
                if not met.is_empty():
                    return False
    return True


def _element(life: _Life, statement: Statement) -> isl.Map:
    """From the instances of a statement to the element for which the scalar stands while they run."""
    every = like(statement.domain)
    outer = every.to(every.coordinates[: len(life.last.loops)], life.last.name)
    return outer.intersect_domain(statement.domain).apply_range(life.element.relation)


# --- the region with elements --------------------------------------------------------------------------------------


def _with_elements(scop: Scop, lives: list[_Life]) -> Scop:
    found = {(s.name, life.scalar.name): life for life in lives for s in life.users}
    gone: set[int] = set()
    statements: dict[str, Statement] = {}
    accesses: dict[int, Access] = {}
    for old in scop.statements:
        own = {name: life for (statement, name), life in found.items() if statement == old.name}
        new = _rewritten(old, own) if own else old
        accesses |= {id(a): b for a, b in zip(old.accesses, new.accesses, strict=True) if a is not b}
        if own and _copies_itself(new):
            gone |= set(map(id, old.accesses))
        else:
            statements[old.name] = new
    every = tuple(statements.values())
    aside = gone | accesses.keys()
    ends = ((d, {id(d.source_access), id(d.sink_access)}) for d in scop.dependences)
    kept = tuple(d.between(statements, accesses) for d, both in ends if not both & aside)
    used = {a.variable for s in every for a in s.accesses}
    variables = tuple(v for v in scop.variables if v in used or all(v != life.scalar for life in lives))
    whole = replace(scop, variables=variables, statements=every, dependences=kept)
    new_ = {id(access) for access in accesses.values()}
    return replace(whole, dependences=(*kept, *dependences_of(whole, lambda a: id(a) in new_)))


def _rewritten(statement: Statement, lives: dict[str, _Life]) -> Statement:
    """A statement that uses elements, by the names of the scalars for which these stand."""
    bases = ((life.scalar.base, life.element.reference) for life in lives.values())
    elements = {base.symbol: element for base, element in bases if isinstance(base, Var)}
    body = rewrite_statement(statement.body, lambda e: elements.get(e.symbol) if isinstance(e, Var) else None)
    accesses = tuple(
        _at(access, lives[access.variable.name], statement) if access.variable.name in lives else access
        for access in statement.accesses
    )
    return replace(statement, body=body, accesses=accesses)


def _at(access: Access, life: _Life, statement: Statement) -> Access:
    relation = _element(life, statement)
    return replace(life.element, mode=access.mode, relation=relation, span=access.span)


def _copies_itself(statement: Statement) -> bool:
    """Whether a statement stores what is there."""
    body = statement.body
    return isinstance(body, Assign) and body.op == "=" and body.target == body.value
