"""Work-items of a group that meet in a tile, or in what another phase has written, must have a barrier between them.

A cooperative copy moves elements that other work-items use, so between a copy and the statements on the same tile, or
between two copies where one work-item stores what another one loads, every path must pass a barrier. So it must between
accesses of two phases, or of one in two iterations of a loop of the whole group, and between accesses to different
places of a tree of accumulators.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.diagnostics import broken
from accshare.frontend.ir import Assign, Expr, Subscript, Symbol, Var
from accshare.kernel.ir import Barrier, Buffer, Comment, Copy, Fence, Guarded, KernelFunction, Loop, Stmt, own, parts
from accshare.records import dataclass, replace
from accshare.reference import root
from accshare.schedule.ir import Role
from accshare.tree import expressions

#: the phase of what another iteration of a loop of the whole group has run
_BEFORE = -1


@dataclass(frozen=True, slots=True)
class _Access:
    """A statement's access to a buffer; `copies` where that is a cooperative copy. `phase` is that of a kernel that has
    any, `place` the one in a tree of accumulators."""

    buffer: Symbol
    copies: bool
    writes: bool
    phase: int | None = None
    place: Expr | None = None


def check_races(kernel: KernelFunction, exchanged: frozenset[str]) -> None:
    """Raise `Rejected` (ACC902) where two work-items of a group may race on a tile. `exchanged` names the buffers in
    global memory through which strips hand elements from one work-item to another."""
    if kernel.work_group == (1, 1, 1):
        return
    tiles = {b.symbol for b in kernel.local}
    phased = any(isinstance(p, Comment) and p.phase is not None for stmt in kernel.body for p in parts(stmt))
    copied = {
        s for stmt in kernel.body for p in parts(stmt) if isinstance(p, Copy) for s in (root(p.target), root(p.value))
    }
    moved = frozenset(s for s in copied if s is not None and (s in tiles or s.unique in exchanged))
    moved |= {b.symbol for b in kernel.local if b.phased}
    trees = frozenset(tiles - moved - {c.own for c in kernel.copies})
    if phased:
        named = {p.name for p in kernel.params if isinstance(p, Buffer)}
        used = (e for stmt in kernel.body for p in parts(stmt) for top in own(p) for e in expressions(top))
        moved |= {e.symbol for e in used if isinstance(e, Var) and e.symbol.unique in named}
    _Walk(kernel, moved, trees).sequence(kernel.body, frozenset())


class _Walk:
    """Follows the accesses to `buffers` and `trees` since the last barrier along every path."""

    def __init__(self, kernel: KernelFunction, buffers: frozenset[Symbol], trees: frozenset[Symbol]) -> None:
        self._kernel = kernel
        self._buffers = buffers | trees
        self._trees = trees
        self._phase: int | None = None
        self._local = {b.symbol for b in kernel.local}
        self._known: dict[tuple[int, int | None], frozenset[_Access]] = {}

    def sequence(self, stmts: tuple[Stmt, ...], before: frozenset[_Access]) -> frozenset[_Access]:
        """The accesses that no barrier follows yet after `stmts`."""
        for stmt in stmts:
            match stmt:
                case Barrier(fence):
                    before = frozenset(a for a in before if not self._ordered(a.buffer, fence))
                case Comment(phase=phase) if phase is not None:
                    self._phase = phase
                case Loop(body=body, member=member):
                    once = before | self.sequence(body, before)
                    if member is not None and member.role is Role.UNIFORM and self._phase is not None:
                        once = frozenset(replace(access, phase=_BEFORE) for access in once)
                    before = once | self.sequence(body, once)
                case Guarded(then=then, other=other):
                    before = self.sequence(then, before) | self.sequence(other, before)
                case _:
                    new = self._accesses_of(stmt)
                    for access in new:
                        self._check(access, before)
                    before |= new
        return before

    def _ordered(self, buffer: Symbol, fence: Fence) -> bool:
        return fence is Fence.BOTH or (fence is Fence.LOCAL) == (buffer in self._local)

    def _accesses_of(self, stmt: Stmt) -> frozenset[_Access]:
        """A statement's accesses, found once a phase: it is come to twice for each loop around it."""
        key = id(stmt), self._phase
        if key not in self._known:
            self._known[key] = frozenset(self._accesses(stmt))
        return self._known[key]

    def _accesses(self, stmt: Stmt) -> Iterator[_Access]:
        for part in parts(stmt):
            copies = isinstance(part, Copy)
            written = root(part.target) if isinstance(part, Copy | Assign) else None
            if written in self._buffers and written is not None:
                place = _place(part.target) if isinstance(part, Copy | Assign) and written in self._trees else None
                yield _Access(written, copies, True, self._phase, place)
            for symbol in _read(part, written):
                if symbol in self._trees:
                    yield from (_Access(symbol, copies, False, self._phase, place) for place in _places(part, symbol))
                elif symbol in self._buffers:
                    yield _Access(symbol, copies, False, self._phase)

    def _check(self, access: _Access, before: frozenset[_Access]) -> None:
        local = access.buffer in self._local
        for other in before:
            if other.buffer != access.buffer or not (access.writes or other.writes):
                continue
            # one work-item loads and stores a place of a tile; an element in two tiles may meet two of them
            alone = access.copies and other.copies and (local or access.writes)
            elsewhere = access.place != other.place if access.buffer in self._trees else access.phase != other.phase
            if elsewhere or ((access.copies or other.copies) and not alone):
                message = f"kernel {self._kernel.name}: work-items meet in {access.buffer.name} without a barrier"
                raise broken(message, self._kernel.span)


def _place(target: Expr) -> Expr | None:
    return target.index if isinstance(target, Subscript) else None


def _places(part: Stmt, buffer: Symbol) -> Iterator[Expr]:
    """The subscripts of a buffer that a statement mentions."""
    for expr in (e for top in own(part) for e in expressions(top)):
        if isinstance(expr, Subscript) and isinstance(expr.base, Var) and expr.base.symbol == buffer:
            yield expr.index


def _read(part: Stmt, written: Symbol | None) -> Iterator[Symbol]:
    """The variables a statement reads; a compound assignment reads its target."""
    for top in own(part):
        skipped = part.target if isinstance(part, Copy) or (isinstance(part, Assign) and part.op == "=") else None
        for expr in _below(top, skipped):
            if isinstance(expr, Var):
                yield expr.symbol


def _below(top: Expr, skipped: Expr | None) -> Iterator[Expr]:
    if skipped is not None and top == skipped:
        yield from (e for e in expressions(top) if isinstance(e, Var) and e.symbol != root(top))
    else:
        yield from expressions(top)
