"""Which loads and stores of global memory a kernel makes, and when.

The polyhedral model tells that, with two rules of code generation on top of it. A statement's read and write of an
element become one load before and one store after a loop that does not change the element's place, where the statement
stands directly in the loop and the loop touches nothing else of the array. Where code is made for a whole work-group,
an element that belongs to one iteration of the mapped loops all through the kernel is loaded once, if it may be read
before it is written, and stored once. Where work-items share a loop that combines, the first one of them loads the
result and stores it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import islpy as isl

from accshare.dataflow import Flow
from accshare.frontend.ir import Assign, Member, Scalar, Var
from accshare.islbuild import all_maps, points, quotient, sizes
from accshare.mapping.ir import NestPartition, uncut
from accshare.poly.ir import Access, LoopNode, Mode, Statement, Variable, VariableKind
from accshare.records import dataclass, field, replace
from accshare.reference import strip
from accshare.schedule.ir import Band, Kernel, Leaf, Node, combination_name, statements, steps
from accshare.traffic.full import uniform_loops
from accshare.tree import all_expressions, expressions

_SET, _PARAM, _IN, _OUT = isl.dim_type.set, isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True, slots=True)
class Use:
    """Accesses of one reference. `places` maps instances to elements; its input dimensions are the iterators of
    `loops`, but the last is a strip's number where `strip` gives the strips' size. `exact` says that nothing else
    decides. `statement` is the one it belongs to, or empty for what comes before and after all statements."""

    access: Access
    mode: Mode
    loops: tuple[LoopNode, ...]
    strip: int
    places: isl.Map = field(compare=False, repr=False)
    exact: bool
    statement: str

    @property
    def count(self) -> int:
        """How many loops there are."""
        return len(self.loops)


def uses(part: NestPartition) -> tuple[Use, ...]:
    """The accesses to global memory of a kernel, but for those of the arrays it stages."""
    nest = part.nest
    hidden = nest.private | {r.variable.name for r in nest.reductions}
    staged = [a for s in part.staged for a in s.accesses]
    own: dict[str, tuple[Use, ...]] = {}
    for statement in nest.statements:
        combined = _combined(nest, statement)
        seen = [
            a
            for a in statement.accesses
            if a.variable.name not in hidden and a.variable not in combined and a not in staged
        ]
        # a whole struct is an access for each member, what happens in one piece reads its place once
        once = {(a.mode, a.reference, a.atomic.span if a.atomic else a.span): a for a in seen}
        own[statement.name] = tuple(
            Use(a, a.mode, statement.loops, 0, _places(statement, a), a.exact and not a.atomic, statement.name)
            for a in once.values()  # work-items of a warp come to the same place one after the other
        )
    kept = list(_results(nest))
    if part.cooperative and not nest.threads:
        kept += _registers(part, own)
    jammed = {s.name for one in part.phases if one.phase.jammed for s in one.statements}
    return tuple(kept) + _promoted(part, uncut(part.nest.inside), own, jammed)


def _combined(nest: Kernel, statement: Statement) -> frozenset[Variable]:
    """What a statement combines into in a loop that work-items share, each into a part of its own."""
    inside = (member for member in nest.threads if member.loop in statement.loops)
    return frozenset(r.variable for member in inside for r in member.reductions)


def _results(nest: Kernel) -> Iterator[Use]:
    """The loads and stores of elements that take in what work-items have combined."""
    for member in nest.threads:
        users = tuple(s for s in nest.statements if member.loop in s.loops)
        for reduction in member.reductions:
            accesses = ((s, a) for s in users for a in s.accesses if a.variable == reduction.variable)
            user, access = next((s, a) for s, a in accesses if a.mode is Mode.WRITE)
            if access.variable.name not in nest.private:
                name, around = combination_name(user, reduction), user.loops[: member.loop.depth]
                whole = Use(access, Mode.READ, user.loops, 0, _places(user, access), access.exact, name)
                end = replace(whole, loops=around, places=_outside(whole, member.loop.depth, 0))
                yield end
                yield replace(end, mode=Mode.WRITE)


def _places(statement: Statement, access: Access) -> isl.Map:
    return access.relation.intersect_domain(statement.domain).reset_tuple_id(_IN)


def _promoted(
    part: NestPartition, tree: Node, own: dict[str, tuple[Use, ...]], jammed: Collection[str]
) -> tuple[Use, ...]:
    """The accesses of a tree; outer loops take elements into registers first, but from statements that are `jammed`:
    those stand in loops over a work-item's own iterations."""
    held = uniform_loops(part)
    named = _named(part)
    strips = {strip_.loop.index: strip_.size for strip_ in part.strips}
    result: list[Use] = []
    before: list[Statement] = []
    for node in steps(tree):
        if isinstance(node, Leaf):
            result += own.pop(node.statement.name)
            before.append(node.statement)
        if not isinstance(node, Band):
            continue
        loop = node.members[0].loop
        if loop.index not in held or loop.index in strips:
            known = named | {k for s in before if not held for k in _mentioned(s)}
            if not any(s.name in jammed for s in statements(node)):
                result += _around(node, strips.get(loop.index, 0), known, own)
        result += _promoted(part, node.child, own, jammed)
    return tuple(result)


