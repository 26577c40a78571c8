"""Array elements that one work-item uses all through a kernel: they stay in a register.

Where work-groups run loops together, as they do when they stage arrays, ``C[i][j] += …`` would load and store its
element in every strip. An array whose references all mean the same element, fixed by the work-item alone, is loaded
once before everything and stored once after it.
"""

from __future__ import annotations

from functools import partial

import islpy as isl

from accshare.dataflow import Flow
from accshare.frontend.ir import INT, Assign, Expr, Scalar, Subscript, Symbol, Var
from accshare.islbuild import sizes, within
from accshare.islexpr import binary, convert, is_true, literal, of_condition, variable
from accshare.kernel.generate.body import Bodies, buffer_symbol
from accshare.kernel.generate.codegen import point_by_point
from accshare.kernel.generate.space import Coordinate, Space, between, bound_subscripts, counter, derived
from accshare.kernel.ir import Define, Guarded, Private, Stmt
from accshare.kernel.passes.full_trip import number_of, own_loop
from accshare.kernel.uses import rewritten
from accshare.poly.ir import Access, Mode, Statement, Variable, VariableKind
from accshare.records import dataclass
from accshare.tree import expressions

_PARAM = isl.dim_type.param


@dataclass(frozen=True, slots=True)
class Registers:
    """The references that go to registers, the registers, what loads them before the kernel and what stores them after
    it."""

    elsewhere: dict[Expr, Expr]
    private: tuple[Private, ...]
    before: tuple[Stmt, ...]
    after: tuple[Stmt, ...]


def registers(space: Space, known: isl.Set) -> Registers:
    """Find the elements that are their work-item's own."""
    elsewhere: dict[Expr, Expr] = {}
    private: list[Private] = []
    before: list[Stmt] = []
    after: list[Stmt] = []
    bodies = Bodies(space.scop, space.partition.nest)
    for variable_ in space.scop.variables:
        uses = tuple((s, a) for s in space.partition.nest.statements for a in s.accesses if a.variable == variable_)
        uses = _without_mirrors(uses)
        said = _said_outside(space, uses) if _is_own(space, variable_, uses) else None
        if said is None:
            continue
        symbol = derived(buffer_symbol(variable_), "own", variable_.element)  # type: ignore[arg-type]
        element, span = bodies.expression(said.reference), said.span
        several = space.iterations > 1
        private.append(Private(symbol, variable_.element, (space.iterations,) if several else ()))
        own: Expr = variable(symbol)
        if several:
            own = Subscript(own, iteration_of(space), variable_.element, span)
        elsewhere |= {access.reference: own for _, access in uses}
        before += _where(space, known, _read_first(space, uses), Assign(own, "=", element, span))
        written = tuple(_iterations(space, s) for s, a in uses if a.mode is Mode.WRITE)
        after += _where(space, known, written, Assign(element, "=", own, span))
    return Registers(elsewhere, tuple(private), tuple(before), tuple(after))


def _is_own(space: Space, variable_: Variable, uses: tuple[tuple[Statement, Access], ...]) -> bool:
    """Whether all uses are of one element for each iteration of the mapped loops, some of them in a loop."""
    nest = space.partition.nest
    if (
        variable_.kind is not VariableKind.MEMORY
        or not isinstance(variable_.element, Scalar)
        or variable_.name in nest.private
    ):
        return False
    if any(c.member.loop.loop.step != 1 for c in space.coordinates) or any(a.atomic for _, a in uses):
        return False
    outside = nest.depth
    looped = any(len(s.loops) > outside for s, _ in uses)
    written = any(a.mode is Mode.WRITE for _, a in uses)
    if not (looped and written and all(a.exact and a.space == variable_.name for _, a in uses)):
        return False
    staged = {access.reference for s in space.partition.staged for access in s.accesses}
    if any(a.reference in staged for _, a in uses):
        return False
    places = [bound_subscripts(s, a) for s, a in uses]
    own = {n.iterator.unique for s, _ in uses for n in s.loops[outside:]}
    return all(_same(p, places[0]) for p in places) and not any(_uses(p, own) for p in places[0])


def _without_mirrors(uses: tuple[tuple[Statement, Access], ...]) -> tuple[tuple[Statement, Access], ...]:
    """Uses without those that only store a copy of the element elsewhere, as ``C[j][i] = C[i][j]`` does: where that is
    the element itself, nothing changes."""

    def is_mirror(statement: Statement, access: Access) -> bool:
        body = statement.body
        if access.mode is not Mode.WRITE or not isinstance(body, Assign) or body.op != "=":
            return False
        original = next((a for a in statement.accesses if a.reference == body.value and a.mode is Mode.READ), None)
        if original is None or original.variable != access.variable or access.reference != body.target:
            return False
        if not (access.exact and original.exact):
            return False
        return not _same(bound_subscripts(statement, access), bound_subscripts(statement, original))

    return tuple((s, a) for s, a in uses if not is_mirror(s, a))


