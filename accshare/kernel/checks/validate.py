"""Translation validation: every dependence of the source program holds in the generated kernels.

Whatever found the schedule, the result maps each statement instance to (host loops, launch, work-group, phase,
work-item, time). A dependence is kept when its source runs in an earlier launch, in an earlier phase of the same
work-group, or earlier in the same work-item. Two atomic accesses have no order in different iterations of a parallel
loop, and keep theirs everywhere else.
"""

from __future__ import annotations

from typing import TypeAlias

import islpy as isl

from accshare.carried import apart
from accshare.dataflow import Flow
from accshare.diagnostics import Rejected, broken, rejected
from accshare.frontend.ir import Storage, Var
from accshare.islbuild import Value, all_sets, equal, point, points, quotient, remainder
from accshare.kernel.checks.blocks import Blocks
from accshare.kernel.generate.space import THREAD, Space
from accshare.poly.ir import Dependence, LoopNode, Mode, Statement, Variable, VariableKind
from accshare.records import dataclass, field, replace
from accshare.relax.ir import Reduction
from accshare.schedule.ir import (
    Band,
    Kernel,
    Member,
    Node,
    Role,
    Schedule,
    Versions,
    combination_name,
    statements,
    steps,
)

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True, slots=True)
class Placed:
    """A nest with the order in which one of its work-items runs the statements; it has the variables called `expanded`
    once for each of its iterations.

    `blocked` says that its iterations run in no order at all, each with its own variables, and so do those of the loops
    in `reassociable`, but for what they combine.
    """

    space: Space
    order: isl.UnionMap = field(compare=False, repr=False)
    expanded: frozenset[str] = frozenset()
    blocked: bool = False
    reassociable: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True)
class _Where:
    """Where and when a statement's instances run."""

    launch: isl.Map  # host loops and the position of the launch
    item: isl.Map  # the work-item
    time: isl.Map  # inside the work-item
    iteration: isl.Map  # of the mapped loops
    expanded: frozenset[str]  # variables that each iteration has for itself
    reassociable: tuple[Member, ...]  # the loops around it whose iterations run in no order
    phase: isl.Map  # in a work-group that waits between phases
    threads: isl.Map | None = None  # those along x that run it, where work-items share loops
    repeated: bool = False  # by each of them


def validate(schedule: Schedule, placed: tuple[Placed, ...]) -> int:
    """Prove every dependence, with kernels as they are and with those split that can be; the number of dependences
    checked. Raises `Rejected` (ACC902) with the one that fails.

    A dependence has two ends, and each kernel has its place whatever form another one takes: these two cases are all.
    """
    for split in (False, True) if any(nest.finalize for nest in schedule.kernels) else (False,):
        _prove(schedule, placed, _launches(schedule.tree, (), split))
    return len(schedule.scop.dependences)


def _prove(schedule: Schedule, placed: tuple[Placed, ...], launches: dict[str, _Launch]) -> None:
    """Prove that every dependence holds with the kernels that are launched."""
    placed = tuple(p for p in placed if p.space.partition.nest.name in launches)
    for entry in placed:
        _check_results(entry)
    nests = tuple(p.space.partition.nest for p in placed)
    where = _places(placed, launches)
    private = {(s.name, name) for nest in nests for name in _own_of(nest) for s in nest.statements}
    reduced = {(s.name, r.variable.name): n.name for n in nests for r in _in_any_order(n) for s in n.statements}
    order = _Order()
    for dependence in schedule.scop.dependences:
        variable = dependence.source_access.variable
        if {(dependence.source.name, variable.name), (dependence.sink.name, variable.name)} & private:
            continue  # another work-item has its own; see below
        ends = [reduced.get((s.name, variable.name)) for s in (dependence.source, dependence.sink)]
        if ends[0] is not None and ends[0] == ends[1]:
            continue  # combined in any order, which is what a reduction allows
        source, sink = (_at(where, s, variable) for s in (dependence.source, dependence.sink))
        relation = dependence.relation.intersect_params(schedule.scop.context)
        trusted = [one.pairs for one in schedule.assumed if one.dependence is dependence]
        if not (trusted or dependence.atomic):
            if not order.keeps(dependence, relation, source, sink):
                raise _broken(dependence)
            continue
        for pairs in trusted:
            relation = relation.subtract(pairs)
        if dependence.atomic:
            relation = relation.subtract(_in_other_iterations(dependence, nests))
        later = order.in_item(source, sink).subtract(_in_no_order(_free(source, dependence), dependence))
        if not relation.is_subset(later.union(source.launch.lex_lt_map(sink.launch))):
            raise _broken(dependence)
    blocks = _blocks(schedule, where) if private else Blocks()
    for variable in schedule.scop.variables:
        if any(name == variable.name for _, name in private):
            users = [s for s in schedule.scop.statements if any(a.variable == variable for a in s.accesses)]
            own = {(s.name, variable.name) in private for s in users}
            plain = len(own) == 1 and not any((s.name, variable.name) in where for s in users)
            if not (plain and not _is_asked(variable) and blocks.keep(variable, users)):
                _own_values(schedule, variable, where, private)


