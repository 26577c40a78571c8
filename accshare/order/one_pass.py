"""One pass over arrays for two nests that stand one after the other.

Where both do something to each element, iterations of one run right behind those of the other that they need. Where the
second goes down the columns of a matrix, each of which combines into something of its own, columns are parallel in
both, and what the first has stored is in a register still when it is added up.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from accshare.frontend.ir import Symbol
from accshare.order.align import joined_elements
from accshare.order.carry import Copy, Placed, as_written, iterations, rearranged
from accshare.order.choose import NEAR, Judge
from accshare.order.common import joined_in_common
from accshare.order.cost import figures
from accshare.order.distribute import symbols_of
from accshare.order.facts import Facts
from accshare.order.ir import Candidate, Figures, Origin, Step, Verdict, Word
from accshare.order.lines import references
from accshare.order.nests import each_nest, is_plain, share_only_arrays, written
from accshare.order.remade import Remade
from accshare.poly.ir import DependenceKind, LoopNode, Scop, Statement
from accshare.quota import Quota, QuotaExceeded, complete
from accshare.records import dataclass
from accshare.tree import branches

#: isl's operations for two nests
_OPERATIONS = 100_000
#: arrays that processors fetch ahead along at once
_STREAMS = 12


@dataclass(frozen=True, slots=True)
class OnePass:
    """A region in which some nests have become one, what is said of that, and what it was weighed against."""

    scop: Scop
    steps: tuple[Step, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


def in_one_pass(judge: Judge) -> OnePass:
    """The region with neighbours that go over the same arrays in one nest wherever that is legal and gains."""
    found = OnePass(judge.facts.scop)
    place = 0
    while place + 1 < len(nests := each_nest(found.scop.statements)):
        two = nests[place], nests[place + 1]
        one = _of_elements(judge, *two) or _of_columns(judge, *two)
        if one is None:
            place += 1
        else:
            found = OnePass(one.scop, (*found.steps, *one.steps), (*found.verdicts, *one.verdicts))
            judge = judge.of(one.scop)
    return found


def _of_elements(judge: Judge, first: tuple[Statement, ...], second: tuple[Statement, ...]) -> OnePass | None:
    """The region with two of its nests, which do something to each element, as one; None where that is not legal, or
    gains nothing."""
    arrays = {a.variable.name for s in (*first, *second) for a in s.accesses if a.subscripts}
    own_ways = {
        any(branches(s.body) for s in nest) for nest in (first, second)
    }  # compilers may find no vectors for both
    if len(arrays) > _STREAMS or len(own_ways) > 1:
        return None
    try:
        with Quota(_OPERATIONS):
            found = joined_elements(judge.facts, first, second) or joined_in_common(judge.facts, first, second)
            if found is None:
                return None
            return _weighed(judge, first, second, found)
    except QuotaExceeded:
        return None


def _of_columns(judge: Judge, first: tuple[Statement, ...], second: tuple[Statement, ...]) -> OnePass | None:
    """The region with two of its nests, the second of which goes down columns, as one; None where that is not legal, or
    gains nothing."""
    facts = judge.facts
    sweep = _sweep(facts, second)
    if sweep is None or not _changes_elements(first):
        return None
    try:
        with Quota(_OPERATIONS):
            order = next((o for o in permutations(first[0].loops) if complete(_fits(facts, first, o, sweep))), None)
            if order is None:
                return None
            places = tuple(_placed(facts.scop.statements, first, order, sweep))
            made = rearranged(facts.scop, places, facts.pairs)
            steps = [Step(Word.FUSED, order, (first, second), sweep.loops)]
            if order != first[0].loops:
                steps.insert(0, Step(Word.INTERCHANGED, first[0].loops, (first,), order))
            return _weighed(judge, first, second, Remade(made, (*first, *second), tuple(steps)))
    except QuotaExceeded:
        return None


def _weighed(
    judge: Judge, first: tuple[Statement, ...], second: tuple[Statement, ...], found: Remade
) -> OnePass | None:
    """What was made of two nests, unless that gains nothing."""
    made = judge.facts.after(complete(found.scop))
    names = {s.name for s in found.statements}
    together = tuple(s for s in made.scop.statements if s.name in names)
    own = _figures(judge, made, together)
    apart = _sum(_figures(judge, judge.facts, first), _figures(judge, judge.facts, second))
    if judge.only is None and own.cycles * NEAR > apart.cycles:
        return None
    candidates = Candidate(Origin.SUPER, own), Candidate(Origin.SUPER, apart)
    return OnePass(made.scop, found.steps, (Verdict(together[-1].loops[0], judge.device.name, *candidates),))


def _figures(judge: Judge, facts: Facts, nest: tuple[Statement, ...]) -> Figures:
    return figures(facts, judge.counted(nest), nest, 0, judge.device)


def _sum(one: Figures, other: Figures) -> Figures:
    launches, lines, cycles = one.launches + other.launches, one.lines + other.lines, one.cycles + other.cycles
    return Figures(launches, max(one.parallel, other.parallel), lines, cycles)


@dataclass(frozen=True, slots=True)
class _Sweep:
    """A nest that goes down columns: its `loops` over columns and over rows, and what stands before the latter, in it
    and behind it."""

    loops: tuple[LoopNode, LoopNode]
    before: tuple[Statement, ...]
    inside: tuple[Statement, ...]
    behind: tuple[Statement, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All of them."""
        return (*self.before, *self.inside, *self.behind)


