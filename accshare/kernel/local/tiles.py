"""Tiles in local memory: where one begins in its array, which elements it holds, and how references find theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import islpy as isl

from accshare.frontend.ir import INT, Expr, Scalar, Subscript, Symbol, Type
from accshare.islbuild import multiple, points, sizes
from accshare.islexpr import literal, of_value, variable
from accshare.kernel.generate.body import row_major
from accshare.kernel.generate.codegen import Uniform
from accshare.kernel.generate.space import Space, between, bound_subscripts, subscripts
from accshare.kernel.ir import LocalBuffer
from accshare.mapping.ir import Layout, TilePlacement
from accshare.poly.ir import Access, Mode, Statement
from accshare.records import dataclass, field
from accshare.schedule.ir import Staged
from accshare.source import Span

_SET, _PARAM, _IN, _OUT = isl.dim_type.set, isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out
#: bytes that a work-item looks up at once, where all rows begin at multiples of them
_VECTOR = 16


@dataclass(frozen=True)
class Tile:
    """A staged array's part in local memory, inside the uniform loops `around` it.

    `lower` gives the array's element that the tile begins with, a dimension each, in terms of the parameters that
    `names` spells; `known` is what holds of them.
    """

    space: Space
    staged: Staged
    layout: Layout
    symbol: Symbol
    around: tuple[Uniform, ...]
    names: dict[str, Expr]
    lower: tuple[isl.PwAff, ...] = field(compare=False, repr=False)
    known: isl.Set = field(compare=False, repr=False)

    @property
    def element_type(self) -> Type:
        """What the tile holds: an element of the array, or one member of it."""
        return self.staged.accesses[0].reference.type

    @property
    def uses(self) -> Iterator[tuple[Statement, Access]]:
        """The references that find their elements in it, with the statements they stand in."""
        return self.staged.uses(self.space.partition.nest.statements)

    @property
    def buffer(self) -> LocalBuffer:
        """Its declaration."""
        element = self.element_type
        assert isinstance(element, Scalar)
        lengths = self.layout.stored(self.staged.lengths)
        copied = self.width * element.bytes if self.width > 1 and not self.apart else 1
        looked_up = 1 if self.staged.packed or lengths[-1] * element.bytes % _VECTOR else _VECTOR
        return LocalBuffer(self.symbol, element, lengths, max(copied, looked_up))

    @property
    def width(self) -> int:
        """The elements that can be loaded at once: they must lie side by side in the tile too."""
        in_order = self.layout.order == tuple(range(len(self.staged.lengths)))
        return self.staged.width if in_order else 1

    @property
    def apart(self) -> bool:
        """Whether vectors are stored element by element: rows are longer by a part of one."""
        return self.layout.padding % self.staged.width != 0

    @cached_property
    def begins(self) -> isl.Set:
        """What is known, and that tiles and strips of iterations begin at multiples of their sizes."""
        known = self.known
        begins = [(c.origin, c.member) for c in self.space.coordinates]
        for symbol, member in (*begins, *((u.symbol, u.member) for u in self.around)):
            known = known.intersect(multiple(sizes(symbol.unique).parameters[0] - member.begin, member.size))
        return known

    @cached_property
    def box(self) -> isl.Set:
        """The elements of the array that the tile has room for."""
        space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, len(self.lower))
        box = isl.Set.universe(space)
        for k, (low, length) in enumerate(zip(self.lower, self.staged.lengths, strict=True)):
            place = isl.PwAff.var_on_domain(isl.LocalSpace.from_space(space), _SET, k)
            low = low.insert_domain(space)
            box = box.intersect(place.ge_set(low)).intersect(place.lt_set(low.add_constant_val(isl.Val(length))))
        return box

    def touched(self, mode: Mode) -> isl.Set:
        """The elements that the work-group touches, inside the current iterations of the loops it holds."""
        return _elements(self, mode, lambda s: inside(self.space.grouped(s), self.around))

    @cached_property
    def loaded(self) -> isl.Set:
        """The elements that are loaded. Of an array the kernel only reads, all that any work-group touches and that
        have room: simple to test, and no one changes them meanwhile."""
        needed = self.touched(Mode.READ) if self.staged.writes else _elements(self, Mode.READ, self.space.launched)
        return needed.intersect(self.box)

    def reference(self, statement: Statement, access: Access) -> Expr:
        """The element that `access` touches, in the tile."""
        names = {**self.names, **{n.iterator.unique: variable(n.iterator) for n in statement.loops}}
        places = []
        for place, low in zip(bound_subscripts(statement, access), self.lower, strict=True):
            places.append(of_value(place.sub(low), sizes().everything, names, self.space.index_type))
        return self.element(tuple(places), access.span)

    def element(self, places: tuple[Expr, ...], span: Span) -> Expr:
        """The element in the tile at a place along each dimension of the array."""
        lengths = tuple(literal(n, INT) for n in self.layout.stored(self.staged.lengths))
        index = row_major(tuple(places[k] for k in self.layout.order), lengths)
        return Subscript(variable(self.symbol), index, self.element_type, span)


def tile(
    space: Space,
    placed: TilePlacement,
    symbol: Symbol,
    around: tuple[Uniform, ...],
    names: dict[str, Expr],
    known: isl.Set,
) -> Tile:
    """Find where the tile of a staged array begins."""
    staged = placed.staged
    rank = len(staged.lengths)
    images = points(rank).nothing
    for statement, access in staged.uses(space.partition.nest.statements):
        images = images.union(looked_up(access, _reached(space, statement, around)))
    lower = tuple(images.dim_min(k).coalesce().gist(known) for k in range(rank))
    return Tile(space, staged, placed.layout, symbol, around, names, lower, known)


def looked_up(access: Access, instances: isl.Set) -> isl.Set:
    """The elements that an access means in some instances, whether there are these in the program or not."""
    image = isl.Map.from_domain(instances)
    for place in subscripts(access):
        image = image.flat_range_product(isl.Map.from_pw_aff(place))
    return image.range()


def has_room(tile_: Tile, statement: Statement, access: Access, instances: isl.Set) -> bool:
    """Whether a tile has room for all that an access of some instances looks up while a group holds it."""
    together = inside(tile_.space.grouped(statement, instances), tile_.around)
    return bool(looked_up(access, together).intersect_params(tile_.known).is_subset(tile_.box))


def inside(instances: isl.Set, around: tuple[Uniform, ...]) -> isl.Set:
    """Those of a statement's instances that are in the current iterations of some loops around it."""
    for uniform in around:
        instances = uniform.restrict(instances)
    return instances


