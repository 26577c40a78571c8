"""How long a value is needed: whether a scalar's lives within one iteration of a loop, whether it outlives the region,
and whether all are still there once each iteration has a part of its own; and which are read before there are any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import TypeAlias

import islpy as isl

from accshare.carried import together
from accshare.dataflow import Flow, common
from accshare.frontend.ir import Assign, Scalar, Storage, Symbol, Var
from accshare.islbuild import all_maps, all_sets
from accshare.poly.ir import (
    Access,
    Copied,
    Dependence,
    DependenceKind,
    Expansion,
    LoopNode,
    Mode,
    Scop,
    Statement,
    Variable,
    VariableKind,
)
from accshare.records import replace

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out
#: the numbers of a time for each loop: a place in the text, and an iteration
_NUMBERS = 2


def read_early(scop: Scop) -> frozenset[Symbol]:
    """The arrays of ``private`` clauses of which an iteration may, but need not, read what it has not written."""
    return frozenset(_read_early(scop))


def _read_early(scop: Scop) -> Iterator[Symbol]:
    for one in scop.variables:
        named = one.kind is VariableKind.PRIVATE and one.shape and isinstance(one.element, Scalar)
        if named and isinstance(one.base, Var) and one.base.symbol.storage is not Storage.INNER:
            flow = Flow.of(one, scop.statements)
            if not flow.unwritten(scop.context).is_empty() and not flow.is_never_written(scop.context):
                yield one.base.symbol


def can_be_private(scop: Scop, flow: Flow, scalar: Variable, node: LoopNode) -> bool:
    """Whether every value read of `scalar` was written in the same iteration of the loop, and none is needed later;
    `flow` is the scalar's."""
    if scalar.kind is VariableKind.OUTER and is_live(scop, scalar):
        return False
    users = tuple(s for s in scop.statements if node in s.loops)
    if _keeps_what_was(users, scalar, node.depth):
        return False
    inside = all_sets(s.domain for s in users)
    context = scop.context
    if not flow.unwritten(context).intersect_domain(inside).is_empty():
        return False
    crossing = flow.compute(context)
    touching = crossing.intersect_domain(inside).union(crossing.intersect_range(inside))
    maps: list[isl.Map] = []
    touching.foreach_map(maps.append)
    names = {s.name for s in users}

    def inside_it(relation: isl.Map) -> bool:
        ends = (isl.dim_type.in_, _OUT)
        return {relation.get_tuple_name(end) for end in ends} <= names

    within = all_maps(together(relation, node.depth + 1) for relation in maps if inside_it(relation))
    return touching.is_subset(within)


def _keeps_what_was(statements: tuple[Statement, ...], scalar: Variable, depth: int) -> bool:
    """Whether some statement of a loop at `depth` reads a scalar though no write can have come before in the same
    iteration: what sums and counts do, without asking isl."""

    def modes(statement: Statement) -> set[Mode]:
        return {access.mode for access in statement.accesses if access.variable == scalar}

    for place, statement in enumerate(statements):
        again = (s for s in statements[place:] if common(s, statement) > depth + 1)
        if Mode.READ in modes(statement) and not any(Mode.WRITE in modes(s) for s in again):
            return True
        if Mode.WRITE in modes(statement):
            return False
    return False


def is_live(scop: Scop, scalar: Variable) -> bool:
    """Whether the value after the region matters: never in ``parallel``, where scalars are firstprivate."""
    if scop.region.construct.kind.is_parallel:
        return False
    return scalar.name in scop.region.live_after


#: whether two accesses of two statements may be to the same element
MayTouch: TypeAlias = Callable[[Statement, Access, Statement, Access], bool]