def _blocks(schedule: Schedule, where: dict[_Key, _Where]) -> Blocks:
    """The statements by the blocks that they are in where no iterations combine what they have."""
    found = Blocks()
    for statement in schedule.scop.statements:
        place = where.get((statement.name, ""))
        if place is not None and not any(member.reductions for member in place.reassociable):
            places = [place.launch, place.item, place.iteration, place.phase]
            places += [] if place.threads is None else [place.threads]
            loops = tuple(member.loop.index for member in place.reassociable)
            found.note(statement, place.time, places, (place.expanded, loops, place.repeated, place.threads is None))
    return found


def _check_results(entry: Placed) -> None:
    """A work-item of a split kernel that runs several iterations of the loops that its finalize kernel has must have
    results for each."""
    nest, rows = entry.space.partition.nest, entry.space.rows
    for reduction in nest.reductions if rows is not None else ():
        if reduction.variable.name not in entry.expanded:
            name = reduction.variable.name
            raise broken(f"a work-item would combine what several iterations have of {name} into one", nest.span)


class _Order:
    """What the kernels run after what, computed once for dependences with the same ends."""

    def __init__(self) -> None:
        self._later: dict[tuple[int, int], isl.Map] = {}
        self._kept: dict[tuple[int, int], isl.Map] = {}
        self._proved: dict[tuple[int, ...], bool] = {}

    def keeps(self, dependence: Dependence, relation: isl.Map, source: _Where, sink: _Where) -> bool:
        """Whether all pairs of a dependence, `relation`, run one after the other."""
        free, ends = _free(source, dependence), (id(source), id(sink))
        key = (id(dependence.relation), *ends, *free)
        if key not in self._proved:
            earlier = source.launch.lex_lt_map(sink.launch)
            if ends not in self._kept:
                self._kept[ends] = self.in_item(source, sink).union(earlier)
            apart_ = relation.intersect(_in_no_order(free, dependence)) if free else None
            alone = apart_ is None or apart_.is_empty() or apart_.is_subset(earlier)
            self._proved[key] = bool(alone and relation.is_subset(self._kept[ends]))
        return self._proved[key]

    def in_item(self, source: _Where, sink: _Where) -> isl.Map:
        """Pairs that one work-item runs one after the other, if all loops have an order."""
        ends = id(source), id(sink)
        if ends not in self._later:
            same_launch = source.launch.apply_range(sink.launch.reverse())
            same_item = same_launch.intersect(source.item.apply_range(sink.item.reverse()))
            later = source.time.lex_lt_map(sink.time).intersect(same_item)
            if source.threads is not None and sink.threads is not None:
                # what each work-item runs has no place beside what one of them does
                alone = not (source.repeated or sink.repeated)
                own = later.intersect(source.threads.apply_range(sink.threads.reverse())) if alone else None
                same_group = same_launch.intersect(source.iteration.apply_range(sink.iteration.reverse()))
                later = source.phase.lex_lt_map(sink.phase).intersect(same_group)
                later = later if own is None else later.union(own)
            self._later[ends] = later
        return self._later[ends]


def _free(source: _Where, dependence: Dependence) -> tuple[int, ...]:
    """The depths of loops around both ends whose iterations run in no order, unless they combine into the variable."""
    variable, around = dependence.source_access.variable, dependence.sink.loops
    loops = (m for m in source.reassociable if m.loop in around and all(r.variable != variable for r in m.reductions))
    return tuple(member.loop.depth for member in loops)


def _in_no_order(depths: tuple[int, ...], dependence: Dependence) -> isl.Map:
    """Pairs of instances in different iterations of one of the loops at some depths."""
    pairs = isl.Map.empty(dependence.relation.get_space())
    for depth in depths:
        pairs = pairs.union(apart(dependence.relation, depth))
    return pairs


