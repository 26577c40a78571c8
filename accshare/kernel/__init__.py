"""The kernel stage: kernels and launches of a region for one device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import prod

import islpy as isl

from accshare.data.ir import Datum
from accshare.device import Device
from accshare.diagnostics import rejected
from accshare.frontend.ir import INT, LONG, Binary, Conditional, Expr, Scalar, Struct, Symbol, Unary, Var
from accshare.instances import check_instances
from accshare.islexpr import binary, conjunction, is_true, literal, of_condition, variable
from accshare.kernel.checks.beyond import check_beyond
from accshare.kernel.checks.bijection import check_bijection
from accshare.kernel.checks.complete import check_complete, check_host_loops
from accshare.kernel.checks.expansions import check_expansions
from accshare.kernel.checks.footprint import check_footprints
from accshare.kernel.checks.own_copies import check_own_copies
from accshare.kernel.checks.parts import check_parts
from accshare.kernel.checks.races import check_races
from accshare.kernel.checks.turned import check_turned
from accshare.kernel.checks.validate import Placed, validate
from accshare.kernel.checks.verify import verify
from accshare.kernel.generate.assemble import assembled
from accshare.kernel.generate.beyond import unset_beyond
from accshare.kernel.generate.body import buffer_symbol
from accshare.kernel.generate.codegen import work
from accshare.kernel.generate.finalize import Version, finalized, pays
from accshare.kernel.generate.grid import Grid, directions, grid, launched, most_groups
from accshare.kernel.generate.privatize import Known, own_copies, privatized
from accshare.kernel.generate.reduce import accumulate, arguments, count, total
from accshare.kernel.generate.several import of_several
from accshare.kernel.generate.space import Space, space_of
from accshare.kernel.host_loops import condition, reached
from accshare.kernel.ir import (
    UNITS,
    Adaptation,
    HostBlock,
    HostIf,
    HostLoop,
    HostStmt,
    KernelFunction,
    Launch,
    Loop,
    Param,
    Scratch,
    Stmt,
    Value,
    Variant,
    parts,
)
from accshare.kernel.local.factors import prescaled
from accshare.kernel.local.group import Staging, staged_work
from accshare.kernel.local.pipelining import fetched_ahead
from accshare.kernel.local.tiles import Tile
from accshare.kernel.passes import IN_ORDER, ITERATION, SCALAR_TILE, TILE, group, through
from accshare.kernel.passes.narrowing import narrowed
from accshare.kernel.passes.tables import in_code, tabled
from accshare.kernel.vectors.column_sums import in_own_copies
from accshare.kernel.vectors.data_bound import along_data
from accshare.kernel.vectors.next_tile import with_next_tile
from accshare.kernel.vectors.padding import Room
from accshare.kernel.vectors.panels import packed_across
from accshare.kernel.vectors.register_tiles import in_register_tiles
from accshare.kernel.vectors.swept import swept
from accshare.mapping.ir import InBands, NestPlan, Plan
from accshare.once import Once
from accshare.options import Options
from accshare.order.ir import ByRows, InBlocks, RowPass
from accshare.poly.ir import LoopNode, Scop, Variable
from accshare.quota import Quota
from accshare.records import dataclass, replace
from accshare.schedule.ir import (
    Band,
    Kernel,
    Member,
    Node,
    Role,
    Schedule,
    Versions,
    accumulator,
    instead,
    members,
    memory_written,
    steps,
)
from accshare.source import Span

__all__ = ["lower"]

#: isl's operations for the bounds of a grid: optima of large polyhedra take seconds for so many
_OPERATIONS = 400_000
#: bands that each core has to do at least: one less or more is then no large part of the time
_EACH = 2
#: 32-bit lanes of the longest vectors that all cores compute with at their full rate; some do with longer ones at half
_FULL_RATE = 8


def lower(
    plan: Plan, options: Options, adapted: Adaptation, data: tuple[Datum, ...] = (), once: Once | None = None
) -> Variant:
    """Generate a region's kernels and launches, and prove their order against the dependences. Kernels are `adapted` to
    who compiles them; `data` tells the extents of arrays. What devices have in common is generated `once`: those that
    cut a region alike may differ in their registers.

    Raises `Rejected` (ACC902) when the proof fails: that is a bug of ours, and the host loops run instead.
    """
    once = once or Once()
    found, units = _lowered(plan, options, adapted, data, once), _units(plan.partition.device, options)
    for other in plan.others if options.validate else ():
        once(check_instances, *(one.placement.partition.schedule.scop for one in (plan, other)))
    if plan.tiled is not None:
        found = _in_bands(plan, found, _lowered(plan.tiled, options, adapted, data, once), units)
    for form, other in reversed(plan.by_rows):
        instead = _lowered(other, options, adapted, data, once)
        wanted = _by_rows(form, instead, units)
        found = _either(wanted, found, instead) if wanted else found
    return found


def _units(device: Device, options: Options) -> Expr:
    """The cores or compute units: a target that the user names is compiled for as it is, but nobody knows on how many
    cores a program will run."""
    named = options.named and not device.native
    return literal(device.compute_units, LONG) if named else variable(UNITS)


def _in_bands(plan: Plan, plain: Variant, tiled: Variant, units: Expr) -> Variant:
    """A variant that runs the kernels of a plan with bands where there are enough of them and they gain."""
    least = binary("*", literal(_EACH, LONG), units, LONG)
    numbers = (one.number for one in plan.bands if one.number is not None)
    enough = (Binary(">=", number, least, INT, Span(0, 0)) for number in numbers)
    wanted = (*enough, *(one.large for one in plan.bands))
    measured = plan.partition.device.native and len(plan.bands) == 1
    blocks = _in_either_way(plan.bands[0], plain.host, tiled.host) if measured else tiled.host
    return _either(wanted, plain, replace(tiled, host=blocks))


def _by_rows(form: ByRows, variant: Variant, units: Expr) -> tuple[Expr, ...]:
    """The conditions under which a variant gains that goes over a matrix by rows: each core has enough of these, and
    copies of what it adds up; or few enough cores share blocks of them. There are none where it never does."""
    match form:
        case InBlocks(cores=cores, gains=gains):
            return binary("<=", units, literal(cores, LONG), LONG), gains
        case RowPass(number=number, rows=rows, gains=gains):
            each_has = binary("*", literal(rows, LONG), units, LONG)
            held = tuple(_held(variant))
            return (Binary(">=", number, each_has, INT, Span(0, 0)), gains, *held) if held else ()


def _either(wanted: tuple[Expr, ...], plain: Variant, other: Variant) -> Variant:
    """A variant that runs another one's kernels where all that is wanted holds."""
    condition = conjunction(wanted)
    assert condition is not None
    kernels = {kernel.name: kernel for kernel in (*plain.kernels, *other.kernels)}
    scratch = {one.name: one for one in (*plain.scratch, *other.scratch)}
    host = (HostIf(condition, other.host), HostIf(Unary("!", condition, INT, Span(0, 0)), plain.host))
    return Variant(plain.target, tuple(kernels.values()), tuple(scratch.values()), host)


