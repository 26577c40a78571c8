"""Snapshots: pieces of a block read copies of what other pieces of it change step by step.

Row and column `k` of shortest paths are as step `k` finds them when the step uses them, and later steps of the same
block change them again. Each element is copied next to where it changes, in loops that are there already: right before
the first change that must not be seen, or right behind the last one that must be. What reads the copies may run when
the block's own rows and columns are done, and nobody's values are any others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import islpy as isl

from accshare.frontend.ir import Assign, Expr, Var
from accshare.islbuild import lexmax, lexmin, like
from accshare.lifetimes import MayTouch, Touching, dependences_of, is_copied
from accshare.order.expand import is_plain_variable
from accshare.order.facts import Facts
from accshare.order.parts import another, shape_of
from accshare.poly.ir import (
    Access,
    Copied,
    Dependence,
    DependenceKind,
    Mode,
    Scop,
    Statement,
    Variable,
    VariableKind,
)
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import rewrite, rewrite_statement

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out
_NOWHERE = Span(0, 0)
#: the name of a statement and the ``id`` of a reference of it
_Place: TypeAlias = "tuple[str, int]"
#: arrays that hold copies: what comes before and behind a change of rows and columns
_MOST = 4


class Snapshots(NamedTuple):
    """A region with copies, the pieces of a nest and what copies for them, and the arrays that are copied."""

    scop: Scop
    pieces: tuple[Statement, ...]
    copied: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class _Taken:
    """A copy for what `reader` reads by references like `access`: next to the instances `where` of `writer`, which
    change the element, before it or `behind` it. It stands for one that is made at the place `time`."""

    reader: Statement
    access: Access
    writer: Statement
    where: isl.Set
    time: isl.Map
    behind: bool


def can_be_copied(scop: Scop, nest: tuple[Statement, ...]) -> bool:
    """Whether what the statements of a nest store are elements of arrays to which nothing else leads, each for
    certain."""
    stores = [a for s in nest for a in s.accesses if a.mode is Mode.WRITE]
    memory = all(a.exact and a.variable.kind is VariableKind.MEMORY for a in stores)
    plain = memory and all(is_plain_variable(scop, a.variable, exact=False) for a in stores)
    return plain and not scop.region.shares and not scop.region.rows


def with_snapshots(facts: Facts, pieces: tuple[Statement, ...]) -> Snapshots | None:
    """The pieces of a nest in blocks, the loop around them being its first, where each reads copies of what others
    change before and after it in the same block; None where that can't be."""
    taken: list[_Taken] = []
    for reader in pieces:
        between = [d for d in facts.between(pieces, 1) if (d.source is reader) is not (d.sink is reader)]
        for access in _changing(reader, between):
            found = _taken(facts, reader, access, between)
            if found is None:
                return None
            taken.append(found)
    return _made(facts.scop, pieces, tuple(taken)) if taken else None


def _changing(reader: Statement, between: list[Dependence]) -> Iterator[Access]:
    """What a piece reads that others of the same block store before, and change afterwards, `between` being the
    dependences on these; one access for each reference."""
    before = {d.sink_access.reference for d in between if d.kind is DependenceKind.FLOW and d.sink is reader}
    after = {d.source_access.reference for d in between if d.kind is DependenceKind.ANTI and d.source is reader}
    reads = {a.reference: a for a in reader.accesses if a.mode is Mode.READ}
    yield from (access for reference, access in reads.items() if reference in before & after)


def _taken(facts: Facts, reader: Statement, access: Access, between: list[Dependence]) -> _Taken | None:
    """Where what a piece reads is copied: before the next change of each element, or behind the last one."""
    whole = reader.domain.intersect_params(facts.scop.context).reset_tuple_id()
    antis = [d for d in between if d.kind is DependenceKind.ANTI and d.source_access is access]
    flows = [d for d in between if d.kind is DependenceKind.FLOW and d.sink_access is access]
    for behind, ends in ((False, antis), (True, flows)):
        if len({(d.source.name, d.sink.name) for d in ends}) != 1:
            continue
        pairs = facts.pairs.together(ends[0].relation, 1).intersect_params(facts.scop.context)  # of the same block
        writer, pairs = (ends[0].source, pairs.reverse()) if behind else (ends[0].sink, pairs)
        if whole.is_subset(pairs.domain().reset_tuple_id()):
            nearest = lexmax(pairs) if behind else lexmin(pairs)
            time = writer.time if behind else lexmin(nearest.reverse()).apply_range(reader.time)
            return _Taken(reader, access, writer, _simply(nearest.range(), writer), time, behind)
    return None