def _in_other_iterations(dependence: Dependence, nests: tuple[Kernel, ...]) -> isl.Map:
    """Pairs of instances that a parallel loop runs in different iterations: what is atomic has no order there."""
    pairs = isl.Map.empty(dependence.relation.get_space())
    for nest in nests:
        for member in nest.grid:
            if dependence.source in nest.statements and dependence.sink in nest.statements:
                pairs = pairs.union(apart(dependence.relation, member.loop.depth))
    return pairs


def _own_of(nest: Kernel) -> frozenset[str]:
    """The variables of which each work-item has its own: of a split kernel, a result is its finalize kernel's."""
    if nest.finalize is None:
        return nest.private - nest.local
    return nest.private | {r.variable.name for r in nest.reductions if r.variable.name in nest.finalize.private}


def _in_any_order(nest: Kernel) -> tuple[Reduction, ...]:
    """The reductions of all the kernel's work-items into one variable. What a split one leaves is combined by the
    finalize kernel, and has a place there."""
    return nest.reductions if nest.finalize is None else ()


_Key: TypeAlias = tuple[str, str]


def _at(where: dict[_Key, _Where], statement: Statement, variable: Variable) -> _Where:
    """Where a statement's accesses to a variable happen."""
    return where.get((statement.name, variable.name), where[statement.name, ""])


def _places(placed: tuple[Placed, ...], launches: dict[str, _Launch]) -> dict[_Key, _Where]:
    """Where statements run, and by the variable's name where a finalize kernel combines what one left."""
    result = {}
    finalizing = {entry.space.partition.nest.name: entry for entry in placed}
    for entry in placed:
        nest = entry.space.partition.nest
        for statement in nest.statements:
            result[statement.name, ""] = _where(entry, statement, launches[nest.name], _time(entry, statement))
        for member in nest.threads:
            result |= _of_results(entry, nest, member, launches[nest.name])
        if nest.finalize is None:
            continue
        last = finalizing[nest.finalize.name]
        for reduction in nest.reductions:
            users = [s for s in nest.statements if any(a.variable == reduction.variable for a in s.accesses)]
            end = next(s for s in nest.finalize.statements if s.name == combination_name(users[0], reduction))
            for user in users:
                time = _combined_time(last, end, user)
                result[user.name, reduction.variable.name] = _where(last, user, launches[nest.finalize.name], time)
    return _padded(result)


def _of_results(entry: Placed, nest: Kernel, member: Member, launch: _Launch) -> dict[_Key, _Where]:
    """Where the loops that work-items share combine: behind the tree, where the parts are put together."""
    found = {}
    for reduction in member.reductions:
        inside = (s for s in nest.statements if member.loop in s.loops)
        users = [s for s in inside if any(a.variable == reduction.variable for a in s.accesses)]
        end = next(s for s in nest.statements if s.name == combination_name(users[0], reduction))
        for user in users:
            every = user.tuples
            together = every.to(every.coordinates[: len(end.loops)], end.name).intersect_domain(user.domain)
            own = _where(entry, user, launch, _combined_time(entry, end, user))
            threads, phase = (together.apply_range(part(entry, end)) for part in (_threads, _phase))
            repeated = end.name in nest.repeated
            found[user.name, reduction.variable.name] = replace(own, threads=threads, phase=phase, repeated=repeated)
    return found


def _threads(entry: Placed, statement: Statement) -> isl.Map:
    """The work-items along x that run a statement."""
    every, nest = statement.tuples, entry.space.partition.nest
    member = next((m for m in nest.threads if m.loop in statement.loops), None)
    return every.to([0 if member is None else remainder(member.number(every.coordinates), member.threads)])


def _phase(entry: Placed, statement: Statement) -> isl.Map:
    """The phase in which a work-group runs a statement, if it waits behind each: its place in the tree."""
    nest, every = entry.space.partition.nest, statement.tuples
    path = _path(nest.inside, statement) if nest.threads else ()
    return every.to([p.loop.time(every.coordinates) if isinstance(p, Member) else p for p in path])


def _path(node: Node, statement: Statement) -> tuple[int | Member, ...]:
    for number, step in enumerate(steps(node)):
        if statement.name in (s.name for s in statements(step)):
            uniform = isinstance(step, Band) and step.members[0].role is Role.UNIFORM
            inside = (*step.members, *_path(step.child, statement)) if uniform else ()  # type: ignore[union-attr]
            return number, *inside
    return ()