def _held(variant: Variant) -> Iterator[Expr]:
    """Whether work-groups have copies of what they update in vectors along rows."""
    kernels = {one.name: one for one in variant.kernels if one.register_tile and one.register_tile.copied}
    for launch in _launches(variant.host):
        if launch.kernel in kernels:
            kernel = kernels[launch.kernel]
            kept = {Value(copied.kept) for copied in kernel.copies}
            for param, value in zip(kernel.params, launch.args, strict=True):
                if param in kept and not isinstance(value, str):
                    yield Binary(">", value, literal(0, LONG), INT, kernel.span)


def _launches(stmts: tuple[HostStmt, ...]) -> Iterator[Launch]:
    for stmt in stmts:
        match stmt:
            case Launch():
                yield stmt
            case HostLoop(body=body) | HostIf(body=body):
                yield from _launches(body)


def _in_either_way(one: InBands, plain: tuple[HostStmt, ...], tiled: tuple[HostStmt, ...]) -> tuple[HostStmt, ...]:
    """What the host does with a loop in bands, where each of its blocks may run in sweeps as well: bands have all of a
    block's steps, and nothing of a block depends on one behind it."""
    result: list[HostStmt] = []
    for before, after in zip(plain, tiled, strict=True) if len(plain) == len(tiled) else ():
        match before, after:
            case HostLoop(), HostLoop(iterator=block, condition=Binary("<", _, bound)) if _is_loop(before, one.loop):
                span = literal(one.steps * before.step, LONG)
                begin = binary("+", binary("*", variable(block), span, LONG), before.first, LONG)
                within = binary("<", variable(before.iterator), binary("+", begin, span, LONG), LONG)
                sweeps = replace(before, first=begin, condition=binary("&&", before.condition, within, INT))
                left = binary("-", bound, variable(block), LONG)
                result.append(replace(after, body=(HostBlock(left, after.body, (sweeps,)),)))
            case HostLoop() | HostIf(), HostLoop() | HostIf():
                result.append(replace(after, body=_in_either_way(one, before.body, after.body)))
            case _:
                result.append(after)
    return tuple(result) or tiled


