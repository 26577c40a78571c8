"""Kernels for PoCL. Version 3.1 compiles some conditions around and behind barriers to something else.

It makes loops over the work-items of a group from what stands between two barriers, and copies what follows a
condition that has a barrier inside for either case. Where these parts meet again it forgets registers, takes the first
work-item's condition for all of them, or drops a part of a condition. Barriers and conditions that it understands cost
little; other implementations are spared them.
"""

from __future__ import annotations

import islpy as isl

from accshare.frontend.ir import Binary, Expr
from accshare.kernel.ir import Adaptation, Barrier, Copy, Fence, Guarded, Loop, Stmt, each, parts, within
from accshare.records import replace
from accshare.tree import rewrite


def unconditional(strips: isl.Set) -> isl.Set:
    """Strips without conditions on any but the first and the last. Strips that are there for nothing do no harm, and
    conditions around barriers do."""
    return strips.drop_constraints_not_involving_dims(isl.dim_type.set, 0, 1)


def separated(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """A barrier between a loop around barriers and a loop under a condition behind it, or around one, which may come to
    stand around it, other than a loop that is written out: the first work-item's condition would be taken for all of
    them, unless another barrier is in between."""
    result: list[Stmt] = []
    for k, stmt in enumerate(stmts):
        result.append(within(stmt, separated))
        if isinstance(stmt, Loop) and has_barrier(stmt) and _meets_condition(stmts[k + 1 :]):
            result.append(Barrier(Fence.LOCAL))
    return tuple(result)


def _meets_condition(after: tuple[Stmt, ...]) -> bool:
    for stmt in after:
        inside = parts(stmt)
        if any(isinstance(p, Guarded) for p in inside) and any(isinstance(p, Loop) and p.unroll <= 1 for p in inside):
            return True
        if has_barrier(stmt):
            return False
    return False


def closed(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """A barrier at the end of each condition around barriers, and one behind it: where nothing holds the two cases
    together, work-items forget what they have in registers."""
    result: list[Stmt] = []
    for stmt in (within(stmt, closed) for stmt in stmts):
        if isinstance(stmt, Guarded) and has_barrier(stmt):
            last = () if _ends_with_barrier(stmt) else (Barrier(Fence.LOCAL),)
            result += (replace(stmt, then=(*stmt.then, *last)), Barrier(Fence.LOCAL))
        else:
            result.append(stmt)
    return tuple(result)


def eager(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Where arrays go through local memory, conditions of generated code with ``&`` for ``&&``, which may be as they
    only compare integers: a part of a short-circuit condition would be forgotten when it comes again behind a
    barrier."""
    if not any(isinstance(part, Copy) for stmt in stmts for part in parts(stmt)):
        return stmts

    def flat(stmt: Stmt) -> Stmt:
        if isinstance(stmt, Guarded):
            stmt = replace(stmt, condition=rewrite(stmt.condition, _bitwise))
        if isinstance(stmt, Copy) and stmt.there is not None:
            stmt = replace(stmt, there=rewrite(stmt.there, _bitwise))
        return within(stmt, each(flat))

    return tuple(map(flat, stmts))


def has_barrier(stmt: Stmt) -> bool:
    """Whether work-items wait in it."""
    return any(isinstance(part, Barrier) for part in parts(stmt))


def _ends_with_barrier(stmt: Stmt) -> bool:
    match stmt:
        case Barrier():
            return True
        case Loop(body=body) | Guarded(then=body):
            return bool(body) and _ends_with_barrier(body[-1])
    return False


def _bitwise(expr: Expr) -> Expr | None:
    if not isinstance(expr, Binary) or expr.op not in ("&&", "||"):
        return None
    return replace(expr, op=expr.op[0], lhs=rewrite(expr.lhs, _bitwise), rhs=rewrite(expr.rhs, _bitwise))


POCL = Adaptation(unconditional, (separated, closed, eager))