class Touching:
    """The pairs of accesses to the same element, of some statements: found once for those of a statement that are
    alike. `may` is asked first where something is known of accesses."""

    def __init__(self, may: MayTouch | None = None) -> None:
        self._may = may
        self._alike: dict[int, tuple[isl.Map, isl.Map]] = {}
        self._distinct: dict[tuple[str, str], list[isl.Map]] = {}
        self._same: dict[tuple[str, int, str, int], isl.Map] = {}
        self._known: dict[tuple[str, int, str, int, int], isl.Map] = {}
        self._times: dict[str, int] = {}
        self._forms: list[isl.Map] = []
        self._later: dict[tuple[int, int, int], isl.Map] = {}

    def of(self, source: Statement, first: Access, sink: Statement, second: Access, outer: int = 0) -> isl.Map:
        """The pairs of one access and a later one to the same element, which are in one space, the first `outer`
        numbers of their times being the same."""
        one, other = self._relation(source, first), self._relation(sink, second)
        key = source.name, id(one), sink.name, id(other), outer
        if key not in self._known:
            if self._may is not None and not self._may(source, first, sink, second):
                self._known[key] = isl.Map.empty(_between(one, other))
            else:
                pairs = self._of_same(key[:4], one, other)
                apart = self._may is None and pairs.is_empty()
                self._known[key] = pairs if apart else pairs.intersect(self._in_order(source, sink, outer))
        return self._known[key]

    def _of_same(self, key: tuple[str, int, str, int], one: isl.Map, other: isl.Map) -> isl.Map:
        """The pairs of accesses to the same element, in whatever order."""
        if key not in self._same:
            back = self._same.get((*key[2:], *key[:2]))
            self._same[key] = one.apply_range(other.reverse()) if back is None else back.reverse()
        return self._same[key]

    def _in_order(self, source: Statement, sink: Statement, outer: int) -> isl.Map:
        """From the instances of one statement to the later ones of another, the first `outer` numbers of their times
        being the same. It is found once for those that run at times of the same form."""
        key = self._time(source), self._time(sink), outer
        if key not in self._later:
            before, after = (self._forms[number] for number in key[:2])
            found = before.project_out(_OUT, 0, outer).lex_lt_map(after.project_out(_OUT, 0, outer))
            if outer:
                count = before.dim(_OUT) - outer
                starts = (time.project_out(_OUT, outer, count) for time in (before, after))
                found = found.intersect(next(starts).apply_range(next(starts).reverse()))
            self._later[key] = found
        return self._later[key].set_tuple_name(_IN, source.name).set_tuple_name(_OUT, sink.name)

    def _time(self, statement: Statement) -> int:
        """The number of what tells when instances of a statement run; whatever is none may run at any time, which is
        simpler."""
        if statement.name not in self._times:
            own = _everywhere(statement.time).reset_tuple_id(_IN)
            same = (number for number, form in enumerate(self._forms) if form.plain_is_equal(own))
            self._times[statement.name] = next(same, len(self._forms))
            self._forms += [own] if self._times[statement.name] == len(self._forms) else []
        return self._times[statement.name]

    def _relation(self, statement: Statement, access: Access) -> isl.Map:
        own = access.relation
        if id(own) not in self._alike:
            known = self._distinct.setdefault((statement.name, access.space), [])
            found = next((one for one in known if one.plain_is_equal(own)), own)
            known += [] if found is not own else [own]
            self._alike[id(own)] = own, found
        return self._alike[id(own)][1]


def _between(one: isl.Map, other: isl.Map) -> isl.Space:
    """The space of pairs of tuples from which two relations lead."""
    source, sink = one.get_space().domain(), other.get_space().domain()
    return source.map_from_domain_and_range(sink.align_params(source))


def _everywhere(time: isl.Map) -> isl.Map:
    """A relation that is one function as that function, wherever it is."""
    pieces: list[isl.MultiAff] = []
    if time.is_single_valued():
        time.as_pw_multi_aff().foreach_piece(lambda _, piece: pieces.append(piece))
    return isl.Map.from_multi_aff(pieces[0]) if len(pieces) == 1 else time


def dependences_of(scop: Scop, is_new: Callable[[Access], bool], both: Touching | None = None) -> Iterator[Dependence]:
    """The dependences with an access at one end or the other of which `is_new` tells that nothing is known yet."""
    uses = [(s, a) for s in scop.statements for a in s.accesses]
    known: dict[int, isl.Map] = {}
    both = both or Touching()
    for source, first in uses:
        for sink, second in uses:
            if first.space != second.space or Mode.WRITE not in (first.mode, second.mode):
                continue
            if is_new(first) or is_new(second):
                found = both.of(source, first, sink, second)
                if id(found) not in known:
                    known[id(found)] = found.intersect_params(scop.context)
                pairs = known[id(found)]
                if not pairs.is_empty():
                    kind = DependenceKind.of(first.mode, second.mode)
                    yield Dependence(kind, source, first, sink, second, pairs)


def is_faithful(scop: Scop, expansion: Expansion) -> bool:
    """Whether every read of a part sees the write that a read of the one variable saw, and all that was written of it
    is stored back where that is needed."""
    one, several, written = Flow(), Flow(), all_sets(())
    last = next((s for s in scop.statements if s.name == expansion.last), None)
    for statement in scop.statements:
        for access in statement.accesses:
            variables = expansion.variable, expansion.original
            if access.variable in variables and not (statement is last and access.mode is Mode.WRITE):
                element = _element(access, expansion)
                one.add(access, element, statement.time)
                several.add(access, access.relation, statement.time)
                if access.mode is Mode.WRITE:
                    written = written.union(element.range())
    unwritten = (flow.unwritten(scop.context).domain() for flow in (one, several))
    same = several.compute(scop.context).is_equal(one.compute(scop.context)) and isl.UnionSet.is_equal(*unwritten)
    return bool(same) and (last is None or _is_stored(scop, last, expansion, written))


