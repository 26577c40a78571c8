"""The dependences that a loop carries, and what may be done about each."""

from __future__ import annotations

from typing import TypeAlias

import islpy as isl

from accshare.atomics import commuting
from accshare.carried import far_apart
from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import LONG
from accshare.islbuild import sizes
from accshare.islexpr import all_large, is_true, of_condition, variable
from accshare.poly.ir import Dependence, DependenceKind, Guard, LoopNode, Scop, Statement, Variable, VariableKind
from accshare.pragma.ir import Clause, Directive, Level
from accshare.quota import Quota, QuotaExceeded
from accshare.relax.explain import explained, undecided, witness
from accshare.relax.findings import Findings, can_be_private, users_of
from accshare.relax.ir import Carried, Kind, LoopOrder, Reduction
from accshare.relax.reductions import Freedom, clauses_of, constants_set, element_reduction, reduction

#: flow dependences explain best
_PRIORITY = (DependenceKind.FLOW, DependenceKind.OUTPUT, DependenceKind.ANTI)
#: a loop with this many iterations counts as one that really iterates, when a dependence hangs on a parameter
_MANY = 1000
#: isl's operations for one dependence; about a tenth of a second, or one where sets are large
_OPERATIONS = 100_000

#: how a variable stands in nobody's way: each iteration has it for itself, or they combine into it
_Way: TypeAlias = "Kind | Reduction | None"
#: pairs of a dependence that a loop carries, and the way of its variable
_Found: TypeAlias = tuple[Dependence, isl.Map, _Way]


def orders(findings: Findings, node: LoopNode) -> tuple[LoopOrder, LoopOrder]:
    """What keeps the iterations of a loop in order, and what does where reductions may be on elements of arrays, too:
    one and the same answer where that makes no difference.

    A promise (``independent``, ``parallel loop``) outweighs what can't be proved, never what is disproved.
    """
    if _level(node.loop.directive, Level.SEQ):
        message = f"loop {node.iterator.name} is serial: its directive says seq"
        said = LoopOrder(node, seq=Diagnostic("ACC308", message, node.loop.header))
        return said, said
    inside = frozenset(s.name for s in findings.scop.statements if node in s.loops)
    ways: dict[str, _Way] = {}
    found: list[_Found] = []
    for dependence in findings.scop.dependences:
        if dependence.source.name not in inside or dependence.sink.name not in inside:
            continue
        pairs = findings.carried(dependence, node.depth)
        if pairs is None:
            continue
        shared = dependence.source_access.variable
        way = ways.get(shared.name)
        if shared.name not in ways:
            way = _way(findings, dependence, node)
            if way is not None or not dependence.atomic:
                ways[shared.name] = way
        found.append((dependence, pairs, way))
    plain = _order(findings, node, inside, found)
    if not any(isinstance(way, Reduction) and way.variable.shape for way in ways.values()):
        return plain, plain
    return plain, _order(findings, node, inside, found, elements=True)


def _way(findings: Findings, dependence: Dependence, node: LoopNode) -> _Way:
    shared = dependence.source_access.variable
    single = shared.kind is not VariableKind.MEMORY and not shared.shape and shared.scope <= node.depth
    if single and not dependence.atomic and can_be_private(findings, shared, node):
        return Kind.PRIVATE
    return _reduction(findings, shared, node) if single or shared.shape else None


def _order(
    findings: Findings, node: LoopNode, inside: frozenset[str], found: list[_Found], elements: bool = False
) -> LoopOrder:
    promised = findings.scop.promises(node)
    free: list[Carried] = []
    kept: list[tuple[Dependence, isl.Map]] = []
    for dependence, pairs, way in found:
        if isinstance(way, Reduction) and (elements or not way.variable.shape):
            free.append(Carried(dependence, pairs, Kind.COMBINED, reduction=way))
        elif isinstance(way, Kind):
            free.append(Carried(dependence, pairs, way))
        elif _in_any_order(dependence, promised):
            free.append(Carried(dependence, pairs, Kind.UNORDERED))
        else:
            kept.append((dependence, pairs))
    kept.sort(key=lambda pair: _PRIORITY.index(pair[0].kind))
    for dependence, pairs in kept:
        one, broken = _weighed(findings, node, inside, dependence, pairs, promised)
        free.append(one)
        if one.kind is Kind.HARD:
            return LoopOrder(node, tuple(free), broken_promise=broken)
    return LoopOrder(node, tuple(free))


def _weighed(
    findings: Findings, node: LoopNode, inside: frozenset[str], dependence: Dependence, pairs: isl.Map, promised: bool
) -> tuple[Carried, Diagnostic | None]:
    """What becomes of a dependence on what iterations share, and the promise that it breaks."""
    scop = findings.scop
    trusted = Carried(dependence, pairs, Kind.TRUSTED)
    try:
        sure, guard = _certainty(scop, node, inside, dependence, pairs.params())
    except QuotaExceeded:
        hard = Carried(dependence, pairs, Kind.HARD, why=undecided(dependence, node))
        return trusted if promised else hard, None
    memory = bool(dependence.source_access.variable.shape)
    if promised and not dependence.exact and (memory or _sets_one_value(scop, dependence, node)):
        return trusted, None
    if guard is not None:
        return Carried(dependence, pairs, Kind.GUARDED, guard), None
    hard = Carried(dependence, pairs, Kind.HARD, why=explained(findings, dependence, pairs, node))
    return hard, witness(findings, dependence, pairs, node) if promised and dependence.exact and sure else None


