"""Superposition: blocks and threads of different order (SUPER 4 and 5).

The grid's loops pick what a work-group does. Inside, its work-items share another loop, the one along which most
accesses coalesce, and wait for one another where one needs what another has done: phases, with a barrier between them.
A loop that combines may be shared, too; a tree in local memory then puts the parts together.
"""

from __future__ import annotations

from math import ceil, inf, prod

import islpy as isl

from accshare.atomics import atomics
from accshare.carried import together
from accshare.device import Device
from accshare.frontend.ir import IntLit, Scalar, Var
from accshare.mapping.gpu.sharing import gains_below, strides
from accshare.mapping.ir import NestPartition, NestPlacement, NestPlan, Plan, Small
from accshare.mapping.patterns import known_trips, trips
from accshare.mapping.staging.hints import hints_of
from accshare.options import Options, Share
from accshare.poly.ir import Dependence, Mode, Scop, Statement, Variable, VariableKind
from accshare.records import replace
from accshare.relax.ir import Reduction
from accshare.schedule.ir import (
    Band,
    Kernel,
    Leaf,
    Member,
    Node,
    Phase,
    Role,
    combination,
    combination_name,
    in_order,
    members,
    nodes,
    statements,
    steps,
)

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out
#: work-items of a group
_GROUP = 256
#: a compute unit should have room for so many groups
_GROUPS = 2


class _UnfitError(Exception):
    """Work-items can't share the loops inside of a kernel."""


def superposed(plan: Plan, options: Options) -> Plan:
    """The kernels of a plan whose work-items had better share an inner loop, in phases; all others as they are."""
    schedule = plan.partition.schedule
    if options.schedule == "source" or are_fixed(schedule.scop, options):
        return plan
    kernels = {kernel.name: kernel for kernel in schedule.kernels}
    nests = (_in_phases(plan, nest, kernels[nest.placement.partition.nest.name], options) for nest in plan.nests)
    return replace(plan, nests=tuple(nests))


def _in_phases(plan: Plan, nest: NestPlan, kernel: Kernel, options: Options) -> NestPlan:
    """A kernel in phases, where that is better, or in small launches alone if it is better there and nobody knows how
    large they are; `kernel` is its order before anything was cut."""
    partition = plan.partition
    fits = kernel.grid and not (kernel.reductions or kernel.finalize or kernel.aliased)
    if not fits or options.choice(kernel.name) is not None or atomics(s.body for s in kernel.statements):
        return nest
    width = min(partition.device.simd_width, partition.device.max_work_group)
    made = in_phases(partition.schedule.scop, kernel, width, partition.device)
    below = 0 if made is None else gains_below(nest, made, partition.device)
    if made is None or not below:
        return nest
    if below < inf and any(known_trips(member.loop) is None for member in kernel.grid):
        small = _phased(nest, replace(made, name=f"{made.name}_small"))
        return replace(nest, small=Small(small, ceil(below)))
    iterations = prod(trips(member.loop) for member in kernel.grid)
    return _phased(nest, made) if iterations < below * partition.device.compute_units else nest


def _phased(nest: NestPlan, made: Kernel) -> NestPlan:
    """The plan of a kernel in phases, which was planned otherwise."""
    shared = ", ".join(dict.fromkeys(member.loop.iterator.name for member in made.threads))
    old = nest.coarsening
    why = f"they share loop {shared}"
    notes = None if old is None else replace(old, factors=(1, 1, 1), local_bytes=_local_bytes(made), why=why)
    return NestPlan(NestPlacement(NestPartition(made)), notes)


def are_fixed(scop: Scop, options: Options) -> bool:
    """Whether work-items have to have kernels as they are planned: the user says what goes through local memory, or the
    region is too complicated."""
    return options.plain or options.share is Share.FORCE or any(hints_of(scop, options))


def in_phases(scop: Scop, kernel: Kernel, width: int, device: Device) -> Kernel | None:
    """A kernel whose inner loops are shared by `width` work-items for each iteration of its grid; None where that can't
    be."""
    try:
        return _Phases(scop, kernel, width).kernel(device)
    except _UnfitError:
        return None


def _local_bytes(kernel: Kernel) -> int:
    """What the trees of a work-group have in local memory."""
    (rows,) = {member.threads for member in kernel.grid if member.axis == 1}
    found = ((member, r.variable.element) for member in kernel.threads for r in member.reductions)
    trees = sum(rows * member.threads * getattr(element, "bytes", 0) for member, element in found)
    arrays = {a.variable for s in kernel.statements for a in s.accesses if a.variable.name in kernel.local}
    return trees + rows * sum(map(_bytes, arrays))


