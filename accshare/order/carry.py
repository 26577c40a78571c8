"""A region in another order: all that is known of its instances is carried along to their new dimensions.

Nothing is found out anew. Dependences and times stay those of the program, in terms of the new dimensions, so that what
checks the result later checks it against what the user wrote.
"""

from __future__ import annotations

from collections.abc import Iterable

import islpy as isl

from accshare.frontend.ir import Expr, Stmt, Symbol, Var
from accshare.islbuild import points
from accshare.order.bounds import counting, passed
from accshare.order.pairs import Pairs, exchanged
from accshare.poly.ir import Access, LoopNode, Scop, Statement
from accshare.records import dataclass, replace
from accshare.tree import rewrite, rewrite_statement

_SET = isl.dim_type.set


@dataclass(frozen=True, slots=True)
class Copy:
    """One of the loops that are made of the source's `loop`; 0 is the number of the loop itself."""

    loop: LoopNode
    number: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement and the loops around it, outermost first. `own` are those of the source that these take the place of:
    a statement that is fused with others runs in copies of their loops."""

    statement: Statement
    loops: tuple[Copy, ...]
    own: tuple[LoopNode, ...]


def as_written(statement: Statement) -> Placed:
    """A statement where it stands."""
    return Placed(statement, tuple(map(Copy, statement.loops)), statement.loops)


def rearranged(scop: Scop, places: tuple[Placed, ...], pairs: Pairs | None = None) -> Scop:
    """The region with its statements in the order and in the loops of `places`, which has each of them once. Those that
    stay as they were written are the same objects. `pairs` knows what dependences come to elsewhere."""
    if places == tuple(map(as_written, scop.statements)):
        return scop
    loops = _Loops(scop, places)
    statements: dict[str, Statement] = {}
    accesses: dict[int, Access] = {}
    for place in places:
        moved = loops.around(place)
        old, names = place.statement, _renamed(place)
        if place == as_written(old) and moved == old.loops:
            statements[old.name] = old
            continue
        accesses |= {id(a): _access(a, place, names) for a in old.accesses}
        statements[old.name] = replace(
            old,
            body=_body(old, names),
            loops=moved,
            domain=_exchanged(old, place.own),
            time=_moved(old.time, place.own),
            accesses=tuple(accesses[id(a)] for a in old.accesses),
        )
    orders = {p.statement.name: _depths(p.own) for p in places}
    between = pairs or Pairs(scop.context)
    dependences = tuple(
        d.between(statements, accesses, between.exchanged(d.relation, orders[d.source.name], orders[d.sink.name]))
        for d in scop.dependences
    )
    return replace(scop, statements=tuple(statements.values()), dependences=dependences)


def _body(statement: Statement, names: dict[Symbol, Symbol]) -> Stmt:
    return rewrite_statement(statement.body, lambda e: _renaming(e, names)) if names else statement.body


def _access(access: Access, place: Placed, names: dict[Symbol, Symbol]) -> Access:
    def renamed(expr: Expr) -> Expr:
        return rewrite(expr, lambda e: _renaming(e, names)) if names else expr

    return replace(
        access,
        relation=_moved(access.relation, place.own),
        reference=renamed(access.reference),
        subscripts=tuple(map(renamed, access.subscripts)),
    )


def _renamed(place: Placed) -> dict[Symbol, Symbol]:
    """The iterators that are others in the statement's new loops."""
    pairs = zip(place.own, place.loops, strict=True)
    return {own.iterator: copy.loop.iterator for own, copy in pairs if own.iterator != copy.loop.iterator}


def _renaming(expr: Expr, names: dict[Symbol, Symbol]) -> Expr | None:
    return replace(expr, symbol=names[expr.symbol]) if isinstance(expr, Var) and expr.symbol in names else None


def _moved(relation: isl.Map, own: tuple[LoopNode, ...]) -> isl.Map:
    """A relation from instances in their old dimensions as one from those in their new ones."""
    return exchanged(relation, isl.dim_type.in_, _depths(own))


def _exchanged(statement: Statement, own: tuple[LoopNode, ...]) -> isl.Set:
    """The instances of a statement in their new dimensions."""
    every = statement.tuples
    return statement.domain.apply(every.to([every.coordinates[loop.depth] for loop in own], statement.name))


