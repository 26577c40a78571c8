"""A kernel's statement instances as sets over what the host and the grid fix.

Host iterators and the work-item's coordinates become isl parameters; what is left of a statement's domain is what one
work-item runs.
"""

from __future__ import annotations

from math import prod

import islpy as isl

from accshare.frontend.ir import INT, LONG, Expr, Scalar, Storage, Symbol, integer_range
from accshare.islbuild import at_least, equal, like, multiple, quotient, sizes, within
from accshare.islexpr import variable
from accshare.mapping.ir import NestPartition, NestPlacement
from accshare.poly.ir import Access, LoopNode, Scop, Statement
from accshare.records import dataclass, field
from accshare.schedule.ir import Kernel, Member

_SET, _OUT = isl.dim_type.set, isl.dim_type.out
#: the work-item's number along x, where a group shares loops
THREAD = Symbol("thread", "thread_x", INT, Storage.INNER)


@dataclass(frozen=True, slots=True)
class Coordinate:
    """Where a work-item stands along one member.

    `symbol` is the kernel variable (and isl parameter) for the first iteration the work-item runs, counted in steps of
    the loop; it runs every `member.threads`-th one from there to the end of the tile, which begins at `origin` (the
    same variable where a tile has one work-item).
    """

    member: Member
    symbol: Symbol
    origin: Symbol

    @property
    def single(self) -> bool:
        """Whether a work-item runs exactly one iteration."""
        return self.member.single


