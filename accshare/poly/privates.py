"""What variables of ``private`` clauses hold at first: anything, says OpenACC, so not what chance has left there.

That matters where an iteration may read one before it writes it: ``if (d < least) { least = d; nearest = k; }``.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import Assign, Atomic, Block, FloatLit, For, GeneralFor, If, Region, Scalar, Stmt, Var, While
from accshare.islexpr import literal
from accshare.poly.survey import counters, scalar_use
from accshare.pragma.ir import Clause, DataVar, PrivateClause
from accshare.records import replace
from accshare.tree import statements


def with_private_starts(region: Region) -> Region:
    """`region` with such variables set to 0 where their scope begins; the assignment has the place of the clause."""
    loops = [s.directive for s in statements(region.body) if isinstance(s, For) and s.directive is not None]
    inner = {var.base.text for directive in loops for var in _named(directive.clauses)}
    outer = [var for var in _named(region.construct.clauses) if var.base.text not in inner]
    if not inner and not outer:
        return region
    body = _block(region.body, region)
    return replace(region, body=_started(body, outer, region))


def _named(clauses: tuple[Clause, ...]) -> list[DataVar]:
    return [var for c in clauses if isinstance(c, PrivateClause) and not c.first for var in c.vars]


def _block(block: Block, region: Region) -> Block:
    return replace(block, statements=tuple(_statement(s, region) for s in block.statements))


def _statement(stmt: Stmt, region: Region) -> Stmt:
    match stmt:
        case Block():
            return _block(stmt, region)
        case For(directive=directive, body=body):
            named = [] if directive is None else _named(directive.clauses)
            return replace(stmt, body=_started(_block(body, region), named, region))
        case While(body=body) | GeneralFor(body=body) | Atomic(body=body):
            return replace(stmt, body=_block(body, region))
        case If(then=then, other=other):
            return replace(stmt, then=_block(then, region), other=None if other is None else _block(other, region))
    return stmt


def _started(body: Block, named: list[DataVar], region: Region) -> Block:
    return replace(body, statements=(*_starts(body, named, region), *body.statements))


def _starts(body: Block, named: list[DataVar], region: Region) -> Iterator[Assign]:
    counting = counters(region)
    for var in named:
        symbol = next((s for s in region.symbols if s.name == var.base.text), None)
        if symbol is None or symbol in counting or not isinstance(symbol.type, Scalar):
            continue
        if scalar_use(body, symbol).exposed:
            zero = FloatLit("0.0", symbol.type, var.span) if symbol.type.floating else literal(0, symbol.type)
            yield Assign(Var(symbol, var.span), "=", zero, var.span)
