"""Loop counters and other variables that the program reads after the region end as the loops would have left them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accshare.cprint import HostPrinter
from accshare.data.ir import DataPlan
from accshare.diagnostics import Rejected, rejected
from accshare.emit.text import flat
from accshare.frontend.ir import (
    Block,
    Call,
    Expr,
    For,
    Pointer,
    Region,
    Stmt,
    Storage,
    Subscript,
    Symbol,
    Var,
)
from accshare.source import SourceFile
from accshare.tree import operands, statements


def replay(region: Region, plan: DataPlan, source: SourceFile) -> list[str]:
    """The region's loop headers around empty bodies, for the loops whose counters live on: optimisers turn them into
    their final values; and the last values of what moves with loops. Raises `Rejected` (ACC402) where the headers alone
    don't give the right value."""
    fixed = [p.value for p in plan.parameters]
    done = {d.name for d in plan.data if d.scalar and d.writes}  # kernels tell their values

    def lives(loop: For) -> bool:
        return loop.iterator.unique not in done and _lives(loop, region)

    loops = _block(region.body.statements, lives, fixed, frozenset(), source)
    return [*loops, *_moved(plan.last)]


def _moved(last: tuple[tuple[Symbol, Expr], ...]) -> list[str]:
    """Assignments of last values, which are told from what all variables were in front of the region."""
    printer = HostPrinter({})
    values = [printer.text(value) for _, value in last]
    names = [f"__acc_last{k}" for k in range(len(last))] if len(last) > 1 else values
    given = [f"const long {name} = {value};" for name, value in zip(names, values, strict=True) if name != value]
    ops = ("+=" if isinstance(symbol.type, Pointer) else "=" for symbol, _ in last)
    return [*given, *(f"{s.name} {op} {name};" for (s, _), op, name in zip(last, ops, names, strict=True))]


def _block(
    stmts: Sequence[Stmt], lives: Callable[[For], bool], fixed: list[Expr], inside: frozenset[str], source: SourceFile
) -> list[str]:
    lines: list[str] = []
    for stmt in stmts:
        match stmt:
            case Block(inner):
                lines += _block(inner, lives, fixed, inside, source)
            case For(iterator=iterator, body=body):
                inner_lines = _block(body.statements, lives, fixed, inside | {iterator.unique}, source)
                if not inner_lines and not lives(stmt):
                    continue
                if not all(_is_fixed(e, fixed, inside) for e in (stmt.first, stmt.bound)):
                    raise _unclear(stmt, "its bounds are computed inside the region")
                header = flat(source.slice(stmt.header))
                lines += (
                    [f"{header} {{", *(f"  {line}" for line in inner_lines), "}"] if inner_lines else [f"{header} ;"]
                )
            case _:
                for below in statements(stmt):
                    if isinstance(below, For) and lives(below):
                        raise _unclear(below, "whether the loop runs at all is known only inside the region")
    return lines


def _lives(loop: For, region: Region) -> bool:
    symbol = loop.iterator
    if symbol.storage is Storage.INNER:
        return False
    return symbol.unique in region.live_after or symbol.storage is Storage.GLOBAL or symbol.address_taken


def _is_fixed(expr: Expr, fixed: list[Expr], inside: frozenset[str]) -> bool:
    """Whether `expr` has the same value on the host, given the enclosing counters."""
    if expr in fixed:
        return True
    match expr:
        case Var(symbol):
            return symbol.storage is not Storage.INNER or symbol.unique in inside
        case Subscript() | Call():
            return False
        case _:
            return all(_is_fixed(part, fixed, inside) for part in operands(expr))


def _unclear(loop: For, why: str) -> Rejected:
    name = loop.iterator.name
    return rejected(
        "ACC402",
        f"the value of {name} is used after the region, but {why}",
        loop.header,
        f"declare {name} inside the loop: for (int {name} = …)",
    )