@dataclass(frozen=True, slots=True)
class Space:
    """Everything code generation needs to know about one nest.

    `index_type` is wide enough for every subscript and bound of the nest; `names` spells isl's identifiers as C.
    """

    scop: Scop
    placement: NestPlacement
    index_type: Scalar
    coordinates: tuple[Coordinate, ...]
    names: dict[str, Expr] = field(compare=False)
    context: isl.Set = field(compare=False, repr=False)

    @property
    def partition(self) -> NestPartition:
        """The nest with its sizes."""
        return self.placement.partition

    @property
    def iterations(self) -> int:
        """How many iterations of the mapped loops one work-item runs."""
        return prod(c.member.size // c.member.threads for c in self.coordinates)

    @property
    def rows(self) -> Coordinate | None:
        """Along what a work-item of a split kernel has several iterations, each of which has results of its own."""
        finalize = self.partition.nest.finalize
        kept = {m.loop.index for m in finalize.grid} if finalize else set()
        return next((c for c in self.coordinates if c.member.loop.index in kept and not c.member.single), None)

    @property
    def depth(self) -> int:
        """How many loops surround the kernel on the host."""
        return len(self.partition.nest.host)

    def launched(self, statement: Statement) -> isl.Set:
        """The instances one launch runs: host iterators are parameters."""
        domain = statement.domain
        for k, node in enumerate(self.partition.nest.host):
            domain = domain.intersect(between(domain, k, node.iterator.unique, 1))
        return domain

    def numbers(self, statement: Statement) -> isl.Map:
        """From a statement's instances to the iterations of the grid that they belong to."""
        every = statement.tuples
        return every.to([c.member.number(every.coordinates) for c in self.coordinates])

    def owned(self, statement: Statement, launched: isl.Set | None = None) -> isl.Set:
        """The instances one work-item runs, of those of a launch or of others: its coordinates are parameters too."""
        domain = self.launched(statement) if launched is None else launched
        for coordinate in self.coordinates:
            domain = domain.intersect(_share(domain, coordinate))
        nest = self.partition.nest
        return domain.intersect(_turn(domain, nest, statement)) if nest.threads else domain

    def grouped(self, statement: Statement, launched: isl.Set | None = None) -> isl.Set:
        """The same of one work-group: the origins of its tile are parameters too."""
        domain = self.launched(statement) if launched is None else launched
        for coordinate in self.coordinates:
            member = coordinate.member
            first = coordinate.origin.unique
            domain = domain.intersect(between(domain, member.loop.depth, first, member.size, member.step))
        return domain


def space_of(scop: Scop, placement: NestPlacement) -> Space:
    """Name what the host and the grid fix for a nest."""
    partition = placement.partition
    nest = partition.nest
    index_type = _index_type(scop, partition)
    coordinates = tuple(
        Coordinate(d, _coordinate_symbol(d, index_type), _origin_symbol(d, index_type)) for d in partition.nest.grid
    )
    names: dict[str, Expr] = {p.symbol.unique: variable(p.symbol) for p in scop.parameters}
    names |= {n.iterator.unique: variable(n.iterator) for n in nest.host}
    names |= {s.unique: variable(s) for c in coordinates for s in (c.symbol, c.origin)}
    names |= {THREAD.unique: variable(THREAD)} if nest.threads else {}
    return Space(scop, placement, index_type, coordinates, names, _facts(scop, partition))


def counter(node: LoopNode, index_type: Scalar) -> Symbol:
    """The kernel variable a loop counts with: the user's iterator where its type can hold what isl computes."""
    iterator = node.iterator
    if isinstance(iterator.type, Scalar) and iterator.type.signed and 4 <= iterator.type.bytes <= index_type.bytes:
        return iterator
    return derived(iterator, "at", index_type)


def subscripts(access: Access) -> tuple[isl.PwAff, ...]:
    """The place of an access along each member, as a function of the iterators wherever it is evaluated."""
    function = access.relation.as_pw_multi_aff()
    places = (function.get_pw_aff(k) for k in range(access.relation.dim(_OUT)))
    return tuple(place.gist(place.domain()) for place in places)


def bound_subscripts(statement: Statement, access: Access) -> tuple[isl.PwAff, ...]:
    """The same as functions of parameters that are called like the iterators."""
    return tuple(place.bind_domain(bound(statement.domain, iterators(statement))) for place in subscripts(access))


def iterators(statement: Statement) -> tuple[str, ...]:
    """The unique names of the iterators around a statement."""
    return tuple(node.iterator.unique for node in statement.loops)


def bound(points: isl.Set, names: tuple[str, ...]) -> isl.MultiId:
    """Names for the dimensions of a set, with which isl turns them into parameters."""
    ids = isl.IdList.alloc(isl.DEFAULT_CONTEXT, len(names))
    for name in names:  # an `Id` made by itself is another parameter than one of that name that isl has read
        ids = ids.add(sizes(name).space.get_dim_id(isl.dim_type.param, 0))
    return isl.MultiId.from_id_list(points.get_space(), ids)


def _coordinate_symbol(member: Member, index_type: Scalar) -> Symbol:
    own = counter(member.loop, index_type)
    if member.single and member.step == 1:
        return own
    if member.threads == 1:
        return _origin_symbol(member, index_type)
    return derived(member.loop.iterator, "first", index_type)


def _origin_symbol(member: Member, index_type: Scalar) -> Symbol:
    if member.size == 1 and member.step == 1:
        return counter(member.loop, index_type)
    return derived(member.loop.iterator, "tile", index_type)


def derived(symbol: Symbol, suffix: str, type_: Scalar) -> Symbol:
    """A kernel variable called after a variable of the user's. None of these equals it, whatever they are called."""
    return Symbol(f"{symbol.name}.{suffix}", f"{symbol.unique}_{suffix}", type_, Storage.INNER)


def between(domain: isl.Set, depth: int, parameter: str, length: int, step: int = 1) -> isl.Set:
    """The points of `domain`'s space with ``parameter <= value < parameter + length``; the value is the iterator of the
    loop at a depth, counted in steps."""
    every = like(domain, parameter)
    (first,) = every.parameters
    return within(quotient(every.coordinates[depth], step), first, length)


def _share(domain: isl.Set, coordinate: Coordinate) -> isl.Set:
    member, every = coordinate.member, like(domain, coordinate.symbol.unique)
    number, (first,) = member.number(every.coordinates), every.parameters
    reached = within(number, first, member.size - member.threads + 1)
    return (
        reached
        if member.threads == 1 or coordinate.single
        else reached.intersect(multiple(number - first, member.threads))
    )


def _turn(domain: isl.Set, nest: Kernel, statement: Statement) -> isl.Set:
    """What is a work-item's turn of the loop that its group shares, and the first one's where there is none."""
    every = like(domain, THREAD.unique)
    (thread,) = every.parameters
    member = next((m for m in nest.threads if m.loop in statement.loops), None)
    if member is not None:
        return multiple(member.number(every.coordinates) - thread, member.threads)
    return every.everything if statement.name in nest.repeated else equal(thread, 0)


def _index_type(scop: Scop, partition: NestPartition) -> Scalar:
    wide = integer_range(INT)
    assert wide is not None
    used = {n.iterator for s in partition.nest.statements for n in s.loops}
    for parameter in scop.parameters:
        for statement in partition.nest.statements:
            position = statement.domain.find_dim_by_name(isl.dim_type.param, parameter.symbol.unique)
            if position >= 0 and statement.domain.involves_dims(isl.dim_type.param, position, 1):
                used.add(parameter.symbol)
    for symbol in used:
        limits = integer_range(symbol.type)
        if limits is not None and (limits[0] < wide[0] or limits[1] > wide[1]):
            return LONG
    return INT


def _facts(scop: Scop, partition: NestPartition) -> isl.Set:
    """What generated code may take for granted: unsigned parameters are not negative, host loops in their bounds."""
    ranges = {p.symbol.unique: integer_range(p.symbol.type) for p in scop.parameters}
    lows = {name: limits[0] for name, limits in ranges.items() if limits}
    values = sizes(*lows)
    unsigned = (at_least(value, 0) for value, low in zip(values.parameters, lows.values(), strict=True) if low == 0)
    facts = values.where(*unsigned)
    loops = partition.nest.host
    if not loops:
        return facts
    domain = loops[-1].domain
    for k, node in enumerate(loops):
        domain = domain.intersect(between(domain, k, node.iterator.unique, 1))
    return facts.intersect(domain.params())
