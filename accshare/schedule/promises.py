"""What a promise of independent iterations can't have meant: updates of elements that iterations may share.

They don't share those that they take one by one: ``atomic capture  k = n++`` gives each iteration a number of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.atomics import Exchange, exchange
from accshare.carried import together
from accshare.cprint import SourcePrinter
from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import (
    Assign,
    Atomic,
    Binary,
    Block,
    Cast,
    Declare,
    Expr,
    For,
    IntLit,
    Member,
    Scalar,
    Stmt,
    Subscript,
    Symbol,
    Var,
)
from accshare.poly.ir import Dependence, DependenceKind, Scop, VariableKind
from accshare.reference import root, strip
from accshare.relax.ir import Carried
from accshare.tree import expressions, statements

#: what counts in fewer bytes may come back to a number within one region
_WIDE = 4


def unproved_updates(scop: Scop, assumed: tuple[Carried, ...]) -> Iterator[Diagnostic]:
    """A warning for every statement that reads and writes an element which the data choose, as ``h[a[i]]++`` does,
    where only a promise says that no other iteration chooses it too."""
    updates = [t for t in assumed if t.promised and _is_update(t.dependence) and not _has_own_slot(scop, t)]
    for dependence in {t.dependence.sink.name: t.dependence for t in updates}.values():
        access = dependence.sink_access
        element = SourcePrinter().text(strip(access.reference))
        message = (
            f"{element} is read and written here, and that no two iterations meet in one element is taken on trust"
        )
        hint = "if they may meet, results are wrong: put #pragma acc atomic in front of the statement"
        yield Diagnostic("ACC311", message, access.span, hint)


def _is_update(dependence: Dependence) -> bool:
    """Whether it leads from a statement's write of an element to its own read of what it calls the same."""
    if not dependence.sink_access.subscripts:
        return False
    same = strip(dependence.source_access.reference) == strip(dependence.sink_access.reference)
    return dependence.kind is DependenceKind.FLOW and dependence.source is dependence.sink and same


def _has_own_slot(scop: Scop, trusted: Carried) -> bool:
    """Whether the element that a statement changes is another one in all iterations that `trusted` is about: one of its
    subscripts is a number that was captured from a counter just before."""
    element = trusted.dependence.sink_access.reference
    return any(_is_own(scop, trusted, element, index) for index in _subscripts(element))


def _is_own(scop: Scop, trusted: Carried, element: Expr, index: Expr) -> bool:
    """Whether a subscript of `element` is, but for a constant, what the statements before took from a counter."""
    body = scop.region.body
    name = _without_constant(_unconverted(index))
    if not isinstance(name, Var) or _bytes(name) < _WIDE:
        return False
    setting = [stmt for stmt in statements(body) if _sets(stmt, name.symbol)]
    captures = [stmt for stmt in statements(body) if isinstance(stmt, Atomic) and _captures(stmt, name)]
    if len(captures) != 1 or len(setting) != 1:
        return False
    taken = exchange(captures[0])
    own = any(v.kind is VariableKind.PRIVATE and root(v.base) == root(taken.place) for v in scop.variables)
    updates = [stmt for stmt in statements(body) if isinstance(stmt, Assign) and strip(stmt.target) == strip(element)]
    follows = all(_follows(body, captures[0], update) for update in updates)
    return follows and not own and _counts_on(body, taken, name) and _captured_anew(trusted, captures[0])


def _captured_anew(trusted: Carried, capture: Stmt) -> bool:
    """Whether all pairs are of iterations that each take a number: they differ in a loop around `capture`."""
    around = [node for node in trusted.dependence.sink.loops if capture in statements(node.loop)]
    return bool(together(trusted.pairs, len(around)).is_empty())


def _subscripts(element: Expr) -> list[Expr]:
    found: list[Expr] = []
    while isinstance(element, Subscript | Member):
        if isinstance(element, Subscript):
            found.append(element.index)
        element = strip(element.base)
    return found


def _without_constant(index: Expr) -> Expr:
    match index:
        case Binary("+" | "-", lhs, rhs) if isinstance(_unconverted(rhs), IntLit):
            return _unconverted(lhs)
    return index


def _unconverted(index: Expr) -> Expr:
    """`index` without conversions that keep numbers apart."""
    while isinstance(index, Cast) and _bytes(index) >= _bytes(index.operand) > 0:
        index = index.operand
    return index


def _bytes(value: Expr) -> int:
    """Of an integer; 0 for others."""
    return value.type.bytes if isinstance(value.type, Scalar) and not value.type.floating else 0


def _sets(stmt: Stmt, symbol: Symbol) -> bool:
    """Whether a statement itself gives a variable a value."""
    match stmt:
        case Assign(target):
            return root(target) == symbol
        case Declare(own, init):
            return own == symbol and init is not None
        case For(iterator=iterator):
            return iterator == symbol
    return False


def _captures(stmt: Atomic, variable: Var) -> bool:
    capture = exchange(stmt).capture
    return capture is not None and strip(capture.target) == variable


def _counts_on(region: Block, taken: Exchange, name: Var) -> bool:
    """Whether each exchange leaves another number in its place, also as `name` has it: all that the region does to this
    is to add constants of one sign. Ones, as others may make an unsigned number come back."""
    counter, symbol = strip(taken.place), root(taken.place)
    if _bytes(counter) < _WIDE or not _is_fixed(counter):
        return False
    changes = [s for s in statements(region) if isinstance(s, Atomic) and root(exchange(s).place) == symbol]
    steps = [_step(change) if strip(change.place) == counter else None for change in map(exchange, changes)]
    added = [step for step in steps if step]
    never_back = isinstance(counter.type, Scalar) and counter.type.signed and _bytes(name) >= _bytes(counter)
    inside = {id(part) for stmt in changes for part in stmt.body.statements}
    others = [stmt for stmt in statements(region) if id(stmt) not in inside and symbol and _sets(stmt, symbol)]
    one_way = None not in steps and (min(added) > 0 or max(added) < 0) if _step(taken) else False
    return one_way and not others and (never_back or all(abs(step) == 1 for step in added))


def _step(change: Exchange) -> int | None:
    """What an exchange adds; None where that is something else."""
    operand = None if change.operand is None else strip(change.operand)
    if not change.op:
        return 0
    if change.op not in ("+", "-") or change.flipped or not isinstance(operand, IntLit):
        return None
    return operand.value if change.op == "+" else -operand.value


def _is_fixed(place: Expr) -> bool:
    """Whether a place is one and the same throughout."""
    return all(isinstance(i, IntLit) for i in map(strip, _subscripts(place))) and all(
        isinstance(part, Var | IntLit | Member | Subscript) for part in expressions(place)
    )


def _follows(block: Block, capture: Stmt, update: Stmt) -> bool:
    """Whether `update` runs behind `capture` only."""
    for stmt in statements(block):
        if isinstance(stmt, Block) and capture in stmt.statements:
            behind = stmt.statements[stmt.statements.index(capture) + 1 :]
            return any(part is update for one in behind for part in statements(one))
    return False
