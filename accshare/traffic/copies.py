"""The cooperative copies of staged arrays, as code generation makes them.

The work-items of a group take consecutive elements (or vectors) of the tile in row-major order, and then those a
work-group further on; elements that lie outside of what the kernel touches are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

import islpy as isl

from accshare.device import Device
from accshare.mapping.ir import NestPartition
from accshare.poly.ir import Access, LoopNode, Mode, Statement
from accshare.schedule.ir import Staged
from accshare.traffic.full import uniform_loops
from accshare.traffic.lattice import Form
from accshare.traffic.layout import address, extents, fixed_map, fixed_set, linear, subscripts
from accshare.traffic.warps import Batch, Cost, cost

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


def copy_cost(part: NestPartition, staged: Staged, mode: Mode, device: Device, values: Mapping[str, int]) -> Cost:
    """What loading a staged array's tiles costs in all launches of a kernel, or storing them."""
    tiles = _Tiles(part, staged, _held(part, staged.at), values)
    width = _width(staged, values) if mode is Mode.READ else 1
    steps = (*(1 for _ in staged.lengths[:-1]), width)
    lengths = tuple(n // step for n, step in zip(staged.lengths, steps, strict=True))
    form, size = address(staged.accesses[0], values)
    box = _box(tiles, lengths, steps)
    elements = tiles.elements(mode).intersect_domain(tiles.moments())
    accesses = box.intersect(elements.insert_dims(_IN, len(tiles.dims), len(lengths)))
    warp = _warp(part, lengths, device)
    forms = linear(box)
    if forms is None:
        weights = (*(0 for _ in range(accesses.dim(_IN))), *form.coefficients)
        place = Form(weights, form.constant)
        batch = Batch(accesses.wrap().flatten(), len(tiles.dims), place, width * size, warp, False)
    else:
        place = Form((0,) * accesses.dim(_IN), form.constant)
        for weight, row in zip(form.coefficients, forms, strict=True):
            place = place.plus(weight, row)
        batch = Batch(accesses.domain(), len(tiles.dims), place, width * size, warp, True)
    spent = cost(batch, device.transaction_bytes)
    return Cost(width * spent.elements, spent.transactions)


def _box(tiles: _Tiles, lengths: tuple[int, ...], steps: tuple[int, ...]) -> isl.Map:
    """From a tile and the offsets in it to the element: each dimension has some length, in steps of elements."""
    offsets = [f"e{k}" for k in range(len(lengths))]
    inside = " and ".join(f"0 <= {e} < {n}" for e, n in zip(offsets, lengths, strict=True))
    places = None
    for low, step, offset in zip(tiles.lower(), steps, offsets, strict=True):
        moved = isl.Map(f"{{ {_list(*tiles.dims, *offsets)} -> [{step} {offset}] : {inside} }}")
        place = low.insert_dims(_IN, len(tiles.dims), len(lengths)).sum(moved)
        places = place if places is None else places.flat_range_product(place)
    assert places is not None, "an array has dimensions"
    return places


def _width(staged: Staged, values: Mapping[str, int]) -> int:
    """How many elements a work-item loads at once: a vector where rows are whole ones; arrays are aligned."""
    rows = extents(staged.variable, values)
    return staged.width if len(rows) < 2 or rows[-1] % staged.width == 0 else 1


@dataclass(frozen=True, slots=True)
class _Tiles:
    """The tiles of a staged array, named by `dims`: the host loops' iterators, the group's place along each mapped
    loop, and the number of the strip (or the iteration) of each loop `held` by the group, which come with their size.
    """

    part: NestPartition
    staged: Staged
    held: tuple[tuple[LoopNode, int], ...]
    values: Mapping[str, int]

    @property
    def hosts(self) -> list[str]:
        return [f"h{k}" for k in range(len(self.part.nest.host))]

    @property
    def dims(self) -> tuple[str, ...]:
        groups, strips = range(len(self.part.nest.grid)), range(len(self.held))
        return (*self.hosts, *(f"g{k}" for k in groups), *(f"s{k}" for k in strips))

    def instances(self) -> str:
        """Which iterations of the loops around a statement belong to a tile, in isl's notation."""
        where = [f"h{k} = i{k}" for k in range(len(self.hosts))]
        for k, dimension in enumerate(self.part.nest.grid):
            at = f"i{dimension.loop.depth}"
            size = dimension.size * dimension.step
            where.append(f"{size} g{k} <= {at} < {size} g{k} + {size}")
        for k, (loop, size) in enumerate(self.held):
            where.append(f"{size} s{k} <= i{loop.depth} < {size} s{k} + {size}")
        return " and ".join(where) or "1 = 1"

    def tile_of(self, statement: Statement) -> isl.Map:
        """From a statement's instances to the tile they use."""
        relation = isl.Map(f"{{ {_iterators(statement)} -> {_list(*self.dims)} : {self.instances()} }}")
        return relation.intersect_domain(_domain(statement, self.values))

    def lower(self) -> tuple[isl.Map, ...]:
        """The first element of a tile along each dimension, as if no iteration was missing at the borders."""
        result = []
        for k in range(len(self.staged.lengths)):
            reached = isl.Map.empty(isl.Map(f"{{ {_list(*self.dims)} -> [e] }}").get_space())
            for statement, access in self.uses():
                around = isl.Map(f"{{ {_list(*self.dims)} -> {_iterators(statement)} : {self.around(statement)} }}")
                steps = isl.Set.from_basic_set(statement.domain.affine_hull())  # loops with a step skip iterations
                around = around.intersect_range(fixed_set(steps, self.values).reset_tuple_id())
                reached = reached.union(around.apply_range(subscripts(access, self.values)[k]))
            result.append(reached.lexmin())
        return tuple(result)

    def around(self, statement: Statement) -> str:
        """`instances` with the loops that are inside of the tile, where their bounds are constants."""
        fixed = {d.loop.index for d in self.part.nest.grid} | {loop.index for loop, _ in self.held}
        where = [self.instances()]
        for k, node in enumerate(statement.loops[len(self.hosts) :], len(self.hosts)):
            low, high = statement.domain.dim_min_val(k), statement.domain.dim_max_val(k)
            if node.index not in fixed and low.is_int() and high.is_int():
                where.append(f"{low} <= i{k} <= {high}")
        return " and ".join(where)

    def uses(self) -> Iterator[tuple[Statement, Access]]:
        """The staged references with the statements they stand in."""
        for statement in self.part.nest.statements:
            for access in statement.accesses:
                if access in self.staged.accesses:
                    yield statement, access

    def elements(self, mode: Mode) -> isl.Map:
        """The elements that are copied, by tile. Of an array that is only read, all that any tile needs."""
        own = self.staged.writes or mode is Mode.WRITE
        result = None
        for statement, access in self.uses():
            if access.mode is not mode:
                continue
            places = fixed_map(access.relation, self.values).reset_tuple_id(_IN).reset_tuple_id(_OUT)
            if own:
                who = self.tile_of(statement).reverse()
            else:
                launch = isl.Map(f"{{ {_list(*self.dims)} -> {_list(*self.hosts)} }}")
                by = isl.Map(f"{{ {_iterators(statement)} -> [{', '.join(f'i{k}' for k in range(len(self.hosts)))}] }}")
                who = launch.apply_range(by.intersect_domain(_domain(statement, self.values)).reverse())
            found = who.apply_range(places)
            result = found if result is None else result.union(found)
        assert result is not None, "a copy has references"
        return result.coalesce()

    def moments(self) -> isl.Set:
        """The tiles that are filled and emptied."""
        if self.staged.at is not None:
            inside = (s for s in self.part.nest.statements if self.staged.at in s.loops)
            found = [self.tile_of(statement).range() for statement in inside]
            result = found[0]
            for more in found[1:]:
                result = result.union(more)
            return result.coalesce()
        launched = isl.Set(f"{{ {_list(*self.dims)} }}")
        for k, dimension in enumerate(self.part.nest.grid):
            step, tile = dimension.step, dimension.size
            there: isl.Map | None = None
            for statement in self.part.nest.statements:
                number = f"{step} c <= i{dimension.loop.depth} < {step} c + {step}"
                names = ", ".join(f"i{n}" for n in range(len(self.hosts)))
                by = isl.Map(f"{{ {_iterators(statement)} -> [{names}] }}")
                value = isl.Map(f"{{ {_iterators(statement)} -> [c] : {number} }}")
                own = by.intersect_domain(_domain(statement, self.values)).reverse().apply_range(value)
                there = own if there is None else there.union(own)
            assert there is not None, "a kernel has statements"
            launch = isl.Map(f"{{ {_list(*self.dims)} -> {_list(*self.hosts)} }}")
            for end, bound in (
                (there.lexmin(), f"c <= {tile} g{k} + {tile - 1}"),
                (there.lexmax(), f"{tile} g{k} <= c"),
            ):
                group = isl.Map(f"{{ {_list(*self.dims)} -> [c] : {bound} }}")
                launched = launched.intersect(launch.apply_range(end).intersect(group).domain())
        return launched.coalesce()


def _held(part: NestPartition, at: LoopNode | None) -> tuple[tuple[LoopNode, int], ...]:
    """The loops that the group runs together down to one of them, with the size of their strips."""
    if at is None:
        return ()
    sizes = uniform_loops(part)
    path = next(s.loops[: at.depth + 1] for s in part.nest.statements if at in s.loops)
    return tuple((loop, sizes[loop.index]) for loop in path if loop.index in sizes)


def _domain(statement: Statement, values: Mapping[str, int]) -> isl.Set:
    return fixed_set(statement.domain, values).reset_tuple_id()


def _iterators(statement: Statement) -> str:
    return _list(*(f"i{k}" for k in range(len(statement.loops))))


def _list(*names: str) -> str:
    return f"[{', '.join(names)}]"


def _warp(part: NestPartition, lengths: tuple[int, ...], device: Device) -> Callable[[tuple[int, ...]], int]:
    """The warp, and its turn, that copies an element (or vector) of a tile of such lengths."""
    items = prod(part.work_group)
    width = min(device.simd_width, items)
    strides = [prod(lengths[k + 1 :]) for k in range(len(lengths))]

    def warp(offsets: tuple[int, ...]) -> int:
        turn, item = divmod(sum(s * o for s, o in zip(strides, offsets, strict=False)), items)
        return turn * items + item // width

    return warp