def _bytes(array: Variable) -> int:
    """What an array of constant lengths takes."""
    assert isinstance(array.element, Scalar)
    return array.element.bytes * prod(length.value for length in array.shape if isinstance(length, IntLit))


class _Phases:
    """Puts the inside of a kernel into phases."""

    def __init__(self, scop: Scop, kernel: Kernel, width: int) -> None:
        self._kernel, self._width = kernel, width
        names = {s.name for s in kernel.statements}
        inside = (d for d in scop.dependences if {d.source.name, d.sink.name} <= names)
        self._local = frozenset(v.name for v in scop.variables if v.name in kernel.private and self._can_be_local(v))
        own = kernel.private - self._local
        self._dependences = tuple(d for d in inside if d.source_access.variable.name not in own)
        self._scop = scop
        self._shared: dict[str, Member] = {}

    def kernel(self, device: Device) -> Kernel:
        """The kernel with its inner loops shared by work-groups. Raises `_UnfitError`."""
        phases = self._several(self._kernel.inside)
        if not self._shared:
            raise _UnfitError
        made = replace(self._kernel, child=Band(self._kernel.grid, in_order(phases)), local=self._local)
        made = replace(made, repeated=frozenset(s.name for s in made.statements if self._is_repeated(s, made)))
        self._check_private(made)
        return self._in_rows(made, device)

    def _in_rows(self, kernel: Kernel, device: Device) -> Kernel:
        """A kernel with as many rows in a group as are useful and local memory has room for."""
        room = min(device.local_bytes, device.local_per_unit // _GROUPS)
        rows = max(1, min(_GROUP, device.max_work_group) // self._width)
        while True:
            sizes = {0: rows}
            grid = (
                replace(m, axis=m.axis + 1, size=sizes.get(m.axis, 1), threads=sizes.get(m.axis, 1))
                for m in kernel.grid
            )
            made = replace(kernel, child=Band(tuple(grid), kernel.inside))
            if not made.local or _local_bytes(made) <= room:
                return made
            if rows == 1:
                raise _UnfitError
            rows //= 2

    def _can_be_local(self, variable: Variable) -> bool:
        """Whether a variable is an array, known how large, that an iteration of the grid declares."""
        known = bool(variable.shape) and all(isinstance(length, IntLit) for length in variable.shape)
        declared = variable.kind is VariableKind.PRIVATE and variable.scope == self._kernel.depth
        return known and declared and isinstance(variable.element, Scalar) and isinstance(variable.base, Var)

    # --- phases --------------------------------------------------------------------------------------------------

    def _several(self, node: Node) -> tuple[Node, ...]:
        """The phases of what runs one after the other, as few as can be."""
        result: list[Node] = []
        for piece in (piece for step in steps(node) for piece in self._pieces(step)):
            last = result[-1] if result else None
            if isinstance(last, Phase) and isinstance(piece, Phase) and self._can_be_one(last, piece):
                result[-1] = Phase(in_order((*steps(last.child), *steps(piece.child))))
            else:
                result.append(piece)
        return tuple(result)

    def _pieces(self, step: Node) -> tuple[Node, ...]:
        """The phases of a step, and those behind the trees that it needs."""
        if not isinstance(step, Band):
            return (Phase(step),)
        (member,) = step.members
        own = statements(step)
        if self._is_best(step):
            shared = replace(member, role=Role.THREAD, axis=0, size=self._width, threads=self._width)
            self._shared |= {s.name: shared for s in own}
            ends = tuple(Leaf(combination(r, own, member.loop)) for r in member.reductions)
            return (Phase(Band((shared,), step.child)), *((Phase(in_order(ends)),) if ends else ()))
        if not any(map(self._can_be_shared, members(step.child))):
            raise _UnfitError
        inside = self._several(step.child)
        plain = replace(member, role=Role.SEQUENTIAL)
        if len(inside) == 1 and isinstance(inside[0], Phase) and self._needs_no_barrier(own, own):
            return (Phase(Band((plain,), inside[0].child)),)
        return (Band((replace(plain, role=Role.UNIFORM),), in_order(inside)),)

    def _is_best(self, band: Band) -> bool:
        """Whether a band's loop can be shared, and none in it has more accesses that coalesce."""
        (member,) = band.members
        if not self._can_be_shared(member):
            return False
        own = strides(statements(band), member)
        inside = (node for node in nodes(band.child) if isinstance(node, Band))
        others = ((statements(node), node.members[0]) for node in inside if self._can_be_shared(node.members[0]))
        return all(strides(below, other) <= own for below, other in others)

    def _can_be_shared(self, member: Member) -> bool:
        """Whether its iterations may run at the same time, and are enough."""
        return (member.coincident or member.role is Role.REASSOCIABLE) and trips(member.loop) >= self._width

    # --- barriers ------------------------------------------------------------------------------------------------

    def _can_be_one(self, first: Phase, second: Phase) -> bool:
        """Whether two phases need neither a tree nor a barrier in between."""
        if any(member.reductions for member in members(first) if member.role is Role.THREAD):
            return False
        return self._needs_no_barrier(statements(first), statements(second))

    def _needs_no_barrier(self, first: tuple[Statement, ...], second: tuple[Statement, ...]) -> bool:
        """Whether what goes from one to the other stays with a work-item, in either direction."""
        names = {s.name for s in first}, {s.name for s in second}
        for dependence in self._dependences:
            ends = dependence.source.name, dependence.sink.name
            if any(ends[0] in a and ends[1] in b for a, b in (names, names[::-1])) and not self._stays(dependence):
                return False
        return True

    def _stays(self, dependence: Dependence) -> bool:
        """Whether both ends of a dependence run in the same work-item, in the iterations of one work-group."""
        if self._sets_scalars(dependence.source) or self._sets_scalars(dependence.sink):
            return False
        variable = dependence.source_access.variable
        source, sink = (self._sharing(s, variable) for s in (dependence.source, dependence.sink))
        if source is None or sink is None:
            return source is sink
        pairs = together(dependence.relation, self._kernel.depth)
        same = pairs.equate(_IN, source.loop.depth, _OUT, sink.loop.depth)
        return bool(pairs.is_subset(same))

    def _sharing(self, statement: Statement, variable: Variable) -> Member | None:
        """The loop whose iterations tell which work-item does what a statement does to a variable; None for the first
        one, which has what others combine."""
        member = self._shared.get(statement.name)
        combined = member is not None and any(r.variable == variable for r in member.reductions)
        return None if combined else member

    # --- scalars -------------------------------------------------------------------------------------------------

    def _is_repeated(self, statement: Statement, made: Kernel) -> bool:
        """Whether a statement does nothing but set scalars that each work-item has for itself."""
        for member in made.threads:
            users = tuple(s for s in self._kernel.statements if member.loop in s.loops)
            for reduction in member.reductions:
                if statement.name == _end(users, reduction):
                    return reduction.variable.name in made.private
        return self._sets_scalars(statement)

    def _sets_scalars(self, statement: Statement) -> bool:
        """Whether a statement outside of shared loops does nothing else."""
        written = [a.variable for a in statement.accesses if a.mode is Mode.WRITE]
        own = all(v.name in self._kernel.private and not v.shape for v in written)
        return statement.name not in self._shared and bool(written) and own

    def _check_private(self, made: Kernel) -> None:
        """Make sure that whoever reads a scalar of its own has been given its value."""
        reduced = [r.variable for member in made.threads for r in member.reductions]
        if len(set(reduced)) != len(reduced):
            raise _UnfitError
        for variable in self._scop.variables:
            if variable.name not in made.private:
                continue
            users = [
                (s, a.mode)
                for s in made.statements
                for a in s.accesses
                if a.variable == variable and not self._is_inside(s, variable)
            ]
            writers = {s.name for s, mode in users if mode is Mode.WRITE}
            if variable.name in made.local:
                continue
            if users and (variable.shape or not (writers <= made.repeated or self._are_first(users))):
                raise _UnfitError

    def _is_inside(self, statement: Statement, variable: Variable) -> bool:
        """Whether a statement's variable is combined into, or that of one iteration of a loop that is shared."""
        member = self._shared.get(statement.name)
        if member is None:
            return False
        return variable.name in member.private or any(r.variable == variable for r in member.reductions)

    def _are_first(self, users: list[tuple[Statement, Mode]]) -> bool:
        return not any(s.name in self._shared for s, _ in users)


def _end(users: tuple[Statement, ...], reduction: Reduction) -> str:
    """The name of the statement that puts the parts of a reduction together."""
    own = [s for s in users if any(a.variable == reduction.variable for a in s.accesses)]
    return combination_name(own[0], reduction) if own else ""