def _depths(own: tuple[LoopNode, ...]) -> tuple[int, ...]:
    return tuple(loop.depth for loop in own)


def _stays(own: tuple[LoopNode, ...]) -> bool:
    return all(loop.depth == k for k, loop in enumerate(own))


class _Loops:
    """The loops in their new places, each made once."""

    def __init__(self, scop: Scop, places: Iterable[Placed]) -> None:
        self._scop = scop
        self._made: dict[tuple[int, int], LoopNode] = {}
        self._next = 1 + max((copy.loop.index for p in places for copy in p.loops), default=0)

    def around(self, place: Placed) -> tuple[LoopNode, ...]:
        """The loops around a statement. Whatever moves outwards has bounds of its own."""
        result: tuple[LoopNode, ...] = ()
        for depth, copy in enumerate(place.loops):
            key = copy.loop.index, copy.number
            if key not in self._made:
                index = copy.loop.index if copy.number == 0 else self._next
                self._next += copy.number != 0
                loops = place.own[: depth + 1]
                if loops[-1].index != copy.loop.index:  # a loop of others, which bounds what is inside of it there
                    loops = tuple(c.loop for c in place.loops[: depth + 1])
                domain, loop = iterations(loops), copy.loop.loop
                if _is_turned(loops):
                    loop, domain = counting(self._scop, domain, loop.iterator, loop, result), passed(domain)
                self._made[key] = replace(copy.loop, index=index, depth=depth, loop=loop, domain=domain)
            result = (*result, self._made[key])
        return result


def iterations(loops: tuple[LoopNode, ...]) -> isl.Set:
    """Those of the last of some loops that stand in each other in this order, in terms of all of them."""
    if _stays(loops):
        return loops[-1].domain
    outer = iterations(loops[:-1]) if len(loops) > 1 else points(0).everything
    found = outer.add_dims(_SET, 1).intersect(_bounds(loops[-1], loops))
    for other in loops[:-1]:
        if _bounded_by(other, loops[-1].depth):
            found = found.intersect(_bounds(other, loops))
    return found


def _bounds(loop: LoopNode, order: tuple[LoopNode, ...]) -> isl.Set:
    """The iterations of a loop in terms of those that stand in each other in some order now, whatever those of the
    loops that are not among them any more."""
    places = {other.depth: place for place, other in enumerate(order)}
    left = [depth for depth in reversed(range(loop.depth)) if depth not in places]
    own = _whatever(loop.domain, left)
    if not own.dim_has_upper_bound(_SET, own.dim(_SET) - 1) or not own.dim_has_lower_bound(_SET, own.dim(_SET) - 1):
        own = loop.domain
        for depth in left:
            own = own.project_out(_SET, depth, 1)
    moved = points(len(order))
    kept = [places[depth] for depth in range(loop.depth + 1) if depth in places]
    return own.apply(moved.to([moved.coordinates[k] for k in kept]).reverse())


def _whatever(iterations: isl.Set, depths: list[int]) -> isl.Set:
    """Iterations without the numbers at some depths, innermost first: those that bound the last one have some value,
    others may have any, or none. So a bound is lost that follows from what these are."""
    for depth in depths:
        if not _bounds_last(iterations, depth):
            iterations = iterations.drop_constraints_involving_dims(_SET, depth, 1)
        iterations = iterations.project_out(_SET, depth, 1)
    return iterations


def _bounded_by(loop: LoopNode, depth: int) -> bool:
    """Whether the loop at some depth tells where one inside of it begins or ends."""
    return depth < loop.depth and _bounds_last(loop.domain, depth)


def _bounds_last(iterations: isl.Set, depth: int) -> bool:
    """Whether the number at some depth tells where the last one begins or ends."""
    own = iterations.drop_constraints_not_involving_dims(_SET, iterations.dim(_SET) - 1, 1)
    return bool(own.involves_dims(_SET, depth, 1))


def _is_turned(loops: tuple[LoopNode, ...]) -> bool:
    """Whether the last of some loops in a new order was bounded by one that stands outside no more, or bounded one that
    stands outside now."""
    *around, last = loops
    left = set(range(last.depth)) - {other.depth for other in around}
    return any(_bounded_by(last, depth) for depth in left) or any(_bounded_by(o, last.depth) for o in around)
