"""What isl's scheduler makes of a nest, where that is its loops in another order, or apart.

isl's orders are functions of all iterators. Those that are one iterator each are loops that were there before; others
(skewed or shifted ones, several statements in loops that are not the same) are none that can be written down here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, groupby

import islpy as isl

from accshare.order.carry import Copy, Placed
from accshare.order.facts import Facts, found_once, mentions
from accshare.order.ir import Step, Word
from accshare.order.nests import is_plain, written
from accshare.order.scheduler import scheduled
from accshare.poly.ir import LoopNode, Statement, VariableKind
from accshare.quota import Quota, QuotaExceeded
from accshare.records import replace

_IN = isl.dim_type.in_
_KINDS = isl.schedule_node_type
#: statements of a nest, and isl's operations for one
_MOST, _OPERATIONS = 8, 200_000


class _Unwritable(Exception):  # noqa: N818 - says what the order is
    """An order is not one of the loops that there are."""


@found_once
def permuted(facts: Facts, nest: tuple[Statement, ...]) -> tuple[tuple[tuple[Placed, ...], tuple[Step, ...]], ...]:
    """Places of the statements in an outermost loop, and how they came there: as near to one another as isl finds, and
    each in loops of its own."""
    try:
        with Quota(_OPERATIONS):
            return tuple(_permuted(facts, nest))
    except QuotaExceeded:
        return ()


def _permuted(facts: Facts, nest: tuple[Statement, ...]) -> Iterator[tuple[tuple[Placed, ...], tuple[Step, ...]]]:
    if len(nest) > _MOST or not is_plain(written(facts, nest, 0)) or not _are_free(facts, nest):
        return
    known: list[tuple[Placed, ...]] = []
    for apart in (False, True):
        between = (d.relation for d in facts.between(nest, 0))
        schedule = scheduled((s.domain for s in nest), between, near=True, apart=apart)
        if schedule is None:
            return
        try:
            places = _numbered(tuple(_Reader(nest).places(schedule.get_root(), nest, {s.name: () for s in nest})))
        except _Unwritable:
            continue
        if places not in known:
            known.append(places)
            yield places, tuple(_steps(places))


def _are_free(facts: Facts, nest: tuple[Statement, ...]) -> bool:
    """Whether loops count up, and no variable that one of them declares ties statements together."""
    own = [v for v in facts.scop.variables if v.kind is VariableKind.PRIVATE and v.scope]
    tied = any(sum(any(a.variable == v for a in s.accesses) for s in nest) > 1 for v in own)
    return not tied and all(loop.loop.step > 0 for s in nest for loop in s.loops)


class _Reader:
    """Reads loops from isl's tree. Those of a band are copies of one number."""

    def __init__(self, nest: tuple[Statement, ...]) -> None:
        self._numbers = count()
        self._order = {s.name: k for k, s in enumerate(nest)}

    def places(
        self, node: isl.ScheduleNode, inside: tuple[Statement, ...], around: dict[str, tuple[Copy, ...]]
    ) -> Iterator[Placed]:
        """The places of the statements inside of a node, `around` which loops are."""
        kind = _KINDS(node.get_type())
        if kind is _KINDS.leaf:
            yield from (_placed(s, around[s.name]) for s in inside)
        elif kind in (_KINDS.sequence, _KINDS.set):
            parts = [(_named(node.child(k), inside), node.child(k).child(0)) for k in range(node.n_children())]
            if kind is _KINDS.set:
                parts.sort(key=lambda part: self._order[part[0][0].name])
            for part, child in parts:
                yield from self.places(child, part, around)
        elif kind is _KINDS.band:
            yield from self.places(node.child(0), inside, self._in_band(node, inside, around))
        elif kind is _KINDS.domain:
            yield from self.places(node.child(0), inside, around)
        else:
            raise _Unwritable

    def _in_band(
        self, node: isl.ScheduleNode, inside: tuple[Statement, ...], around: dict[str, tuple[Copy, ...]]
    ) -> dict[str, tuple[Copy, ...]]:
        number, functions = next(self._numbers), node.band_get_partial_schedule()
        for k in range(node.band_n_member()):
            loops = _loops(functions.get_union_pw_aff(k), inside)
            if len({loop.index for loop in loops.values()}) > 1:
                raise _Unwritable
            around = {name: (*around[name], Copy(loop, number)) for name, loop in loops.items()}
        return around


def _named(node: isl.ScheduleNode, inside: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements that a filter lets through."""
    names: set[str] = set()
    node.filter_get_filter().foreach_set(lambda one: names.add(one.get_tuple_name()))
    return tuple(s for s in inside if s.name in names)


def _loops(function: isl.UnionPwAff, inside: tuple[Statement, ...]) -> dict[str, LoopNode]:
    """The loop of each statement that is all of a function."""
    pieces: list[isl.PwAff] = []
    function.foreach_pw_aff(pieces.append)
    named = {piece.get_space().get_tuple_name(_IN): piece.get_pieces() for piece in pieces}
    found = {}
    for statement in inside:
        (_, aff), *others = named[statement.name]
        factors = [aff.get_coefficient_val(_IN, k) for k in range(len(statement.loops))]
        own = [loop for loop, factor in zip(statement.loops, factors, strict=True) if factor.is_one()]
        alone = len(own) == 1 and sum(not factor.is_zero() for factor in factors) == 1
        if others or not alone or not aff.get_constant_val().is_zero() or aff.dim(isl.dim_type.div):
            raise _Unwritable
        found[statement.name] = own[0]
    return found


def _placed(statement: Statement, loops: Sequence[Copy]) -> Placed:
    own = tuple(copy.loop for copy in loops)
    if len(own) != len(statement.loops) or len(set(own)) != len(own):
        raise _Unwritable
    for place, loop in enumerate(own):
        bounds = loop.loop.first, loop.loop.bound
        if any(mentions(bound, later) for bound in bounds for later in own[place + 1 :]):
            raise _Unwritable
    return Placed(statement, tuple(loops), own)


def _numbered(places: tuple[Placed, ...]) -> tuple[Placed, ...]:
    """The same with the copies of each loop counted from 0, which is the loop itself."""
    numbers: dict[int, dict[int, int]] = {}
    for copy in (copy for place in places for copy in place.loops):
        own = numbers.setdefault(copy.loop.index, {})
        own.setdefault(copy.number, len(own))
    return tuple(
        replace(place, loops=tuple(replace(c, number=numbers[c.loop.index][c.number]) for c in place.loops))
        for place in places
    )


def _steps(places: tuple[Placed, ...]) -> Iterator[Step]:
    runs = [tuple(run) for _, run in groupby(places, lambda p: (p.loops[0].loop.index, p.loops[0].number))]
    parts = tuple(tuple(p.statement for p in run) for run in runs)
    if len(parts) > 1:
        yield Step(Word.DISTRIBUTED, places[0].statement.loops[:1], parts)
    for _, run in groupby(places, lambda p: p.loops):
        together = tuple(run)
        if together[0].own != together[0].statement.loops:
            statements = tuple(p.statement for p in together)
            yield Step(Word.INTERCHANGED, statements[0].loops, (statements,), together[0].own)
