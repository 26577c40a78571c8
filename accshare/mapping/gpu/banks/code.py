"""The decision tree of Fig. 4, the half that lets work-items do things in another order: access reorder and thread
remap (SHARE 3.3.1). Both concern all tiles of a kernel, and its references to global memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from accshare.carried import carried
from accshare.combining import combined, is_exact
from accshare.device import Device
from accshare.mapping.gpu.banks.degrees import Moves
from accshare.mapping.gpu.banks.tiles import Matrix
from accshare.mapping.gpu.banks.traffic import stays_coalesced
from accshare.mapping.gpu.banks.tree import Decision
from accshare.mapping.ir import Change, NestPartition
from accshare.options import Options
from accshare.poly.ir import Access, LoopNode, Statement
from accshare.pragma.ir import Clause, ReductionClause, ReductionOp
from accshare.records import replace
from accshare.schedule.ir import Kernel, Schedule

#: work-items along diagonals come first (SHARE 3.3.1, Q), then every other matrix of ones and zeros
_DIAGONAL: Matrix = ((1, 0), (1, 1))
_MATRICES: tuple[Matrix, ...] = (
    _DIAGONAL,
    *(((a, b), (c, d)) for a, b, c, d in product((1, 0), repeat=4) if ((a, b), (c, d)) != _DIAGONAL),
)


def restructured(
    decisions: tuple[Decision, ...],
    part: NestPartition,
    device: Device,
    spare: int,
    may_reorder: Callable[[LoopNode], bool],
) -> tuple[tuple[Decision, ...], Moves]:
    """Ask the questions about code of the tiles that still have conflicts; `spare` is how many more bytes of local
    memory all of them may take."""
    moves = Moves()
    for number, decision in enumerate(decisions):
        if decision.after.references < 2:
            continue  # what is left are the copies'
        at = decision.touched.staged.at
        if at is not None and may_reorder(at):
            decision = decision.then(f"associative? yes: the iterations of {at.iterator.name} may run in any order")
            tried = replace(moves, rotated=moves.rotated | {at.index})
            change, step = Change.REORDER, "access reorder: work-items begin each at their own place"
        else:
            why = "its tile is loaded on entry" if at is None else f"the iterations of {at.iterator.name} have an order"
            decision = decision.then(f"associative? no: {why}")
            tried = _best_remap(number, decisions, part, device, spare, moves)
            change, step = Change.REMAP, f"thread remap: {_said(tried.remap)}"
        found = _improved(number, decisions, part, device, spare, moves, tried)
        if found is None:
            decision = decision.then(f"{change.value} would not help")
        else:
            spare -= sum(new.bytes - old.bytes for new, old in zip(found, decisions, strict=True))
            decision = replace(decision.then(step), after=found[number].after, change=decision.change or change)
            decisions, moves = found, tried
        decisions = (*decisions[:number], decision, *decisions[number + 1 :])
    return decisions, moves


def _improved(
    number: int,
    decisions: tuple[Decision, ...],
    part: NestPartition,
    device: Device,
    spare: int,
    now: Moves,
    tried: Moves,
) -> tuple[Decision, ...] | None:
    """The tiles after moves that help one of them more than they harm others, none of which becomes as bad, and global
    memory not at all."""
    if tried == now:
        return None
    found: tuple[Decision, ...] = ()
    for old in decisions:
        found = (*found, old.moved(tried, spare))
        spare -= found[-1].bytes - old.bytes
    helped = found[number].after.worst
    gain = sum(old.after.worst - new.after.worst for new, old in zip(found, decisions, strict=True))
    if gain <= 0 or any(
        new.after.worst > max(old.after.worst, helped) for new, old in zip(found, decisions, strict=True)
    ):
        return None
    return found if stays_coalesced(part, tried, device) else None


def _best_remap(
    number: int, decisions: tuple[Decision, ...], part: NestPartition, device: Device, spare: int, now: Moves
) -> Moves:
    """The moves with the placement matrix that helps a tile most, or as they are where none does."""
    width, depth, _ = part.work_group
    best, least = now, decisions[number].after.worst
    if now.remap is not None or min(width, depth) == 1:
        return now
    for matrix in _MATRICES:
        tried = replace(now, remap=matrix)
        if _is_bijection(matrix, width, depth):
            found = _improved(number, decisions, part, device, spare, now, tried)
            if found is not None and found[number].after.worst < least:
                best, least = tried, found[number].after.worst
    return best


def _is_bijection(matrix: Matrix, width: int, depth: int) -> bool:
    """Whether every place of a work-group gets one work-item."""
    (a, b), (c, d) = matrix
    if ((a, b), (c, d)) == ((1, 0), (0, 1)):
        return False
    places = {((a * x + b * y) % width, (c * x + d * y) % depth) for x in range(width) for y in range(depth)}
    return len(places) == width * depth


def _said(matrix: Matrix | None) -> str:
    """Where work-item (x, y) goes, as in ``(x, x + y)``."""
    rows = (" + ".join(name for name, factor in zip("xy", row, strict=True) if factor) for row in matrix or ())
    return f"({', '.join(rows)})"


def is_associative(loop: LoopNode, nest: Kernel, schedule: Schedule, options: Options) -> bool:
    """Whether each work-item may run the iterations of a sequential loop in an order of its own.

    Sums of integers always may; floating-point ones where the user allows it, by an option or a ``reduction`` clause.
    """
    own = {s.name for s in nest.statements if any(n.index == loop.index for n in s.loops)}
    clauses = _clauses(loop, nest, schedule)
    found: dict[str, set[ReductionOp | None]] = {}
    for dependence in schedule.scop.dependences:
        inside = dependence.source.name in own and dependence.sink.name in own
        if inside and not carried(dependence.relation, loop.depth).is_empty():
            ends = (dependence.source, dependence.source_access), (dependence.sink, dependence.sink_access)
            ops = {_operator(statement, access, clauses, options) for statement, access in ends}
            found.setdefault(dependence.source_access.variable.name, set()).update(ops)
    return all(len(ops) == 1 and None not in ops for ops in found.values())


def _operator(
    statement: Statement, access: Access, clauses: tuple[Clause, ...], options: Options
) -> ReductionOp | None:
    """The operator with which a statement combines a value into what it accesses, where that may be reordered."""
    op = combined(statement.body, access.reference)
    name = access.variable.name
    named = {c.op for c in clauses if isinstance(c, ReductionClause) and any(v.base.text == name for v in c.vars)}
    promised = op is not None and op.clause in named
    return op if promised or options.reassociate or is_exact(statement.body) else None


def _clauses(loop: LoopNode, nest: Kernel, schedule: Schedule) -> tuple[Clause, ...]:
    """The clauses of the construct, and of the directives on the loop and those around it."""
    around = {
        n.index: n.loop.directive
        for s in nest.statements
        if any(n.index == loop.index for n in s.loops)
        for n in s.loops[: loop.depth + 1]
    }
    own = (clause for directive in around.values() if directive is not None for clause in directive.clauses)
    return (*schedule.scop.region.construct.clauses, *own)