def _simply(where: isl.Set, writer: Statement) -> isl.Set:
    """Some instances of a statement, told by what equalities they have more, if that tells."""
    plain = writer.domain.intersect(isl.Set.from_basic_set(where.affine_hull().remove_divs())).coalesce()
    return plain if plain.is_subset(where) else where.coalesce()


# --- the region with copies ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Room:
    """An array `new` for copies of an `old` one, the `elements` that it has by now, and what copies them."""

    old: Variable
    new: Variable
    elements: isl.Set
    makers: tuple[Statement, ...] = ()


def _made(scop: Scop, pieces: tuple[Statement, ...], taken: tuple[_Taken, ...]) -> Snapshots | None:
    """The region with all copies that are taken; None where these need too many arrays, or a place that there is
    none."""
    rooms: list[_Room] = []
    makers: list[Statement] = []
    shapes: dict[str, tuple[Expr, ...] | None] = {}
    places = [s.time.range() for s in scop.statements]
    reads: dict[tuple[str, Expr], _Room] = {}
    stores: dict[str, _Place] = {}
    order: dict[str, tuple[list[Statement], list[Statement]]] = {s.name: ([], []) for s in pieces}
    for one in taken:
        old = one.access.variable
        store = next(a for a in one.writer.accesses if a.mode is Mode.WRITE and a.variable == old)
        elements = store.relation.intersect_domain(one.where).range().intersect_params(scop.context)
        place = next((k for k, r in enumerate(rooms) if r.old == old and r.elements.is_disjoint(elements)), len(rooms))
        if place == len(rooms):
            if old.name not in shapes:
                shapes[old.name] = shape_of(scop, old)
            shape = shapes[old.name]
            if shape is None or len(rooms) == _MOST:
                return None
            new = another(scop, f"{old.name}_at_{place + 1}", old, shape)
            rooms.append(_Room(old, new, elements))
        room = rooms[place]
        name = scop.unused(f"{one.writer.name}_copy_{len(makers) + 1}")
        maker = _maker(name, one, store, room.new, places)
        stored = any(a.mode is Mode.WRITE and a.reference == one.access.reference for a in one.reader.accesses)
        if maker is None or stored:
            return None
        makers.append(maker)
        places.append(maker.time.range())
        order[one.writer.name][one.behind].append(maker)
        rooms[place] = replace(room, elements=room.elements.union(elements), makers=(*room.makers, maker))
        reads[one.reader.name, one.access.reference] = room
        stores[maker.name] = one.writer.name, id(store.reference)
    return _with(scop, pieces, order, reads, stores, tuple(rooms))


def _maker(name: str, one: _Taken, store: Access, new: Variable, places: list[isl.Set]) -> Statement | None:
    """The statement that copies an element next to where it changes, in a place that no statement has; None where
    there is none. Others have the `places`."""
    domain = one.where.set_tuple_name(name)
    every = like(domain)
    back = every.to(every.coordinates, one.writer.name).intersect_domain(domain)
    now = back.apply_range(one.time)
    for by in range(1, len(places) + 1):
        time = _later(now, by if one.behind else -by)
        own = time.range()
        if all(own.is_disjoint(some) for some in places):
            break
    else:
        return None
    read = replace(store, mode=Mode.READ, relation=back.apply_range(store.relation))
    write = replace(_of_copy(read, store.variable, new), mode=Mode.WRITE)
    return Statement(
        name,
        Assign(write.reference, "=", read.reference, _NOWHERE),
        one.writer.loops,
        domain,
        time,
        (read, write),
    )


