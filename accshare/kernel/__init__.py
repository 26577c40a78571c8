"""The kernel stage: kernels and launches of a region for one device."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import islpy as isl

from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Call,
    Expr,
    Function,
    Scalar,
    Struct,
    Type,
    Var,
)
from accshare.ilp.ir import Block, Plan
from accshare.islexpr import is_true, literal, of_condition, variable
from accshare.kernel.arranged import check_arrangement
from accshare.kernel.blocks import blocked
from accshare.kernel.body import buffer_symbol, element_of
from accshare.kernel.codegen import work
from accshare.kernel.covered import check_tiles
from accshare.kernel.grid import Grid, grid, most_groups
from accshare.kernel.hazards import check_hazards
from accshare.kernel.ir import (
    Buffer,
    HostIf,
    HostLoop,
    HostStmt,
    Kernel,
    Launch,
    Param,
    Private,
    Scratch,
    Stmt,
    Value,
    Variant,
)
from accshare.kernel.names import distinct
from accshare.kernel.promote import promote
from accshare.kernel.reduce import Accumulation, accumulate, arguments, count, total
from accshare.kernel.space import Space, space_of
from accshare.kernel.staging import Staging, staged_work
from accshare.kernel.uses import stored, symbols, used_expressions
from accshare.kernel.validate import Placed, validate
from accshare.kernel.verify import verify
from accshare.options import Options
from accshare.partition.ir import Partition
from accshare.poly.ir import Variable
from accshare.schedule.ir import HostFor, HostNode

__all__ = ["lower"]


def lower(plan: Plan, options: Options) -> Variant:
    """Generate a region's kernels and launches, and prove their order against the dependences.

    Raises `Rejected` (ACC902) when the proof fails: that is a bug of ours, and the host loops run instead.
    """
    partition = plan.partition
    kernels: list[Kernel] = []
    scratch: list[Scratch] = [_scratch(v) for v in partition.mapping.scratch]
    launches: dict[str, tuple[HostStmt, ...]] = {}
    placed: list[Placed] = []
    for planned in plan.nests:
        space = space_of(partition.mapping.scop, planned.placement)
        where = grid(space)
        own = _work(space, space.context.intersect(where.starts), planned.block)
        placed.append(Placed(space, own.work.order, own.expanded, planned.block is not None))
        made = _kernel(space, where, own, partition)
        kernels += made.kernels
        scratch += made.scratch
        launches[space.partition.nest.name] = made.launches
        for kernel in made.kernels:
            verify(kernel)
            check_hazards(kernel, own.exchanged)
        if options.validate:
            check_arrangement(planned.placement, partition.mapping)
            check_tiles(own.tiles, partition.mapping)
    if options.validate:
        validate(partition.mapping, tuple(placed))
    return Variant(partition.device, tuple(kernels), tuple(scratch), _host(partition.mapping.host, launches, partition))


def _work(space: Space, known: isl.Set, block: Block | None) -> Staging:
    """The code of one work-item."""
    if space.together:
        staged = staged_work(space, known)
        return replace(staged, work=replace(staged.work, body=promote(staged.work.body)))
    own = work(space, known, split=block is None)
    body = promote(own.body)
    in_blocks = body if block is None else blocked(body, space, block)
    return Staging(replace(own, body=in_blocks, block=block if in_blocks != body else None))


@dataclass(frozen=True, slots=True)
class _Made:
    """What a nest adds to the region."""

    kernels: tuple[Kernel, ...]
    scratch: tuple[Scratch, ...]
    launches: tuple[HostStmt, ...]


def _kernel(space: Space, where: Grid, own: Staging, partition: Partition) -> _Made:
    nest = space.partition.nest
    group = space.partition.work_group
    most = most_groups(space) if nest.reductions else where.groups
    accumulation = accumulate(nest.reductions, nest.name, group, most, nest.span)
    body: tuple[Stmt, ...] = (*accumulation.before, *where.defines, *own.work.body, *accumulation.after)
    private = (*_private(partition, space, own, body), *own.private)
    params = _params(partition, space, where, accumulation, body)
    region = partition.mapping.scop.region
    called = {e.callee for e in used_expressions(body) if isinstance(e, Call)}
    functions = _needed(region.functions, called)
    made = Kernel(
        nest.name,
        params,
        group,
        private,
        (*(t.buffer for t in own.tiles), *accumulation.local),
        body,
        functions,
        _structs(params, private),
        nest.span,
        own.work.block,
    )
    kernel = distinct(made, frozenset(region.symbols))
    firsts: dict[Param, Expr] = {Value(symbol): value for symbol, value in where.first}
    launch = Launch(nest.name, where.groups, arguments(made, firsts))
    if not nest.reductions:
        return _Made((kernel,), (), _when_any(where, space, (launch,)))
    last, finish = total(nest.reductions, nest.name, count(where.groups), partition.device, nest.span)
    return _Made((kernel, last), accumulation.scratch, _when_any(where, space, (launch, finish)))


def _when_any(where: Grid, space: Space, launches: tuple[Launch, ...]) -> tuple[HostStmt, ...]:
    """Launches that happen only when there is something to run: code for whole work-groups counts on it."""
    if not space.together:
        return launches
    condition = of_condition(where.launched.gist(space.context), space.context, space.names, LONG)
    return launches if is_true(condition) else (HostIf(condition, launches),)


def _private(partition: Partition, space: Space, staging: Staging, body: tuple[Stmt, ...]) -> tuple[Private, ...]:
    """The work-item's own variables; those that a statement declares are part of the statement."""
    nest = space.partition.nest
    used = symbols(body)
    result = []
    for variable_ in partition.mapping.scop.variables:
        if variable_.name not in nest.private or not isinstance(variable_.base, Var):
            continue
        symbol = variable_.base.symbol
        if symbol in used:
            element, lengths = element_of(symbol.type)
            several = (space.iterations,) if variable_.name in staging.expanded else ()
            result.append(Private(symbol, element, (*several, *lengths)))
    return tuple(result)


