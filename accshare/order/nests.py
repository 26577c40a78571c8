"""Statements in loops that stand directly in each other, and how they run in some order."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from itertools import groupby

from accshare.combining import combined
from accshare.order.facts import Facts, mentions, moves
from accshare.poly.ir import Access, Dependence, LoopNode, Mode, Statement, VariableKind
from accshare.pragma.ir import CollapseClause, Level, TileClause
from accshare.records import dataclass


class Rank(enum.IntEnum):
    """How a statement runs."""

    SERIAL = 0  # nothing around it is parallel
    INSIDE = 1  # loops on the host launch kernels
    OUTSIDE = 2  # one launch runs all iterations
    PRODUCT = 3  # and two parallel loops share what a loop inside combines, so that it is used again in registers


@dataclass(frozen=True, slots=True)
class Group:
    """Statements with the loops that they have in common from `depth` on, in the `order` in which these run. The first
    `grid` of them are parallel."""

    statements: tuple[Statement, ...]
    depth: int
    order: tuple[LoopNode, ...]
    grid: int

    @property
    def chain(self) -> tuple[LoopNode, ...]:
        """The loops as they were written."""
        return tuple(sorted(self.order, key=lambda loop: loop.depth))

    def loops(self, statement: Statement) -> tuple[LoopNode, ...]:
        """All loops around one of the statements."""
        end = self.depth + len(self.order)
        return (*statement.loops[: self.depth], *self.order, *statement.loops[end:])


def written(facts: Facts, statements: tuple[Statement, ...], depth: int, *, combined: bool = False) -> Group:
    """The group in the program's order. A loop counts as parallel unless it is sure that it is not; with `combined`,
    those that combine into elements count as serial."""
    chain = common(statements, depth)
    between = facts.between(statements, depth)
    is_serial = facts.is_ordered if combined else facts.is_hard
    count = 0
    while count < len(chain) and not any(is_serial(d, chain[count]) for d in between):
        count += 1
    return Group(statements, depth, chain, count)


def arranged(facts: Facts, statements: tuple[Statement, ...], depth: int) -> Group:
    """The group with its parallel loops outside, in the order in which they stand; as it is where bounds forbid that,
    or nothing is gained. Iterations of loops that move outwards need nothing of one another, so that all others keep
    their order."""
    chain = common(statements, depth)
    between = shared(facts, statements, chain)
    outer = tuple(n for n in chain if all(facts.keeps(d, depth, n, n) for d in between))
    order = (*outer, *(n for n in chain if n not in outer))
    moved = Group(statements, depth, order, len(outer))
    near = all(n.index in facts.near for n in chain if n not in outer)
    if order == chain:
        return moved
    if _are_apart(chain, outer) and (near or only_combines(facts, moved) or _keeps_lines(moved)):
        return moved
    leading = next((k for k, node in enumerate(chain) if node not in outer), len(chain))
    return Group(statements, depth, chain, leading)


def _keeps_lines(group: Group) -> bool:
    """Whether iterations of a loop that moves inwards find near what the one before came to: a part of an array that is
    more than one element, or most of what there is; or whether they go along memory."""
    grid, inner = group.order[: group.grid], group.order[group.grid :]
    every = [a for s in group.statements for a in s.accesses if a.subscripts]
    for loop in inner:
        again = [a for a in every if not moves(a, loop) and any(moves(a, n) for n in grid)]
        if any(_reaches_more(a, group) for a in again) or 2 * len(again) > len(every):
            return True
    return max(_along(every, loop) for loop in inner) > max(_along(every, loop) for loop in grid) if inner else False


def _reaches_more(access: Access, group: Group) -> bool:
    """Whether an access moves with a loop that is in all of a group's, too."""
    own = next(s for s in group.statements if access in s.accesses)
    return any(moves(access, loop) for loop in own.loops[group.depth + len(group.order) :])


def _along(accesses: list[Access], loop: LoopNode) -> int:
    """How many accesses reach neighbours in consecutive iterations of a loop, as far as their text tells."""
    last = (a.subscripts for a in accesses)
    return sum(mentions(own[-1], loop) and not any(mentions(e, loop) for e in own[:-1]) for own in last)


def common(statements: tuple[Statement, ...], depth: int) -> tuple[LoopNode, ...]:
    """The loops from `depth` on that all statements have in common, down to where the first variable is declared."""
    first = statements[0].loops
    end = min(len(s.loops) for s in statements)
    while end > depth and any(s.loops[end - 1].index != first[end - 1].index for s in statements):
        end -= 1
    scopes = (a.variable.scope for s in statements for a in s.accesses if a.variable.kind is VariableKind.PRIVATE)
    return first[depth : min([end, *(scope for scope in scopes if scope > depth)])]


