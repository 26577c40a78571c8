"""Names that single launches have for what they only read of an array are taken back: a launch that does more writes
that, too."""

from __future__ import annotations

import islpy as isl

from accshare.frontend.ir import Expr, Symbol, Var
from accshare.poly.ir import Access, Statement, Variable
from accshare.records import replace
from accshare.schedule.ir import Band, Schedule, instead, statements, with_statements
from accshare.tree import rewrite, rewrite_statement

_OUT = isl.dim_type.out


def rejoined(schedule: Schedule, node: Band) -> tuple[Schedule, Band]:
    """The schedule, and a node of its tree, in which that has all arrays under their own names."""
    scop = schedule.scop
    own = {v.name: v for v in scop.variables}
    parts = {a.variable for s in statements(node) for a in s.accesses if a.variable.part_of}
    if not parts:
        return schedule, node
    wholes = {part.name: own[part.part_of] for part in parts}
    names = {_symbol(part): _symbol(wholes[part.name]) for part in parts}
    accesses: dict[int, Access] = {}
    moved = {s.name: _moved(s, wholes, names, accesses) for s in statements(node)}
    new = with_statements(node, moved)
    assert isinstance(new, Band)
    every = tuple(moved.get(s.name, s) for s in scop.statements)
    dependences = tuple(
        d.between(moved, accesses) if {d.source.name, d.sink.name} & moved.keys() else d for d in scop.dependences
    )
    whole = replace(schedule, scop=replace(scop, statements=every, dependences=dependences))
    return replace(whole, tree=instead(whole.tree, node, new)), new


def _symbol(variable: Variable) -> Symbol:
    assert isinstance(variable.base, Var), "only arrays that are called by their names have parts"
    return variable.base.symbol


def _moved(
    statement: Statement, wholes: dict[str, Variable], names: dict[Symbol, Symbol], accesses: dict[int, Access]
) -> Statement:
    def named(expr: Expr) -> Expr | None:
        return replace(expr, symbol=names[expr.symbol]) if isinstance(expr, Var) and expr.symbol in names else None

    for access in statement.accesses:
        whole = wholes.get(access.variable.name)
        accesses[id(access)] = (
            access
            if whole is None
            else replace(
                access,
                variable=whole,
                space=whole.name,
                reference=rewrite(access.reference, named),
                relation=access.relation.set_tuple_name(_OUT, whole.name),
            )
        )
    own = tuple(accesses[id(a)] for a in statement.accesses)
    return replace(statement, body=rewrite_statement(statement.body, named), accesses=own)
