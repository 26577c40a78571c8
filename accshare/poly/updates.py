"""Reductions into arrays: every update is made in one piece, which is what ``reduction(+: q)`` of an array comes to.

The parts that a clause speaks of would be as large as the array, and an iteration touches one element of it, which the
data choose. Updates by one operator may follow each other in any order; `atomic` knows how they do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from accshare.atomics import OPERATORS
from accshare.combining import combined
from accshare.diagnostics import Rejected, rejected
from accshare.frontend.ir import (
    Array,
    Assign,
    Atomic,
    Binary,
    Block,
    Expr,
    For,
    GeneralFor,
    If,
    Member,
    Pointer,
    Region,
    Scalar,
    Stmt,
    Subscript,
    Symbol,
    Var,
    While,
)
from accshare.poly.survey import written
from accshare.pragma.ir import Clause, DirectiveKind, Level, LevelClause, ReductionClause, ReductionOp
from accshare.reference import root, strip
from accshare.tree import expressions, own_expressions, statements

_LEVELS = {Level.GANG, Level.WORKER, Level.VECTOR}
_KERNELS = {DirectiveKind.KERNELS, DirectiveKind.KERNELS_LOOP}


def with_updates_in_one_piece(region: Region) -> Region:
    """`region` with what it combines into elements of arrays made atomic: in arrays that a ``reduction`` clause names,
    and under ``gang``, ``worker`` or ``vector`` in ``kernels`` where the data choose the element.

    Raises `Rejected` (ACC105) for a clause that can't be followed so.
    """
    named = {symbol: op for clause in _clauses(region) for symbol, op in _arrays(clause, region).items()}
    chosen = _chosen_by_data(region) if region.construct.kind in _KERNELS else {}
    known = {
        **{symbol: (op, "inferred") for symbol, op in chosen.items()},
        **{s: (o, "update") for s, o in named.items()},
    }
    return replace(region, body=_block(region.body, known)) if known else region


def _clauses(region: Region) -> tuple[Clause, ...]:
    loops = (s.directive for s in statements(region.body) if isinstance(s, For | GeneralFor))
    return (*region.construct.clauses, *(c for d in loops if d is not None for c in d.clauses))


def _arrays(clause: Clause, region: Region) -> dict[Symbol, ReductionOp]:
    """The arrays that a ``reduction`` clause names, and its operator."""
    found: dict[Symbol, ReductionOp] = {}
    for var in clause.vars if isinstance(clause, ReductionClause) else ():
        symbol = next((s for s in region.symbols if s.name == var.base.text), None)
        if symbol is not None and isinstance(symbol.type, Array | Pointer):
            assert isinstance(clause, ReductionClause)
            if clause.op.value not in OPERATORS:
                message = f"a {clause.op.value} reduction over the array {symbol.name} isn't supported yet"
                raise rejected("ACC105", message, var.span, "combine into scalars")
            found[symbol] = clause.op
    return found


def _chosen_by_data(region: Region) -> dict[Symbol, ReductionOp]:
    """The arrays into whose elements, chosen by data, all statements of a loop that asks for parallelism combine in one
    way, and that the region uses for nothing else."""
    uses: dict[Symbol, set[ReductionOp | None]] = {}
    changing = written(region)
    updates = {id(s) for loop in statements(region.body) if _asks(loop) for s in statements(loop)}
    for stmt in statements(region.body):
        if isinstance(stmt, Atomic):
            return {}
        mine = _target(stmt) if id(stmt) in updates and isinstance(stmt, Assign) else None
        op = combined(stmt, mine) if mine is not None and _is_chosen(mine, changing) else None
        for expr in own_expressions(stmt):
            for part in expressions(expr):
                if isinstance(part, Var) and isinstance(part.symbol.type, Array | Pointer):
                    is_place = mine is not None and part.symbol == root(mine)
                    uses.setdefault(part.symbol, set()).add(op if is_place else None)
    sole = {symbol: next(iter(ops)) for symbol, ops in uses.items() if len(ops) == 1}
    return {symbol: op for symbol, op in sole.items() if op is not None and op.value in OPERATORS}


def _asks(stmt: Stmt) -> bool:
    """Whether it is a loop that is to run in parallel, and that nobody called independent."""
    clauses = stmt.directive.clauses if isinstance(stmt, For) and stmt.directive is not None else ()
    levels = {c.level for c in clauses if isinstance(c, LevelClause)}
    return bool(levels & _LEVELS) and not levels & {Level.INDEPENDENT, Level.SEQ, Level.AUTO}


def _target(stmt: Assign) -> Expr | None:
    """The element of an array that it writes."""
    target = strip(stmt.target)
    return target if isinstance(target, Subscript) and isinstance(target.type, Scalar) else None


def _is_chosen(place: Expr, changing: frozenset[Symbol]) -> bool:
    """Whether a subscript holds what the region reads or computes."""
    while isinstance(place, Subscript):
        inside = tuple(expressions(place.index))
        if any(isinstance(e, Subscript | Member) or (isinstance(e, Var) and e.symbol in changing) for e in inside):
            return True
        place = strip(place.base)
    return False


def _block(block: Block, known: Mapping[Symbol, tuple[ReductionOp, str]]) -> Block:
    return replace(block, statements=tuple(_statement(s, known) for s in block.statements))


def _statement(stmt: Stmt, known: Mapping[Symbol, tuple[ReductionOp, str]]) -> Stmt:
    match stmt:
        case Block():
            return _block(stmt, known)
        case For(body=body) | While(body=body) | GeneralFor(body=body):
            return replace(stmt, body=_block(body, known))
        case If(then=then, other=other):
            return replace(stmt, then=_block(then, known), other=None if other is None else _block(other, known))
        case Assign(target):
            symbol = root(target)
            if symbol in known and combined(stmt, target) is not None:
                assert symbol is not None
                return _in_one_piece(stmt, *known[symbol])
    return stmt


def _in_one_piece(stmt: Assign, op: ReductionOp, kind: str) -> Atomic:
    """An update as an atomic one."""
    value = stmt.value if stmt.op != "=" else _rest(strip(stmt.value), strip(stmt.target), op.value)
    if combined(stmt, stmt.target) is not op or value is None:
        raise _other(stmt, op)
    made = replace(stmt, op=stmt.op if stmt.op != "=" else f"{op.value}=", value=value)
    return Atomic(kind, Block((made,), stmt.span), stmt.span)


def _rest(value: Expr, target: Expr, op: str) -> Expr | None:
    """``e`` of ``target op e``, written in either order."""
    match value:
        case Binary(own, lhs, rhs) if own == op and strip(lhs) == target:
            return rhs
        case Binary(own, lhs, rhs) if own == op and strip(rhs) == target:
            return lhs
    return None


def _other(stmt: Assign, op: ReductionOp) -> Rejected:
    symbol = root(stmt.target)
    name = "" if symbol is None else symbol.name
    message = f"this is no update by {op.value} that can be made in one piece"
    return rejected("ACC105", message, stmt.span, f"write it as {name}[…] {op.value}= …")
