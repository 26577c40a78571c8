"""What one iteration of a kernel does: its references to memory, how they move, and its arithmetic."""

from __future__ import annotations

from math import prod

import islpy as isl

from accshare.conversions import size
from accshare.frontend.ir import (
    Expr,
    For,
    GeneralFor,
    Scalar,
    Symbol,
    While,
)
from accshare.mapping.ir import ASSUMED, INTERLEAVED, NestPlacement, is_short
from accshare.operations import operations
from accshare.poly.ir import Access, LoopNode, Mode, Statement, VariableKind
from accshare.records import dataclass
from accshare.reference import resolve
from accshare.schedule.ir import Kernel
from accshare.tree import statements

_IN = isl.dim_type.in_


@dataclass(frozen=True, slots=True)
class AccessPattern:
    """An access of one iteration of the mapped loops. It is made `times` times, as compilers leave it out of loops in
    which it stays the same; along the axes in `moves` another iteration accesses another element.

    `local` tells that it goes to local memory, `coalesced` that neighbouring work-items access neighbouring elements or
    all the same one, `interleaved` that these lie few elements apart, as members of structs do, `across` that those
    along y do and those along x don't, `along` that neighbours of the innermost loop do and those along x don't,
    `inner` that it moves with a loop inside.
    """

    access: Access
    bytes: int
    times: float
    moves: frozenset[int]
    local: bool
    coalesced: bool
    interleaved: bool
    across: bool
    along: bool
    inner: bool

    @property
    def stores(self) -> bool:
        return self.access.mode is Mode.WRITE


def patterns_of(placement: NestPlacement) -> tuple[AccessPattern, ...]:
    """The references of a kernel to memory that others see, each element of a statement once."""
    partition = placement.partition
    nest = partition.nest
    staged = {id(a) for s in partition.staged for a in s.accesses}
    found: dict[tuple[Expr, Mode], AccessPattern] = {}
    for statement in nest.statements:
        inside = statement.loops[nest.depth :]
        for access in statement.accesses:
            if (
                access.variable.kind is VariableKind.MEMORY
                and access.subscripts
                and access.variable.name not in nest.private
            ):
                known = _pattern(access, statement, nest, inside, id(access) in staged)
                found.setdefault((access.reference, access.mode), known)
    return tuple(found.values())


def _pattern(
    access: Access, statement: Statement, nest: Kernel, inside: tuple[LoopNode, ...], local: bool
) -> AccessPattern:
    bytes_ = access.reference.type.bytes if isinstance(access.reference.type, Scalar) else 8
    places = _places(access)
    if places is None:
        every = frozenset(d.axis for d in nest.grid)
        return AccessPattern(access, bytes_, prod(map(trips, inside)), every, local, False, False, False, False, True)
    moves = {d.axis: tuple(_moved(p, statement, d.loop) for p in places) for d in nest.grid}
    used = [k for k, node in enumerate(inside) if any(_moved(p, statement, node) for p in places)]
    times = prod(map(trips, inside[: max(used) + 1])) if used else 1.0
    along = moves.get(0, ())
    whole = access.space == access.variable.name
    coalesced = not any(along) or (whole and _is_row(along))
    apart = not coalesced and whole and along[-1] == 0
    across = apart and _is_row(moves.get(1, (0,)))
    inwards = apart and bool(inside) and _is_row(tuple(_moved(p, statement, inside[-1]) for p in places))
    axes = frozenset(a for a, by in moves.items() if any(by))
    near = not coalesced and any(d.axis == 0 and _is_near(access, places, statement, d.loop) for d in nest.grid)
    return AccessPattern(access, bytes_, times, axes, local, coalesced, near, across, inwards, bool(used))


def _is_row(moves: tuple[int, ...]) -> bool:
    """Whether elements that are reached by `moves` of the subscripts lie side by side."""
    return not any(moves[:-1]) and moves[-1] == 1


