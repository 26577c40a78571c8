"""Names of a kernel's own variables, apart from the user's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from accshare.frontend.ir import Declare, Expr, Symbol, Var
from accshare.kernel.ir import Buffer, Define, KernelFunction, Loop, Stmt, each, parts, within
from accshare.kernel.uses import rewritten, symbols


def distinct(kernel: KernelFunction, users: frozenset[Symbol]) -> KernelFunction:
    """`kernel` with new names for what code generation called like one of the `users` variables that it mentions.

    ``i_tile`` is made from ``i``, and nothing keeps a program from having an ``i_tile`` of its own.
    """
    taken = {p.name if isinstance(p, Buffer) else p.symbol.unique for p in kernel.params}
    taken |= {s.unique for s in symbols(kernel.body) if s in users}
    taken |= {f.name for f in kernel.functions} | {s.name for s in kernel.structs}
    new: dict[Symbol, Symbol] = {}
    for symbol in _own(kernel):
        if symbol not in users and symbol not in new and symbol.unique in taken:
            unique = symbol.unique
            while unique in taken:
                unique += "_"
            taken.add(unique)
            new[symbol] = replace(symbol, unique=unique)
    return _renamed(kernel, new) if new else kernel


def _own(kernel: KernelFunction) -> Iterator[Symbol]:
    """What the kernel declares, parameters aside."""
    yield from (p.symbol for p in kernel.private)
    yield from (b.symbol for b in kernel.local)
    for stmt in kernel.body:
        for part in parts(stmt):
            if isinstance(part, Define | Declare):
                yield part.symbol
            elif isinstance(part, Loop):
                yield part.iterator


def _renamed(kernel: KernelFunction, new: dict[Symbol, Symbol]) -> KernelFunction:
    def change(expr: Expr) -> Expr | None:
        return replace(expr, symbol=new[expr.symbol]) if isinstance(expr, Var) and expr.symbol in new else None

    def declared(stmt: Stmt) -> Stmt:
        match stmt:
            case Define(symbol=symbol) | Declare(symbol=symbol):
                return replace(stmt, symbol=new.get(symbol, symbol))
            case Loop(iterator=iterator):
                stmt = replace(stmt, iterator=new.get(iterator, iterator))
        return within(stmt, each(declared))

    return replace(
        kernel,
        private=tuple(replace(p, symbol=new.get(p.symbol, p.symbol)) for p in kernel.private),
        local=tuple(replace(b, symbol=new.get(b.symbol, b.symbol)) for b in kernel.local),
        body=tuple(declared(rewritten(s, change)) for s in kernel.body),
        copies=tuple(replace(c, own=new.get(c.own, c.own)) for c in kernel.copies),
    )
