"""Loop counters and other variables that the program reads after the region end as the loops would have left them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accshare.cprint import HostPrinter
from accshare.data.ir import DataPlan
from accshare.diagnostics import Rejected, rejected
from accshare.emit.text import flat
from accshare.frontend.ir import (
    LONG,
    Block,
    Call,
    Expr,
    For,
    Pointer,
    Region,
    Scalar,
    Stmt,
    Storage,
    Subscript,
    Var,
)
from accshare.reference import changed
from accshare.source import SourceFile
from accshare.tree import named, operands, statements


def replay(region: Region, plan: DataPlan, source: SourceFile) -> list[str]:
    """The region's loop headers around empty bodies, for the loops whose counters live on: optimisers turn them into
    their final values; and the last values of what moves with loops. Raises `Rejected` (ACC402) where the headers alone
    don't give the right value."""
    changing = changed(region.body)
    fixed = [p.value for p in plan.parameters if not changing & named(p.value)]
    done = {d.name for d in plan.data if d.scalar and d.writes}  # kernels tell their values

    def lives(loop: For) -> bool:
        return loop.iterator.unique not in done and _lives(loop, region)

    known = frozenset(s.unique for s in region.symbols if s.storage is not Storage.INNER and s not in changing)
    loops = _block(region.body.statements, lives, fixed, known, source)
    return [*loops, *_moved(plan.last)]


def _moved(last: tuple[tuple[Expr, Expr], ...]) -> list[str]:
    """Assignments of last values, which are told from what all variables were in front of the region."""
    printer = HostPrinter({})
    lines: list[str] = []
    given: list[str] = []
    for k, (target, value) in enumerate(last):
        name, type_ = f"__acc_last{k}", value.type if isinstance(value.type, Pointer) else LONG
        lines.append(f"{printer.declaration(type_, name)} = {printer.text(value)};")
        moved = isinstance(target.type, Pointer) and type_ is LONG
        given.append(f"{printer.text(target)} {'+=' if moved else '='} {name};")
    return [*lines, *given]


def _block(
    stmts: Sequence[Stmt], lives: Callable[[For], bool], fixed: list[Expr], known: frozenset[str], source: SourceFile
) -> list[str]:
    lines: list[str] = []
    for stmt in stmts:
        match stmt:
            case Block(inner):
                lines += _block(inner, lives, fixed, known, source)
            case For(iterator=iterator, body=body):
                inner_lines = _block(body.statements, lives, fixed, known | {iterator.unique}, source)
                if not inner_lines and not lives(stmt):
                    continue
                if not all(_is_fixed(e, fixed, known) for e in (stmt.first, stmt.bound)):
                    raise _unclear(stmt, "its bounds are computed inside the region")
                header = _header(stmt, source)
                lines += (
                    [f"{header} {{", *(f"  {line}" for line in inner_lines), "}"] if inner_lines else [f"{header} ;"]
                )
            case _:
                for below in statements(stmt):
                    if isinstance(below, For) and lives(below):
                        raise _unclear(below, "whether the loop runs at all is known only inside the region")
    return lines


def _header(loop: For, source: SourceFile) -> str:
    """A loop's header, or, where that changes other variables too, what it does to its counter."""
    header, name = flat(source.slice(loop.header)), loop.iterator.name
    if "," not in header:
        return header
    type_ = loop.iterator.type
    if loop.step < 0 and isinstance(type_, Scalar) and not type_.signed:
        raise _unclear(loop, "its header moves other variables, too")  # it may end below 0
    printer = HostPrinter({})
    first, bound = printer.text(loop.first), printer.text(loop.bound)
    begin = printer.declaration(type_, name) if loop.iterator.storage is Storage.INNER else name
    step = f"{name} {'+=' if loop.step > 0 else '-='} {abs(loop.step)}"
    return f"for ({begin} = {first}; {name} {loop.relation} {bound}; {step})"


def _lives(loop: For, region: Region) -> bool:
    symbol = loop.iterator
    if symbol.storage is Storage.INNER:
        return False
    return symbol.unique in region.live_after or symbol.storage is Storage.GLOBAL or symbol.address_taken


def _is_fixed(expr: Expr, fixed: list[Expr], known: frozenset[str]) -> bool:
    """Whether `expr` has the same value on the host, given the enclosing counters and what the region leaves alone."""
    if expr in fixed:
        return True
    match expr:
        case Var(symbol):
            return symbol.unique in known
        case Subscript() | Call():
            return False
        case _:
            return all(_is_fixed(part, fixed, known) for part in operands(expr))


def _unclear(loop: For, why: str) -> Rejected:
    name = loop.iterator.name
    return rejected(
        "ACC402",
        f"the value of {name} is used after the region, but {why}",
        loop.header,
        f"declare {name} inside the loop: for (int {name} = …)",
    )
