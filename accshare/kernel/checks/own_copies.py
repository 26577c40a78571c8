"""Proof that each update of an array lands once: in a group's own copy, which is added in the end, or in the array.

The code itself is asked, not what made it. Nothing but updates by one operator may touch the array, so that they may
come in whatever order. A copy must begin with what changes nothing, hold every element that is updated in it, and be
added whole; groups must share the tiles; and where a group has several work-items, these must wait for one another in
between.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from accshare.atomics import commuting, exchange
from accshare.builtins import SIZE
from accshare.combining import identity
from accshare.diagnostics import Rejected, broken
from accshare.frontend.ir import (
    LONG,
    Assign,
    Atomic,
    Binary,
    Block,
    Builtin,
    Cast,
    Expr,
    If,
    IntLit,
    Intrinsic,
    Subscript,
    Symbol,
    Var,
)
from accshare.islexpr import literal, variable
from accshare.kernel.checks.copied_rows import row_updates
from accshare.kernel.generate.grid import lane_of
from accshare.kernel.ir import Barrier, Copied, Define, Fence, Guarded, KernelFunction, Loop, Stmt, parts
from accshare.kernel.uses import stored, used_expressions
from accshare.reference import root, strip
from accshare.tree import rewrite_statement


def check_own_copies(kernel: KernelFunction) -> None:
    """Raise `Rejected` (ACC902) for an array of which an update might get lost, or count twice."""
    for copied in kernel.copies:
        _check(kernel, copied)


def _check(kernel: KernelFunction, copied: Copied) -> None:
    body = kernel.body
    begins = [k for k, stmt in enumerate(body) if _step(stmt, kernel, copied, copied.own)]
    adds = [k for k, stmt in enumerate(body) if _step(stmt, kernel, copied, copied.buffer)]
    if len(begins) != 1 or len(adds) != 1:
        raise _broken(kernel, copied, "is not begun and added once")
    first, last = begins[0], adds[0]
    inside = body[first + 1 : last]
    updates = (*_updates(inside, kernel, copied), *row_updates(inside, copied))
    others = tuple(stmt for k, stmt in enumerate(body) if k not in (first, last))
    if _mentions(others, copied.own) != _mentions(updates, copied.own):
        raise _broken(kernel, copied, "is used for more than updates of elements that it has")
    atomics = [part for stmt in body for part in parts(stmt) if isinstance(part, Atomic)]
    mine = tuple(one for one in atomics if root(exchange(one).place) == copied.buffer)
    if _mentions(body, copied.buffer) != _mentions(mine, copied.buffer):
        raise _broken(kernel, copied, "stands for an array that is not only updated")
    if any(commuting(one) != copied.op.value for one in mine):
        raise _broken(kernel, copied, "is updated in several ways")
    if {copied.kept, root(copied.lower)} & stored(body):
        raise _broken(kernel, copied, "changes its size")
    users = [k for k, stmt in enumerate(body) if first < k < last and _mentions((stmt,), copied.own)]
    if len(users) != 1 or not _shares_tiles(body[users[0]], body):
        raise _broken(kernel, copied, "is not updated in a loop over the group's own tiles")
    if prod(kernel.work_group) > 1:
        waits = [k for k, s in enumerate(body) if isinstance(s, Barrier) and s.fence is not Fence.GLOBAL]
        if not any(first < k < users[0] for k in waits) or not any(users[0] < k < last for k in waits):
            raise _broken(kernel, copied, "is used before all work-items are there")


def _step(stmt: Stmt, kernel: KernelFunction, copied: Copied, target: Symbol) -> bool:
    """Whether a statement goes over all elements of a copy, beginning each, or adding it to the `target`."""
    match stmt:
        case Loop(at, first, Binary("<", Var(counter), Var(kept)), step, (inner,)):
            size = prod(kernel.work_group)
            starts = strip(first) == lane_of(kernel.work_group) if size > 1 else _is_zero(first)
            if (counter, kept, step) != (at, copied.kept, size) or not starts:
                return False
            if target == copied.own:
                return _begins(inner, at, copied)
            return _adds(inner, at, copied)
    return False


def _begins(stmt: Stmt, at: Symbol, copied: Copied) -> bool:
    match stmt:
        case Assign(target, "=", value):
            return _is_own(target, at, copied) and value == identity(copied.op, copied.element)
    return False


def _adds(stmt: Stmt, at: Symbol, copied: Copied) -> bool:
    match stmt:
        case Guarded(Binary("!=", own, nothing), (inner,), ()):
            changes = _is_own(own, at, copied) and nothing == identity(copied.op, copied.element)
            return changes and _adds(inner, at, copied)
        case Atomic():
            parts_ = exchange(stmt)
            place, value = parts_.place, parts_.operand
            element = (
                variable(at) if _is_zero(copied.lower) else Binary("+", variable(at), copied.lower, LONG, place.span)
            )
            right = isinstance(place, Subscript) and root(place) == copied.buffer and place.index == element
            how = commuting(stmt) == copied.op.value and parts_.op != "-"
            return right and how and value is not None and _is_own(value, at, copied)
    return False


def _is_own(expr: Expr, at: Symbol, copied: Copied) -> bool:
    match expr:
        case Subscript(Var(own), Var(counter)):
            return own == copied.own and counter == at
    return False


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, IntLit) and expr.value == 0


def _updates(stmts: tuple[Stmt, ...], kernel: KernelFunction, copied: Copied) -> Iterator[Stmt]:
    """The updates of a copy that happen only where it has the element, and of the array where it has not."""
    for part in (part for stmt in stmts for part in parts(stmt)):
        match part:
            case If(condition, Block((here,)), Block((Atomic() as there,))):
                place = exchange(there).place
                at = _checked(condition, copied)
                if at is None or not isinstance(place, Subscript) or not _is_distance(at, place.index, copied):
                    continue
                same = _in_copy(there, place, Subscript(Var(copied.own, place.span), at, copied.element, place.span))
                alone = prod(kernel.work_group) == 1
                if here == (same.body.statements[0] if alone and len(same.body.statements) == 1 else same):
                    yield here


def _checked(condition: Expr, copied: Copied) -> Expr | None:
    """The place of which a condition says that a copy has it."""
    match condition:
        case Binary("&&", Binary(">", Var(kept), IntLit(value=0)), inside) if copied.whole and kept == copied.kept:
            end: Expr = literal(copied.most, SIZE)
        case Binary() as inside:
            end = variable(copied.kept)
        case _:
            return None
    match inside:
        case Binary("<", Cast(at, type), limit) if type == SIZE and strip(limit) == end:
            return at
    return None


def _is_distance(at: Expr, index: Expr, copied: Copied) -> bool:
    """Whether a place in a copy is that of an element of the array."""
    if _is_zero(copied.lower):
        return strip(at) == strip(index)
    match at:
        case Binary("-", element, lower):
            return lower == copied.lower and strip(element) == strip(index)
    return False


def _in_copy(stmt: Atomic, place: Expr, own: Expr) -> Atomic:
    """An update with another place."""
    made = rewrite_statement(stmt, lambda e: own if e == place else None)
    assert isinstance(made, Atomic)
    return made


def _shares_tiles(stmt: Stmt, body: tuple[Stmt, ...]) -> bool:
    """Whether a loop takes the part of the tiles that is its group's, each once, and knows of groups nothing else."""
    defined = {s.symbol: strip(s.value) for s in body if isinstance(s, Define)}
    match stmt:
        case Loop(tile, Var(first), Binary("<", Var(counter), Var(end)), 1, inside) if counter == tile:
            match defined.get(first), defined.get(end):
                case Binary("*", group, Var(chunk)), Intrinsic(
                    Builtin.MIN, (Binary("+", Var(begin), Var(length)), Var())
                ):
                    asks = (
                        e
                        for e in used_expressions(inside)
                        if isinstance(e, Intrinsic) and e.function is Builtin.GROUP_ID
                    )
                    return _is_group(group) and chunk == length and begin == first and not any(asks)
    return False


def _is_group(expr: Expr) -> bool:
    match strip(expr):
        case Intrinsic(Builtin.GROUP_ID, (IntLit(value=0),)):
            return True
    return False


def _mentions(stmts: tuple[Stmt, ...], symbol: Symbol) -> int:
    return sum(isinstance(e, Var) and e.symbol == symbol for e in used_expressions(stmts))


def _broken(kernel: KernelFunction, copied: Copied, what: str) -> Rejected:
    return broken(f"kernel {kernel.name}: the copy of {copied.buffer.name} {what}", kernel.span)
