"""Expansion: what iterations of a loop use again and again, each for itself, becomes an array with a part for each.

The dependences that went are those between parts. The others, and those on what is stored back after the region, are
found in the program's own order; the proof asks whether every read still sees the write that it saw.
"""

from __future__ import annotations

import islpy as isl

from accshare.carried import together
from accshare.dataflow import Flow, common
from accshare.frontend.ir import LONG, Expr, Scalar, Subscript, Var
from accshare.islexpr import binary, literal, variable
from accshare.lifetimes import can_be_private, dependences_of, is_faithful, is_live
from accshare.order.last_values import stored_back
from accshare.order.parts import Parts, parts_for
from accshare.poly.ir import (
    Access,
    Dependence,
    Expansion,
    LoopNode,
    Scop,
    Statement,
    Variable,
    VariableKind,
)
from accshare.records import replace
from accshare.reference import strip
from accshare.tree import rewrite_statement

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


def expanded(scop: Scop, old: Variable, loop: LoopNode) -> Scop | None:
    """The region with an element or array `old` for each iteration of a loop; None where these need one another's, or
    it can't be told how much there is of it, or what is needed after the region."""
    if not _is_plain(scop, old, loop):
        return None
    # what is needed after the region is another question
    if not can_be_private(scop, Flow.of(old, scop.statements), replace(old, kind=VariableKind.MEMORY), loop):
        return None
    parts = parts_for(scop, old, loop)
    if parts is None:
        return None
    found: Scop | None = _with_parts(scop, parts)
    if found is not None and _is_needed(scop, old):
        found = stored_back(scop, found, parts)
    if found is None or not is_faithful(found, found.expansions[-1]):
        return None
    own = tuple(dependences_of(found, lambda access: access.variable == parts.new))
    if any(map(_runs_back, own)):
        return None
    return replace(found, dependences=(*found.dependences, *own))


def _runs_back(own: Dependence) -> bool:
    """Whether a loop around both ends of a dependence runs the other way round by now, which was legal until there were
    parts to be overwritten."""
    for node in own.source.loops[: common(own.source, own.sink)]:
        back = isl.Map.order_gt if node.loop.step > 0 else isl.Map.order_lt
        pairs = together(own.relation, node.depth)
        if not back(pairs, _IN, node.depth, _OUT, node.depth).is_empty():
            return True
    return False


def _is_plain(scop: Scop, old: Variable, loop: LoopNode) -> bool:
    """Whether a variable is a number, or an array of them, to which nothing else leads, and a loop counts by ones."""
    scope = old.scope if old.kind is VariableKind.PRIVATE else 0
    return abs(loop.loop.step) == 1 and scope <= loop.depth + 1 and is_plain_variable(scop, old)


def is_plain_variable(scop: Scop, old: Variable, *, exact: bool = True) -> bool:
    """Whether a variable is a number, or an array of them, to which nothing else leads; if `exact`, each access is made
    for certain."""
    if not isinstance(old.base, Var) or not isinstance(old.element, Scalar):
        return False
    symbol = old.base.symbol
    own = (a for s in scop.statements for a in s.accesses if a.variable == old)
    plain = all((a.exact or not exact) and a.atomic is None and _has_all_subscripts(a) for a in own)
    aside = symbol.volatile or symbol.on_device or (symbol.address_taken and not old.shape) or scop.is_made(old)
    return plain and not aside and not any(map(scop.is_start, scop.statements))


def _has_all_subscripts(access: Access) -> bool:
    """Whether they stand in the text as the model has them, rather than in one that was taken apart."""
    place, count = strip(access.reference), 0
    while isinstance(place, Subscript):
        place, count = strip(place.base), count + 1
    return isinstance(place, Var) and count == len(access.subscripts) == len(access.variable.shape)


def _is_needed(scop: Scop, old: Variable) -> bool:
    """Whether anything is done with a variable's last value."""
    return is_live(scop, old) if old.kind is VariableKind.OUTER else old.kind is VariableKind.MEMORY


# --- the statements ------------------------------------------------------------------------------------------------


def _with_parts(scop: Scop, parts: Parts) -> Scop:
    """The region with each iteration using its own part; dependences on these are left out."""
    statements: dict[str, Statement] = {}
    accesses: dict[int, Access] = {}
    index = binary("-", variable(parts.loop.iterator), literal(parts.low, LONG), LONG)
    for old in scop.statements:
        inside = any(loop.index == parts.loop.index for loop in old.loops)
        accesses |= {id(a): _of_part(old, a, parts, index) if inside else a for a in old.accesses}
        body = rewrite_statement(old.body, lambda e: parts.change(e, index)) if inside else old.body
        statements[old.name] = replace(old, body=body, accesses=tuple(accesses[id(a)] for a in old.accesses))
    kept = (d.between(statements, accesses) for d in scop.dependences)
    return replace(
        scop,
        variables=(*scop.variables, parts.new),
        statements=tuple(statements.values()),
        dependences=tuple(d for d in kept if parts.new not in (d.source_access.variable, d.sink_access.variable)),
        expansions=(*scop.expansions, Expansion(parts.new, parts.old)),
    )


def _of_part(statement: Statement, access: Access, parts: Parts, index: Expr) -> Access:
    if access.variable != parts.old:
        return access
    every = statement.tuples
    own = access.relation.project_out(_OUT, 0, parts.scope).reset_tuple_id(_OUT)
    part = every.to([every.coordinates[parts.loop.depth] - parts.low])
    return replace(
        access,
        variable=parts.new,
        space=parts.new.name,
        reference=parts.at(access.reference, index),
        subscripts=(index, *access.subscripts),
        relation=part.flat_range_product(own).set_tuple_name(_OUT, parts.new.name),
    )