def _said_outside(space: Space, uses: tuple[tuple[Statement, Access], ...]) -> Access | None:
    """A use that says which element it is without iterators of loops inside. A loop that runs once has only one value
    for its iterator, so that an element may be their work-item's own in spite of it."""
    inside = {n.iterator for s, _ in uses for n in s.loops[space.partition.nest.depth :]}
    said = (a for _, a in uses if not any(isinstance(e, Var) and e.symbol in inside for e in expressions(a.reference)))
    return next(said, None)


def _same(one: tuple[isl.PwAff, ...], other: tuple[isl.PwAff, ...]) -> bool:
    return len(one) == len(other) and all(a.is_equal(b) for a, b in zip(one, other, strict=True))


def _uses(place: isl.PwAff, names: set[str]) -> bool:
    positions = (place.find_dim_by_name(_PARAM, name) for name in names)
    return any(k >= 0 and place.involves_dims(_PARAM, k, 1) for k in positions)


def _read_first(space: Space, uses: tuple[tuple[Statement, Access], ...]) -> tuple[isl.Set, ...]:
    """The instances that may read the element before the kernel has written it."""
    flow = Flow()
    for statement, access in uses:
        flow.add(access, access.relation.intersect_domain(_iterations(space, statement)), statement.time)
    found: list[isl.Set] = []
    flow.unwritten(sizes().everything).domain().foreach_set(found.append)
    return tuple(found)


def _iterations(space: Space, statement: Statement) -> isl.Set:
    """A statement's instances in one iteration of the mapped loops, whose iterators are parameters."""
    instances = space.launched(statement)
    for c in space.coordinates:
        loop = c.member.loop
        instances = instances.intersect(between(instances, loop.depth, loop.iterator.unique, 1))
    return instances


def iteration_of(space: Space) -> Expr:
    """The number of a work-item's iteration among its own, those next to one another in vectors side by side."""
    number: Expr = literal(0, INT)
    for c in _several(space):
        own = number_of(space, c)
        length = literal(c.member.size // c.member.threads, INT)
        number = own if number == literal(0, INT) else binary("+", binary("*", number, length, INT), own, INT)
    return number


def _several(space: Space) -> tuple[Coordinate, ...]:
    """The mapped loops of which a work-item runs several iterations, that along its vectors last if it has any."""
    several = (c for c in space.coordinates if not c.single)
    return tuple(sorted(several, key=lambda c: space.partition.packed and c.member.axis == 0))


def _where(space: Space, known: isl.Set, instances: tuple[isl.Set, ...], stmt: Stmt) -> tuple[Stmt, ...]:
    """`stmt` for those of a work-item's iterations that run any of some instances."""
    existing = sizes().nothing
    for domain in instances:
        existing = existing.union(domain.params())
    if existing.is_empty():
        return ()
    several = _several(space)
    if several and space.partition.packed:
        return _in_loops(space, known, existing, several, stmt)
    names = {**space.names, **{c.member.loop.iterator.unique: variable(c.member.loop.iterator) for c in several}}
    for c in space.coordinates:
        symbol = c.member.loop.iterator
        if c.single and c.symbol != symbol and isinstance(symbol.type, Scalar):
            names[symbol.unique] = variable(c.symbol)
            stmt = rewritten(stmt, partial(_replaced, symbol, convert(variable(c.symbol), symbol.type)))
    for c in several:
        iterator, first = sizes(c.member.loop.iterator.unique, c.symbol.unique).parameters
        known = known.intersect(within(iterator, first, c.member.size - c.member.threads + 1))
    condition = of_condition(existing.gist(known).coalesce(), known, names, space.index_type)
    stmts: tuple[Stmt, ...] = (stmt,) if is_true(condition) else (Guarded(condition, (stmt,)),)
    for c in reversed(several):
        stmts = (own_loop(space, c, stmts),)
    return stmts


def _in_loops(
    space: Space, known: isl.Set, existing: isl.Set, several: tuple[Coordinate, ...], stmt: Stmt
) -> tuple[Stmt, ...]:
    """`stmt` in loops over the iterations that are there, and no others: there may be many more in a tile."""
    for c in several:
        iterator, first = sizes(c.member.loop.iterator.unique, c.symbol.unique).parameters
        existing = existing.intersect(within(iterator, first, c.member.size))
    domain = isl.Set.from_params(existing)
    for k, c in enumerate(several):
        at = domain.find_dim_by_name(_PARAM, c.member.loop.iterator.unique)
        domain = domain.move_dims(isl.dim_type.set, k, _PARAM, at, 1)
    counters = {f"_c{k}": counter(c.member.loop, space.index_type) for k, c in enumerate(several)}

    def body(places: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        own = zip((c.member.loop.iterator for c in several), places, strict=True)
        return (*(Define(symbol, place) for symbol, place in own if place != variable(symbol)), stmt)

    return point_by_point(domain, known, space.names, space.index_type, counters.__getitem__, body)


def _replaced(symbol: Symbol, by: Expr, expr: Expr) -> Expr | None:
    return by if isinstance(expr, Var) and expr.symbol == symbol else None
