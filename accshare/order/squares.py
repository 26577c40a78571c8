"""Squares: tables that are filled from what is left and right, above and below of each entry, square by square.

What an entry of a table over intervals takes from shorter ones (`t[i][j] = max(t[i][j], t[i][k] + t[k + 1][j])`) is by
far mostly in squares that are finished. Where it combines in any order, that part may come first, for all entries of a
square at once: a product. The rest runs as the program has it. Squares come by fronts, those of a front side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, takewhile

import islpy as isl

from accshare.builtins import maximum, minimum
from accshare.closed import tests_for
from accshare.frontend.ir import INT, LONG, Cast, Expr, Scalar, Storage, Symbol
from accshare.islbuild import at_least, at_most, given, points
from accshare.islexpr import binary, literal, variable
from accshare.order.bounds import counting, passed
from accshare.order.facts import Facts, commuting, each_found_once, moves
from accshare.order.ir import BLOCK, Step, Word
from accshare.order.moved import moved
from accshare.order.nests import could_be_product, is_plain, shared, written
from accshare.order.remade import Remade
from accshare.order.split import split
from accshare.poly.ir import Dependence, DependenceKind, LoopNode, Mode, Scop, Statement, VariableKind
from accshare.quota import Quota, QuotaExceeded
from accshare.records import replace
from accshare.source import Span

_IN, _OUT, _SET = isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set
_NOWHERE = Span(0, 0)
#: loops around an entry in squares: front, square, and its own two; those that combine stand inside
_ENTRY = 4
#: statements of a nest that squares are looked for, and isl's operations for one
_MOST, _OPERATIONS = 12, 1_000_000


@each_found_once
def in_squares(
    facts: Facts, nest: tuple[Statement, ...], reassociate: bool = False, tested: bool = False
) -> Iterator[Remade]:
    """The statements of one outermost loop in squares, where that makes products of what combines; else nothing.
    `reassociate` allows floating-point numbers to be combined in another order, `tested` that the region looks at those
    that it begins with, where the greatest and the least have no order then."""
    try:
        with Quota(_OPERATIONS):
            found = _in_squares(facts, nest, reassociate)
        with Quota(_OPERATIONS):
            tests = tests_for(facts.scop) if found is None and tested and not reassociate else ()
            if tests:
                found = _in_squares(facts.after(replace(facts.scop, tests=tests)), nest, reassociate)
    except QuotaExceeded:
        return
    if found is not None:
        yield found


def _in_squares(facts: Facts, nest: tuple[Statement, ...], reassociate: bool) -> Remade | None:
    source = written(facts, nest, 0)
    pair = source.order[:2]
    wanted = [s for s in nest if len(s.loops) == 3 and _is_wanted(facts, s)]
    if not wanted or len(nest) > _MOST or source.grid or len(pair) < 2 or not is_plain(source):
        return None
    if not _is_regular(nest) or not _grow(facts, nest, pair):
        return None
    scop, inside = cut(_with_few_relations(facts.scop), nest, pair)
    names = {s.name for s in wanted if _is_alone(s, nest)}
    known, free = facts.after(scop), commuting(scop, reassociate)
    late = _late(known, inside, names, free)
    early = _early(known, inside, names, late, free)
    if not names & set(early) or not _is_apart(known, inside, early, free):
        return None
    found = brought_forward(scop, inside, early, reassociate)
    return None if found is None else Remade(*found, (Step(Word.BLOCKED, pair, (nest,), size=BLOCK),))


def _is_regular(nest: tuple[Statement, ...]) -> bool:
    """Whether loops count by one, in signed types, and statements share nothing but elements of arrays."""
    loops = {n.index: n for s in nest for n in s.loops}.values()
    plain = all(abs(n.loop.step) == 1 and n.loop.relation != "!=" for n in loops)
    plain = plain and all(n.loop.step == 1 for s in nest for n in s.loops[2:])
    types = [n.iterator.type for n in loops]
    wide = all(isinstance(one, Scalar) and one.signed and one.bytes >= INT.bytes for one in types)
    return (
        plain
        and wide
        and all(a.variable.kind is VariableKind.MEMORY and not a.atomic for s in nest for a in s.accesses)
    )


def _is_wanted(facts: Facts, statement: Statement) -> bool:
    """Whether the innermost of three loops combines into one element for each iteration of the others."""
    stores = [a for a in statement.accesses if a.mode is Mode.WRITE]
    moved_ = [[moves(a, loop) for loop in statement.loops] for a in stores]
    return moved_ == [[True, True, False]] and could_be_product(facts, statement, 0)


def _is_alone(statement: Statement, nest: tuple[Statement, ...]) -> bool:
    """Whether no other statement stands in the innermost loop around one."""
    return sum(statement.loops[-1] in s.loops for s in nest) == 1


def _grow(facts: Facts, nest: tuple[Statement, ...], pair: tuple[LoopNode, ...]) -> bool:
    """Whether no dependence leads back along either of two loops."""
    for one in {id(d.relation): d.relation for d in shared(facts, nest, pair)}.values():
        relation = one.intersect_params(facts.scop.context)
        for loop in pair:
            back = isl.Map.order_gt if loop.loop.step > 0 else isl.Map.order_lt
            if not back(relation, _IN, loop.depth, _OUT, loop.depth).is_empty():
                return False
    return True


# --- what can come first -------------------------------------------------------------------------------------------


def _late(facts: Facts, nest: tuple[Statement, ...], products: set[str], free: frozenset[int]) -> dict[str, isl.Set]:
    """The instances of each statement, in squares, that need anything of other entries of the same one, directly or
    not, but by dependences that are `free`. Of the loop that a product has inside, those iterations of which an entry
    of the square does."""
    domains = {s.name: s.domain for s in nest}
    late = {name: domain.subtract(domain) for name, domain in domains.items()}
    inside: list[tuple[str, str, isl.Map]] = []

    def add(name: str, some: isl.Set) -> bool:
        if some.intersect_params(facts.scop.context).is_subset(late[name]):
            return False
        kept = some.eliminate(_SET, 2, 2).intersect(domains[name]) if name in products else domains[name]
        late[name] = late[name].union(kept).coalesce()
        return True

    needed = {id(d.relation): d for d in facts.between(nest, 0) if id(d) not in free}  # several have the same one
    for dependence in needed.values():
        relation = dependence.relation.equate(_IN, 0, _OUT, 0).equate(_IN, 1, _OUT, 1)
        if not relation.is_empty():
            inside.append((dependence.source.name, dependence.sink.name, relation))
            same = relation.equate(_IN, 2, _OUT, 2).equate(_IN, 3, _OUT, 3)
            add(dependence.sink.name, relation.subtract(same).range())
    while any(add(sink, relation.intersect_domain(late[source]).range()) for source, sink, relation in inside):
        pass
    return late


def _early(
    facts: Facts, nest: tuple[Statement, ...], products: set[str], late: dict[str, isl.Set], free: frozenset[int]
) -> dict[str, isl.Set]:
    """What of statements comes first: of a product the iterations that do so for all entries of a square alike, and
    whatever these need of it."""
    found: dict[str, isl.Set] = {}
    for statement in nest:
        left = statement.domain.intersect_params(facts.scop.context).subtract(late[statement.name])
        if statement.name in products:
            entries = statement.loops[_ENTRY - 1].domain.reset_tuple_id().add_dims(_SET, 1)
            missing = entries.set_tuple_name(statement.name).subtract(left)
            left = left.subtract(missing.eliminate(_SET, 2, 2))
        parts = [part for part in left.coalesce().get_basic_sets() if not _is_thin(part)]
        if len(parts) == 1:
            found[statement.name] = parts[0].to_set()
    needed = products & set(found)
    while True:
        into = (d for d in facts.between(nest, 0) if d.sink.name in needed and d.source.name in found)
        more = {d.source.name for d in into if id(d) not in free and _is_within(d, found[d.sink.name])} - needed
        if not more:
            return {name: some for name, some in found.items() if name in needed}
        needed |= more


def _is_thin(part: isl.BasicSet) -> bool:
    """Whether it has only one iteration of some loop, as where a table ends."""
    return any(constraint.is_equality() for constraint in part.get_constraints())


def _is_apart(facts: Facts, nest: tuple[Statement, ...], early: dict[str, isl.Set], free: frozenset[int]) -> bool:
    """Whether nothing that comes first needs what comes later of the same square."""
    for one in facts.between(nest, 0):
        if one.sink.name in early and id(one) not in free:
            inside = one.relation.equate(_IN, 0, _OUT, 0).equate(_IN, 1, _OUT, 1).intersect_range(early[one.sink.name])
            rest = inside if one.source.name not in early else inside.subtract_domain(early[one.source.name])
            if not rest.intersect_params(facts.scop.context).is_empty():
                return False
    return True


def _is_within(dependence: Dependence, sinks: isl.Set) -> bool:
    """Whether a dependence leads to some instances within their squares."""
    inside = dependence.relation.equate(_IN, 0, _OUT, 0).equate(_IN, 1, _OUT, 1)
    return not inside.intersect_range(sinks).is_empty()


# --- the nest in squares -------------------------------------------------------------------------------------------


def cut(scop: Scop, nest: tuple[Statement, ...], pair: tuple[LoopNode, ...]) -> tuple[Scop, tuple[Statement, ...]]:
    """The region with a nest whose loops `pair`, the outermost ones of all its statements, go square by square."""
    cutter = _Cutter(scop, pair)
    return moved(scop, nest, cutter.map, cutter.loops, lambda _: None)


class _Cutter:
    """The loops of squares: ``front`` and the number of a square along the first loop, counted up, then the program's
    own within the square."""

    def __init__(self, scop: Scop, pair: tuple[LoopNode, ...]) -> None:
        self._scop = scop
        self._pair = pair
        self._made: dict[int, LoopNode] = {}
        first, second = pair
        domain = second.domain.apply(self.map(second.domain))
        numbers = count(scop.unused_loop)
        outside: tuple[LoopNode, ...] = ()
        for rest, name in ((3, "front"), (2, f"{first.iterator.name}_square")):
            symbol = Symbol(name, scop.unused(name), LONG, Storage.INNER)
            own = domain.project_out(_SET, _ENTRY - rest, rest).coalesce()
            loop = replace(counting(scop, own, symbol, first.loop, outside), directive=None)
            outside = (*outside, LoopNode(next(numbers), len(outside), loop, passed(own)))
        front, square = (variable(loop.iterator) for loop in outside)
        other = binary("+" if first.loop.step < 0 else "-", front, square, LONG)
        if second.loop.step < 0:
            other = binary("-", literal(0, LONG), other, LONG)
        rows = self._inside(first, square, domain.project_out(_SET, 3, 1).coalesce())
        self._around = (*outside, rows, self._inside(second, other, domain))

    def map(self, instances: isl.Set) -> isl.Map:
        """From the program's iterators to these of squares, the number of the square along the second loop being told
        by front and the one along the first."""
        name, rank = instances.get_tuple_name() or "", instances.dim(_SET) + 2
        every = points(rank, name)
        front, square, i, j, *_ = every.coordinates
        one, other = (loop.loop.step for loop in self._pair)
        across = front - square if one > 0 else front + square
        across = across if other > 0 else -across
        inside = every.where(*_of_square(i, square), *_of_square(j, across))
        return every.to(every.coordinates[2:], name).intersect_domain(inside).reverse()

    def _inside(self, old: LoopNode, square: Expr, domain: isl.Set) -> LoopNode:
        """Those iterations of a loop that are in a square."""
        loop, type_ = old.loop, old.iterator.type
        assert isinstance(type_, Scalar)
        low = binary("*", literal(BLOCK, LONG), square, LONG)
        last = binary("+", low, literal(BLOCK - 1, LONG), LONG)
        up = loop.step > 0
        near, far = (low, last) if up else (last, low)
        within = maximum if up else minimum, minimum if up else maximum
        first = within[0](Cast(loop.first, LONG, True, loop.header), near, LONG)
        inclusive = loop.relation in ("<=", ">=")
        end: Expr = Cast(loop.bound, LONG, True, loop.header)
        if not inclusive:
            end = binary("-" if up else "+", end, literal(1, LONG), LONG)
        ends = (Cast(e, type_, False, loop.header) for e in (first, within[1](end, far, LONG)))
        begin, bound = ends
        made = replace(loop, first=begin, bound=bound, relation="<=" if up else ">=", span=_NOWHERE)
        return replace(old, depth=old.depth + 2, loop=made, domain=domain)

    def loops(self, statement: Statement) -> tuple[LoopNode, ...]:
        """The loops around a statement."""
        deeper = []
        for loop in statement.loops[2:]:
            if loop.index not in self._made:
                domain = loop.domain.apply(self.map(loop.domain))
                self._made[loop.index] = replace(loop, depth=loop.depth + 2, domain=domain)
            deeper.append(self._made[loop.index])
        return (*self._around, *deeper)


def _of_square(place: isl.Aff, square: isl.Aff) -> tuple[isl.Set, isl.Set]:
    """Where an iterator is in the square of some number."""
    away = place - square.scale_val(isl.Val(BLOCK))
    return at_least(away, 0), at_most(away, BLOCK - 1)


# --- what comes first ----------------------------------------------------------------------------------------------


def brought_forward(
    scop: Scop, nest: tuple[Statement, ...], early: dict[str, isl.Set], reassociate: bool = False
) -> tuple[Scop, tuple[Statement, ...]] | None:
    """The region with those instances of statements that are `early`, a range of the innermost loop's iterations in
    each square, in loops of their own before the rest of a front, whether that is legal or not. What combines in any
    order then does so in this one. None where one function doesn't tell where a range ends."""
    names = [s.name for s in nest]
    first: list[str] = []
    for name, some in early.items():
        some = some.intersect_params(scop.context)
        statement = next(s for s in scop.statements if s.name == name)
        if statement.domain.intersect_params(scop.context).is_subset(some):
            first.append(name)
            continue
        ends = _ends(some, statement)
        if ends is None:
            return None
        found = split(scop, (statement,), statement.loops[_ENTRY], ends)
        scop, parts = found.scop, {s.name: s.domain.set_tuple_name(name) for s in found.statements}
        place = names.index(name)
        names[place : place + 1] = parts
        first += [part for part, own in parts.items() if own.intersect_params(scop.context).is_equal(some)]
    every = {s.name: s for s in scop.statements}
    numbers = count(scop.unused_loop)
    alone = {name: _alone(scop, every[name], numbers) for name in first}
    inside = (*alone.values(), *(every[name] for name in names if name not in alone))
    return _reordered(scop, inside, frozenset(first), reassociate), inside