def _reached(space: Space, statement: Statement, around: tuple[Uniform, ...]) -> isl.Set:
    """The tile of iterations a work-group runs of a statement, as if none was missing at the borders."""
    domain = statement.domain
    tile_ = isl.Set.from_basic_set(domain.affine_hull())  # loops with a step skip iterations
    fixed = {n.index for n in space.partition.nest.host}
    for k, node in enumerate(space.partition.nest.host):
        tile_ = tile_.intersect(between(domain, k, node.iterator.unique, 1))
    for coordinate in space.coordinates:
        member = coordinate.member
        first = coordinate.origin.unique
        tile_ = tile_.intersect(between(domain, member.loop.depth, first, member.size, member.step))
        fixed.add(member.loop.index)
    for uniform in around:
        tile_ = uniform.restrict(tile_)
        fixed.add(uniform.member.loop.index)
    for k, node in enumerate(statement.loops):
        if node.index not in fixed:
            low, high = domain.dim_min_val(k), domain.dim_max_val(k)
            if low.is_int() and high.is_int():
                tile_ = tile_.lower_bound_val(_SET, k, low).upper_bound_val(_SET, k, high)
    return tile_


def _elements(tile_: Tile, mode: Mode, instances: Callable[[Statement], isl.Set]) -> isl.Set:
    """The elements that the staged references of a mode touch from some instances."""
    result = points(len(tile_.staged.lengths)).nothing
    for statement, access in tile_.uses:
        if access.mode is mode:
            result = result.union(access.relation.intersect_domain(instances(statement)).range().reset_tuple_id())
    return result.coalesce()
