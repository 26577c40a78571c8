"""Kernels whose work-groups stage arrays in local memory.

Loops down to a strip loop are run by the whole work-group together: their bounds are those of the group, not of one
work-item. In every strip the group loads its tiles, waits, and lets each work-item run its own iterations on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from math import prod

import islpy as isl

from accshare.builtins import local_id
from accshare.frontend.ir import INT, Expr, Pointer, Scalar, Storage, Symbol, Var
from accshare.islbuild import all_maps, like, multiple, partial_schedule, points, quotient
from accshare.islexpr import convert, of_ast, variable
from accshare.kernel.generate.body import Bodies, element_of
from accshare.kernel.generate.codegen import AstReader, Counter, Part, Uniform, Work, ast_of, part_work
from accshare.kernel.generate.grid import lane_of
from accshare.kernel.generate.reduce import combined, started
from accshare.kernel.generate.space import Space, bound, counter, derived
from accshare.kernel.ir import Barrier, Comment, Define, Fence, LocalBuffer, Private, Stmt
from accshare.kernel.local.copies import LANE, alignment, load, store
from accshare.kernel.local.registers import Registers, iteration_of, registers
from accshare.kernel.local.rotate import rotated
from accshare.kernel.local.tiles import Tile, has_room, inside, tile
from accshare.kernel.uses import symbols
from accshare.mapping.ir import TilePlacement
from accshare.poly.ir import Mode, Statement
from accshare.records import dataclass, replace
from accshare.relax.ir import Reduction
from accshare.schedule.ir import (
    Band,
    Member,
    Node,
    Phase,
    Role,
    Stage,
    accumulator,
    members,
    nodes,
    statements,
    steps,
)

_SET = isl.dim_type.set


@dataclass(frozen=True, slots=True)
class Staging:
    """What a work-item runs, with the tiles in local memory and the registers that it finds its elements in.

    `exchanged` names the arrays of which one work-item stores what another one of its group loads later, `expanded`
    the variables that a work-item has once for each of its iterations, since it runs them side by side. `local` is what
    trees of accumulators and arrays of rows take. References in `registers` mean elements that are in registers.
    """

    work: Work
    tiles: tuple[Tile, ...] = ()
    private: tuple[Private, ...] = ()
    exchanged: frozenset[str] = frozenset()
    expanded: frozenset[str] = frozenset()
    local: tuple[LocalBuffer, ...] = ()
    registers: frozenset[Expr] = frozenset()


def staged_work(space: Space, known: isl.Set, strips: Callable[[isl.Set], isl.Set], split: bool = True) -> Staging:
    """Generate the code of one work-item for a whole work-group; `known` holds of its coordinates. `strips` may add to
    the strips that a group goes through. With `split`, full tiles have loops of their own."""
    nest = space.partition.nest
    own = registers(space, known) if not nest.threads else Registers({}, (), (), ())
    expanded = _in_several(space) if space.iterations > 1 else nest.local
    group = _Group(space, _buffers(space), own.elsewhere, expanded, split, strips)
    run = group.run(space.partition.nest.inside, _Place((), (), space.names, known))
    aligned = tuple(s for t in run.tiles for s in alignment(t))
    body = (*aligned, *own.before, *run.body, *own.after)
    if LANE in symbols(body):
        body = (Define(LANE, lane_of(space.partition.work_group)), *body)
    exchanged = frozenset(t.staged.variable.name for t in run.tiles if _again(t.around) and _flows(t))
    local = (*_arrays_of_rows(space), *run.local)
    work = Work(body, run.order, beyond=run.beyond)
    return Staging(work, run.tiles, own.private, exchanged, expanded - nest.local, local, frozenset(own.elsewhere))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where code generation is: the uniform loops around it, the position among their statements, the names of all
    parameters, and what is known of them. `elsewhere` are the statements' references that go to local memory here, to
    `tiles`."""

    around: tuple[Uniform, ...]
    path: tuple[int | Member, ...]
    names: dict[str, Expr]
    known: isl.Set
    elsewhere: tuple[tuple[str, Expr, Expr], ...] = ()
    tiles: tuple[Tile, ...] = ()

    def fits(self, statement: Statement, instances: isl.Set) -> bool:
        """Whether the tiles have all that some instances of a statement look up in them."""
        used = ((t, a) for t in self.tiles for a in statement.accesses if t.staged.holds(a))
        return all(has_room(t, statement, a, instances) for t, a in used)