def _ends(some: isl.Set, statement: Statement) -> tuple[isl.PwAff, isl.PwAff] | None:
    """The first iteration of the innermost loop that is in `some` in a square, and the one behind the last."""
    own = some.eliminate(_SET, 2, 2).reset_tuple_id().coalesce()
    own = given(own, (loop.iterator.unique for loop in statement.loops[:_ENTRY]))
    low, behind = own.dim_min(0), own.dim_max(0).add_constant_val(isl.Val(1))
    if low.n_piece() > 1 or behind.n_piece() > 1:
        return None
    (first,), (last,) = ([function.to_pw_aff() for _, function in end.get_pieces()] for end in (low, behind))
    return first, last


def _alone(scop: Scop, statement: Statement, numbers: Iterator[int]) -> Statement:
    """A statement in loops of its own below the fronts."""
    domain, loops = statement.domain.reset_tuple_id(), statement.loops[:1]
    for depth, old in enumerate(statement.loops[1:], 1):
        own = domain.project_out(_SET, depth + 1, domain.dim(_SET) - depth - 1).coalesce()
        loop = counting(scop, own, old.iterator, old.loop, loops)
        loops = (*loops, LoopNode(next(numbers), depth, loop, passed(own)))
    return replace(statement, loops=loops)


def _reordered(scop: Scop, inside: tuple[Statement, ...], first: frozenset[str], reassociate: bool) -> Scop:
    """The region with some statements in this order: what combines in any order follows those that are `first`."""
    new = {s.name: s for s in inside}
    reverse: dict[int, isl.Map] = {}
    free = commuting(scop, reassociate)
    dependences = []
    for old in scop.dependences:
        one = old.between(new, {})
        turned = one.sink.name in first and one.source.name in new and one.source.name not in first
        dependences.append(_turned(one, reverse) if turned and id(old) in free else one)
    before = tuple(takewhile(lambda s: s.name not in new, scop.statements))
    after = scop.statements[len(before) + len(inside) :]
    return replace(scop, statements=(*before, *inside, *after), dependences=tuple(dependences))


def _turned(one: Dependence, known: dict[int, isl.Map]) -> Dependence:
    """A dependence between the same accesses in the other order."""
    if id(one.relation) not in known:  # several have the same one
        known[id(one.relation)] = one.relation.reverse()
    kind = DependenceKind.of(one.sink_access.mode, one.source_access.mode)
    return Dependence(kind, one.sink, one.sink_access, one.source, one.source_access, known[id(one.relation)])


def _with_few_relations(scop: Scop) -> Scop:
    """The region with one relation for all dependences that have the same pairs."""
    known: dict[tuple[str, str], list[isl.Map]] = {}
    dependences = []
    for old in scop.dependences:
        alike = known.setdefault((old.source.name, old.sink.name), [])
        relation = next((one for one in alike if one is old.relation or one.is_equal(old.relation)), None)
        if relation is None:
            alike.append(relation := old.relation)
        dependences.append(old.between({}, {}, relation))
    return replace(scop, dependences=tuple(dependences))