def each_nest(statements: Iterable[Statement]) -> tuple[tuple[Statement, ...], ...]:
    """The statements of each outermost loop, and those that stand together outside of all."""
    return tuple(tuple(run) for _, run in groupby(statements, lambda s: s.loops[0].index if s.loops else None))


def share_only_arrays(statements: Iterable[Statement], depth: int) -> bool:
    """Whether statements have nothing to do with those in other iterations of a loop at some depth but by elements of
    arrays."""
    used = (a.variable for s in statements for a in s.accesses)
    return all(v.kind is VariableKind.MEMORY or (v.kind is VariableKind.PRIVATE and v.scope > depth) for v in used)


def shared(facts: Facts, statements: tuple[Statement, ...], chain: tuple[LoopNode, ...]) -> tuple[Dependence, ...]:
    """The dependences inside of loops, but for those on what an iteration of the innermost one has for itself."""
    if not chain:
        return ()
    between = facts.between(statements, chain[0].depth)
    declared = (d for d in between if not _is_declared_inside(d, chain[-1]))
    return tuple(d for d in declared if not facts.is_private(d.source_access.variable, chain[-1]))


def _is_declared_inside(dependence: Dependence, loop: LoopNode) -> bool:
    variable = dependence.source_access.variable
    return variable.kind is VariableKind.PRIVATE and variable.scope > loop.depth


def _are_apart(chain: tuple[LoopNode, ...], outer: tuple[LoopNode, ...]) -> bool:
    """Whether the bounds of loops that move outwards depend on none that they pass, or can be turned around."""
    for place, node in enumerate(chain):
        passed = [other for other in chain[:place] if other not in outer]
        bounds = node.loop.first, node.loop.bound
        if node in outer and any(mentions(bound, other) for bound in bounds for other in passed):
            return _is_convex(chain)
    return True


def _is_convex(chain: tuple[LoopNode, ...]) -> bool:
    """Whether loops count up by ones between bounds that are linear in each other: triangles and their like, over which
    loops can run in any order."""
    domain = chain[-1].domain
    ones = all(loop.loop.step == 1 for loop in chain)
    return ones and bool(domain.n_basic_set() == 1) and not domain.remove_divs().is_strict_subset(domain)


# --- what it is worth ----------------------------------------------------------------------------------------------


def ranks(facts: Facts, group: Group) -> dict[str, Rank]:
    """How each statement of a group runs."""
    grid = tuple(loop for loop in group.order[: group.grid] if not facts.is_short(loop))
    if len(grid) > 1:
        return {s.name: Rank.PRODUCT if _is_product(facts, s, group, grid) else Rank.OUTSIDE for s in group.statements}
    return {s.name: Rank.OUTSIDE if grid else _rank_inside(facts, s, group) for s in group.statements}


def _rank_inside(facts: Facts, statement: Statement, group: Group) -> Rank:
    """The rank of a statement in a group without a grid."""
    for loop in statement.loops[group.depth :]:
        inside = tuple(s for s in group.statements if loop in s.loops)
        hard = any(facts.is_hard(d, loop) for d in facts.between(inside, group.depth))
        if not hard and not facts.is_short(loop):
            return Rank.INSIDE
    return Rank.SERIAL


def _is_product(facts: Facts, statement: Statement, group: Group, grid: tuple[LoopNode, ...]) -> bool:
    """Whether a statement combines, into one element for each iteration of the grid, what several of these read."""
    inside = [loop for loop in statement.loops[group.depth :] if loop not in group.order[: group.grid]]
    gathering, combining = _sorted(facts, statement, [*grid, *inside])
    return gathering == grid and bool(combining)


def has_tile(product: Statement, inside: Iterable[Statement], grid: Sequence[LoopNode]) -> bool:
    """Whether several rows of a product share what they load, among the statements `inside` of the same parallel loops.
    Where rows end apart, as in a triangle, they compute more than there is, in a copy of what they store to: nothing
    else may reach that array, such as a store to the other half of a matrix."""
    bounds = [bound for loop in grid for bound in (loop.loop.first, loop.loop.bound)]
    if not any(mentions(bound, loop) for bound in bounds for loop in grid):
        return True
    stored = {a.variable.name: a.reference for a in product.accesses if a.mode is Mode.WRITE and a.subscripts}
    every = (a for s in inside for a in s.accesses if a.variable.name in stored)
    return all(a.reference == stored[a.variable.name] for a in every)