def _later(time: isl.Map, by: int) -> isl.Map:
    """The same places, but for the last number, which is greater."""
    every = like(time.range())
    *outer, last = every.coordinates
    return time.apply_range(every.to((*outer, last.add_constant_val(isl.Val(by)))))


def _with(
    scop: Scop,
    pieces: tuple[Statement, ...],
    order: dict[str, tuple[list[Statement], list[Statement]]],
    reads: dict[tuple[str, Expr], _Room],
    stores: dict[str, _Place],
    rooms: tuple[_Room, ...],
) -> Snapshots | None:
    """The region with the statements that copy before and behind pieces, and others reading what these leave; None
    where that would be another value. `stores` tells by the name of each statement that copies what else stores the
    elements."""
    accesses: dict[int, Access] = {}
    olds: dict[_Place, _Place] = {}
    statements: dict[str, Statement] = {}
    for old in pieces:
        own = {expr: room for (name, expr), room in reads.items() if name == old.name}
        changed = {expr: _renamed(expr, room.old, room.new) for expr, room in own.items()}
        for access in old.accesses:
            room = own.get(access.reference)
            if room is not None:
                accesses[id(access)] = made = _of_copy(access, room.old, room.new)
                olds[old.name, id(made.reference)] = old.name, id(access.reference)
        every = tuple(accesses.get(id(a), a) for a in old.accesses)
        statements[old.name] = replace(old, body=rewrite_statement(old.body, changed.get), accesses=every)
    inside = tuple(s for p in pieces for s in (*order[p.name][0], statements[p.name], *order[p.name][1]))
    first = next(k for k, s in enumerate(scop.statements) if s.name == pieces[0].name)
    new = {room.new.name for room in rooms}
    kept = (d.between(statements, accesses) for d in scop.dependences)
    found = replace(
        scop,
        variables=(*scop.variables, *(room.new for room in rooms)),
        statements=(*scop.statements[:first], *inside, *scop.statements[first + len(pieces) :]),
        dependences=tuple(d for d in kept if not {d.source_access.variable.name, d.sink_access.variable.name} & new),
        copies=(*scop.copies, *(Copied(r.new, r.old, tuple(s.name for s in r.makers)) for r in rooms)),
    )
    both = Touching(_known(scop, stores, olds))
    if not all(is_copied(found, one, both) for one in found.copies):
        return None
    taken = {id(s.accesses[0]) for room in rooms for s in room.makers}
    more = tuple(dependences_of(found, lambda a: a.variable.name in new or id(a) in taken, both))
    found = replace(found, dependences=(*found.dependences, *more))
    return Snapshots(found, inside, tuple(dict.fromkeys(room.old for room in rooms)))


def _known(scop: Scop, stores: dict[str, _Place], olds: dict[_Place, _Place]) -> MayTouch:
    """What tells of accesses, some of which had `olds` for their places, and of what copies, whether the dependences of
    a region let them be to the same element: what copies reaches no more than what `stores` it."""
    known: set[tuple[_Place, _Place]] = set()
    for one in scop.dependences:
        ends = (one.source.name, id(one.source_access.reference)), (one.sink.name, id(one.sink_access.reference))
        known |= {ends, ends[::-1]}

    def place(statement: Statement, access: Access) -> _Place:
        own = statement.name, id(access.reference)
        return stores.get(statement.name) or olds.get(own, own)

    def may(source: Statement, first: Access, sink: Statement, second: Access) -> bool:
        ends = place(source, first), place(sink, second)
        return ends[0][0] == ends[1][0] or ends in known

    return may


def _of_copy(access: Access, old: Variable, new: Variable) -> Access:
    """The access to the same element of another array."""
    relation = access.relation.set_tuple_name(_OUT, new.name)
    return replace(
        access, variable=new, space=new.name, reference=_renamed(access.reference, old, new), relation=relation
    )


def _renamed(expr: Expr, old: Variable, new: Variable) -> Expr:
    """The same element of another array."""
    assert isinstance(new.base, Var)
    symbol = new.base.symbol
    return rewrite(expr, lambda e: Var(symbol, e.span) if isinstance(e, Var) and e == old.base else None)
