"""Reductions into arrays: every update is made in one piece, which is what ``reduction(+: q)`` of an array comes to.

The parts that a clause speaks of would be as large as the array, and an iteration touches one element of it, which the
data choose. Updates by one operator may follow each other in any order; `atomic` knows how they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.combining import combine, combined, combined_value, is_exact, operand, regrouped
from accshare.diagnostics import Rejected, rejected
from accshare.frontend.ir import (
    Array,
    Assign,
    Atomic,
    Block,
    Expr,
    For,
    GeneralFor,
    If,
    IntLit,
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
from accshare.poly.once import is_promised
from accshare.poly.survey import declared, written
from accshare.pragma.ir import Clause, DirectiveKind, Level, LevelClause, ReductionClause, ReductionOp
from accshare.records import replace
from accshare.reference import root, strip
from accshare.source import Span
from accshare.tree import expressions, named, own_expressions, statements

_LEVELS = {Level.GANG, Level.WORKER, Level.VECTOR}
_EXTREMES = {ReductionOp.MAX, ReductionOp.MIN}
#: constants that decide what an operator gives, so that setting an element to one is an update
_SETTLES = {ReductionOp.OR: 1, ReductionOp.AND: 0, ReductionOp.BIT_AND: 0}
_KERNELS = {DirectiveKind.KERNELS, DirectiveKind.KERNELS_LOOP}


def with_updates_in_one_piece(region: Region) -> Region:
    """`region` with what it combines into elements of arrays made atomic: in arrays that a ``reduction`` clause names,
    and under ``gang``, ``worker`` or ``vector`` in ``kernels`` where the data choose the element.

    Raises `Rejected` (ACC105) for a clause that can't be followed so.
    """
    chosen = _chosen_by_data(region) if region.construct.kind in _KERNELS else {}
    known = {symbol: (op, "inferred") for symbol, op in chosen.items()}
    for clause, _ in _clauses(region):
        known |= {symbol: (op, "update") for symbol, op in _arrays(clause, region).items()}
    made = replace(region, body=_block(region.body, known)) if known else region
    for clause, inside in _clauses(made):
        _check_only_updates(frozenset(_arrays(clause, region)), clause, inside)
    return replace(made, body=_counted(made.body, made)) if region.counts else made


def _counted(block: Block, region: Region) -> Block:
    """A block that runs once with the counts of each of its nests in one piece."""
    found: list[Stmt] = []
    for stmt in block.statements:
        counts = {symbol: (op, "inferred") for symbol, op in _counts(stmt, region).items()}
        found.append(_counted(stmt, region) if isinstance(stmt, Block) else _statement(stmt, counts))
    return replace(block, statements=tuple(found))


def may_count(region: Region) -> bool:
    """Whether there are nests that do nothing with elements of integers that the data choose but to combine something
    into them, which no order changes, and nobody asked for that."""
    kernels = region.construct.kind in _KERNELS and not any(isinstance(s, Atomic) for s in statements(region.body))
    return kernels and _counted(region.body, region) != region.body


def _clauses(region: Region) -> Iterator[tuple[Clause, Stmt]]:
    """The clauses of the construct and its loops, with what each of them speaks of."""
    yield from ((clause, region.body) for clause in region.construct.clauses)
    for stmt in statements(region.body):
        if isinstance(stmt, For | GeneralFor) and stmt.directive is not None:
            yield from ((clause, stmt.body) for clause in stmt.directive.clauses)


def _arrays(clause: Clause, region: Region) -> dict[Symbol, ReductionOp]:
    """The arrays that a ``reduction`` clause names, and its operator."""
    found: dict[Symbol, ReductionOp] = {}
    for var in clause.vars if isinstance(clause, ReductionClause) else ():
        symbol = next((s for s in region.symbols if s.name == var.base.text), None)
        if symbol is not None and isinstance(symbol.type, Array | Pointer):
            assert isinstance(clause, ReductionClause)
            found[symbol] = clause.op
    return found


def _check_only_updates(arrays: frozenset[Symbol], clause: Clause, inside: Stmt) -> None:
    """Raises `Rejected` (ACC105) where the loops that a clause speaks of do anything else with one of its arrays."""
    if not arrays:
        return
    updates = [stmt for stmt in statements(inside) if isinstance(stmt, Atomic)]
    steps = {id(part) for update in updates for part in update.body.statements}
    for stmt in statements(inside):
        for expr in own_expressions(stmt):
            for part in expressions(expr):
                if isinstance(part, Var) and part.symbol in arrays and id(stmt) not in steps:
                    assert isinstance(clause, ReductionClause)
                    raise _other(stmt.span, part.symbol, clause.op)


def _chosen_by_data(region: Region) -> dict[Symbol, ReductionOp]:
    """The arrays into whose elements, chosen by data, all statements of a loop that asks for parallelism combine in one
    way, and that the region uses for nothing else."""
    asked = [s for loop in statements(region.body) if _asks(loop) for s in statements(loop)]
    found = _updated(asked, region.body, region)
    return {symbol: op for symbol, (op, exact) in found.items() if exact or op.clause not in _EXTREMES}


def _counts(nest: Stmt, region: Region) -> dict[Symbol, ReductionOp]:
    """The same of a nest that does not ask, where the order makes no difference."""
    if not isinstance(nest, For) or is_promised(nest, region):
        return {}
    found = _updated(list(statements(nest)), nest, region)
    return {symbol: op for symbol, (op, exact) in found.items() if exact}


def _updated(stmts: list[Stmt], whole: Stmt, region: Region) -> dict[Symbol, tuple[ReductionOp, bool]]:
    """The arrays into whose elements, chosen by data, all of these statements combine in one way, and that the `whole`
    uses for nothing else; and whether no order makes a difference."""
    changing = written(region) | declared(region)
    steps: dict[int, tuple[Expr, tuple[ReductionOp, bool]]] = {}
    for stmt in stmts:
        step = _step(stmt)
        if step is not None and (_is_chosen(step[0], changing) or _is_counted(step[0], region)):
            steps |= {id(part): (step[0], (step[1], is_exact(stmt))) for part in _parts(stmt)}
    uses: dict[Symbol, set[tuple[ReductionOp, bool] | None]] = {}
    for stmt in statements(whole):
        if isinstance(stmt, Atomic):
            return {}
        place, how = steps.get(id(stmt), (None, None))
        for part in (part for expr in own_expressions(stmt) for part in expressions(expr)):
            if isinstance(part, Var) and isinstance(part.symbol.type, Array | Pointer):
                is_place = place is not None and part.symbol == root(place)
                uses.setdefault(part.symbol, set()).add(how if is_place else None)
    return {symbol: one for symbol, ways in uses.items() if len(ways) == 1 and (one := next(iter(ways)))}


def _step(stmt: Stmt) -> tuple[Expr, ReductionOp] | None:
    """The element of an array that a statement combines something into, and how."""
    match stmt:
        case Assign(target):
            place = strip(target)
        case If(condition, Block(statements=(Assign(target),)), None):
            place = strip(target)
            if not any(strip(e) == place for e in expressions(condition)):
                return None
        case _:
            return None
    op = combined(stmt, place) if isinstance(place, Subscript) and isinstance(place.type, Scalar) else None
    return None if op is None else (place, op)


def _parts(stmt: Stmt) -> tuple[Stmt, ...]:
    """A statement that combines, and the assignment in it."""
    return (stmt, *stmt.then.statements) if isinstance(stmt, If) else (stmt,)


def _asks(stmt: Stmt) -> bool:
    """Whether it is a loop that is to run in parallel, and that nobody called independent."""
    clauses = stmt.directive.clauses if isinstance(stmt, For) and stmt.directive is not None else ()
    levels = {c.level for c in clauses if isinstance(c, LevelClause)}
    return bool(levels & _LEVELS) and not levels & {Level.INDEPENDENT, Level.SEQ, Level.AUTO}


def _is_chosen(place: Expr, changing: frozenset[Symbol]) -> bool:
    """Whether a subscript holds what the region reads or computes."""
    while isinstance(place, Subscript):
        inside = tuple(expressions(place.index))
        if any(isinstance(e, Subscript | Member) or (isinstance(e, Var) and e.symbol in changing) for e in inside):
            return True
        place = strip(place.base)
    return False


def _is_counted(place: Expr, region: Region) -> bool:
    """Whether nothing but the iterator of a loop over ``first[i]`` to ``last[i]`` tells the one subscript: other
    iterations of the loop around may come to the same elements."""
    if not isinstance(place, Subscript) or isinstance(strip(place.base), Subscript):
        return False
    inside = named(place.index)
    loops = (s for s in statements(region.body) if isinstance(s, For) and s.iterator in inside)
    read = {
        s.iterator
        for s in loops
        if any(isinstance(e, Subscript) for e in (*expressions(s.first), *expressions(s.bound)))
    }
    return bool(inside) and inside == read


def _block(block: Block, known: Mapping[Symbol, tuple[ReductionOp, str]]) -> Block:
    return replace(block, statements=tuple(_statement(s, known) for s in block.statements))


def _statement(stmt: Stmt, known: Mapping[Symbol, tuple[ReductionOp, str]]) -> Stmt:
    step = _step(stmt)
    symbol = None if step is None else root(step[0])
    if step is not None and symbol in known:
        assert symbol is not None
        return _in_one_piece(stmt, *step, *known[symbol])
    match stmt:
        case Block():
            return _block(stmt, known)
        case For(body=body) | While(body=body) | GeneralFor(body=body):
            return replace(stmt, body=_block(body, known))
        case If(then=then, other=other):
            return replace(stmt, then=_block(then, known), other=None if other is None else _block(other, known))
        case Assign(target, "=", value):
            symbol, constant = root(target), strip(value)
            op = known[symbol][0] if symbol is not None and symbol in known else None
            if op in _SETTLES and isinstance(constant, IntLit) and constant.value == _SETTLES[op]:
                assert isinstance(target.type, Scalar)
                made = combine(op, target, constant, target.type, stmt.span)
                return Atomic("update", Block((made,), stmt.span), stmt.span)
    return stmt


def _in_one_piece(stmt: Stmt, place: Expr, done: ReductionOp, op: ReductionOp, kind: str) -> Atomic:
    """An update of `place` that does `done`, as an atomic one by `op`."""
    value: Expr | None
    if done.clause is not op.clause:
        value = None
    elif done.clause in _EXTREMES:
        value = combined_value(stmt, place)
    else:
        assert isinstance(stmt, Assign)
        if stmt.op != "=":
            return Atomic(kind, Block((stmt,), stmt.span), stmt.span)
        value = operand(strip(stmt.value), place, op.value)
        grouped = regrouped(stmt, op.value) if value is None else None
        if grouped is not None:
            return Atomic(kind, Block((grouped,), stmt.span), stmt.span)
    if value is None:
        symbol = root(place)
        assert symbol is not None
        raise _other(stmt.span, symbol, op)
    assert isinstance(place.type, Scalar)
    return Atomic(kind, Block((combine(done, place, value, place.type, stmt.span),), stmt.span), stmt.span)


def _other(span: Span, symbol: Symbol, op: ReductionOp) -> Rejected:
    message = f"this is no update of {symbol.name} by {op.value} that can be made in one piece"
    place, value = f"{symbol.name}[…]", op.value
    way = f"{place} {value}= …"
    if op in _EXTREMES:
        sign = ">" if op is ReductionOp.MAX else "<"
        way = f"if (x {sign} {place}) {place} = x, with nothing else under the condition,"
    elif op in (ReductionOp.AND, ReductionOp.OR):
        way = f"{place} = {place} {value} …"
    return rejected("ACC105", message, span, f"write {way} and use {symbol.name} for nothing else in the loop")
