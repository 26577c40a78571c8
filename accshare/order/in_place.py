"""In place: a scalar that goes from an element's old value to its new one becomes that element.

``w = A[i][j]; for (…) w -= …; A[i][j] = w;`` does what ``for (…) A[i][j] -= …;`` does. Loops are as serial as their
scalars are; dependences of elements tell one from another. What is computed stays the same to the last digit: values
are kept where nobody looks in the meantime. So it is with arrays of an iteration's own whose elements loops further
inside number: ``sum[r]`` is ``C[8 * i + r][j]``. And ``d = x[t][o]; for (…) y[t][i] += w[o][i] * d;`` does what the
same loops with ``x[t][o]`` do: nothing stands between them then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

import islpy as isl

from accshare.frontend.ir import Assign, Expr, Scalar, Subscript, Var
from accshare.islbuild import like
from accshare.lifetimes import dependences_of
from accshare.order.facts import Facts, found_once
from accshare.order.ir import Step, Word
from accshare.poly.ir import Access, LoopNode, Mode, Scop, Statement, Variable, VariableKind
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass, replace
from accshare.reference import root, strip
from accshare.tree import expressions, rewrite, rewrite_statement

#: isl's operations for one nest; about a tenth of a second
_OPERATIONS = 200_000


@dataclass(frozen=True, slots=True)
class _Life:
    """What happens to a scalar within an iteration of the loops around a statement, `one` of `users`, which reads or
    stores `element`: either the first one, which sets it to what the others only read, or the last one, which stores
    what the others have made of it since the first one, in the same loops, has set it. The scalar may be any element of
    an array, where the innermost of these loops number that: users have loops of their own for them."""

    scalar: Variable
    users: tuple[Statement, ...]
    one: Statement
    element: Access

    @property
    def depth(self) -> int:
        """How many loops it is in."""
        return len(self.one.loops) - len(self.scalar.shape)

    @property
    def stores(self) -> bool:
        """Whether the element gets a new value."""
        return self.element.mode is Mode.WRITE


@dataclass(frozen=True, slots=True)
class InPlace:
    """A region whose `nest` uses elements, and what is said of it."""

    scop: Scop
    nest: tuple[Statement, ...]
    step: Step


@found_once
def in_place(facts: Facts, nest: tuple[Statement, ...]) -> InPlace | None:
    """The region with elements instead of all scalars that a nest of loops sets; None where these do anything else, or
    there are none."""
    scalars = _scalars(nest)
    if not all(_is_plain(scalar) or _is_own(scalar) for scalar in scalars):
        return None
    try:
        with Quota(_OPERATIONS):
            found = (_apart(facts, nest, _lives(facts, nest, scalar)) for scalar in scalars)
            every = list(takewhile(bool, found))
            return _with_elements(facts, nest, every) if len(every) == len(scalars) else None
    except QuotaExceeded:
        return None


@found_once
def read_again(facts: Facts, nest: tuple[Statement, ...]) -> InPlace | None:
    """The region with elements instead of scalars of a nest of loops that only have what was read from them, for loops
    inside of those that read it; None where there are none."""
    try:
        with Quota(_OPERATIONS):
            every = [_apart(facts, nest, _reads(facts, nest, one)) for one in _scalars(nest) if _is_plain(one)]
            return _with_elements(facts, nest, every)
    except QuotaExceeded:
        return None


def _scalars(nest: tuple[Statement, ...]) -> list[Variable]:
    """What the statements of a nest of loops use that is no memory of the program's; nothing outside of loops."""
    if not nest[0].loops:
        return []
    every = (a.variable for s in nest for a in s.accesses)
    return list(dict.fromkeys(one for one in every if one.kind is not VariableKind.MEMORY))


def _is_plain(scalar: Variable) -> bool:
    """Whether a variable is a number to which nothing else leads."""
    if not isinstance(scalar.base, Var) or scalar.shape or not isinstance(scalar.element, Scalar):
        return False
    symbol = scalar.base.symbol
    return not (symbol.volatile or symbol.on_device or symbol.address_taken)