def _named(part: NestPartition) -> frozenset[str]:
    """The iterators that are variables of the kernel; others are computed where a statement first needs them."""
    mapped = {d.loop.index: d.step == 1 for d in part.nest.grid}
    loops = {node.index: node for s in part.nest.statements for node in s.loops}
    hosts = {node.index for node in part.nest.host}
    return frozenset(
        node.iterator.unique
        for index, node in loops.items()
        if index in hosts or (_counts_in_itself(node) and mapped.get(index, True))
    )


def _mentioned(statement: Statement) -> frozenset[str]:
    """The variables in a statement."""
    return frozenset(e.symbol.unique for e in all_expressions(statement.body) if isinstance(e, Var))


def _around(band: Band, size: int, known: frozenset[str], own: dict[str, tuple[Use, ...]]) -> Iterator[Use]:
    """The loads and stores that go from a loop to before and after it; they are taken out of `own`. The iterators that
    are `known` have their value outside of the loop."""
    inside, loop = statements(band), band.members[0].loop
    for node in steps(band.child):
        if not isinstance(node, Leaf) or not isinstance(node.statement.body, Assign):
            continue
        for use in own[node.statement.name]:
            places = {e.symbol.unique for s in use.access.subscripts for e in expressions(s) if isinstance(e, Var)}
            loops = {n.iterator.unique for n in node.statement.loops}
            if use.mode is Mode.WRITE and places & loops <= known and _is_kept(loop, node.statement, use, inside, own):
                mine = [u for s in inside for u in own[s.name] if u.access.variable == use.access.variable]
                same = [u for u in mine if not _lies_elsewhere(u, use, loop.depth)]
                for statement in inside:
                    own[statement.name] = tuple(u for u in own[statement.name] if u not in same)
                outside = _outside(use, loop.depth, size)
                kept = replace(use, loops=use.loops[: loop.depth + (size > 0)], strip=size, places=outside)
                yield replace(kept, mode=Mode.READ)
                yield kept


def _is_kept(
    loop: LoopNode, statement: Statement, use: Use, inside: tuple[Statement, ...], own: dict[str, tuple[Use, ...]]
) -> bool:
    """Whether the element that a statement writes stays the same in a loop that always runs the statement."""
    access, depth = use.access, loop.depth
    if not access.exact or not isinstance(access.variable.element, Scalar) or _in_struct(access):
        return False
    everything = isl.Set.empty(_prefix(statement, depth + 1).get_space())
    for other in inside:
        everything = everything.union(_prefix(other, depth + 1))
    if not everything.subtract(_prefix(statement, depth + 1)).is_empty():
        return False
    everywhere = _outside(use, depth, 0)
    for other in inside:
        for same in own[other.name]:
            if same.access.variable == access.variable:
                if same.access.space != access.space:
                    return False
                if _lies_elsewhere(same, use, depth):
                    continue
                everywhere = everywhere.union(_outside(same, depth, 0))
    return bool(everywhere.is_single_valued())


