"""What is to be expanded: where a nest gains by it, and memory for it is of no account beside the data."""

from __future__ import annotations

from math import prod

from accshare.frontend.ir import IntLit
from accshare.order.choose import NEAR, Judge, best_of
from accshare.order.expand import expanded
from accshare.order.facts import Facts
from accshare.order.ir import Step, Word
from accshare.order.nests import is_plain, written
from accshare.poly.ir import LoopNode, Mode, Scop, Statement, Variable, VariableKind
from accshare.quota import Quota, QuotaExceeded

#: isl's operations for one loop; about a fifth of a second
_OPERATIONS = 400_000
#: numbers that a processor has at hand
_REGISTERS = 32


def widened(judge: Judge) -> tuple[Judge, tuple[Step, ...]]:
    """The judge of the region with all that is worth being expanded, and what that was. Loops further inside come
    first: the fewer iterations have parts of their own, the less memory these take."""
    steps: list[Step] = []
    loops = {loop.index: loop for s in judge.facts.scop.statements for loop in s.loops}
    for loop in sorted(loops.values(), key=lambda loop: -loop.depth):
        try:
            with Quota(_OPERATIONS):
                found = _along(judge, loop)
        except QuotaExceeded:
            continue
        scop = found.facts.scop
        for expansion in scop.expansions[len(judge.facts.scop.expansions) :]:
            steps.append(Step(Word.EXPANDED, (loop,), (_inside(scop, loop),), expansion=expansion))
        judge = found
    return judge, tuple(steps)


def _along(judge: Judge, loop: LoopNode) -> Judge:
    """The judge of the region with those variables expanded along a loop without which its nest would not gain."""
    facts, scop = judge.facts, judge.facts.scop
    nest = _inside(scop, loop)
    source = written(facts, nest, loop.depth)
    wanted = () if facts.is_short(loop) or not is_plain(source) else _reused(facts, nest, loop)
    if source.grid:  # iterations have their own already
        wanted = tuple(variable for variable in wanted if not _fits_registers(variable))
    found, variables = _expanded(scop, wanted, loop)
    if not variables:
        return judge
    wide = judge.of(found)
    (before, known), (after, steps) = _best(judge, loop), _best(wide, loop)
    if after * NEAR > before or steps <= known:  # loops that run as they did gain nothing, whatever figures say
        return judge
    for variable in variables if len(variables) > 1 else ():
        fewer, others = _expanded(scop, tuple(v for v in variables if v != variable), loop)
        narrow = judge.of(fewer)
        less, other_steps = _best(narrow, loop)
        if others and less <= after * NEAR and not other_steps <= known:
            wide, variables = narrow, others
    return wide


def _fits_registers(variable: Variable) -> bool:
    """Whether a work-item has a variable in registers, if that is its own."""
    sizes = [size.value for size in variable.shape if isinstance(size, IntLit)]
    return len(sizes) == len(variable.shape) and prod(sizes) <= _REGISTERS


def _best(judge: Judge, loop: LoopNode) -> tuple[float, set[tuple[object, ...]]]:
    """What the whole nest takes of which a loop is part, and what is done to its loops."""
    scop = judge.facts.scop
    outermost = next(s.loops[0] for s in scop.statements if loop.index in {own.index for own in s.loops})
    return best_of(judge, _inside(scop, outermost))


def _inside(scop: Scop, loop: LoopNode) -> tuple[Statement, ...]:
    return tuple(s for s in scop.statements if any(own.index == loop.index for own in s.loops))


def _expanded(scop: Scop, variables: tuple[Variable, ...], loop: LoopNode) -> tuple[Scop, tuple[Variable, ...]]:
    """The region with those of the variables expanded for which that is possible."""
    done: list[Variable] = []
    for variable in variables:
        found = expanded(scop, variable, loop)
        if found is not None:
            scop = found
            done.append(variable)
    return scop, tuple(done)


def _reused(facts: Facts, nest: tuple[Statement, ...], loop: LoopNode) -> tuple[Variable, ...]:
    """The variables that iterations of a loop may use one after the other, and that stay small beside the data with a
    part for each: no array of parts has more dimensions than others have, or as many as there are loops."""
    ranks = (len(a.subscripts) for s in nest for a in s.accesses if a.variable.kind is VariableKind.MEMORY)
    most = min(max(ranks, default=0), max(len(s.loops) for s in nest) - loop.depth - 1)
    between = facts.between(nest, loop.depth)
    keeping = {d.source_access.variable.name for d in between if facts.is_hard(d, loop)}
    found = []
    for variable in facts.scop.variables:
        users = [s for s in nest if any(a.variable == variable for a in s.accesses)]
        written_ = any(a.variable == variable and a.mode is Mode.WRITE for s in users for a in s.accesses)
        hinders = variable.kind is not VariableKind.MEMORY or variable.name in keeping
        if len(users) > 1 and written_ and hinders and len(variable.shape) < most:
            found.append(variable)
    return tuple(found)