def _is_own(array: Variable) -> bool:
    """Whether a variable is an array of numbers that iterations declare."""
    whole = array.kind is VariableKind.PRIVATE and array.scope > 0 and array.shape
    return bool(whole) and isinstance(array.base, Var) and isinstance(array.element, Scalar)


# --- from where to where a scalar stands for an element ------------------------------------------------------------


def _lives(facts: Facts, nest: tuple[Statement, ...], scalar: Variable) -> tuple[_Life, ...]:
    """What the statements of a nest do with a scalar, from one that sets it to one that stores it each time; none where
    they do anything else, or it is needed elsewhere."""
    parts: list[list[Statement]] = [[]]
    for user in _users(facts, nest, scalar):
        parts[-1].append(user)
        if _stored(facts.scop, user, scalar) is not None and _is_set(parts[-1][0], user, scalar, facts.scop.context):
            parts.append([])
    if parts.pop() or not all(_is_numbered(user, scalar) for part in parts for user in part):
        return ()
    stores = [_stored(facts.scop, part[-1], scalar) for part in parts]
    found = tuple(
        _Life(scalar, tuple(part), part[-1], store)
        for part, store in zip(parts, stores, strict=True)
        if store is not None
    )
    return found if all(map(_are_within, found)) else ()


def _are_within(life: _Life) -> bool:
    """Whether all users are in the loops that a scalar is in, all of which an array is declared in."""
    whole = not life.scalar.shape or life.scalar.scope <= life.depth
    return whole and all(_is_within(s, life) for s in life.users)


def _numbers(user: Statement, scalar: Variable) -> tuple[LoopNode, ...]:
    """The loops whose iterators are the subscripts with which a statement uses an array; fewer than these where it has
    others."""
    every = {a.subscripts for a in user.accesses if a.variable == scalar}
    own = {loop.iterator: loop for loop in user.loops}
    names = [place.symbol for sub in every.pop() if isinstance(place := strip(sub), Var)] if len(every) == 1 else []
    return tuple(dict.fromkeys(own[name] for name in names if name in own))


def _is_numbered(user: Statement, scalar: Variable) -> bool:
    """Whether a statement uses one element of an array, or a scalar."""
    return len(_numbers(user, scalar)) == len(scalar.shape)


def _reads(facts: Facts, nest: tuple[Statement, ...], scalar: Variable) -> tuple[_Life, ...]:
    """What the statements of a nest do with a scalar that only has what was read from an element, for loops further
    inside; none where it has anything else, or is needed elsewhere."""
    users = _users(facts, nest, scalar)
    if not all(_is_only_value(user, scalar) for user in users):
        return ()
    found: list[_Life] = []
    for user in users:
        inside = bool(found) and _is_within(user, found[-1])
        if any(a.variable == scalar and a.mode is Mode.WRITE for a in user.accesses):
            element = _loaded(facts.scop, user, scalar)
            again = inside and len(user.loops) > len(found[-1].one.loops)
            if element is None or again:
                return ()
            found.append(_Life(scalar, (user,), user, element))
        elif not inside:
            return ()
        else:
            found[-1] = replace(found[-1], users=(*found[-1].users, user))
    depths = ((len(life.one.loops), max(len(s.loops) for s in life.users)) for life in found)
    return tuple(found) if any(inner > own for own, inner in depths) else ()


def _users(facts: Facts, nest: tuple[Statement, ...], scalar: Variable) -> list[Statement]:
    """The statements of a nest that use a scalar; none where it is needed elsewhere, or not all is known of its use."""
    users = [s for s in nest if any(a.variable == scalar for a in s.accesses)]
    exact = all(a.exact and a.atomic is None for s in users for a in s.accesses if a.variable == scalar)
    return users if exact and (scalar.shape or facts.is_private(scalar, nest[0].loops[0])) else []


def _is_only_value(statement: Statement, scalar: Variable) -> bool:
    """Whether a statement computes with a scalar, if it uses it: it finds no element by it and goes no further."""
    places = [a.reference for a in statement.accesses if a.variable != scalar]
    ends = [end for node in statement.loops for end in (node.loop.first, node.loop.bound)]
    used = (e for expr in (*places, *ends) for e in expressions(expr))
    return not any(isinstance(e, Var) and e == scalar.base for e in used)


