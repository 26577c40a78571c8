"""Kernels: the outermost parallel loops of each nest become a grid, the loops around them stay on the host."""

from __future__ import annotations

import islpy as isl

from accshare.islbuild import point, points
from accshare.options import Options
from accshare.poly.ir import Access, LoopNode, Statement, Variable, VariableKind
from accshare.records import replace
from accshare.relax.ir import LoopOrder, Relaxed
from accshare.schedule.combining import combining_loop, parts_of, with_reassociable
from accshare.schedule.ir import Band, Kernel, Member, Node, Role, Versions, in_order, members, statements, steps
from accshare.source import Span


def kernels(relaxed: Relaxed, node: Node, around: tuple[LoopNode, ...], options: Options) -> Node:
    """The order of `node`, which stands under the host loops `around`, with kernels and host loops."""
    result: list[Node] = []
    waiting: list[Node] = []  # nodes without parallelism; together they are one kernel of one work-item

    def flush() -> None:
        if waiting:
            result.append(_kernel(relaxed, (), in_order(tuple(waiting)), around))
            waiting.clear()

    for step in steps(node):
        if not isinstance(step, Band) or not any(relaxed.order(m.loop).parallel for m in members(step)):
            waiting.append(step)
            continue
        flush()
        chain, inside = _parallel_chain(step, relaxed)
        if chain:
            plain = _kernel(relaxed, chain, inside, around)
            result.append(_in_versions(relaxed, plain, options) or plain)
        else:
            (member,) = step.members
            below = kernels(relaxed, step.child, (*around, member.loop), options)
            result.append(Band((replace(member, role=Role.HOST),), below))
    flush()
    return in_order(tuple(result))


def _parallel_chain(node: Node, relaxed: Relaxed) -> tuple[tuple[LoopOrder, ...], Node]:
    """The parallel loops that start at `node` and stand directly in each other, and what is in them."""
    chain: list[LoopOrder] = []
    while isinstance(node, Band) and relaxed.order(node.members[0].loop).parallel:
        chain.append(relaxed.order(node.members[0].loop))
        node = node.child
    return tuple(chain), node


def _kernel(
    relaxed: Relaxed,
    chain: tuple[LoopOrder, ...],
    inside: Node,
    around: tuple[LoopNode, ...],
) -> Kernel:
    """The kernel whose grid has the loops of `chain`."""
    scop, loops = relaxed.scop, tuple(order.loop for order in chain)
    own = statements(inside)
    depth = len(around) + len(chain)
    names = {s.name for s in own}
    private = set()
    for variable in scop.variables:
        users = {s.name for s in scop.statements if any(a.variable == variable for a in s.accesses)}
        if variable.kind is VariableKind.MEMORY or not users & names:
            continue
        shared_by = chain[_owned(variable, around) :]
        if chain:
            declared_inside = variable.kind is VariableKind.PRIVATE and variable.scope >= depth
            alone = declared_inside or all(variable.name in order.private for order in shared_by)
        else:
            alone = variable.kind is VariableKind.PRIVATE and users <= names
        if alone:
            private.add(variable.name)
    reductions = {r.variable.name: r for order in chain for r in order.reductions}
    child = inside
    if chain:
        inside = with_reassociable(relaxed, inside, frozenset(private))
        child = Band(_assign_axes(loops, own), inside)
    return Kernel(
        "",
        around,
        child,
        frozenset(private),
        tuple(r for r in reductions.values() if r.variable.name not in private),
        loops[0].loop.header if loops else _span(inside),
    )


def _in_versions(relaxed: Relaxed, plain: Kernel, options: Options) -> Versions | None:
    """A kernel together with its split version, where it has one."""
    loop = None if options.plain else combining_loop(plain)
    if loop is None:
        return None
    order = relaxed.order(loop, elements=True)
    parts = parts_of(relaxed.scop, plain, order)
    if parts is None:
        return None
    chain = tuple(relaxed.order(member.loop) for member in plain.grid)
    kernel = _kernel(relaxed, (*chain, order), parts.inside, plain.host)
    last = replace(plain, child=Band(parts.grid[:-1], parts.after))
    child = Band(parts.grid, kernel.inside)
    return Versions(plain, replace(kernel, child=child, finalize=last, span=loop.loop.header))


def _owned(variable: Variable, around: tuple[LoopNode, ...]) -> int:
    """How many loops of the chain declare the variable anew each iteration anyway."""
    return max(0, variable.scope - len(around)) if variable.kind is VariableKind.PRIVATE else 0


def _span(node: Node) -> Span:
    first = steps(node)[0]
    return first.members[0].loop.loop.header if isinstance(first, Band) else statements(first)[0].body.span


# --- which parallel loop runs along which axis ---------------------------------------------------------------------


def _assign_axes(chain: tuple[LoopNode, ...], statements: tuple[Statement, ...]) -> tuple[Member, ...]:
    """Give x to the loop along which most accesses have unit stride, the innermost one where that is equal, and the
    other axes to the others from the inside out: neighbouring work-items then touch neighbouring elements."""
    strides = {node.index: _unit_strides(node, statements) for node in chain}
    best = max(chain, key=lambda node: (strides[node.index], node.depth))
    others = [node for node in reversed(chain) if node is not best]
    axis = {best.index: 0, **{node.index: k + 1 for k, node in enumerate(others)}}
    return tuple(Member(node, Role.GRID, axis[node.index]) for node in chain)


def _unit_strides(node: LoopNode, statements: tuple[Statement, ...]) -> int:
    """How many accesses move to the next element when the loop's iterator grows by one."""
    return sum(
        _has_unit_stride(access, node.depth)
        for statement in statements
        for access in statement.accesses
        if access.variable.kind is VariableKind.MEMORY and access.subscripts
    )


def _has_unit_stride(access: Access, depth: int) -> bool:
    """Whether one step of the iterator at `depth` moves one element on in the last subscript and none in the others."""
    relation = access.relation
    outputs = relation.dim(isl.dim_type.out)
    if outputs == 0 or not access.exact or _certainly_moves_otherwise(relation, depth):
        return False
    name = relation.get_tuple_name(isl.dim_type.in_)
    every = points(relation.dim(isl.dim_type.in_), name)
    step = every.to([iterator + (k == depth) for k, iterator in enumerate(every.coordinates)], name)
    delta = relation.reverse().apply_range(step).apply_range(relation).deltas()
    wanted = point((*[0] * (outputs - 1), 1), access.space)
    return not delta.is_empty() and bool(delta.is_subset(wanted))


def _certainly_moves_otherwise(relation: isl.Map, depth: int) -> bool:
    """Whether that shows in the subscripts' formulas, as it mostly does."""
    if not relation.is_single_valued():
        return False
    function = relation.as_pw_multi_aff()
    outputs = relation.dim(isl.dim_type.out)
    for k in range(outputs if function.n_piece() == 1 else 0):
        ((_, value),) = function.get_pw_aff(k).get_pieces()
        if value.dim(isl.dim_type.div):
            return False
        if not value.get_coefficient_val(isl.dim_type.in_, depth).eq(isl.Val(int(k == outputs - 1))):
            return True
    return False