def _is_stored(scop: Scop, last: Statement, expansion: Expansion, written: isl.UnionSet) -> bool:
    """Whether a statement does nothing but store all that was written, each element where it belongs."""
    elements = [_element(a, expansion).to_union_map() for a in last.accesses]
    stored = elements[1].range().intersect_params(scop.context)
    return bool(elements[0].is_equal(elements[1]) and stored.is_equal(written.intersect_params(scop.context)))


def is_copied(scop: Scop, copied: Copied, both: Touching) -> bool:
    """Whether every read of a copy sees what the array has then: an element is copied to its own place before it is
    read, and whatever changes it before the read has done so before the copy. `both` has pairs of the region's
    statements that are known by now."""
    uses = [(s, a) for s in scop.statements for a in s.accesses if a.variable.memory == copied.variable.name]
    makers = [(s, a) for s, a in uses if a.mode is Mode.WRITE]
    reads = {(s.name, a.reference): (s, a) for s, a in uses if a.mode is Mode.READ}
    if not all(_copies(s, copied) for s, _ in makers):
        return False
    return all(
        any(_sees(scop, copied, tuple(makers), read, both, loops) for loops in (1, 0)) for read in reads.values()
    )


def _sees(
    scop: Scop,
    copied: Copied,
    makers: tuple[tuple[Statement, Access], ...],
    read: tuple[Statement, Access],
    both: Touching,
    loops: int,
) -> bool:
    """Whether an element is copied before each read of it, in the same iteration of so many outermost `loops`, and
    behind whatever changes it before, of which no more can come in between than what runs in that one, too."""

    def later(variable: Variable, source: tuple[Statement, Access], sink: tuple[Statement, Access]) -> isl.Map:
        return both.of(source[0], _named(source[1], variable), sink[0], _named(sink[1], variable), _NUMBERS * loops)

    context, space = scop.context, read[1].relation.domain()
    copies = [(maker, later(copied.variable, (maker, write), read)) for maker, write in makers]
    copies = [(maker, together(pairs, loops)) for maker, pairs in copies if not pairs.is_empty()]
    seen = reduce(isl.Set.union, (pairs.range() for _, pairs in copies), space.subtract(space))
    if not space.intersect_params(context).is_subset(seen):
        return False
    for writer in scop.statements:
        for write in writer.accesses:
            if write.variable.memory != copied.original.name or write.mode is not Mode.WRITE:
                continue
            changed = later(copied.original, (writer, write), read).intersect_params(context)
            if changed.is_empty():
                continue
            ways = ((later(copied.original, (writer, write), (s, s.accesses[0])), pairs) for s, pairs in copies)
            before = reduce(isl.Map.union, (first.apply_range(then) for first, then in ways))
            if not changed.is_subset(before):
                return False
    return True


def _copies(statement: Statement, copied: Copied) -> bool:
    """Whether a statement does nothing but store elements of an array to the same place in its copy."""
    body = statement.body
    if len(statement.accesses) != 2 or not isinstance(body, Assign) or body.op != "=":
        return False
    read, write = statement.accesses
    names = read.variable.memory, write.variable.memory
    modes, text = (read.mode, write.mode), (body.value, body.target) == (read.reference, write.reference)
    same = _named(read, copied.variable).relation.is_equal(_named(write, copied.variable).relation)
    own = names == (copied.original.name, copied.variable.name) and modes == (Mode.READ, Mode.WRITE)
    return own and text and bool(same) and read.exact and write.exact


def _named(access: Access, variable: Variable) -> Access:
    """An access to the element of a variable that it is to of another one of the same shape."""
    if access.relation.get_tuple_name(_OUT) == variable.name:
        return access
    return replace(access, relation=access.relation.set_tuple_name(_OUT, variable.name))


def _element(access: Access, expansion: Expansion) -> isl.Map:
    """The element that an access is to, of the one variable that there was."""
    original = expansion.original
    scope = original.scope if original.kind is VariableKind.PRIVATE else 0
    if access.variable == expansion.variable:
        scope = expansion.variable.scope or 1
    own = access.relation.project_out(_OUT, 0, scope)
    return own.set_tuple_name(_OUT, original.name)