def _loaded(scop: Scop, statement: Statement, scalar: Variable) -> Access | None:
    """The element that a statement does nothing but set a scalar to."""
    body = statement.body
    reads = [a for a in statement.accesses if a.mode is Mode.READ]
    if not isinstance(body, Assign) or body.op != "=" or strip(body.target) != scalar.base or len(reads) != 1:
        return None
    (read,) = reads
    return read if body.value == read.reference and _is_fixed(scop, read, scalar) else None


def _stored(scop: Scop, statement: Statement, scalar: Variable) -> Access | None:
    """The element to which a statement stores what comes of a scalar, if that could have been there all the time."""
    body = statement.body
    modes = [a.mode for a in statement.accesses if a.variable == scalar]
    stores = [a for a in statement.accesses if a.mode is Mode.WRITE]
    if not isinstance(body, Assign) or body.op != "=" or Mode.WRITE in modes or len(stores) != 1:
        return None
    (store,) = stores
    return store if _is_fixed(scop, store, scalar) else None


def _is_fixed(scop: Scop, element: Access, scalar: Variable) -> bool:
    """Whether an element is one of the program's, of a scalar's type, and is found by what no statement changes."""
    writes = (a.variable.base for s in scop.statements for a in s.accesses if a.mode is Mode.WRITE)
    written = {base.symbol for base in writes if isinstance(base, Var)}
    parts = (e for index in _indices(element.reference) for e in expressions(index))
    fixed = not any(isinstance(e, Var) and e.symbol in written for e in parts)
    same = element.variable.kind is VariableKind.MEMORY and element.variable.element == scalar.element
    whole = element.space == element.variable.name and element.exact and element.atomic is None
    return same and whole and fixed and not scop.is_made(element.variable)


def _indices(reference: Expr) -> Iterator[Expr]:
    place = strip(reference)
    while isinstance(place, Subscript):
        yield place.index
        place = strip(place.base)


def _is_set(first: Statement, last: Statement, scalar: Variable, context: isl.Set) -> bool:
    """Whether a statement gives a scalar a new value wherever another one, in the same loops, stores it."""
    body, depth = first.body, len(last.loops) - len(scalar.shape)
    if not isinstance(body, Assign) or body.op != "=" or root(body.target) != root(scalar.base):
        return False
    alone = not any(a.variable == scalar and a.mode is Mode.READ for a in first.accesses)
    alike = [n.index for n in first.loops[:depth]] == [n.index for n in last.loops[:depth]]
    if not alone or not alike or len(first.loops) != len(last.loops):
        return False
    if not all(set(_numbers(s, scalar)) == set(s.loops[depth:]) for s in (first, last)):
        return False
    domains = [_numbered(s, scalar, depth).intersect_params(context) for s in (first, last)]
    return bool(domains[0].is_equal(domains[1]))


def _numbered(statement: Statement, scalar: Variable, depth: int) -> isl.Set:
    """The iterations of the loops around a scalar in which a statement uses it, with the numbers of elements."""
    return statement.domain.apply(_to_numbers(statement, scalar, depth))


def _to_numbers(statement: Statement, scalar: Variable, depth: int) -> isl.Map:
    """From instances of a statement to iterations of the loops around a scalar, and the numbers of the element."""
    every = like(statement.domain)
    inside = tuple(every.coordinates[loop.depth] for loop in _numbers(statement, scalar))
    return every.to((*every.coordinates[:depth], *inside))


def _is_within(statement: Statement, life: _Life) -> bool:
    """Whether a statement runs in the loops that a scalar is in, perhaps in more of them."""
    return [n.index for n in statement.loops[: life.depth]] == [n.index for n in life.one.loops[: life.depth]]


def _apart(facts: Facts, nest: tuple[Statement, ...], lives: tuple[_Life, ...]) -> tuple[_Life, ...]:
    """All of `lives`, if in each every statement that uses the scalar has the element, and none that runs in the
    meantime changes it, or looks at what it has where it gets a new value; else none."""
    return lives if all(_is_apart(facts, nest, life) for life in lives) else ()


