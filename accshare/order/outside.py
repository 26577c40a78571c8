"""Loops of the parts of a nest as one loop outside of it: the coarsest parallelism that needs no barrier (SUPER,
Algorithm 3).

A loop over time often has several sweeps in it, each in loops of its own. Where nothing goes from one iteration of some
loop in each sweep to another, these loops are one that is parallel, with time inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from accshare.order.carry import Copy, Placed
from accshare.order.distribute import are_alike
from accshare.order.facts import Facts, mentions
from accshare.order.ir import Step, Word
from accshare.order.nests import Group, common, is_plain, shared
from accshare.poly.ir import LoopNode, Statement


def moved_outside(facts: Facts, source: Group) -> tuple[tuple[Placed, ...], tuple[Step, ...]] | None:
    """The statements of a nest in the program's order, in loops that its parts have in common outside of all others;
    None where there are none."""
    depth, around = source.depth, source.order
    deeper = depth + len(around)
    if source.grid or not around or not is_plain(source) or any(len(s.loops) <= deeper for s in source.statements):
        return None
    parts = [tuple(run) for _, run in groupby(source.statements, lambda s: s.loops[deeper].index)]
    free = [tuple(_free(facts, part, source)) for part in parts]
    if len(parts) < 2 or not all(free):
        return None
    chosen: list[tuple[LoopNode, ...]] = [() for _ in parts]
    for loop in free[0]:
        chosen = _with(facts, source, parts, free, chosen, loop) or chosen
    if not chosen[0]:
        return None
    groups = [_group(part, source, own) for part, own in zip(parts, chosen, strict=True)]
    return tuple(_placed(groups)), tuple(_steps(groups))


def _with(
    facts: Facts,
    source: Group,
    parts: list[tuple[Statement, ...]],
    free: list[tuple[LoopNode, ...]],
    chosen: list[tuple[LoopNode, ...]],
    loop: LoopNode,
) -> list[tuple[LoopNode, ...]] | None:
    """The loops `chosen` for each part and one more, which is `loop` in the first."""
    own = (*chosen[0], loop)
    main = _group(parts[0], source, own)
    result = [own]
    for part, known, candidates in zip(parts[1:], chosen[1:], free[1:], strict=True):
        wider = ((*known, other) for other in candidates if other not in known)
        found = next((w for w in wider if are_alike(facts, main, _group(part, source, w))), None)
        if found is None:
            return None
        result.append(found)
    both = [_group(part, source, own) for part, own in zip(parts, result, strict=True)]
    alike = all(are_alike(facts, one, other) for k, one in enumerate(both) for other in both[k + 1 :])
    return result if alike else None


def _free(facts: Facts, part: tuple[Statement, ...], source: Group) -> Iterator[LoopNode]:
    """The loops of a part whose iterations need nothing of one another at all, and whose bounds no loop around them
    tells."""
    chain = common(part, source.depth)
    between = shared(facts, part, chain)
    for loop in chain[len(source.order) :]:
        bounds = loop.loop.first, loop.loop.bound
        fixed = not any(mentions(bound, other) for bound in bounds for other in chain)
        if fixed and not facts.is_short(loop) and all(facts.keeps(d, source.depth, loop, loop) for d in between):
            yield loop


def _group(part: tuple[Statement, ...], source: Group, own: tuple[LoopNode, ...]) -> Group:
    rest = tuple(loop for loop in common(part, source.depth) if loop not in own)
    return Group(part, source.depth, (*own, *rest), len(own))


def _placed(groups: list[Group]) -> Iterator[Placed]:
    main = groups[0]
    theirs = main.order[: main.grid]
    for group in groups:
        for statement in group.statements:
            own = group.loops(statement)
            loops = (*own[: group.depth], *theirs, *own[group.depth + group.grid :])
            yield Placed(statement, tuple(map(Copy, loops)), own)


def _steps(groups: list[Group]) -> Iterator[Step]:
    for group in groups:
        yield Step(Word.INTERCHANGED, group.chain, (group.statements,), group.order)
    main = groups[0]
    for group in groups[1:]:
        parts = group.statements, main.statements
        yield Step(Word.FUSED, group.order[: group.grid], parts, main.order[: main.grid])
