"""Why iterations keep their order, in the user's words."""

from __future__ import annotations

import islpy as isl

from accshare.carried import distances
from accshare.diagnostics import Diagnostic, Note
from accshare.lifetimes import is_live
from accshare.poly.ir import Dependence, DependenceKind, LoopNode, Mode, Variable, VariableKind
from accshare.pragma.ir import ReductionClause, ReductionOp
from accshare.quota import Quota, QuotaExceeded
from accshare.relax.findings import Findings, can_be_private, users_of
from accshare.relax.reductions import constants_set, missing_clause
from accshare.source import Span

_VERB = {
    DependenceKind.FLOW: ("writes", "reads"),
    DependenceKind.ANTI: ("reads", "writes"),
    DependenceKind.OUTPUT: ("writes", "writes"),
}
#: for what a message would gain by; optima of large polyhedra take as long as everything else
_FEW_OPERATIONS = 5_000


def explained(findings: Findings, dependence: Dependence, relation: isl.Map, node: LoopNode) -> Diagnostic:
    """Why a loop is serial, `relation` having the pairs of a dependence that it carries."""
    scop, variable_ = findings.scop, dependence.source_access.variable
    iterator = node.iterator.name
    name = variable_.name
    notes = _notes(dependence)
    header = node.loop.header
    if variable_.kind is not VariableKind.MEMORY and not variable_.shape:
        users = users_of(scop, variable_, node)
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
        if is_live(scop, variable_):
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


def witness(findings: Findings, dependence: Dependence, relation: isl.Map, node: LoopNode) -> Diagnostic:
    """Two iterations and the element they share, for a promise that is broken."""
    mistaken = _mistaken_clause(findings, dependence, node)
    if mistaken is not None:
        return mistaken
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


def _mistaken_clause(findings: Findings, dependence: Dependence, node: LoopNode) -> Diagnostic | None:
    """What is wrong where a ``reduction`` clause names the scalar that breaks the promise."""
    variable_ = dependence.source_access.variable
    name, iterator = variable_.name, node.iterator.name
    for directive in (node.loop.directive, findings.scop.region.construct):
        clauses = () if directive is None else directive.clauses
        for clause in (c for c in clauses if isinstance(c, ReductionClause)):
            if not variable_.shape and name in (var.base.text for var in clause.vars):
                update = _update(clause.op, name)
                return Diagnostic(
                    "ACC314",
                    f"loop {iterator} does more with {name} than {update}, which reduction({clause.op.value}:{name}) "
                    f"says it does",
                    clause.span,
                    f"the loop runs sequentially; let it use {name} in nothing but {update}, where {name} is not in x, "
                    "or leave the clause out",
                    _notes(dependence),
                )
    return None


def _update(op: ReductionOp, name: str) -> str:
    """How a variable is combined into, in C."""
    match op:
        case ReductionOp.MAX | ReductionOp.MIN:
            return f"{name} = {op.value}({name}, x)"
        case ReductionOp.AND | ReductionOp.OR:
            return f"{name} = {name} {op.value} x"
    return f"{name} {op.value}= x"


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
    try:
        with Quota(_FEW_OPERATIONS):
            away = distances(relation, depth, depth)
            low, high = away.dim_min(0), away.dim_max(0)
    except QuotaExceeded:
        return ""
    if not low.is_cst() or not low.get_pieces():
        return ""
    value = abs(low.get_pieces()[0][1].get_constant_val().to_python())
    more = "" if high.is_cst() and low.plain_is_equal(high) else " or more"
    return f"{value}{more} iteration{'s' if value != 1 or more else ''}"


def undecided(dependence: Dependence, node: LoopNode) -> Diagnostic:
    """The reason where it would take too long to find out for which parameters a dependence exists."""
    name = dependence.source_access.variable.name
    message = f"loop {node.iterator.name} is serial: whether iterations share elements of {name} is too complicated"
    hint = "if the iterations touch different elements, say so with independent"
    return Diagnostic("ACC312", message, node.loop.header, hint, _notes(dependence))