def _is_loop(loop: HostLoop, node: LoopNode) -> bool:
    return loop.iterator.unique == node.iterator.unique


def _lowered(plan: Plan, options: Options, adapted: Adaptation, data: tuple[Datum, ...], once: Once) -> Variant:
    """A plan's own kernels and launches."""
    partition = plan.partition
    scop = partition.schedule.scop
    made: dict[str, _LoweredNest] = {}
    placed: list[Placed] = []
    small: list[Placed] = []
    units = _units(partition.device, options)
    for planned in plan.nests:
        own, name = _lowered_nest(plan, planned, options, adapted, data, once), planned.placement.partition.nest.name
        placed += own.placed
        if planned.small is None:
            small += own.placed
        else:
            other = _lowered_nest(plan, planned.small.plan, options, adapted, data, once)
            small += other.placed
            own = _by_size(own, other, planned.small.each, literal(1, LONG) if partition.device.native else units)
        made[name] = own
    if options.validate:
        once(check_complete, partition.schedule.scop)
        once(check_host_loops, partition.schedule)
        once(check_expansions, scop)
        once(check_turned, scop, partition.device.native, options.reassociate)
        once(_validated, partition.schedule, *placed)
        if any(planned.small for planned in plan.nests):
            validate(_with_small(plan), tuple(small))
    host = _host(partition.schedule.tree, (), scop, made, units)
    kernels = tuple(kernel for nest in made.values() for kernel in nest.kernels)
    scratch = (*map(_scratch, partition.schedule.scratch), *_partials(partition.schedule.tree, made, units))
    return Variant(partition.device, kernels, scratch, host)


def _lowered_nest(
    plan: Plan, planned: NestPlan, options: Options, adapted: Adaptation, data: tuple[Datum, ...], once: Once
) -> _LoweredNest:
    """The kernels of a nest and their launches, each kernel checked by itself."""
    partition = plan.partition
    scop, units = partition.schedule.scop, _units(partition.device, options)
    space = once(space_of, scop, once.same(planned.placement, partition.schedule))
    with Quota(_OPERATIONS):
        where = once(grid, space, known_as_positive=partition.device.native)
    known = once(isl.Set.intersect, space.context, where.starts)
    code = partial(_code, once, space, known, adapted)
    own = _work(space, code, Known(data, partition.device, units), adapted, planned, not options.plain)
    free = once.same(_in_no_order(planned) if planned.register_tile else (), space)
    results = (r.variable.name for r in space.partition.nest.reductions if space.rows)
    each = once.same(own.expanded.union(results), space)
    unordered = planned.register_tile is not None or own.work.no_order
    placed = once(Placed, space, own.work.order, each, unordered, free)
    where = of_several(space, where, own.work.body, units)
    made = _kernel(space, where, own, Known(data, partition.device, units), planned.strips_ahead)
    nest = replace(made, placed=(placed,))
    if space.partition.nest.finalize is not None:
        finalize = finalized(space, where, partition.device)
        kernels, launches = (*nest.kernels, finalize.kernel), (*nest.launches, finalize.launch)
        nest = replace(nest, kernels=kernels, launches=launches, placed=(placed, finalize.placed))
    for kernel in nest.kernels:
        if not partition.device.native:
            _check_lengths(kernel)
        verify(kernel)
        check_races(kernel, own.exchanged)
        check_own_copies(kernel)
    if options.validate:
        once(check_bijection, space.placement, partition.schedule)
        once(check_footprints, own.tiles, partition.schedule)
        once(check_beyond, space, own.work.beyond, own.tiles, own.registers)
        once(check_parts, space)
    return nest


def _check_lengths(kernel: KernelFunction) -> None:
    """OpenCL C has no arrays of a length that isn't constant. Raises `Rejected` (ACC203)."""
    for private in kernel.private:
        if private.times is not None:
            message = f"{private.symbol.name} is private to an iteration and its length isn't constant"
            raise rejected(
                "ACC203", message, kernel.span, "give it a constant length, or declare it outside the region"
            )


