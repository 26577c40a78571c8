"""Which loops are parallel, and why the others are not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import islpy as isl

from accshare.atomics import commuting
from accshare.carried import together
from accshare.diagnostics import Diagnostic, Note
from accshare.islbuild import all_maps, all_sets
from accshare.poly.ir import Dependence, DependenceKind, Guard, LoopNode, Mode, Scop, Statement, Variable, VariableKind
from accshare.pragma.ir import Clause, Directive, DirectiveKind, Level, LevelClause, ReductionOp
from accshare.quota import Quota, QuotaExceeded
from accshare.schedule.certainty import certainty
from accshare.schedule.findings import Findings
from accshare.schedule.ir import Reduction, Trusted
from accshare.schedule.reductions import (
    Freedom,
    clauses_of,
    constants_set,
    element_reduction,
    missing_clause,
    reduction,
)
from accshare.source import Span

_VERB = {
    DependenceKind.FLOW: ("writes", "reads"),
    DependenceKind.ANTI: ("reads", "writes"),
    DependenceKind.OUTPUT: ("writes", "writes"),
}
#: flow dependences explain best
_PRIORITY = (DependenceKind.FLOW, DependenceKind.OUTPUT, DependenceKind.ANTI)
#: for what a message would gain by; optima of large polyhedra take as long as everything else
_FEW_OPERATIONS = 5_000


@dataclass(frozen=True, slots=True)
class Parallelism:
    """The answer for one loop: parallel, given the guards, private variables, reductions and what is taken on trust; or
    why not."""

    parallel: bool
    guards: tuple[Guard, ...] = ()
    private: frozenset[str] = frozenset()
    reductions: tuple[Reduction, ...] = ()
    reason: Diagnostic | None = None
    broken_promise: Diagnostic | None = None
    trusted: tuple[Trusted, ...] = ()


def analyse(findings: Findings, node: LoopNode, elements: bool = False) -> Parallelism:
    """Whether the iterations of a loop can run in any order.

    A dependence the loop carries forbids it, unless it is on a scalar that can be private to an iteration or is a
    reduction; with `elements`, reductions may be on elements of arrays, too. A promise (``independent``, ``parallel
    loop``) outweighs what can't be proved, never what is disproved.
    """
    if _level(node.loop.directive, Level.SEQ):
        message = f"loop {node.iterator.name} is serial: its directive says seq"
        return Parallelism(False, reason=Diagnostic("ACC308", message, node.loop.header))
    scop = findings.scop
    inside = frozenset(s.name for s in scop.statements if node in s.loops)
    promised = _promised(scop, node)
    private: set[str] = set()
    shared: set[str] = set()
    reductions: list[Reduction] = []
    carried: list[tuple[Dependence, isl.Map]] = []
    for dependence in scop.dependences:
        if dependence.source.name not in inside or dependence.sink.name not in inside:
            continue
        scalar = dependence.source_access.variable
        if scalar.name in private or any(r.variable == scalar for r in reductions):
            continue
        relation = findings.carried(dependence, node.depth)
        if relation is None:
            continue
        if scalar.name not in shared:
            single = scalar.kind is not VariableKind.MEMORY and not scalar.shape and scalar.scope <= node.depth
            if single and not dependence.atomic and can_be_private(findings, scalar, node):
                private.add(scalar.name)
                continue
            found = None
            if single or (elements and scalar.shape):
                found = _reduction(findings, scalar, node)
            if found is not None:
                reductions.append(found)
                continue
            if not dependence.atomic:
                shared.add(scalar.name)
        if _in_any_order(dependence, promised):
            continue
        carried.append((dependence, relation))
    parallelism = _weighed(findings, node, inside, carried, promised)
    return (
        replace(parallelism, private=frozenset(private), reductions=tuple(reductions))
        if parallelism.parallel
        else parallelism
    )


def _weighed(
    findings: Findings,
    node: LoopNode,
    inside: frozenset[str],
    carried: list[tuple[Dependence, isl.Map]],
    promised: bool,
) -> Parallelism:
    """What the dependences that a loop carries make of it."""
    scop = findings.scop
    guards: list[Guard] = []
    trusted: list[Trusted] = []
    for dependence, relation in sorted(carried, key=lambda pair: _PRIORITY.index(pair[0].kind)):
        memory = bool(dependence.source_access.variable.shape)
        try:
            sure, guard = certainty(scop, node, inside, dependence, relation.params())
        except QuotaExceeded:
            if promised:
                trusted.append(Trusted(dependence, relation, promised=True))
                continue
            return Parallelism(False, reason=_undecided(dependence, node))
        if promised and dependence.exact and sure:
            witness = _witness(findings, dependence, relation, node)
            return Parallelism(False, reason=_explain(findings, dependence, relation, node), broken_promise=witness)
        if promised and not dependence.exact and (memory or _sets_one_value(scop, dependence, node)):
            trusted.append(Trusted(dependence, relation, promised=True))
            continue
        if guard is None:
            return Parallelism(False, reason=_explain(findings, dependence, relation, node))
        guards.append(guard)
        trusted.append(Trusted(dependence, relation, promised=False))
    return Parallelism(True, tuple(guards), trusted=tuple(trusted))


def _in_any_order(dependence: Dependence, promised: bool) -> bool:
    """Whether iterations may come in any order as far as two accesses go that are atomic: where a promise asks for it,
    and where they are updates by the same operator, nobody looks at what is there in between."""
    ends = dependence.source_access.atomic, dependence.sink_access.atomic
    if ends[0] is None or ends[1] is None:
        return False
    return promised or (commuting(ends[0]) is not None and commuting(ends[0]) == commuting(ends[1]))


def can_be_private(findings: Findings, scalar: Variable, node: LoopNode) -> bool:
    """Whether every value read of `scalar` was written in the same iteration of the loop, and none is needed later."""
    scop = findings.scop
    if scalar.kind is VariableKind.OUTER and _is_live(scop, scalar):
        return False
    flow = findings.flow(scalar)
    inside = all_sets(s.domain for s in scop.statements if node in s.loops)
    context = scop.context
    if not flow.unwritten(context).intersect_domain(inside).is_empty():
        return False
    crossing = flow.compute(context)
    touching = crossing.intersect_domain(inside).union(crossing.intersect_range(inside))
    maps: list[isl.Map] = []
    touching.foreach_map(maps.append)
    names = {s.name for s in scop.statements if node in s.loops}

    def inside_it(relation: isl.Map) -> bool:
        return {relation.get_tuple_name(isl.dim_type.in_), relation.get_tuple_name(isl.dim_type.out)} <= names

    within = all_maps(together(relation, node.depth + 1) for relation in maps if inside_it(relation))
    return touching.is_subset(within)


def _is_live(scop: Scop, scalar: Variable) -> bool:
    """Whether the value after the region matters: never in ``parallel``, where scalars are firstprivate."""
    kind = scop.region.construct.kind
    if kind in (DirectiveKind.PARALLEL, DirectiveKind.PARALLEL_LOOP):
        return False
    return scalar.name in scop.region.live_after


def _users(scop: Scop, scalar: Variable, node: LoopNode) -> tuple[Statement, ...]:
    return tuple(s for s in scop.statements if node in s.loops and any(a.variable == scalar for a in s.accesses))


def _reduction(findings: Findings, variable: Variable, node: LoopNode) -> Reduction | None:
    """The reduction that a loop makes of a scalar, or of an element of an array."""
    users = _users(findings.scop, variable, node)
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
    return _promised(scop, node) or any(_level(node.loop.directive, level) for level in levels)


def _sets_one_value(scop: Scop, dependence: Dependence, node: LoopNode) -> bool:
    """Whether iterations do no more to a scalar than give it one and the same value, whichever does it."""
    variable = dependence.source_access.variable
    values = constants_set(variable, _users(scop, variable, node))
    return len(values) == 1 and None not in values


def _clauses(scop: Scop, users: tuple[Statement, ...]) -> tuple[Clause, ...]:
    """What is said of the loops around some statements."""
    loops = tuple({n.index: n for s in users for n in s.loops}.values())
    return clauses_of(loops, scop.region.construct.clauses)


def _level(directive: Directive | None, level: Level) -> bool:
    return directive is not None and any(isinstance(c, LevelClause) and c.level is level for c in directive.clauses)


def _promised(scop: Scop, node: LoopNode) -> bool:
    """Whether the user said that the iterations are independent (OpenACC 3.x 2.9.6 and 2.9.9)."""
    directive = node.loop.directive
    if directive is None or _level(directive, Level.AUTO):
        return False
    in_parallel = scop.region.construct.kind in (DirectiveKind.PARALLEL, DirectiveKind.PARALLEL_LOOP)
    return in_parallel or _level(directive, Level.INDEPENDENT)


def _undecided(dependence: Dependence, node: LoopNode) -> Diagnostic:
    """The reason where it would take too long to find out for which parameters a dependence exists."""
    name = dependence.source_access.variable.name
    message = f"loop {node.iterator.name} is serial: whether iterations share elements of {name} is too complicated"
    hint = "if the iterations touch different elements, say so with independent"
    return Diagnostic("ACC312", message, node.loop.header, hint, _notes(dependence))


# --- explanations ------------------------------------------------------------------------------------------------


def _explain(findings: Findings, dependence: Dependence, relation: isl.Map, node: LoopNode) -> Diagnostic:
    scop, variable_ = findings.scop, dependence.source_access.variable
    iterator = node.iterator.name
    name = variable_.name
    notes = _notes(dependence)
    header = node.loop.header
    if variable_.kind is not VariableKind.MEMORY and not variable_.shape:
        users = _users(scop, variable_, node)
        op = missing_clause(variable_, users)
        if op is not None:
            why = f"it accumulates into {name}, and the order of floating-point operations is kept"
            hint = f"add reduction({op.clause.value}:{name}), or compile with -ffast-math"
            if op in (ReductionOp.MAX, ReductionOp.MIN):
                word, sign = ("maximum", ">") if op is ReductionOp.MAX else ("minimum", "<")
                why = f"its {word} {name} forgets what came before a NaN, so the order of iterations is kept"
                hint = (
                    f"write if (x {sign} {name}) {name} = x, which passes over NaN; or add reduction({op.value}:{name})"
                )
            if None not in constants_set(variable_, users):
                why = f"it sets {name}, of which it is not known that it is but 0 or 1"
                hint = f"add reduction({op.value}:{name}), or declare it as _Bool"
            return Diagnostic("ACC307", f"loop {iterator} is serial: {why}", header, hint, notes)
        hint = f"if iterations don't need each other's value, declare {name} inside the loop or add private({name})"
        if _is_live(scop, variable_):
            hint = f"{name} is used after the region; if its last value isn't needed, use one declared inside the loop"
        return Diagnostic(
            "ACC306", f"loop {iterator} is serial: its iterations share the scalar {name}", header, hint, notes
        )
    first, second = _VERB[dependence.kind]
    distance = _distance(relation, node.depth)
    apart = f" ({distance} apart)" if distance else ""
    sure = "" if dependence.exact else " perhaps"
    return Diagnostic(
        "ACC302",
        f"loop {iterator} is serial: one iteration{sure} {first} an element of {name} that another {second}{apart}",
        header,
        None if dependence.exact else f"if the iterations touch different elements of {name}, say so with independent",
        notes,
    )


def _is_scratch(findings: Findings, array: Variable, node: LoopNode) -> bool:
    """Whether an iteration reads of an array only what it has written itself.

    What comes first in the loop settles most cases before dependences are computed.
    """
    uses = [a for s in findings.scop.statements if node in s.loops for a in s.accesses if a.variable == array]
    own = [a for a in uses if a.span == uses[0].span]
    return bool(array.shape) and all(a.mode is Mode.WRITE for a in own) and can_be_private(findings, array, node)


def _witness(findings: Findings, dependence: Dependence, relation: isl.Map, node: LoopNode) -> Diagnostic:
    """Two iterations and the element they share, for a promise that is broken."""
    pair = relation.sample()
    source, sink = pair.domain().sample_point(), pair.range().sample_point()
    element = dependence.source_access.relation.intersect_domain(isl.Set.from_point(source)).range().sample_point()
    count = element.get_space().dim(isl.dim_type.set)
    scope = dependence.source_access.variable.scope
    place = "".join(f"[{element.get_coordinate_val(isl.dim_type.set, k)}]" for k in range(scope, count))
    first, second = _VERB[dependence.kind]
    iterator = node.iterator.name
    at = [p.get_coordinate_val(isl.dim_type.set, node.depth) for p in (source, sink)]
    name = dependence.source_access.variable.name
    hint = (
        "the loop runs sequentially; parallel loop and independent promise independent iterations: use kernels to let"
        " accshare decide, or reduction or private where that is what is meant"
    )
    if _is_scratch(findings, dependence.source_access.variable, node):
        hint = f"every iteration fills {name} before it reads it: add private({name}), if it isn't needed afterwards"
    return Diagnostic(
        "ACC303",
        f"loop {iterator} is not independent: iteration {iterator} = {at[0]} {first} {name}{place}, "
        f"which iteration {iterator} = {at[1]} {second}",
        node.loop.directive.span if node.loop.directive else node.loop.header,
        hint,
        _notes(dependence),
    )


def _notes(dependence: Dependence) -> tuple[Note, ...]:
    first, second = _VERB[dependence.kind]
    name = dependence.source_access.variable.name

    def note(verb: str, span: Span) -> Note:
        return Note(f"{verb} {name} here", span)

    spans = (dependence.source_access.span, dependence.sink_access.span)
    if spans[0] == spans[1] and first == second:
        return (note(first, spans[0]),)
    return note(first, spans[0]), note(second, spans[1])


def _distance(relation: isl.Map, depth: int) -> str:
    """The number of iterations between source and sink, as text; empty when it varies with the parameters, or takes
    long to tell."""
    if relation.get_tuple_name(isl.dim_type.in_) != relation.get_tuple_name(isl.dim_type.out):
        return ""
    deltas = relation.deltas()
    try:
        with Quota(_FEW_OPERATIONS):
            low, high = deltas.dim_min(depth), deltas.dim_max(depth)
    except QuotaExceeded:
        return ""
    if not low.is_cst() or not low.get_pieces():
        return ""
    value = abs(low.get_pieces()[0][1].get_constant_val().to_python())
    more = "" if high.is_cst() and low.plain_is_equal(high) else " or more"
    return f"{value}{more} iteration{'s' if value != 1 or more else ''}"