def _in_any_order(dependence: Dependence, promised: bool) -> bool:
    """Whether iterations may come in any order as far as two accesses go that are atomic: where a promise asks for it,
    and where they are updates by the same operator, nobody looks at what is there in between."""
    ends = dependence.source_access.atomic, dependence.sink_access.atomic
    if ends[0] is None or ends[1] is None:
        return False
    return promised or (commuting(ends[0]) is not None and commuting(ends[0]) == commuting(ends[1]))


def _reduction(findings: Findings, variable: Variable, node: LoopNode) -> Reduction | None:
    """The reduction that a loop makes of a scalar, or of an element of an array."""
    users = users_of(findings.scop, variable, node)
    freedom = _freedom(findings, variable, users)
    if variable.shape:
        return element_reduction(findings.scop, variable, node, users, freedom)
    return reduction(variable, users, freedom)


def _freedom(findings: Findings, variable: Variable, users: tuple[Statement, ...]) -> Freedom:
    """What is said of the order of operations on a variable: a promise about a loop counts where it combines."""
    scop = findings.scop
    loops = {n.index: n for s in users for n in s.loops}.values()

    def promised() -> bool:
        unordered = [node for node in loops if _gives_up_order(scop, node)]
        return bool(unordered) and any(
            findings.carried(d, node.depth) is not None
            for d in scop.dependences
            if d.source_access.variable.name == variable.name
            for node in unordered
            if node in d.source.loops and node in d.sink.loops
        )

    return Freedom(_clauses(scop, users), findings.reassociate, promised)


def _gives_up_order(scop: Scop, node: LoopNode) -> bool:
    """Whether the user wants the iterations to run at the same time."""
    levels = (Level.GANG, Level.WORKER, Level.VECTOR)
    return scop.promises(node) or any(_level(node.loop.directive, level) for level in levels)


def _sets_one_value(scop: Scop, dependence: Dependence, node: LoopNode) -> bool:
    """Whether iterations do no more to a scalar than give it one and the same value, whichever does it."""
    variable = dependence.source_access.variable
    values = constants_set(variable, users_of(scop, variable, node))
    return len(values) == 1 and None not in values


def _clauses(scop: Scop, users: tuple[Statement, ...]) -> tuple[Clause, ...]:
    """What is said of the loops around some statements."""
    loops = tuple({n.index: n for s in users for n in s.loops}.values())
    return clauses_of(loops, scop.region.construct.clauses)


def _level(directive: Directive | None, level: Level) -> bool:
    return directive is not None and directive.says(level)


# --- for which parameters a dependence exists ---------------------------------------------------------------------


def _certainty(
    scop: Scop, node: LoopNode, inside: frozenset[str], dependence: Dependence, bad: isl.Set
) -> tuple[bool, Guard | None]:
    """Whether a dependence exists whenever the loop has many iterations, `bad` being the parameters with which it
    exists at all; otherwise the guard that excludes it, if there is one. `inside` names the statements of the loop.

    Raises `QuotaExceeded` where that is too complicated.
    """
    memory = bool(dependence.source_access.variable.shape)
    with Quota(_OPERATIONS):
        sure = dependence.exact and (not memory or _whenever_it_iterates(scop, node, inside, bad))
        return sure, None if sure or not dependence.exact else _guard(scop, dependence, bad, node)


def _whenever_it_iterates(scop: Scop, node: LoopNode, inside: frozenset[str], bad: isl.Set) -> bool:
    """Whether the dependence exists for all parameters with which the loop has many iterations."""
    iterating = present = sizes().nothing
    for statement in scop.statements:
        if statement.name not in inside:
            continue
        pairs = far_apart(statement.domain, node.depth, _MANY)
        iterating = iterating.union(pairs)
        present = present.union(statement.domain.params())
    usual = (present if iterating.is_empty() else iterating).intersect(scop.context)
    large = usual.intersect(all_large(present, _MANY))
    return (usual if large.is_empty() else large).is_subset(bad)


def _guard(scop: Scop, dependence: Dependence, bad: isl.Set, node: LoopNode) -> Guard | None:
    """The condition on parameters under which the dependence doesn't exist."""
    good = bad.complement().gist(scop.context).coalesce()
    if good.intersect(scop.context).is_empty():
        return None
    names = {p.symbol.unique: variable(p.symbol) for p in scop.parameters}
    condition = of_condition(good, scop.context, names, LONG)
    if is_true(condition):
        return None
    name = dependence.source_access.variable.name
    return Guard(condition, f"iterations of loop {node.iterator.name} may share elements of {name}", node.loop.header)