def _by_size(own: _LoweredNest, small: _LoweredNest, each: int, units: Expr) -> _LoweredNest:
    """A nest in the way that suits the size of its launch: with fewer than `each` iterations of its grid for each of so
    many `units`, as the `small` one."""
    tile = prod(member.size for member in own.space.partition.nest.grid)
    launched = binary("*", count(own.groups), literal(tile, LONG), LONG)
    few = Binary("<", launched, binary("*", units, literal(each, LONG), LONG), INT, own.space.partition.nest.span)
    many = Unary("!", few, INT, few.span)
    kernels, scratch = (*own.kernels, *small.kernels), (*own.scratch, *small.scratch)
    launches = (HostIf(few, small.launches), HostIf(many, own.launches))
    return replace(own, kernels=kernels, scratch=scratch, launches=launches, small=small.space)


def _with_small(plan: Plan) -> Schedule:
    """The schedule of a plan with the kernels that small launches have."""
    schedule = plan.partition.schedule
    names = {nest.placement.partition.nest.name: nest.small for nest in plan.nests}
    tree = schedule.tree
    for kernel in schedule.kernels:
        small = names.get(kernel.name)
        if small is not None:
            other = replace(kernel, name=small.plan.placement.partition.nest.name)
            tree = instead(tree, kernel, other)
    return replace(schedule, tree=tree)


def _in_no_order(planned: NestPlan) -> tuple[Member, ...]:
    """The loops inside of iterations of the grid whose own run in no order in register tiles."""
    nest, tile = planned.placement.partition.nest, planned.register_tile
    sweeps = tuple(m for m in members(nest.inside) if m.role is Role.OWN and m.coincident)
    return (*sweeps, *(nest.reassociable if tile and tile.reduction else ()))


def _validated(schedule: Schedule, *placed: Placed) -> int:
    return validate(schedule, placed)


def _work(
    space: Space,
    generate: Callable[[bool, tuple[Stmt, ...]], Staging],
    known: Known,
    adapted: Adaptation,
    planned: NestPlan,
    split: bool,
) -> Staging:
    """The code of one work-item, in register tiles where there are any; with `split`, full tiles apart. `generate` is
    `_code` without its first arguments."""
    tile = planned.register_tile
    if space.partition.nest.aliased:
        passes = tiles = IN_ORDER
    elif space.partition.cooperative:
        passes = tiles = group(adapted)
    else:
        single = all(c.single for c in space.coordinates)
        passes, tiles = (ITERATION, ITERATION) if single else (SCALAR_TILE, TILE)
        tiles = TILE if any(m.role is Role.OWN for m in members(space.partition.nest.inside)) else tiles
    bounded: tuple[Stmt, ...] = ()
    if tile is not None:
        own = generate(False, bounded)
        panels = frozenset(t.symbol for t in own.tiles if t.staged.packed and not t.staged.writes)
        together = swept(own.work.body, space, tile) if tile.sweep else None
        if together is None:
            tile, whole = replace(tile, sweep=0), own.work.body
        else:
            own, whole = replace(own, expanded=together.expanded), together.body
        bounded, code = own.work.bounded, prescaled(through(tiles, whole), panels)
        if planned.ahead is not None:
            code = with_next_tile(code, space.partition.nest, planned.ahead)
        if tile.copied:
            code = in_own_copies(code, own_copies(space, code, (), known))
        body, tile = in_register_tiles(code, space, tile, _room(space, own, known.device))
        if body != code:
            body = packed_across(body, panels, tile.lanes)
            return replace(own, work=replace(own.work, body=body, register_tile=tile))
    alone = not space.partition.cooperative and prod(space.partition.work_group) == 1
    own = generate(split and not alone, bounded)
    if split and alone and not any(map(_goes_over_rows, own.work.body)):
        own = generate(True, own.work.bounded)
    shared = frozenset(accumulator(r.variable) for r in space.partition.nest.reductions)
    body, rows = along_data(through(passes, own.work.body), planned.data_bound, shared, space.scop.region.functions)
    return replace(own, work=replace(own.work, body=body, data_bound=rows))