def _is_apart(facts: Facts, nest: tuple[Statement, ...], life: _Life) -> bool:
    context = facts.scop.context
    if any(not s.domain.intersect_params(context).is_subset(_element(life, s).domain()) for s in life.users):
        return False
    places = {s.name: place for place, s in enumerate(nest)}
    first, last = places[life.users[0].name], places[life.users[-1].name] if life.stores else len(nest)
    for statement in nest[first + 1 : last + 1]:
        for access in statement.accesses:
            same = access.variable == life.element.variable and access is not life.element
            if same and _is_within(statement, life) and (life.stores or access.mode is Mode.WRITE):
                met = access.relation.intersect(_elements(life, statement)).intersect_params(context)
                if not met.is_empty():
                    return False
    return True


def _element(life: _Life, statement: Statement) -> isl.Map:
    """From the instances of a statement to the element for which the scalar stands that they use."""
    to, back = (_to_numbers(s, life.scalar, life.depth) for s in (statement, life.one))
    return to.intersect_domain(statement.domain).apply_range(back.reverse()).apply_range(life.element.relation)


def _elements(life: _Life, statement: Statement) -> isl.Map:
    """From the instances of a statement to all elements for which the scalar stands while they run."""
    every, of = like(statement.domain), like(life.one.domain)
    to = every.to(every.coordinates[: life.depth]).intersect_domain(statement.domain)
    back = of.to(of.coordinates[: life.depth]).intersect_domain(life.one.domain)
    return to.apply_range(back.reverse()).apply_range(life.element.relation)


# --- the region with elements --------------------------------------------------------------------------------------


def _with_elements(facts: Facts, nest: tuple[Statement, ...], every: list[tuple[_Life, ...]]) -> InPlace | None:
    lives = [life for own in every for life in own]
    if not lives:
        return None
    whole = _rewritten(facts.scop, lives)
    names = {s.name for s in nest}
    left = tuple(s for s in whole.statements if s.name in names)
    elements = tuple((life.scalar.base.symbol, life.element) for life in lives if isinstance(life.scalar.base, Var))
    return InPlace(whole, left, Step(Word.IN_PLACE, nest[0].loops[:1], (left,), elements=elements))


def _rewritten(scop: Scop, lives: list[_Life]) -> Scop:
    found = {(s.name, life.scalar.name): life for life in lives for s in life.users}
    gone: set[int] = set()
    statements: dict[str, Statement] = {}
    accesses: dict[int, Access] = {}
    for old in scop.statements:
        own = {name: life for (statement, name), life in found.items() if statement == old.name}
        new = _of_elements(old, own) if own else old
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


def _of_elements(statement: Statement, lives: dict[str, _Life]) -> Statement:
    """A statement that uses elements, by the names of the scalars for which these stand."""
    elements = {root(life.scalar.base): _renamed(life, statement)(life.element.reference) for life in lives.values()}
    body = rewrite_statement(
        statement.body, lambda e: elements.get(root(e)) if isinstance(e, Var | Subscript) else None
    )
    accesses = tuple(
        _at(access, lives[access.variable.name], statement) if access.variable.name in lives else access
        for access in statement.accesses
    )
    return replace(statement, body=body, accesses=accesses)


def _at(access: Access, life: _Life, statement: Statement) -> Access:
    relation, renamed = _element(life, statement), _renamed(life, statement)
    return replace(
        life.element,
        mode=access.mode,
        reference=renamed(life.element.reference),
        subscripts=tuple(map(renamed, life.element.subscripts)),
        relation=relation,
        span=access.span,
    )


def _renamed(life: _Life, statement: Statement) -> Callable[[Expr], Expr]:
    """Expressions of the statement that has the element in terms of another one, by the numbers of elements."""
    pairs = zip(_numbers(life.one, life.scalar), _numbers(statement, life.scalar), strict=True)
    names = {one.iterator: other.iterator for one, other in pairs if one.iterator != other.iterator}

    def renamed(expr: Expr) -> Expr | None:
        return replace(expr, symbol=names[expr.symbol]) if isinstance(expr, Var) and expr.symbol in names else None

    return lambda expr: rewrite(expr, renamed) if names else expr


def _copies_itself(statement: Statement) -> bool:
    """Whether a statement stores what is there."""
    body = statement.body
    return isinstance(body, Assign) and body.op == "=" and body.target == body.value