def _params(
    partition: Partition, space: Space, where: Grid, accumulation: Accumulation, body: tuple[Stmt, ...]
) -> tuple[Param, ...]:
    """Buffers first, then values, each in order of first use."""
    scop = partition.mapping.scop
    used, written = symbols(body), stored(body)
    buffers = {buffer_symbol(v): v for v in scop.variables if v.name not in space.partition.nest.private}
    values = {p.symbol for p in scop.parameters} | {n.iterator for n in space.partition.nest.host_loops}
    values |= {symbol for symbol, _ in where.first}
    return (
        *(Buffer(s.unique, buffers[s].element, s in written, True) for s in used if s in buffers),
        *accumulation.buffers,
        *(Value(s) for s in used if s in values),
    )


def _needed(functions: tuple[Function, ...], called: set[str]) -> tuple[Function, ...]:
    """The user's functions that are called, directly or by one another."""
    needed = set(called)
    for function in reversed(functions):
        if function.name in needed:
            needed |= {e.callee for e in used_expressions((function.body,)) if isinstance(e, Call)}
    return tuple(f for f in functions if f.name in needed)


def _structs(params: tuple[Param, ...], private: tuple[Private, ...]) -> tuple[Struct, ...]:
    """The struct types in use, members' types before their owners."""
    found: dict[str, Struct] = {}

    def visit(type_: Type) -> None:
        if isinstance(type_, Struct) and type_.name not in found:
            for member in type_.fields:
                visit(element_of(member.type)[0])
            found[type_.name] = type_

    for param in params:
        visit(param.element if isinstance(param, Buffer) else param.symbol.type)
    for own in private:
        visit(own.element)
    return tuple(found.values())


def _scratch(variable_: Variable) -> Scratch:
    """Device memory for a variable declared in the region that several kernels use."""
    element, lengths = element_of(variable_.base.type)
    assert isinstance(element, Scalar)
    return Scratch(variable_.name, element, literal(prod(lengths), LONG))


def _host(
    nodes: tuple[HostNode, ...], launches: dict[str, tuple[HostStmt, ...]], partition: Partition
) -> tuple[HostStmt, ...]:
    result: list[HostStmt] = []
    for node in nodes:
        if isinstance(node, HostFor):
            loop = node.loop.loop
            iterator = replace(loop.iterator, type=LONG)  # a downward unsigned one must get below zero
            condition = Binary(loop.relation, variable(iterator), loop.bound, INT, loop.header)
            body = _host(node.body, launches, partition)
            result.append(HostLoop(iterator, loop.first, condition, loop.step, body))
        else:
            result += launches[node.name]
    return tuple(result)