def _goes_over_rows(stmt: Stmt) -> bool:
    """Whether an own iteration runs loops that take longer than it takes to test a bound: full tiles gain nothing by
    code of their own."""
    own = (part for part in parts(stmt) if isinstance(part, Loop) and part.own_axis is not None)
    inside = (part for loop in own for below in loop.body for part in parts(below) if isinstance(part, Loop))
    return any(part.own_axis is None and part.unroll == 1 for part in inside)


def _room(space: Space, own: Staging, device: Device) -> Room | None:
    """What a work-item alone has of its own for a whole tile."""
    along = next((c for c in space.coordinates if c.member.axis == 0), None)
    if along is None or not space.partition.packed:
        return None
    several = (v.base.symbol for v in space.scop.variables if v.name in own.expanded and isinstance(v.base, Var))
    arrays = frozenset((*(t.symbol for t in own.tiles), *(p.symbol for p in own.private), *several))
    halves = 2 if device.simd_width > _FULL_RATE else 1
    return Room(arrays, along.symbol, along.member.size, halves)


def _code(
    once: Once, space: Space, known: isl.Set, adapted: Adaptation, split: bool, bounded: tuple[Stmt, ...]
) -> Staging:
    """What a work-item runs, together with its group or alone, as it is generated; `bounded` is what was generated of
    it before."""
    if space.partition.cooperative:
        return once(staged_work, space, known, adapted.strips, split)
    return Staging(once(work, space, known, split, bounded))


@dataclass(frozen=True, slots=True)
class _LoweredNest:
    """What a nest adds to the region; `groups` are those of a launch, `small` is where small ones run otherwise."""

    space: Space
    device: Device
    kernels: tuple[KernelFunction, ...]
    scratch: tuple[Scratch, ...]
    launches: tuple[HostStmt, ...]
    groups: tuple[Expr, Expr, Expr]
    placed: tuple[Placed, ...] = ()
    small: Space | None = None


def _kernel(space: Space, where: Grid, own: Staging, known: Known, ahead: bool) -> _LoweredNest:
    nest, device = space.partition.nest, known.device
    group = space.partition.work_group
    most = most_groups(space) if nest.reductions else where.groups
    rows = space.rows.member.size if space.rows else 1
    accumulation = accumulate(nest.reductions, nest.name, group, most, directions(space), nest.span, rows)
    tables = in_code(space.scop)
    if device.own_tables and not space.partition.staged:
        tables = space.scop.variables
    body, constants = tabled(own.work.body, tables)
    if device.own_tables:
        body = narrowed(body)
    local = (*(t.buffer for t in own.tiles), *own.local, *accumulation.local)
    body, fetched = fetched_ahead(body, _only_read(space, own.tiles)) if ahead else (body, ())
    tile = own.work.register_tile
    apart = privatized(space, where, body, local, known, tile is not None and tile.copied)
    groups = where.groups if apart is None else apart.groups
    code = (*where.defines, *body) if apart is None else (*apart.before, *apart.body, *apart.after)
    kernel = assembled(
        space,
        (*accumulation.before, *code, *accumulation.after),
        group,
        firsts=tuple(symbol for symbol, _ in where.first),
        params=(*accumulation.buffers, *(() if apart is None else apart.values)),
        local=(*local, *(() if apart is None else apart.local)),
        private=(*own.private, *constants, *fetched),
        expanded=own.expanded,
        register_tile=own.work.register_tile,
        copies=() if apart is None else apart.copies,
        data_bound=own.work.data_bound,
        fuses=device.fuses,
        zeroed=_without_values(space, own),
    )
    values: dict[Param, Expr] = {Value(symbol): value for symbol, value in where.first}
    values |= {} if apart is None else apart.values
    launch = Launch(nest.name, launched(space, groups), arguments(kernel, values))
    if not nest.reductions or nest.finalize is not None:
        alone = _when_any(where, space, (launch,))
        return _LoweredNest(space, device, (kernel,), accumulation.scratch, alone, groups)
    combining, after = total(nest.reductions, nest.name, count(groups), device, nest.span)
    launches = _when_any(where, space, (launch, after))
    return _LoweredNest(space, device, (kernel, combining), accumulation.scratch, launches, groups)


def _without_values(space: Space, own: Staging) -> frozenset[Symbol]:
    """What is a work-item's own and would have no value where statements run beyond the iterations that exist."""
    beyond = frozenset(name for name, _ in own.work.beyond)
    return unset_beyond(space, beyond).union(p.symbol for p in own.private if beyond)


