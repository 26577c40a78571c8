"""Work-items of a group that meet in a tile must have a barrier between them.

A cooperative copy moves elements that other work-items use, so between a copy and the statements on the same tile, or
between two copies where one work-item stores what another one loads, every path must pass a barrier.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.diagnostics import broken
from accshare.frontend.ir import Assign, Expr, Symbol, Var
from accshare.kernel.ir import Barrier, Copy, Fence, Guarded, KernelFunction, Loop, Stmt, own, parts
from accshare.records import dataclass
from accshare.reference import root
from accshare.tree import expressions


@dataclass(frozen=True, slots=True)
class _Access:
    """A statement's access to a buffer; `copies` where that is a cooperative copy."""

    buffer: Symbol
    copies: bool
    writes: bool


def check_races(kernel: KernelFunction, exchanged: frozenset[str]) -> None:
    """Raise `Rejected` (ACC902) where two work-items of a group may race on a tile. `exchanged` names the buffers in
    global memory through which strips hand elements from one work-item to another."""
    if kernel.work_group == (1, 1, 1):
        return
    tiles = {b.symbol for b in kernel.local}
    copied = {
        s for stmt in kernel.body for p in parts(stmt) if isinstance(p, Copy) for s in (root(p.target), root(p.value))
    }
    _Walk(kernel, frozenset(s for s in copied if s is not None and (s in tiles or s.unique in exchanged))).sequence(
        kernel.body, frozenset()
    )


class _Walk:
    """Follows the accesses to `buffers` since the last barrier along every path."""

    def __init__(self, kernel: KernelFunction, buffers: frozenset[Symbol]) -> None:
        self._kernel = kernel
        self._buffers = buffers
        self._local = {b.symbol for b in kernel.local}

    def sequence(self, stmts: tuple[Stmt, ...], before: frozenset[_Access]) -> frozenset[_Access]:
        """The accesses that no barrier follows yet after `stmts`."""
        for stmt in stmts:
            match stmt:
                case Barrier(fence):
                    before = frozenset(a for a in before if not self._ordered(a.buffer, fence))
                case Loop(body=body):
                    once = before | self.sequence(body, before)
                    before = once | self.sequence(body, once)
                case Guarded(then=then, other=other):
                    before = self.sequence(then, before) | self.sequence(other, before)
                case _:
                    new = frozenset(self._accesses(stmt))
                    for access in new:
                        self._check(access, before)
                    before |= new
        return before

    def _ordered(self, buffer: Symbol, fence: Fence) -> bool:
        return fence is Fence.BOTH or (fence is Fence.LOCAL) == (buffer in self._local)

    def _accesses(self, stmt: Stmt) -> Iterator[_Access]:
        for part in parts(stmt):
            copies = isinstance(part, Copy)
            written = root(part.target) if isinstance(part, Copy | Assign) else None
            if written in self._buffers and written is not None:
                yield _Access(written, copies, True)
            for symbol in _read(part, written):
                if symbol in self._buffers:
                    yield _Access(symbol, copies, False)

    def _check(self, access: _Access, before: frozenset[_Access]) -> None:
        local = access.buffer in self._local
        for other in before:
            if other.buffer != access.buffer or not (access.writes or other.writes):
                continue
            # one work-item loads and stores a place of a tile; an element in two tiles may meet two of them
            alone = access.copies and other.copies and (local or access.writes)
            if (access.copies or other.copies) and not alone:
                message = f"kernel {self._kernel.name}: work-items meet in {access.buffer.name} without a barrier"
                raise broken(message, self._kernel.span)


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