def _sweep(facts: Facts, nest: tuple[Statement, ...]) -> _Sweep | None:
    """A nest as one that goes down columns; None where it is another one."""
    inside = tuple(s for s in nest if len(s.loops) == 2)
    if not inside or any(len(s.loops) not in (1, 2) for s in nest) or len({s.loops[1].index for s in inside}) > 1:
        return None
    group = written(facts, nest, 0)
    columns, rows = inside[0].loops
    if not is_plain(group) or not share_only_arrays(nest, 0) or facts.is_short(columns) or facts.is_short(rows):
        return None
    if written(facts, inside, 0).grid != 1 or not _go_along(nest, columns):
        return None
    first = nest.index(inside[0])
    return _Sweep((columns, rows), nest[:first], inside, nest[first + len(inside) :])


def _changes_elements(nest: tuple[Statement, ...]) -> bool:
    """Whether all statements are in the same two loops, and nothing but elements of arrays leaves an iteration."""
    return (
        len({tuple(loop.index for loop in s.loops) for s in nest}) == 1
        and len(nest[0].loops) == 2
        and share_only_arrays(nest, 1)
    )


def _go_along(nest: tuple[Statement, ...], columns: LoopNode) -> bool:
    """Whether all that iterations of a loop reach lies side by side, or is the same."""
    return all(r.is_along(columns) or not r.moves(columns) for s in nest for r in references(s))


def _fits(facts: Facts, first: tuple[Statement, ...], order: tuple[LoopNode, ...], sweep: _Sweep) -> bool:
    """Whether iterations of a nest with its loops in some order can run right before those of the sweep, which need
    what they leave."""
    if (
        not is_plain(written(facts, first, 0))
        or not _go_along(first, order[0])
        or not are_alike(first, order, sweep.loops)
    ):
        return False
    if not all(facts.keeps(d, 0, loop, loop) for d in facts.between(first, 0) for loop in order):
        return False
    names, before, inside = ({s.name for s in part} for part in (first, sweep.before, sweep.inside))
    needed = False
    for one in facts.between((*first, *sweep.statements), 0):
        if (one.source.name in names) == (one.sink.name in names):
            continue
        if one.sink.name in before or not facts.keeps(one, 0, order[0], sweep.loops[0]):
            return False
        if one.sink.name in inside:
            if not facts.keeps(one, 0, order[1], sweep.loops[1]):
                return False
            matrix = len(one.source_access.subscripts) > 1
            needed |= matrix and one.kind is DependenceKind.FLOW
    return needed


def are_alike(nest: tuple[Statement, ...], order: tuple[LoopNode, ...], loops: tuple[LoopNode, ...]) -> bool:
    """Whether a nest's loops in some order can be others: they have the same iterations, count by the same steps in the
    same types, and the others' iterators mean nothing else in the nest."""
    pairs = tuple(zip(order, loops, strict=True))
    if any(own.loop.step != theirs.loop.step or own.iterator.type != theirs.iterator.type for own, theirs in pairs):
        return False
    old, new = ({loop.iterator for loop in some} for some in (order, loops))
    others: set[Symbol] = {symbol for s in nest for symbol in symbols_of(s)} - old
    if others & new:
        return False
    counts = (len(order), 1)
    return all(bool(iterations(order[:n]).is_equal(iterations(loops[:n]))) for n in counts)


def _placed(
    statements: tuple[Statement, ...], first: tuple[Statement, ...], order: tuple[LoopNode, ...], sweep: _Sweep
) -> Iterator[Placed]:
    """All statements of the region, those of the nest in the sweep."""
    names = {s.name for s in (*first, *sweep.statements)}
    for statement in statements:
        if statement == first[0]:
            yield from map(as_written, sweep.before)
            yield from (Placed(s, tuple(map(Copy, sweep.loops)), order) for s in first)
            yield from map(as_written, (*sweep.inside, *sweep.behind))
        elif statement.name not in names:
            yield as_written(statement)