def _only_read(space: Space, tiles: tuple[Tile, ...]) -> dict[Symbol, Symbol]:
    """Tiles of arrays that a kernel doesn't change: the array in local memory, and that in global memory."""
    written = memory_written(space.partition.nest)
    staged = ((t.symbol, t.staged.variable) for t in tiles)
    return {symbol: buffer_symbol(variable_) for symbol, variable_ in staged if variable_.memory not in written}


def _when_any(where: Grid, space: Space, launches: tuple[HostStmt, ...]) -> tuple[HostStmt, ...]:
    """Launches that happen only when there is something to run: code for whole work-groups counts on it. Elsewhere
    there are no groups then, but where only some of the iterations around have any."""
    asked = where.launched.gist(space.context)
    if not space.partition.cooperative and not any(piece.dim(isl.dim_type.div) for piece in asked.get_basic_sets()):
        return launches
    condition_ = of_condition(asked, space.context, space.names, LONG)
    return launches if is_true(condition_) else (HostIf(condition_, launches),)


def _scratch(variable_: Variable) -> Scratch:
    """Device memory for a variable of the region's own that several kernels use."""
    element = variable_.element
    length: Expr = literal(1, LONG)
    assert isinstance(element, Scalar | Struct)
    for size in variable_.shape:
        assert size is not None
        length = binary("*", length, size, LONG)
    return Scratch(variable_.name, element, length)


def _partials(node: Node, made: Mapping[str, _LoweredNest], units: Expr) -> Iterator[Scratch]:
    """Device memory for what work-groups leave for a second kernel, where it runs."""
    for step in steps(node):
        match step:
            case Band(child=child):
                yield from _partials(child, made, units)
            case Versions(plain, split):
                yield from made[plain.name].scratch
                none, condition = literal(0, LONG), _pays(step, made, units)
                for one in made[split.name].scratch:
                    length = Conditional(condition, one.length, none, LONG, split.span)
                    yield replace(one, length=length)
            case Kernel(name=name):
                yield from made[name].scratch


def _pays(versions: Versions, made: Mapping[str, _LoweredNest], units: Expr) -> Expr:
    """The condition under which a kernel is split."""
    plain, split = made[versions.plain.name], made[versions.split.name]
    # where the other loops are short, a kernel runs as small launches do
    as_it_is, apart = (Version(one.small or one.space, one.kernels[0].register_tile) for one in (plain, split))
    return pays(as_it_is, apart, split.device, units)


def _host(
    node: Node, around: tuple[LoopNode, ...], scop: Scop, made: Mapping[str, _LoweredNest], units: Expr
) -> tuple[HostStmt, ...]:
    """What the host does in a part of the tree that is in the loops `around` it."""
    result: list[HostStmt] = []
    for step in steps(node):
        match step:
            case Band(members, child):
                loops = tuple(member.loop for member in members)
                body = _host(child, (*around, *loops), scop, made, units)
                for k, member in reversed(list(enumerate(members))):
                    body = _asked((*around, *loops[:k]), member.loop, scop, (_host_loop(member, body),))
                result += body
            case Versions(plain, split):
                condition_ = _pays(step, made, units)
                result.append(HostIf(condition_, made[split.name].launches))
                result.append(HostIf(Unary("!", condition_, INT, plain.span), made[plain.name].launches))
            case Kernel(name=name):
                result += made[name].launches
    return tuple(result)


def _asked(
    around: tuple[LoopNode, ...], loop: LoopNode, scop: Scop, body: tuple[HostStmt, ...]
) -> tuple[HostStmt, ...]:
    """A loop under the conditions that it stands under."""
    found = condition(loop, around, scop.context)
    if found.plain_is_universe():
        return body
    names = {p.symbol.unique: variable(p.symbol) for p in scop.parameters}
    names |= {node.iterator.unique: variable(replace(node.iterator, type=LONG)) for node in around}
    return (HostIf(of_condition(found, reached(around, scop.context), names, LONG), body),)


def _host_loop(member: Member, body: tuple[HostStmt, ...]) -> HostLoop:
    loop = member.loop.loop
    iterator = replace(loop.iterator, type=LONG)  # a downward unsigned one must get below zero
    condition = Binary(loop.relation, variable(iterator), loop.bound, INT, loop.header)
    return HostLoop(iterator, loop.first, condition, loop.step, body)