def _lies_elsewhere(other: Use, kept: Use, depth: int) -> bool:
    """Whether what an access reaches in a loop lies in the row of the element that is kept, before it or behind it."""
    pairs = _outside(kept, depth, 0).reverse().apply_range(_outside(other, depth, 0))
    last = pairs.dim(_OUT) - 1
    if last < 0 or any(not pairs.is_subset(pairs.equate(_IN, k, _OUT, k)) for k in range(last)):
        return False
    before = pairs.order_gt(_IN, last, _OUT, last)
    return bool(pairs.is_subset(before)) or bool(pairs.is_subset(pairs.order_lt(_IN, last, _OUT, last)))


def _in_struct(access: Access) -> bool:
    return isinstance(strip(access.reference), Member) or access.space != access.variable.name


def _prefix(statement: Statement, depth: int) -> isl.Set:
    """The values of the outermost iterators of a statement."""
    domain = statement.domain.reset_tuple_id()
    return domain.project_out(_SET, depth, domain.dim(_SET) - depth)


def _outside(use: Use, depth: int, size: int) -> isl.Map:
    """The elements by the iterators outside of a loop and, where it is cut into strips, the strip's number."""
    every = points(use.count)
    outer = every.coordinates[:depth]
    return use.places.apply_domain(every.to((*outer, quotient(every.coordinates[depth], size)) if size else outer))


# --- elements of one iteration of the mapped loops -----------------------------------------------------------------


def _registers(part: NestPartition, own: dict[str, tuple[Use, ...]]) -> Iterator[Use]:
    """The loads and stores of elements that stay in a register all through the kernel; they are taken out of `own`."""
    nest = part.nest
    outside = nest.depth
    upwards = all(d.loop.loop.step == 1 for d in part.nest.grid)
    variables = dict.fromkeys(u.access.variable for s in nest.statements for u in own[s.name]) if upwards else {}
    for variable in variables:
        mine = [(s, u) for s in nest.statements for u in own[s.name] if u.access.variable == variable]
        if variable.kind is not VariableKind.MEMORY or not isinstance(variable.element, Scalar):
            continue
        if any(
            a.variable == variable and a not in [u.access for _, u in mine] for s in nest.statements for a in s.accesses
        ):
            continue
        looped = any(len(s.loops) > outside for s, _ in mine)
        written = [u for _, u in mine if u.mode is Mode.WRITE]
        if not (looped and written and all(u.exact and not _in_struct(u.access) for _, u in mine)):
            continue
        places = _outside(mine[0][1], outside, 0)
        for _, use in mine[1:]:
            places = places.union(_outside(use, outside, 0))
        if not places.is_single_valued():
            continue
        for statement in nest.statements:
            own[statement.name] = tuple(u for u in own[statement.name] if u.access.variable != variable)
        first = replace(mine[0][1], loops=mine[0][1].loops[:outside], statement="")
        items = isl.Set.empty(places.domain().get_space())
        for use in written:
            items = items.union(_outside(use, outside, 0).domain())
        yield replace(first, mode=Mode.READ, places=places.intersect_domain(_read_first(mine, outside)))
        yield replace(first, mode=Mode.WRITE, places=places.intersect_domain(items))


def _counts_in_itself(loop: LoopNode) -> bool:
    type_ = loop.iterator.type
    return isinstance(type_, Scalar) and type_.signed and type_.bytes >= 4


def _read_first(mine: list[tuple[Statement, Use]], outside: int) -> isl.Set:
    """The work-items that may read their element before they have written it."""
    flow, items = Flow(), []
    for statement, use in mine:
        every = statement.tuples
        items.append(every.to(every.coordinates[:outside]).intersect_domain(statement.domain))
        flow.add(use.access, items[-1], statement.time)
    found = flow.unwritten(sizes().everything).domain().apply(all_maps(items))
    some = points(outside).nothing
    pieces: list[isl.Set] = []
    found.foreach_set(pieces.append)
    for piece in pieces:
        some = some.union(piece)
    return some
