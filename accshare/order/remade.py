"""Nests that are made of others before an order is looked for: what there is of them, and whether one is better."""

from __future__ import annotations

from collections.abc import Iterable

from accshare.order.choose import NEAR, Judge, Order, chosen
from accshare.order.ir import Candidate, Figures, Origin, Step, Verdict
from accshare.order.sizes import Sizes
from accshare.poly.ir import Scop, Statement
from accshare.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Remade:
    """A region with a nest that is made of another one: its statements, and what is said of it."""

    scop: Scop
    statements: tuple[Statement, ...]
    steps: tuple[Step, ...]


def best_remade(
    judge: Judge, nest: tuple[Statement, ...], known: Order, origin: Origin, every: Iterable[Remade]
) -> tuple[Verdict | None, tuple[Scop, Order] | None]:
    """What is said of one outermost loop in several forms, None where there are none; and the best order in one of
    them, with the region that it is one of, None where the best one that is `known` is as good."""
    best: tuple[Scop, Order] | None = None
    forms = tuple(every)
    if not forms:
        return None, None
    lost: list[Candidate] = []
    before = known.verdicts[0].winner.origin if known.verdicts else Origin.SOURCE
    least = whole = judge.weighed(nest, 0, before, known)
    for found in forms:
        candidate, order = ordered(judge, found, origin)
        if judge.only is origin or _is_better(candidate.figures, least.figures):
            verdict = Verdict(nest[0].loops[0], judge.device.name, candidate, whole)
            best, least = (found.scop, order._replace(verdicts=(verdict,))), candidate
        else:
            lost.append(candidate)
    if best is not None:
        return best[1].verdicts[0], best
    next_ = min(lost, key=lambda one: one.figures.cycles)
    return Verdict(nest[0].loops[0], judge.device.name, whole, next_), None


def ordered(judge: Judge, found: Remade, origin: Origin) -> tuple[Candidate, Order]:
    """A nest in another form in the best order that is found of that, with its figures."""
    inside = Origin.SUPER if judge.only is origin else judge.only
    own = replace(judge.of(found.scop), sizes=Sizes(), weights={}, only=inside)
    order = chosen(own, found.statements)
    candidate = own.weighed(found.statements, 0, origin, order)
    return candidate, Order(order.places, (*found.steps, *order.steps), order.kept)


def _is_better(remade: Figures, whole: Figures) -> bool:
    """Whether a nest is better in another form. In as many launches it is if it takes no longer: loops that become
    parallel run in vectors then, which figures don't tell of those inside."""
    if remade.launches <= whole.launches:
        return remade.cycles < whole.cycles * NEAR
    return remade.cycles * NEAR < whole.cycles
