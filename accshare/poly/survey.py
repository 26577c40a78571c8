"""What a region declares, counts with, assigns and uses first, before anything is modelled."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import (
    Assign,
    Atomic,
    Binary,
    Block,
    Conditional,
    Declare,
    Expr,
    For,
    GeneralFor,
    If,
    Region,
    Stmt,
    Symbol,
    Var,
)
from accshare.records import dataclass
from accshare.reference import changed
from accshare.tree import expressions, operands, own_expressions, statements, substatements


def counters(region: Region) -> frozenset[Symbol]:
    """The iterators of the region's counting loops."""
    return frozenset(s.iterator for s in statements(region.body) if isinstance(s, For))


def declared(region: Region) -> frozenset[Symbol]:
    """The symbols declared inside the region."""
    return frozenset(s.symbol for s in statements(region.body) if isinstance(s, Declare))


def assigned(region: Region) -> tuple[Expr, ...]:
    """Everything the region assigns to."""
    return tuple(s.target for s in statements(region.body) if isinstance(s, Assign))


def written(region: Region) -> frozenset[Symbol]:
    """The variables whose own memory the region assigns; what they point to doesn't count."""
    return changed(region.body)


def evaluated(region: Region) -> frozenset[Expr]:
    """What the region evaluates in any case: in the headers of loops that stand in nothing else."""
    return frozenset(
        part for loop in _outermost(region.body) for end in (loop.first, loop.bound) for part in _sure(end)
    )


def _outermost(block: Block) -> Iterator[For]:
    for stmt in block.statements:
        if isinstance(stmt, Block):
            yield from _outermost(stmt)
        elif isinstance(stmt, For):
            yield stmt


def _sure(expr: Expr) -> Iterator[Expr]:
    """`expr` and those of its parts that no other part decides about."""
    yield expr
    match expr:
        case Conditional(condition):
            yield from _sure(condition)
        case Binary("&&" | "||", lhs):
            yield from _sure(lhs)
        case _:
            for part in operands(expr):
                yield from _sure(part)


@dataclass(frozen=True, slots=True)
class ScalarUse:
    """How a statement as a whole uses a scalar: `exposed` when it may read a value from before, `defined` when it
    certainly writes one."""

    exposed: bool
    defined: bool


def scalar_use(stmt: Stmt, symbol: Symbol) -> ScalarUse:
    """Follow the paths through `stmt`; loops may run no iteration."""
    return _scan(stmt, symbol, ScalarUse(False, False))


def _scan(stmt: Stmt, symbol: Symbol, use: ScalarUse) -> ScalarUse:
    def reads(*exprs: Expr | None) -> ScalarUse:
        found = any(isinstance(e, Var) and e.symbol == symbol for x in exprs if x is not None for e in expressions(x))
        return ScalarUse(use.exposed or (found and not use.defined), use.defined)

    match stmt:
        case Assign(Var(target), op, value) if target == symbol:
            use = reads(value, stmt.target if op != "=" else None)
            return ScalarUse(use.exposed, True)
        case Declare(own, init) if own == symbol:
            use = reads(init)
            return ScalarUse(use.exposed, use.defined or init is not None)
        case Block(parts) | Atomic(body=Block(parts)):
            for part in parts:
                use = _scan(part, symbol, use)
            return use
        case If(condition, then, other):
            use = reads(condition)
            yes = _scan(then, symbol, use)
            no = use if other is None else _scan(other, symbol, use)
            return ScalarUse(yes.exposed or no.exposed, yes.defined and no.defined)
        case GeneralFor(init=init):
            for part in init:
                use = _scan(part, symbol, use)
    use = reads(*own_expressions(stmt))
    inside = use
    for part in substatements(stmt)[len(stmt.init) if isinstance(stmt, GeneralFor) else 0 :]:
        inside = _scan(part, symbol, inside)
    return ScalarUse(inside.exposed, use.defined)