def _where(entry: Placed, statement: Statement, launch: _Launch, time: isl.Map) -> _Where:
    nest = entry.space.partition.nest
    return _Where(
        launch(statement).intersect_domain(statement.domain),
        _item(entry, statement).intersect_domain(statement.domain),
        time,
        _iteration(entry.space, statement).intersect_domain(statement.domain),
        entry.expanded,
        tuple(m for m in entry.reassociable if m.loop in statement.loops),
        _phase(entry, statement).intersect_domain(statement.domain),
        _threads(entry, statement).intersect_domain(statement.domain) if nest.threads else None,
        statement.name in nest.repeated,
    )


def _combined_time(last: Placed, end: Statement, user: Statement) -> isl.Map:
    """When the value of an instance of `user` gets into the result: with all those that `end` stands for, the order of
    which is the source's."""
    every = user.tuples
    together = every.to(every.coordinates[: len(end.loops)], end.name).intersect_domain(user.domain)
    return together.apply_range(_time(last, end)).flat_range_product(user.time)


class _Launch:
    """The position of a launch: its place in each sequence and the iterators of the host loops around it."""

    def __init__(self, path: tuple[int | LoopNode, ...]) -> None:
        self._path = path

    def __call__(self, statement: Statement) -> isl.Map:
        every = statement.tuples
        return every.to([p.time(every.coordinates) if isinstance(p, LoopNode) else p for p in self._path])


def _launches(node: Node, path: tuple[int | LoopNode, ...], split: bool) -> dict[str, _Launch]:
    """The kernels that are launched and when, those that can be `split` being so if that is asked for."""
    result: dict[str, _Launch] = {}
    for k, step in enumerate(steps(node)):
        match step:
            case Band(members, child):
                result |= _launches(child, (*path, k, *(member.loop for member in members)), split)
            case Versions(plain, parts):
                run = (plain,) if not split or parts.finalize is None else (parts, parts.finalize)
                result |= {nest.name: _Launch((*path, k, n)) for n, nest in enumerate(run)}
            case Kernel(name=name):
                result[name] = _Launch((*path, k))
    return result


def _item(entry: Placed, statement: Statement) -> isl.Map:
    """The work-group and work-item, from the partition's sizes alone; iterations in no order count as work-items.

    A work-item with one iteration is known by that iteration; of nested divisions isl may lose track in `compute_flow`.
    """
    every = statement.tuples
    place: list[isl.Aff] = []
    for member in entry.space.partition.nest.grid:
        number = member.number(every.coordinates) - member.begin
        place += (
            [number]
            if entry.blocked or member.single
            else [quotient(number, member.size), remainder(number, member.threads)]
        )
    return every.to(place or [0])


def _iteration(space: Space, statement: Statement) -> isl.Map:
    every = statement.tuples
    return every.to([every.coordinates[m.loop.depth] for m in space.partition.nest.grid] or [0])


def _time(entry: Placed, statement: Statement) -> isl.Map:
    """The statement's part of the generated order; the coordinates it is restricted to are existential."""
    maps: list[isl.Map] = []
    entry.order.foreach_map(maps.append)
    own = next(m for m in maps if m.get_tuple_name(_IN) == statement.name)
    for coordinate in entry.space.coordinates:
        position = own.find_dim_by_name(isl.dim_type.param, coordinate.symbol.unique)
        if position >= 0:
            own = own.project_out(isl.dim_type.param, position, 1)
    position = own.find_dim_by_name(isl.dim_type.param, THREAD.unique)
    if position >= 0:
        own = own.project_out(isl.dim_type.param, position, 1)
    for node in entry.space.partition.nest.host:
        position = own.find_dim_by_name(isl.dim_type.param, node.iterator.unique)
        if position >= 0:
            own = own.project_out(isl.dim_type.param, position, 1)
    return own


def _padded(where: dict[_Key, _Where]) -> dict[_Key, _Where]:
    """All positions with the same number of dimensions, so that they compare lexicographically."""

    def pad(relation: isl.Map, width: int) -> isl.Map:
        missing = width - relation.dim(_OUT)
        if missing == 0:
            return relation
        constant = isl.Map.from_domain_and_range(relation.domain(), point([0] * missing))
        return relation.flat_range_product(constant)

    parts = ("launch", "item", "time", "phase", "iteration")
    widths = {part: max((getattr(w, part).dim(_OUT) for w in where.values()), default=0) for part in parts}

    def padded(w: _Where) -> _Where:
        launch, item, time, phase, iteration = (pad(getattr(w, part), widths[part]) for part in parts)
        return replace(w, launch=launch, item=item, time=time, phase=phase, iteration=iteration)

    return {place: padded(w) for place, w in where.items()}