def lies_along(access: Access, statement: Statement, node: LoopNode) -> bool:
    """Whether the iterations of a loop reach elements that lie side by side."""
    places = _places(access)
    return places is not None and _is_row(tuple(_moved(place, statement, node) for place in places))


def stays(access: Access, statement: Statement, node: LoopNode) -> bool:
    """Whether the iterations of a loop reach the same element."""
    places = _places(access)
    return places is not None and not any(_moved(place, statement, node) for place in places)


def _is_near(access: Access, places: tuple[isl.PwAff, ...], statement: Statement, node: LoopNode) -> bool:
    """Whether elements that an iterator reaches one after the other are so few apart that whole vectors are loaded."""
    steps = [_step(place, statement, node) for place in places]
    leading = resolve(access.reference).leading
    step = steps[leading - 1] if leading else None
    if not step or any(other != 0 for k, other in enumerate(steps) if k != leading - 1):
        return False
    whole, one = step * size(access.variable.element), size(access.reference.type)
    return whole % one == 0 and 1 < whole // one <= INTERLEAVED


def _step(place: isl.PwAff, statement: Statement, node: LoopNode) -> int | None:
    """By how many elements a subscript moves with an iterator; None where that is no number."""
    position = statement.loops.index(node)
    if not place.involves_dims(_IN, position, 1):
        return 0
    pieces = place.get_pieces()
    if len(pieces) > 1 or pieces[0][1].dim(isl.dim_type.div):
        return None
    by = pieces[0][1].get_coefficient_val(_IN, position)
    # a fraction moves once in several of the iterator's values, of which the loop leaves some out
    return int(by.to_python()) if by.is_int() else None


def _places(access: Access) -> tuple[isl.PwAff, ...] | None:
    """The subscripts of an access; None where they are no functions of the iterators."""
    if not access.relation.is_single_valued():
        return None
    function = access.relation.as_pw_multi_aff()
    places = (function.get_pw_aff(k) for k in range(access.relation.dim(isl.dim_type.out)))
    return tuple(place.gist(place.domain()) for place in places)


def _moved(place: isl.PwAff, statement: Statement, node: LoopNode) -> int:
    """By how many elements a subscript moves with an iterator, in either direction where it is one; 2 where that
    differs."""
    by = _step(place, statement, node)
    return 2 if by is None else 1 if abs(by) == 1 else by


def trips(node: LoopNode) -> float:
    """How often a loop runs, as far as that is known."""
    known = known_trips(node)
    return float(ASSUMED if known is None else known)


def known_trips(node: LoopNode) -> int | None:
    """How often a loop runs at most; None where that isn't known."""
    low, high = node.domain.dim_min_val(node.depth), node.domain.dim_max_val(node.depth)
    if not (low.is_int() and high.is_int()):
        return None
    return int(high.to_python() - low.to_python()) // abs(node.loop.step) + 1


def inner_loops(nest: Kernel) -> dict[Symbol, LoopNode]:
    """The loops inside an iteration, by what they count."""
    outside = nest.depth
    return {node.iterator: node for s in nest.statements for node in s.loops[outside:]}


def arithmetic(placement: NestPlacement, fused: bool) -> float:
    """The operations of one iteration of the mapped loops."""
    nest = placement.partition.nest
    outside = nest.depth
    return sum(prod(map(trips, s.loops[outside:])) * operations(s.body, fused) for s in nest.statements)


def has_inner_loops(nest: Kernel) -> bool:
    """Whether an iteration of the innermost mapped loop runs loops of its own, other than short ones."""
    depth = nest.depth
    return loops_as_data_decide(nest) or any(not all(map(is_short, s.loops[depth:])) for s in nest.statements)


def loops_as_data_decide(nest: Kernel) -> bool:
    """Whether an iteration runs loops of which only data tells how often they run."""
    return any(isinstance(part, For | GeneralFor | While) for s in nest.statements for part in statements(s.body))
