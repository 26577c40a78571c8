"""Neighbours with other iterations: those that both have are one nest, and each does what is left in nests of its own.

Loops over elements often leave out a border in one nest and not in the next. Where iterations of either need nothing
of one another, those of the first that the second lacks may all run before, and those of the second that the first
lacks behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import islpy as isl

from accshare.islbuild import points
from accshare.order.align import away_from, can_count_elsewhere, joined_elements
from accshare.order.carry import Copy, Placed, as_written, rearranged
from accshare.order.facts import Facts, mentions
from accshare.order.ir import Step
from accshare.order.nests import Group, written
from accshare.order.remade import Remade
from accshare.order.split import behind, split
from accshare.poly.ir import LoopNode, Scop, Statement, VariableKind
from accshare.records import dataclass

_SET = isl.dim_type.set
#: statements that two nests may have
_MOST = 8


@dataclass(frozen=True, slots=True)
class _Cut:
    """A region with one of its nests in pieces: what another nest has, too, and the `others`, each with the number of
    loops that it has in common with that."""

    scop: Scop
    common: tuple[Statement, ...]
    others: tuple[tuple[int, tuple[Statement, ...]], ...] = ()
    steps: tuple[Step, ...] = ()


def joined_in_common(facts: Facts, first: tuple[Statement, ...], second: tuple[Statement, ...]) -> Remade | None:
    """Two nests of a region, which stand one after the other, as one where they have the same iterations, and what is
    left of either in nests of its own; None unless all their loops are parallel, and may be the same ones there."""
    groups = one, other = written(facts, first, 0), written(facts, second, 0)
    if one.grid != other.grid or not _memory(first) & _memory(second) or len((*first, *second)) > _MOST:
        return None
    away = away_from(facts, one, other) if all(_are_free(facts, group) for group in groups) else None
    if away is None:
        return None
    ranges = [(_range(a), _range(b)) for a, b in zip(one.order, other.order, strict=True)]
    of_first = [(own, _moved(theirs, -by)) for (own, theirs), by in zip(ranges, away, strict=True)]
    of_second = [(own, _moved(theirs, by)) for (theirs, own), by in zip(ranges, away, strict=True)]
    cut = _cut(_Cut(facts.scop, first), of_first)
    then = None if cut is None else _cut(_Cut(cut.scop, second), of_second)
    if cut is None or then is None or not (cut.others or then.others):
        return None
    return _joined(facts, cut, then)


def _joined(facts: Facts, first: _Cut, second: _Cut) -> Remade | None:
    """What two nests that were cut one after the other have in common as one, between the others of the first and those
    of the second."""
    numbers = count(1)
    early, late = ([p for part in cut.others for p in _alone(*part, next(numbers))] for cut in (first, second))
    places = (*early, *map(as_written, (*first.common, *second.common)), *late)
    names = {place.statement.name for place in places}
    every = second.scop.statements
    start = next(k for k, s in enumerate(every) if s.name in names)
    around = [tuple(map(as_written, some)) for some in (every[:start], every[start + len(places) :])]
    scop = rearranged(second.scop, (*around[0], *places, *around[1]), facts.pairs)
    found = joined_elements(facts.after(scop), *(_same(scop, cut.common) for cut in (first, second)))
    if found is None:
        return None
    statements = tuple(s for s in found.scop.statements if s.name in names)
    return Remade(found.scop, statements, (*first.steps, *second.steps, *found.steps))


def _alone(depth: int, part: tuple[Statement, ...], number: int) -> Iterator[Placed]:
    """Statements in loops of their own."""
    for statement in part:
        loops = (Copy(loop, number if k < depth else 0) for k, loop in enumerate(statement.loops))
        yield Placed(statement, tuple(loops), statement.loops)


def _same(scop: Scop, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Statements as they are in what became of a region."""
    names = {s.name for s in statements}
    return tuple(s for s in scop.statements if s.name in names)


def _are_free(facts: Facts, group: Group) -> bool:
    """Whether a nest has nothing but loops that count up by one between bounds that hang on none of them, and no
    iteration needs anything of another."""
    loops = group.order
    if not group.grid or any(len(s.loops) != group.grid for s in group.statements):
        return False
    bounds = [bound for loop in loops for bound in (loop.loop.first, loop.loop.bound)]
    if any(mentions(bound, loop) for bound in bounds for loop in loops):
        return False
    if not all(loop.loop.step == 1 and can_count_elsewhere(loop) for loop in loops):
        return False
    return all(facts.keeps(d, 0, loop, loop) for d in facts.between(group.statements, 0) for loop in loops)


def _memory(nest: tuple[Statement, ...]) -> set[str]:
    return {a.variable.name for s in nest for a in s.accesses if a.variable.kind is VariableKind.MEMORY}


def _range(loop: LoopNode) -> isl.Set:
    """The numbers that a loop counts."""
    return loop.domain.project_out(_SET, 0, loop.depth).reset_tuple_id()


def _moved(some: isl.Set, by: int) -> isl.Set:
    """Numbers that are so much greater."""
    every = points(1)
    return some.apply(every.to([every.coordinates[0].add_constant_val(isl.Val(by))]))


def _cut(known: _Cut, ranges: list[tuple[isl.Set, isl.Set]]) -> _Cut | None:
    """A nest in pieces, its loops having the numbers of the first ones of some ranges, and the other nest's the second;
    None where one function doesn't tell what both have."""
    for depth, (own, theirs) in enumerate(ranges):
        both = own.intersect(theirs).intersect_params(known.scop.context)
        first, last = _only(both.dim_min(0)), _only(both.dim_max(0))
        if first is None or last is None:
            return None
        begin, end = first.to_pw_aff(), last.add_constant_val(isl.Val(1)).to_pw_aff()
        loop = known.common[0].loops[depth]
        own = own.intersect_params(known.scop.context)
        before = not own.is_subset(behind(begin, loop))
        after = not own.is_disjoint(behind(end, loop))
        if before or after:
            found = split(known.scop, known.common, loop, (begin,) * before + (end,) * after)
            parts: dict[int, list[Statement]] = {}
            for statement in found.statements:
                parts.setdefault(statement.loops[depth].index, []).append(statement)
            if len(parts) != 1 + before + after:
                return None
            pieces = [tuple(part) for part in parts.values()]
            common = pieces.pop(int(before))
            others = (*known.others, *((depth, piece) for piece in pieces))
            known = _Cut(found.scop, common, others, (*known.steps, *found.steps))
    return known


def _only(function: isl.PwAff) -> isl.Aff | None:
    """A function that has one piece."""
    pieces = function.coalesce().get_pieces()
    return pieces[0][1] if len(pieces) == 1 else None
