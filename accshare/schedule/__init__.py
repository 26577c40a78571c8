"""The schedule stage: which loops become the grid, which stay on the host, which run inside a work-item."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.diagnostics import Rejected
from accshare.frontend.ir import For, GeneralFor, While
from accshare.options import Options
from accshare.poly.ir import Scop, Variable, VariableKind
from accshare.records import replace
from accshare.relax.ir import LoopOrder, Relaxed
from accshare.schedule.ir import (
    Kernel,
    Node,
    Schedule,
    Serial,
    members,
    shares,
    source_order,
    versions,
)
from accshare.schedule.kernels import kernels
from accshare.schedule.messages import inferred, many_launches, nothing_parallel, started
from accshare.schedule.names import named
from accshare.schedule.promises import unproved_updates
from accshare.tree import statements as parts_of_statement

__all__ = ["schedule"]


def schedule(relaxed: Relaxed, options: Options) -> Schedule:
    """Order a region's instances and cut it into kernels: the outermost parallel loops of each nest become its grid,
    sequential loops around parallel ones stay on the host.

    Raises `Rejected` (ACC401) when there are loops and none is parallel: the host runs them faster than one work-item.
    """
    scop = relaxed.scop
    source = source_order(scop.statements)
    tree = kernels(relaxed, source, (), options)
    scheduled = Schedule(scop, tree, (), _serial(source, relaxed), (), (), ())
    broken = tuple(o.broken_promise for o in _in_order(source, relaxed) if o.broken_promise is not None)
    if not any(kernel.grid for kernel in scheduled.kernels) and _has_loop(scop):
        raise Rejected(broken[0]) if broken else nothing_parallel(scop, scheduled)
    used = {member.loop.index: member.loop for kernel in scheduled.kernels for member in kernel.grid}
    guards = {g.condition: g for k in sorted(used) for g in relaxed.order(used[k]).guards}
    split = {id(both.split) for both in versions(tree)}
    plain = (kernel for kernel in scheduled.kernels if id(kernel) not in split)
    names = {id(kernel): f"{scop.region.name}_{k}" for k, kernel in enumerate(plain)}
    assumed = tuple(one for k in sorted(used) for one in relaxed.order(used[k]).assumed)
    return replace(
        scheduled,
        tree=named(tree, names),
        serial=tuple(s for s in scheduled.serial if s.loop.index not in used),
        scratch=_scratch(scop, scheduled.kernels),
        guards=tuple(guards.values()),
        assumed=assumed,
        diagnostics=(
            *broken,
            *unproved_updates(scop, assumed),
            *many_launches(tree, scheduled.serial),
            *inferred(scheduled.kernels),
            *started(scop),
        ),
    )


def _has_loop(scop: Scop) -> bool:
    """Whether any statement is executed repeatedly."""
    parts = (part for s in scop.statements for part in parts_of_statement(s.body))
    return any(s.loops for s in scop.statements) or any(isinstance(p, For | GeneralFor | While) for p in parts)


def _scratch(scop: Scop, launched: tuple[Kernel, ...]) -> tuple[Variable, ...]:
    """Variables declared in the region, or made for it, that some kernel doesn't have for itself."""
    own = (v for v in scop.variables if v.kind is VariableKind.PRIVATE or scop.is_made(v))
    return tuple(v for v in own if any(shares(kernel, v) for kernel in launched))


def _serial(source: Node, relaxed: Relaxed) -> tuple[Serial, ...]:
    reasons = ((order.loop, order.reason) for order in _in_order(source, relaxed))
    return tuple(Serial(loop, reason) for loop, reason in reasons if reason is not None)


def _in_order(source: Node, relaxed: Relaxed) -> Iterator[LoopOrder]:
    """What is known of the loops, as the program has them."""
    return (relaxed.order(member.loop) for member in members(source))
