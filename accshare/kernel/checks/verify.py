"""The kernel verifier: what any kernel must satisfy, whatever passes made it."""

from __future__ import annotations

from accshare.diagnostics import Rejected, broken
from accshare.frontend.ir import (
    Atomic,
    Block,
    Builtin,
    Declare,
    Expr,
    For,
    GeneralFor,
    If,
    Intrinsic,
    Var,
    While,
)
from accshare.kernel.ir import Barrier, Buffer, Define, Guarded, KernelFunction, Loop, Stmt, own, parts
from accshare.tree import expressions


def verify(kernel: KernelFunction) -> KernelFunction:
    """Check that every variable is declared where it is used and that whole work-groups reach every barrier.

    Raises `Rejected` (ACC902): a kernel that fails is a bug of ours.
    """
    names = {p.name if isinstance(p, Buffer) else p.symbol.unique for p in kernel.params}
    own = [p.symbol.unique for p in kernel.private] + [b.symbol.unique for b in kernel.local]
    checker = _Checker(kernel)
    for k, name in enumerate(own):
        if name in names or name in own[:k]:
            raise checker.broken(f"{name} is declared twice")
    checker.sequence(kernel.body, frozenset((*names, *own)), frozenset())
    return kernel


class _Checker:
    """Walks a kernel with the names in scope and those whose value differs between work-items."""

    def __init__(self, kernel: KernelFunction) -> None:
        self._kernel = kernel

    def sequence(self, stmts: tuple[Stmt, ...], names: frozenset[str], varying: frozenset[str]) -> None:
        for stmt in stmts:
            if not isinstance(stmt, GeneralFor):  # its condition speaks of what its first part declares
                self._uses(own(stmt) if not isinstance(stmt, Loop) else (stmt.first,), names)
            match stmt:
                case Define(symbol, value):
                    if symbol.unique in names:
                        raise self.broken(f"{symbol.unique} is declared twice")
                    names |= {symbol.unique}
                    varying |= {symbol.unique} if self._varies(value, varying) else frozenset()
                case Declare(symbol):
                    names |= {symbol.unique}
                case Loop(iterator, first, condition, _, body):
                    inner = names | {iterator.unique}
                    self._uses((condition,), inner)
                    differs = self._varies(first, varying) or self._varies(condition, varying)
                    self._uniform(differs, body)
                    self.sequence(body, inner, varying | ({iterator.unique} if differs else frozenset()))
                case Guarded(condition, then, other):
                    self._uniform(self._varies(condition, varying), (*then, *other))
                    self.sequence(then, names, varying)
                    self.sequence(other, names, varying)
                case _:
                    self._source(stmt, names)

    def _source(self, stmt: Stmt, names: frozenset[str]) -> None:
        """The user's own compound statements."""
        match stmt:
            case Block(statements):
                self.sequence(statements, names, frozenset())
            case For(iterator=iterator, body=body):
                self.sequence(body.statements, names | {iterator.unique}, frozenset())
            case While(body=body) | Atomic(body=body):
                self.sequence(body.statements, names, frozenset())
            case If(then=then, other=other):
                self.sequence(then.statements, names, frozenset())
                self.sequence(other.statements if other is not None else (), names, frozenset())
            case GeneralFor(init=init, body=body, step=step):
                inside = names | {s.symbol.unique for s in init if isinstance(s, Declare)}
                self._uses(own(stmt), inside)
                self.sequence((*init, *body.statements, *step), inside, frozenset())

    def _uses(self, tops: tuple[Expr, ...], names: frozenset[str]) -> None:
        for top in tops:
            for expr in expressions(top):
                if isinstance(expr, Var) and expr.symbol.unique not in names:
                    raise self.broken(f"{expr.symbol.unique} is used but not declared")

    def _varies(self, expr: Expr, varying: frozenset[str]) -> bool:
        return any(
            (isinstance(e, Intrinsic) and e.function is Builtin.LOCAL_ID)
            or (isinstance(e, Var) and e.symbol.unique in varying)
            for e in expressions(expr)
        )

    def _uniform(self, differs: bool, inside: tuple[Stmt, ...]) -> None:
        if differs and any(isinstance(part, Barrier) for s in inside for part in parts(s)):
            raise self.broken("a barrier stands where not all work-items of a group get")

    def broken(self, message: str) -> Rejected:
        return broken(f"kernel {self._kernel.name}: {message}", self._kernel.span)
