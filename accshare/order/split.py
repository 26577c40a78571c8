"""Index-set splitting: a loop one iteration after the other of which is parallel in parts.

What other iterations need is often left by the first one, or by the first half: up to where the first iteration needs
anything, none does, and behind it often none does again. The parts come in the order of the iterations, so that
splitting alone breaks nothing; their loops then run in any order that suits them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import islpy as isl

from accshare.builtins import maximum, minimum
from accshare.carried import carried
from accshare.frontend.ir import INT, Expr, For, IntLit, Scalar
from accshare.islbuild import given, points
from accshare.islexpr import binary, literal, of_value, variable
from accshare.order.facts import Facts, each_found_once
from accshare.order.ir import Step, Word
from accshare.order.nests import is_plain, share_only_arrays, written
from accshare.order.remade import Remade
from accshare.pieces import Piece, in_pieces
from accshare.poly.ir import LoopNode, Scop, Statement
from accshare.quota import Quota, QuotaExceeded
from accshare.records import replace
from accshare.source import Span

_IN, _OUT, _SET, _PARAM = isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set, isl.dim_type.param
_NOWHERE = Span(0, 0)
#: isl's operations for one nest, statements that it may come to, and places at which a loop is split
_OPERATIONS, _MOST, _PLACES = 200_000, 16, 2


@each_found_once
def splits(facts: Facts, nest: tuple[Statement, ...]) -> Iterator[Remade]:
    """The statements of one outermost loop with loops split that are parallel in parts: the outermost such loops alone,
    and those in their parts, too."""
    splitter = _Splitter(facts, nest)
    for deeply in (False, True):
        try:
            with Quota(_OPERATIONS):
                found = splitter.split(deeply=deeply)
        except QuotaExceeded:
            return
        if found is not None and len(found.statements) <= _MOST:
            yield found


class _Splitter:
    """A nest while its loops are split one after the other."""

    def __init__(self, facts: Facts, nest: tuple[Statement, ...]) -> None:
        self._facts = facts
        self._known = Remade(facts.scop, nest, ())
        self._asked: set[int] = set()
        self._parts: set[int] = set()

    def split(self, *, deeply: bool) -> Remade | None:
        """What becomes of the nest, those loops that stand in parts of others being left alone unless `deeply`; None
        where that is nothing new."""
        before = len(self._known.steps)
        while len(self._known.statements) <= _MOST:
            loop = self._next(deeply=deeply)
            if loop is None:
                break
            self._asked.add(loop.index)
            inside = tuple(s for s in self._known.statements if loop in s.loops)
            places = _places(self._facts, inside, loop)
            if places:
                self._take(split(self._known.scop, inside, loop, places), inside)
                self._facts = self._facts.after(self._known.scop)
        return self._known if len(self._known.steps) > before else None

    def _next(self, *, deeply: bool) -> LoopNode | None:
        """An outermost loop of which nothing is known yet."""
        every = {loop.index: (loop, s) for s in self._known.statements for loop in s.loops}
        new = ((loop, s) for index, (loop, s) in every.items() if index not in self._asked)
        fine = (loop for loop, s in new if deeply or not any(n.index in self._parts for n in s.loops[: loop.depth]))
        return min(fine, key=lambda loop: (loop.depth, loop.index), default=None)

    def _take(self, found: Remade, old: tuple[Statement, ...]) -> None:
        names = {s.name for s in self._known.statements} - {s.name for s in old}
        names |= {s.name for s in found.statements}
        ordered = tuple(s for s in found.scop.statements if s.name in names)
        depth = found.steps[0].loops[0].depth
        own = {s.loops[depth].index for s in found.statements}
        self._asked |= own
        self._parts |= own
        self._known = Remade(found.scop, ordered, (*self._known.steps, *found.steps))


# --- where a loop is split -----------------------------------------------------------------------------------------


def _places(facts: Facts, inside: tuple[Statement, ...], loop: LoopNode) -> tuple[isl.PwAff, ...]:
    """The iterations of a loop with which parts of it begin that are parallel, in terms of parameters and the iterators
    around it; none where that is not so, or it is parallel as a whole."""
    type_ = loop.iterator.type
    counts = isinstance(type_, Scalar) and type_.signed and type_.bytes >= INT.bytes and abs(loop.loop.step) == 1
    if not counts or facts.is_short(loop) or not _is_regular(facts, inside, loop):
        return ()
    hard = [d for d in facts.between(inside, loop.depth) if facts.is_hard(d, loop)]
    left = isl.Map.empty(points(1).space.map_from_domain_and_range(points(1).space))
    for relation in {id(d.relation): d.relation for d in hard}.values():
        left = left.union(_of_loop(carried(relation, loop.depth), inside[0].loops[: loop.depth]))
    left = left.intersect_params(facts.scop.context)
    if left.is_empty() or not left.apply_range(left).apply_range(left).is_empty():
        return ()
    places: list[isl.PwAff] = []
    while not left.is_empty():
        place = _first(left.range(), loop) if len(places) < _PLACES else None
        if place is None:
            return ()
        places.append(place)
        left = left.intersect_domain(behind(place, loop))
    return tuple(places)


def _is_regular(facts: Facts, inside: tuple[Statement, ...], loop: LoopNode) -> bool:
    """Whether no directive says more of the loops than that they are some, and statements have nothing to do with those
    in other iterations but by elements of arrays."""
    return share_only_arrays(inside, loop.depth) and is_plain(written(facts, inside, loop.depth))


def _of_loop(pairs: isl.Map, around: tuple[LoopNode, ...]) -> isl.Map:
    """Pairs of iterations of the loop inside of some others, the iterators of which become parameters."""
    depth = len(around)
    for kind in (_IN, _OUT):
        pairs = pairs.project_out(kind, depth + 1, pairs.dim(kind) - depth - 1).reset_tuple_id(kind)
    return given(pairs.project_out(_OUT, 0, depth), (outer.iterator.unique for outer in around), _IN)


def _first(needing: isl.Set, loop: LoopNode) -> isl.PwAff | None:
    """The first iteration that needs anything, if one function tells."""
    first = needing.dim_min(0) if loop.loop.step > 0 else needing.dim_max(0)
    for _, function in first.get_pieces():
        place = function.to_pw_aff()
        if needing.is_subset(behind(place, loop)):
            return place
    return None


def behind(place: isl.PwAff, loop: LoopNode) -> isl.Set:
    """The iterations from one on."""
    space = points(1).space
    order = isl.Map.lex_le(space) if loop.loop.step > 0 else isl.Map.lex_ge(space)
    return isl.Set.from_pw_aff(place).apply(order)


# --- the loop in parts ---------------------------------------------------------------------------------------------


def split(scop: Scop, inside: tuple[Statement, ...], loop: LoopNode, places: tuple[isl.PwAff, ...]) -> Remade:
    """The region with a loop, which is around the statements `inside`, in parts that begin with some iterations."""
    around = inside[0].loops[: loop.depth]
    numbers = count(scop.unused_loop)
    starts = [_inside(behind(place, loop), around) for place in places]
    values = [_value(scop, place, loop, around) for place in places]
    pieces: list[Piece] = []
    rest = loop
    for number in range(len(places) + 1):
        own, node = rest.domain, rest
        if number < len(places):
            own = own.subtract(starts[number])
            node = _before(rest, values[number])
            rest = replace(_from(rest, values[number]), domain=rest.domain.intersect(starts[number]))
        node = replace(node, domain=own)
        made = {loop.index: replace(node, index=next(numbers))}
        for statement in inside:
            domain = statement.domain.intersect(_within(own, len(statement.loops)).set_tuple_name(statement.name))
            if domain.intersect_params(scop.context).is_empty():
                continue
            for deeper in statement.loops[loop.depth + 1 :]:
                if deeper.index not in made:
                    part = deeper.domain.intersect(_within(own, deeper.depth + 1))
                    made[deeper.index] = replace(deeper, index=next(numbers), domain=part)
            pieces.append(_piece(statement, f"{statement.name}_{number}", domain, made))
    whole, new = in_pieces(scop, inside, tuple(pieces))
    return Remade(whole, new, (Step(Word.SPLIT, (loop,), (new,), values=tuple(values)),))


def _inside(some: isl.Set, around: tuple[LoopNode, ...]) -> isl.Set:
    """Iterations of a loop in terms of those of the loops around it, which were parameters."""
    for loop in reversed(around):
        place = some.find_dim_by_name(_PARAM, loop.iterator.unique)
        some = some.insert_dims(_SET, 0, 1) if place < 0 else some.move_dims(_SET, 0, _PARAM, place, 1)
    return some.reset_tuple_id()


def _within(own: isl.Set, rank: int) -> isl.Set:
    """Tuples of so many numbers that begin with some."""
    return own.add_dims(_SET, rank - own.dim(_SET))


def _piece(statement: Statement, name: str, domain: isl.Set, made: dict[int, LoopNode]) -> Piece:
    loops = tuple(made.get(node.index, node) for node in statement.loops)
    every = points(len(loops), name)
    back = every.to(every.coordinates, statement.name).intersect_range(domain)
    return Piece(replace(statement, name=name, loops=loops, domain=back.domain()), statement.name, back)


def _value(scop: Scop, place: isl.PwAff, loop: LoopNode, around: tuple[LoopNode, ...]) -> Expr:
    symbols = [p.symbol for p in scop.parameters] + [outer.iterator for outer in around]
    type_ = loop.iterator.type
    assert isinstance(type_, Scalar)
    return of_value(place, scop.context, {s.unique: variable(s) for s in symbols}, type_)


def _before(loop: LoopNode, end: Expr) -> LoopNode:
    """A loop over those of its iterations that come before one."""
    old, type_ = loop.loop, loop.iterator.type
    assert isinstance(type_, Scalar)
    up, inclusive = old.step > 0, old.relation in ("<=", ">=")
    last = binary("-" if up else "+", end, literal(int(inclusive), type_), type_)
    return replace(
        loop, loop=replace(old, bound=_end(old.bound, last, type_, least=up), relation=_relation(old), span=_NOWHERE)
    )


def _from(loop: LoopNode, begin: Expr) -> LoopNode:
    """A loop over those of its iterations that come from one on."""
    old, type_ = loop.loop, loop.iterator.type
    assert isinstance(type_, Scalar)
    first = _end(old.first, begin, type_, least=old.step < 0)
    return replace(loop, loop=replace(old, first=first, relation=_relation(old), span=_NOWHERE))


def _end(one: Expr, other: Expr, type_: Scalar, *, least: bool) -> Expr:
    """The lesser one of two numbers, or the greater one."""
    if isinstance(one, IntLit) and isinstance(other, IntLit):
        return literal((min if least else max)(one.value, other.value), type_)
    return (minimum if least else maximum)(one, other, type_)


def _relation(loop: For) -> str:
    """How a loop's iterator and its bound compare; a part may have none of its iterations."""
    return loop.relation if loop.relation != "!=" else "<" if loop.step > 0 else ">"