def could_be_product(facts: Facts, statement: Statement, depth: int) -> bool:
    """Whether some order of the loops from `depth` on would make that of it."""
    gathering, combining = _sorted(facts, statement, statement.loops[depth:])
    return len(gathering) > 1 and bool(combining)


def could_be_vector(facts: Facts, statement: Statement, depth: int) -> bool:
    """Whether, of the loops from `depth` on, those inside of one combine into an element for each of its iterations: a
    matrix times a vector."""
    stores = [a for a in statement.accesses if a.mode is Mode.WRITE and a.subscripts]
    loops = [loop for loop in statement.loops[depth:] if not facts.is_short(loop)]
    gathering = [loop for loop in loops if len(stores) == 1 and moves(stores[0], loop)]
    combining = len(loops) - len(gathering)
    return len(gathering) == 1 and combining == 1 and combined(statement.body, stores[0].reference) is not None


def _sorted(
    facts: Facts, statement: Statement, loops: Sequence[LoopNode]
) -> tuple[tuple[LoopNode, ...], tuple[LoopNode, ...]]:
    """The loops with which the element moves that a statement stores to, and the long ones with which it does not; none
    where elements that are read move with all of those but one."""
    reads = [a for a in statement.accesses if a.mode is Mode.READ and a.subscripts]
    stores = [a for a in statement.accesses if a.mode is Mode.WRITE and a.subscripts]
    gathering = tuple(loop for loop in loops if len(stores) == 1 and moves(stores[0], loop))
    again = [loop for loop in gathering if any(not moves(read, loop) for read in reads)]
    if len(again) < 2:
        return (), ()
    return gathering, tuple(loop for loop in loops if loop not in gathering and not facts.is_short(loop))


def may_combine(group: Group, loops: int) -> bool:
    """Whether any statement in so many loops combines a value into what it stores to."""
    deep = (s for s in group.statements if len(s.loops) - group.depth >= loops)
    stores = ((s, a) for s in deep for a in s.accesses if a.mode is Mode.WRITE)
    return any(combined(statement.body, access.reference) is not None for statement, access in stores)


def only_combines(facts: Facts, group: Group) -> bool:
    """Whether its loops need nothing of one another but what they combine, so that those that combine are better inside
    (MDH): an order of operations on each element is all that the others can be."""
    between = shared(facts, group.statements, group.chain)
    depth = group.depth
    crossing = (d for d in between if not all(facts.keeps(d, depth, n, n) for n in group.chain))
    return any(map(facts.combines, between)) and all(map(facts.combines, crossing))


# --- what the user fixed -------------------------------------------------------------------------------------------


def is_free(group: Group) -> bool:
    """Whether no directive counts the loops."""
    return not any(isinstance(clause, CollapseClause | TileClause) for clause in _clauses(group))


def spoken_for(facts: Facts, group: Group) -> int | None:
    """How many of the outermost loops directives say more of than that they are loops: in a ``parallel`` region, where
    they promise something, all that have any. None where one does of a loop inside of another one, or says that a loop
    has an order."""
    promising = facts.scop.region.construct.kind.is_parallel

    def fixed(loop: LoopNode) -> bool:
        directive = loop.loop.directive
        return directive is not None and (promising or directive.fixes_order)

    def ordered(loop: LoopNode) -> bool:
        return loop.loop.directive is not None and loop.loop.directive.says(Level.SEQ)

    outside = next((k for k, loop in enumerate(group.chain) if not fixed(loop) or ordered(loop)), len(group.chain))
    others = {loop.index for loop in group.chain[:outside]}
    inside = (loop for s in group.statements for loop in s.loops[group.depth :] if loop.index not in others)
    return None if any(map(fixed, inside)) else outside


def is_plain(group: Group) -> bool:
    """Whether no directive on a loop says more of it than that it is one."""
    loops = {loop.index: loop.loop for s in group.statements for loop in s.loops[group.depth :]}
    return not any(loop.directive is not None and loop.directive.fixes_order for loop in loops.values())


def _clauses(group: Group) -> Iterable[object]:
    loops = {loop.index: loop for s in group.statements for loop in s.loops[group.depth :]}
    return (c for n in loops.values() if n.loop.directive is not None for c in n.loop.directive.clauses)