def _own_values(
    schedule: Schedule,
    variable: Variable,
    where: dict[_Key, _Where],
    private: set[tuple[str, str]],
) -> None:
    """Every read of a work-item's own variable must see the same write as in the source program. What kernels do with
    the one in memory, dependences tell."""
    source, generated, written = Flow(), Flow(), Flow()
    turns: list[isl.Set] = []
    shared: list[isl.Set] = []
    for statement in schedule.scop.statements:
        if all(access.variable != variable for access in statement.accesses):
            continue
        place = _at(where, statement, variable)
        own = (statement.name, variable.name) in private
        shared += [] if own else [statement.tuples.everything]
        item = place.launch.flat_range_product(place.item)
        if variable.name in place.expanded:
            item = item.flat_range_product(place.iteration)
        item = item.flat_range_product(_lane(schedule, variable, place, statement))
        turns.append(_turn(place, statement))
        for access in statement.accesses:
            if access.variable == variable:
                source.add(access, access.relation, statement.time)
                if not schedule.scop.is_start(statement):
                    written.add(access, access.relation, statement.time)
                element = access.relation.project_out(_OUT, 0, variable.scope) if own else access.relation
                cell = item.flat_range_product(element).set_tuple_name(_OUT, f"own_{access.space}")
                memory = (cell if own else element).intersect_domain(turns[-1])
                generated.add(access, memory, place.launch.flat_range_product(place.time))
    context = schedule.scop.context
    if _is_asked(variable) and written.is_never_written(context):
        raise _unwritten(schedule, variable)
    in_memory = isl.UnionMap.from_domain_and_range(all_sets(shared), all_sets(shared))
    expected = source.compute(context).intersect_range(all_sets(turns)).subtract(in_memory)
    seen = generated.compute(context).subtract(in_memory)
    if expected.is_equal(seen):
        return
    unwritten, more = source.unwritten(context).domain(), seen.subtract(expected)
    # what nobody may read, an iteration finds where it declares a variable without a value: any will do
    free = not _is_asked(variable) and more.range().is_subset(unwritten) and generated.comes_before(more, expected)
    if not (free and expected.is_subset(seen)):
        if not unwritten.is_empty():
            raise _unwritten(schedule, variable)
        span = schedule.scop.region.construct.span
        raise broken(f"a work-item would read another value of {variable.name}", span)


def _turn(place: _Where, statement: Statement) -> isl.Set:
    """The instances that the work-item `THREAD` along x runs, whichever it is; all where work-items share no loops."""
    if place.threads is None or place.repeated:
        return statement.tuples.everything
    number = points(1, "", (THREAD.unique,))
    return place.threads.intersect_range(equal(number.coordinates[0], number.parameters[0])).domain()


def _lane(schedule: Schedule, variable: Variable, place: _Where, statement: Statement) -> isl.Map:
    """Which of a work-item's own the instances of a statement use: iterations in no order have one each of what they
    write, unless they combine into it."""
    deepest = max(len(s.loops) for s in schedule.scop.statements)
    every = statement.tuples
    where: list[Value] = [0] * (deepest + 1)
    for each in place.reassociable:
        inside = (s for s in schedule.scop.statements if each.loop in s.loops)
        writes = any(a.variable == variable and a.mode is Mode.WRITE for s in inside for a in s.accesses)
        if writes and not any(r.variable == variable for r in each.reductions):
            own: list[Value] = [each.loop.index + 1, *every.coordinates[: each.loop.depth + 1]]
            where[: len(own)] = own
    return every.to(where)


def _is_asked(variable: Variable) -> bool:
    """Whether a ``private`` clause names a variable that is declared outside."""
    outside = isinstance(variable.base, Var) and variable.base.symbol.storage is not Storage.INNER
    return variable.kind is VariableKind.PRIVATE and outside


def _unwritten(schedule: Schedule, variable: Variable) -> Rejected:
    accesses = (a for s in schedule.scop.statements for a in s.accesses if a.variable == variable)
    span = next(a.span for a in accesses if a.mode is Mode.READ)
    return rejected(
        "ACC309",
        f"{variable.name} is private to an iteration and may be read there before it is written",
        span,
        f"write {variable.name} in every iteration before it is read; if iterations need each other's value, the loop"
        " is serial and private is wrong",
    )


def _broken(dependence: Dependence) -> Rejected:
    name = dependence.source_access.variable.name
    message = f"the generated kernel would break the {dependence.kind.value} dependence on {name}"
    return broken(message, dependence.sink_access.span)