@dataclass(frozen=True, slots=True)
class _Run:
    """Generated code, the order in which it runs the statements, the tiles it uses, and what runs `Work.beyond`."""

    body: tuple[Stmt, ...]
    order: isl.UnionMap
    tiles: tuple[Tile, ...]
    local: tuple[LocalBuffer, ...] = ()
    beyond: tuple[tuple[str, isl.Set], ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """Generates the code of a kernel for whole work-groups."""

    space: Space
    buffers: tuple[tuple[TilePlacement, Symbol], ...]
    registers: dict[Expr, Expr]
    expanded: frozenset[str]
    split: bool
    strips: Callable[[isl.Set], isl.Set]

    def run(self, node: Node, place: _Place) -> _Run:
        """The code of a node below the grid."""
        match node:
            case Stage():
                return self.stage(node, place)
            case Phase():
                return self.phase(node, place)
            case Band(members=(member,)):
                return self.loop(node, member, place)
            case _:
                return self.sequence(node, place)

    def stage(self, node: Stage, place: _Place) -> _Run:
        """Load, wait, run, store what was written."""
        at = node.arrays[0].at
        tiles = tuple(
            tile(self.space, placed, symbol, place.around, place.names, place.known)
            for placed, symbol in self.buffers
            if placed.staged.at == at
        )
        local = tuple(
            (statement.name, access.reference, t.reference(statement, access))
            for t in tiles
            for statement, access in t.uses
        )
        here = replace(place, elsewhere=(*place.elsewhere, *local), tiles=(*place.tiles, *tiles))
        run = self.run(node.child, here)
        beyond = {name for name, _ in run.beyond}
        loads = tuple(s for t in tiles for s in load(t, any(s.name in beyond for s, _ in t.uses)))
        stores = tuple(s for t in tiles for s in store(t))
        if all(t.staged.packed for t in tiles):
            return replace(run, body=(*loads, *run.body, *stores), tiles=(*tiles, *run.tiles))
        again = _again(place.around)
        flows = again and any(map(_flows, tiles))
        body = (
            *loads,
            *((Barrier(Fence.LOCAL),) if loads else ()),
            *run.body,
            *((Barrier(Fence.LOCAL),) if stores or (again and loads) else ()),
            *stores,
            *((Barrier(Fence.BOTH if flows else Fence.LOCAL),) if stores and again and (flows or not loads) else ()),
        )
        return replace(run, body=body, tiles=(*tiles, *run.tiles))

    def sequence(self, node: Node, place: _Place) -> _Run:
        """Phases and uniform loops one after the other."""
        below = steps(node)
        runs = [self.run(step, replace(place, path=(*place.path, number))) for number, step in enumerate(below)]
        bodies = [(*run.body, *self._waiting(step)) for run, step in zip(runs[:-1], below, strict=False)]
        return _Run(
            tuple(stmt for body in (*bodies, runs[-1].body) for stmt in body),
            reduce(isl.UnionMap.union, (run.order for run in runs)),
            tuple(t for run in runs for t in run.tiles),
            tuple(buffer for run in runs for buffer in run.local),
            tuple(one for run in runs for one in run.beyond),
        )

    def _waiting(self, step: Node) -> tuple[Stmt, ...]:
        """The barrier behind a step; a tree has its own, and so has each iteration of a loop of the whole group."""
        if not self.space.partition.nest.threads or isinstance(step, Band) or _combined_in(step):
            return ()
        return (Barrier(Fence.BOTH if self.space.partition.nest.local else Fence.GLOBAL),)

    def phase(self, phase: Phase, place: _Place) -> _Run:
        """What every work-item does by itself."""
        nest = self.space.partition.nest
        in_tiles: dict[str, dict[Expr, Expr]] = {}
        for statement, reference, element in place.elsewhere:
            in_tiles.setdefault(statement, {})[reference] = element
        number = convert(local_id(1), INT) if nest.local else iteration_of(self.space)
        bodies = Bodies(self.space.scop, nest, self.registers, in_tiles, self.expanded, number)
        for name, reference, part in _parts_of_results(phase):
            in_tiles.setdefault(name, {})[reference] = part
        alone = Part(self.space, phase, place.around, bodies, place.names, place.fits)
        own = part_work(alone, place.known, self.split)
        body = own.body
        if place.around and place.around[-1].member.loop in self.space.placement.rotated:
            body = rotated(body, place.around[-1], self.space)
        reductions = _combined_in(phase)
        local, tree = combined(reductions, self.space.partition.work_group, True, self._fence(phase))
        body = (*self._told(phase), *map(started, reductions), *body, *tree)
        return _Run(body, _prefixed(own.order, statements(phase), place.path), (), local, own.beyond)

    def _told(self, phase: Phase) -> tuple[Comment, ...]:
        """Which phase begins, and who runs it."""
        nest = self.space.partition.nest
        if not nest.threads:
            return ()
        number = next(k for k, at in enumerate(self.space.partition.phases) if at.phase is phase)
        shared = dict.fromkeys(m.loop.iterator.name for m in members(phase) if m.role is Role.THREAD)
        who = f"loop {', '.join(shared)} by the work-items of a row" if shared else "the first work-item of a row"
        return (Comment(f"phase {number + 1}: {who}", number),)

    def _fence(self, phase: Phase) -> Fence:
        """What work-items see of one another behind a tree: its parts, and whatever else the phase has to do with."""
        nest, parts = self.space.partition.nest, {(name, whole) for name, whole, _ in _parts_of_results(phase)}
        ends = {r.variable for r in _combined_in(phase)}
        written = {a.variable for s in nest.statements for a in s.accesses if a.mode is Mode.WRITE} | ends
        seen = {a.variable for s in statements(phase) for a in s.accesses if (s.name, a.reference) not in parts}
        return Fence.BOTH if any(v.name not in nest.private for v in written & seen) else Fence.LOCAL

    def loop(self, band: Band, member: Member, place: _Place) -> _Run:
        """A loop of the whole work-group: over strips, or over the iterations of a loop around a strip."""
        node, type_ = member.loop, self.space.index_type
        symbol = derived(node.iterator, "strip", type_) if member.role is Role.STRIP else counter(node, type_)
        starts = self._starts(member, statements(band), place.around)
        some = starts.remove_divs()  # with t = 32 e, isl would write t > -32 for t >= 0
        least = starts.dim_min_val(0)
        if least.is_int():
            some = some.lower_bound_val(_SET, 0, least)
        within = _Place(
            (*place.around, Uniform(member, symbol)),
            (*place.path, member),
            {**place.names, symbol.unique: variable(symbol)},
            place.known.intersect(some.bind(bound(some, (symbol.unique,)))),
            place.elsewhere,
            place.tiles,
        )
        run = self.run(band.child, within)
        body = (*run.body, *self._at_the_end(band))
        return replace(run, body=self._looped(starts, symbol, member, place, body))

    def _at_the_end(self, band: Band) -> tuple[Stmt, ...]:
        """The barrier behind each iteration of a loop of the whole group; the next one uses its trees again."""
        if any(_combined_in(phase) for phase in nodes(band.child)):
            return (Barrier(Fence.BOTH),)
        return self._waiting(steps(band.child)[-1])

    def _starts(self, member: Member, below: tuple[Statement, ...], around: tuple[Uniform, ...]) -> isl.Set:
        """The first iterations of the strips in which the work-group has anything to do, as ``[t]``; maybe of more."""
        starts = points(1).nothing
        depth, size = member.loop.depth, member.size
        for statement in below:
            instances = inside(self.space.grouped(statement), around)
            every = statement.tuples
            starts = starts.union(instances.apply(every.to([size * quotient(every.coordinates[depth], size)])))
        return self.strips(_in_a_row(starts.coalesce(), size))

    def _looped(
        self, starts: isl.Set, symbol: Symbol, member: Member, place: _Place, body: tuple[Stmt, ...]
    ) -> tuple[Stmt, ...]:
        """One loop of the whole work-group around `body`, from isl's AST of its first iterations."""
        begun = starts.set_tuple_name("T")
        (start,) = like(begun).coordinates
        tree = isl.Schedule.from_domain(begun.to_union_set()).get_root().child(0)
        tree = tree.insert_partial_schedule(partial_schedule([[start if member.loop.loop.step > 0 else -start]]))
        tree = tree.band_member_set_ast_loop_type(0, isl.ast_loop_type.atomic)
        own = symbol if member.loop.loop.step > 0 else derived(symbol, "down", self.space.index_type)

        def user(call: isl.AstExpr, names: dict[str, Expr], known: dict[Symbol, Expr]) -> tuple[Stmt, ...]:
            value = of_ast(call.get_op_arg(1), names, self.space.index_type)
            return body if value == variable(symbol) else (Define(symbol, value), *body)

        reader = AstReader(self.space.index_type, lambda body, name, names, known: Counter(own, member), user)
        return reader.read(ast_of(tree.get_schedule(), place.known, 2), place.names, {})


def _combined_in(step: Node) -> tuple[Reduction, ...]:
    """What the loops of a phase combine that work-items share."""
    shared = (m for m in members(step) if m.role is Role.THREAD) if isinstance(step, Phase) else ()
    return tuple(r for member in shared for r in member.reductions)


def _parts_of_results(phase: Phase) -> Iterator[tuple[str, Expr, Expr]]:
    """The references of a phase's statements, by their names, to what they combine into, and the accumulators."""
    for member in members(phase):
        results = {r.variable for r in member.reductions} if member.role is Role.THREAD else set()
        for statement in (s for s in statements(phase) if member.loop in s.loops):
            for access in (a for a in statement.accesses if a.variable in results):
                yield statement.name, access.reference, variable(accumulator(access.variable))


def _arrays_of_rows(space: Space) -> Iterator[LocalBuffer]:
    """The arrays of which each row of a group has its own."""
    rows = space.partition.work_group[1]
    for own in space.scop.variables:
        if own.name in space.partition.nest.local and isinstance(own.base, Var):
            element, lengths = element_of(own.base.symbol.type)
            assert isinstance(element, Scalar)
            yield LocalBuffer(own.base.symbol, element, (rows * prod(lengths),), phased=True)


def _in_several(space: Space) -> frozenset[str]:
    """The work-item's own variables that live from one run of statements, all for one of its iterations, to another."""
    phases = (at.phase for at in space.partition.phases)
    runs = (run for phase in phases for run in (_own_bands(phase) if phase.jammed else (phase,)))
    used = [{a.variable.name for s in statements(run) for a in s.accesses} for run in runs]
    return frozenset(name for name in space.partition.nest.private if sum(name in names for names in used) > 1)


def _own_bands(phase: Phase) -> Iterator[Band]:
    return (node for node in nodes(phase) if isinstance(node, Band) and node.members[0].role is Role.OWN)


def _in_a_row(starts: isl.Set, size: int) -> isl.Set:
    """All strips from the first to the last, where there is such, for which one loop will do: those that are there for
    nothing do no harm."""
    hull = starts.remove_divs().simple_hull().to_set()
    if not (hull.dim_has_lower_bound(_SET, 0) and hull.dim_has_upper_bound(_SET, 0)):
        return starts
    (start,) = points(1).coordinates
    return hull.intersect(isl.Set.from_basic_set(starts.affine_hull())).intersect(multiple(start, size))


def _buffers(space: Space) -> tuple[tuple[TilePlacement, Symbol], ...]:
    """The staged arrays, each with its array in local memory."""
    result: list[tuple[TilePlacement, Symbol]] = []
    for placed in space.placement.tiles:
        staged = placed.staged
        name = "_".join((staged.variable.name, *staged.members))
        number = sum(p.staged.accesses[0].space == staged.accesses[0].space for p, _ in result)
        type_ = Pointer(staged.accesses[0].reference.type, False, False)
        unique = f"{name}_local{number + 1 if number else ''}"
        result.append((placed, Symbol(unique, unique, type_, Storage.INNER)))
    return tuple(result)


def _again(around: tuple[Uniform, ...]) -> bool:
    """Whether the work-group comes more than once through the innermost of the uniform loops."""
    if len(around) != 1:
        return bool(around)
    node, size = around[0].member.loop, around[0].member.size
    low, high = node.domain.dim_min_val(node.depth), node.domain.dim_max_val(node.depth)
    return not (low.is_int() and high.is_int()) or low.to_python() // size != high.to_python() // size


def _flows(t: Tile) -> bool:
    """Whether one strip touches an element that another one of the same work-group writes."""
    if not t.staged.writes:
        return False
    pairs = _by_strip(t, (Mode.WRITE,)).reverse().apply_range(_by_strip(t, (Mode.READ, Mode.WRITE)))
    strips = points(len(t.around))
    same = strips.to(strips.coordinates).to_union_map()
    return not pairs.subtract(same).is_empty()


def _by_strip(t: Tile, modes: tuple[Mode, ...]) -> isl.UnionMap:
    """From elements to the strips, of one work-group, that touch them."""
    touched = []
    for statement, access in t.uses:
        if access.mode in modes:
            every = statement.tuples
            strip = every.to([quotient(every.coordinates[u.member.loop.depth], u.member.size) for u in t.around])
            relation = access.relation.intersect_domain(t.space.grouped(statement))
            touched.append(relation.reverse().apply_range(strip))
    return all_maps(touched)


def _prefixed(order: isl.UnionMap, statements: tuple[Statement, ...], path: tuple[int | Member, ...]) -> isl.UnionMap:
    """The order inside a part, put at its place among the parts and in the strips around it."""
    places = []
    for statement in statements:
        every = statement.tuples
        times = (p if isinstance(p, int) else quotient(p.loop.time(every.coordinates), p.size) for p in path)
        places.append(every.to(tuple(times)))
    return all_maps(places).flat_range_product(order)
